"""Elfern as docs/rules.md tells it, rules E1 to E12, with sets, lists and strings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .observation import Parts, plane, thermometer

SUITS = "cdhs"
RANKS = "AKQJT987"  # E1: from the highest down
FOLLOW_SUIT = ("stock", "endgame", "always", "never")


class ElfernOracle:
    """One episode: a single deal, or a match of deals.

    ``packs(k)`` is the pack, top card first, of deal k = 0, 1, 2, ...
    """

    def __init__(
        self,
        packs: Callable[[int], list[str]],
        dealer: int,
        *,
        scores: list[int] | None = None,
        doubled: bool = False,
        follow_suit: str = "stock",
        match: bool = False,
        target: int = 20,
        suits: int = 4,
        ranks: int = 8,
        honours: int | None = None,
        hand_size: int = 6,
    ) -> None:
        if honours is None:
            honours = min(5, ranks)
        if follow_suit not in FOLLOW_SUIT:
            raise ValueError(f"follow_suit is one of {FOLLOW_SUIT}, not {follow_suit!r}")
        if not (1 <= suits <= 4 and 2 <= ranks <= 8 and 1 <= honours <= ranks and hand_size >= 1):
            raise ValueError("suits 1 to 4, ranks 2 to 8, honours 1 to ranks, hands of at least one card")
        if suits * ranks % 2 or 2 * hand_size > suits * ranks:
            raise ValueError("the pack must be even and hold two hands")
        if dealer not in (0, 1):
            raise ValueError("the dealer is seat 0 or 1")
        if any(scores or []) and not match:
            raise ValueError("scores are kept in a match only")
        if scores is not None and (len(scores) != 2 or (match and max(scores) >= target)):
            raise ValueError("two scores, both short of the target (E12)")

        self.packs = packs
        self.follow_suit = follow_suit
        self.match = match
        self.target = target
        self.hand_size = hand_size
        self.all_cards = {rank + suit for suit in SUITS[:suits] for rank in RANKS[:ranks]}  # E1
        self.honours = {rank + suit for suit in SUITS[:suits] for rank in RANKS[:honours]}  # E2
        self.has_scale = suits * honours == 20  # E10

        self.scores = list(scores) if scores is not None else [0, 0]
        self.points = [0, 0]
        self.returns = [Fraction(0), Fraction(0)]
        self.settlement = [0, 0]  # Elfern has none
        self.taken_before = [0, 0]  # honours of the deals before this one
        self.everything = len(self.honours)
        self.is_over = False
        self.void_deals = 0  # Elfern has none

        self.deal_number = 0
        self.dealer = dealer
        self.doubled = doubled
        self._deal()

    # ---- the deal

    def _deal(self) -> None:
        """E4: one card at a time, the opponent first; the rest is the stock. E5: the opponent leads."""
        self.deck = list(self.packs(self.deal_number))
        if len(self.deck) != len(self.all_cards) or set(self.deck) != self.all_cards:
            raise ValueError(f"pack {self.deal_number} is not the pack of this game")
        self.hands: list[set[str]] = [set(), set()]
        self.piles: list[set[str]] = [set(), set()]
        self.room: list[dict[str, int]] = [{}, {}]  # by suit: most cards of a hand, once it did not follow
        self.table: list[str] = []
        self.stock = list(self.deck)
        opponent = 1 - self.dealer
        for _ in range(self.hand_size):
            self.hands[opponent].add(self.stock.pop(0))
            self.hands[self.dealer].add(self.stock.pop(0))
        self.to_play = opponent  # E5

    # ---- playing

    def must_follow(self) -> bool:
        """E6 and E8: whether the duty to follow suit holds now."""
        if self.follow_suit == "always":
            return True
        if self.follow_suit == "never":
            return False
        stock_lasts = len(self.stock) > 0
        if self.follow_suit == "stock":
            return stock_lasts
        return not stock_lasts  # "endgame"

    def legal(self) -> set[str]:
        """E5: any card may be led. E6 and E8: what may be played to a lead."""
        if self.is_over:
            return set()
        hand = self.hands[self.to_play]
        if self.table and self.must_follow():
            suit_led = self.table[0][1]
            of_the_suit = {card for card in hand if card[1] == suit_led}
            if of_the_suit:
                return of_the_suit
        return set(hand)

    def play(self, name: str) -> None:
        """Play one card; whatever follows from it happens at once."""
        if name not in self.legal():
            raise ValueError(f"{name} is not legal for seat {self.to_play}; legal: {sorted(self.legal())}")
        self.hands[self.to_play].remove(name)
        if not self.table:
            self.table = [name]
            self.to_play = 1 - self.to_play
        else:
            self._finish_trick(name)

    def _finish_trick(self, answer: str) -> None:
        """Take the trick, draw (E7), and count when all cards are played (E9)."""
        lead = self.table[0]
        follower = self.to_play
        leader = 1 - follower
        if answer[1] != lead[1] and self.must_follow():
            self.room[follower][lead[1]] = 0  # E6: everybody has seen that it holds none
        winner = follower if beats(answer, lead) else leader
        self.piles[winner] |= {lead, answer}
        self.table = []
        if self.stock:  # E7: the winner draws first
            self.hands[winner].add(self.stock.pop(0))
            self.hands[1 - winner].add(self.stock.pop(0))
            for room in self.room:  # the card drawn can be of any suit
                room.update({suit: most + 1 for suit, most in room.items()})
        self.to_play = winner  # E5
        if not self.hands[0] and not self.hands[1]:
            self._finish_deal()

    # ---- counting

    def honours_won(self, seat: int) -> int:
        """E9: honours in the tricks won."""
        return len(self.piles[seat] & self.honours)

    taken = honours_won

    def _finish_deal(self) -> None:
        """E9 to E12: count the deal, then end or deal again."""
        won = [self.honours_won(0), self.honours_won(1)]
        self.points = [0, 0]
        drawn = won[0] == won[1]
        if not drawn:
            winner = 0 if won[0] > won[1] else 1
            worth = self.worth(won[winner])
            self.points[winner] = 2 * worth if self.doubled else worth  # E11
        for seat in (0, 1):
            self.returns[seat] += self.points[seat] - self.points[1 - seat]
        if not self.match:
            self._end()
            return
        for seat in (0, 1):
            self.scores[seat] += self.points[seat]
        if max(self.scores) >= self.target:  # E12
            self._end()
            return
        self.taken_before = [self.taken_before[seat] + won[seat] for seat in (0, 1)]
        self.doubled = drawn  # E11: double, not more; a decided deal ends it
        self.dealer = 1 - self.dealer  # E3: the deal alternates
        self.deal_number += 1
        self._deal()

    def worth(self, honours: int) -> int:
        """E10: what a deal won with so many honours scores."""
        if not self.has_scale:
            return 1
        if honours == 20:
            return 5
        if honours >= 18:
            return 4
        if honours >= 16:
            return 3
        if honours >= 14:
            return 2
        return 1

    def _end(self) -> None:
        self.is_over = True
        self.to_play = -1

    def winners(self) -> set[int]:
        """E9, E12: who won the finished episode; both if a single deal is drawn."""
        if not self.is_over:
            raise ValueError("not over yet")
        result = self.scores if self.match else self.points
        return {seat for seat in (0, 1) if result[seat] == max(result)}

    # ---- what a seat sees

    @property
    def undealt(self) -> list[str]:
        """The cards in no hand, on no table and in no pile, the next one first."""
        return self.stock

    def sees(self, seat: int) -> Parts:
        """What a seat sees, part by part."""
        other = 1 - seat
        suits = [suit for suit in SUITS if any(card[1] == suit for card in self.all_cards)]
        ranks = [rank for rank in reversed(RANKS) if rank + suits[0] in self.all_cards]  # ascending
        order = [rank + suit for suit in suits for rank in ranks]
        hand, lead = self.hands[seat], self.table
        unseen = self.all_cards - hand - self.piles[0] - self.piles[1] - set(lead)
        honours = len(self.honours)
        size = self.hand_size
        room: list[int] = []
        for suit in SUITS:
            room += thermometer(min(self.room[other].get(suit, size), len(self.hands[other])), size)
        parts = {
            "hand": plane(hand, order),
            "lead": plane(lead, order),
            "beating": plane((card for card in hand if lead and beats(card, lead[0])), order),
            "masters": plane((card for card in hand if not any(beats(one, card) for one in unseen)), order),
            "own_won": plane(self.piles[seat], order),
            "other_won": plane(self.piles[other], order),
            "unseen": plane(unseen, order),
            "other_room": room,
            "own_honours": thermometer(self.honours_won(seat), honours),
            "other_honours": thermometer(self.honours_won(other), honours),
            "other_hand_size": thermometer(len(self.hands[other]), size),
            "stock_pairs": thermometer(len(self.stock) // 2, len(order) // 2 - size),
            "own_deal": [int(self.dealer == seat)],
            "stock_lasts": [int(len(self.stock) > 0)],
            "bound": [int(self.must_follow())],
        }
        if self.match:
            parts["own_score"] = thermometer(self.scores[seat], self.target)
            parts["other_score"] = thermometer(self.scores[other], self.target)
            parts["doubled"] = [int(self.doubled)]
        return parts


def beats(answer: str, lead: str) -> bool:
    """E6, E8: only a higher card of the suit led beats the lead."""
    same_suit = answer[1] == lead[1]
    higher = RANKS.index(answer[0]) < RANKS.index(lead[0])
    return same_suit and higher
