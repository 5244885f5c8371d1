"""Konchinka as docs/rules.md tells it, rules K1 to K17, with sets, lists and strings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations

from .observation import Parts, plane, thermometer

SUITS = "cdhs"
RANKS = "A23456789TJQK"
FIGURES = "JQK"
ALL_CARDS = {rank + suit for suit in SUITS for rank in RANKS}  # K1
KONCHINKI = {"2c", "Td"}  # K11
POINTS = {rank: RANKS.index(rank) + 1 for rank in RANKS}  # K7: A 1 ... T 10; K17: J 11, Q 12, K 13


@cache
def sums(figures: bool, figure_sums: tuple[int, int, int]) -> dict[str, list[tuple[str, frozenset[str]]]]:
    """For each rank the sets of table ranks it captures by adding up, as written and as a set (K7, K17).

    At least two cards, and no rank twice, since a table never holds two cards of a rank (K4, K8).
    """
    captures = {rank: POINTS[rank] for rank in RANKS if rank not in FIGURES}
    summands = [rank for rank in RANKS if figures or rank not in FIGURES]
    if figures:
        captures.update(zip(FIGURES, figure_sums, strict=True))
    found: dict[str, list[tuple[str, frozenset[str]]]] = {rank: [] for rank in RANKS}
    for rank, worth in captures.items():
        for size in range(2, len(summands) + 1):
            for ranks in combinations(summands, size):  # keeps the order A23456789TJQK
                if sum(POINTS[r] for r in ranks) == worth:
                    found[rank].append(("".join(ranks), frozenset(ranks)))
    return found


class KonchinkaOracle:
    """One episode: a single deal, or a match of deals.

    ``packs(k)`` is the pack, top card first, as shuffled for deal k = 0, 1, 2, ..., before K4 changes it.
    A void deal (K4) uses up its pack; the next number is dealt by the same dealer.
    """

    def __init__(
        self,
        packs: Callable[[int], list[str]],
        dealer: int,
        *,
        scores: list[int] | None = None,
        num_players: int = 2,
        figures: bool = False,
        figure_sums: tuple[int, int, int] = (11, 12, 13),
        obligation: str = "card",
        match: bool = False,
        target: int = 15,
        settlement: str = "points",
        chip: int = 1,
        stake: int = 50,
    ) -> None:
        figure_sums = tuple(figure_sums)  # type: ignore[assignment]
        if not 2 <= num_players <= 12:
            raise ValueError("2 to 12 players (K1)")
        if len(figure_sums) != 3 or any(not 11 <= worth <= 14 for worth in figure_sums):
            raise ValueError("figure_sums are three numbers, each 11 to 14 (K17)")
        if figure_sums != (11, 12, 13) and not figures:
            raise ValueError("figure_sums belong to the variant figures (K17)")
        if obligation not in ("card", "hand") or settlement not in ("points", "stakes"):
            raise ValueError("obligation is card or hand (K8), settlement points or stakes (K16)")
        if not 0 <= dealer < num_players:
            raise ValueError("the dealer is one of the seats")
        if any(scores or []) and not match:
            raise ValueError("scores are kept in a match only")
        if scores is not None and len(scores) != num_players:
            raise ValueError("one score for each seat")

        self.packs = packs
        self.num_players = num_players
        self.seats = range(num_players)
        self.figures = figures
        self.sums = sums(figures, figure_sums)
        self.obligation = obligation
        self.match = match
        self.target = target
        self.settlement_kind = settlement
        self.chip = chip
        self.stake = stake

        self.scores = list(scores) if scores is not None else [0] * num_players
        if match and self.match_is_won():
            raise ValueError("these scores have ended the match already (K14)")
        self.points = [0] * num_players
        self.returns = [Fraction(0)] * num_players
        self.settlement = [0] * num_players
        self.taken_before = [0] * num_players  # cards won in the deals before this one
        self.everything = 52
        self.is_over = False
        self.void_deals = 0

        self.deal_number = 0
        self.dealer = dealer
        self._deal()

    # ---- the deal

    def _deal(self) -> None:
        """K2 to K4: deal the first round, shuffling again after every void deal."""
        while not self._first_round(list(self.packs(self.deal_number))):
            self.void_deals += 1
            self.deal_number += 1  # K4: the same dealer shuffles and deals again

    def _first_round(self, pack: list[str]) -> bool:
        """K3: four cards to each player, four on the table; False if that comes out void (K4)."""
        if len(pack) != 52 or set(pack) != ALL_CARDS:
            raise ValueError(f"pack {self.deal_number} is not the pack of this game")
        shuffled = list(pack)
        self.denied: list[set[str]] = [set() for _ in self.seats]
        self.pack = pack
        self.hands: list[set[str]] = [set() for _ in self.seats]
        self.piles: list[set[str]] = [set() for _ in self.seats]
        self.last_capturer = -1
        self._deal_round(4)
        to_hands = shuffled[: 4 * self.num_players]

        places = [self.pack.pop(0) for _ in range(4)]
        put_back = self._mend(places)
        if put_back is None:
            return False
        self.table = set(places)
        self.deck = to_hands + places + self.pack
        self.open_pack = {
            position: card for position, card in enumerate(self.deck) if card in put_back and card in self.pack
        }
        self.undealt = list(self.pack)
        return True

    def _mend(self, places: list[str]) -> set[str] | None:
        """K4: replace what may not lie among the four. The cards put back, or None if the deal is void."""
        put_back: set[str] = set()
        replacements = 0
        for place in range(4):  # looked at in the order dealt
            while not holds(places, place):
                if not self.pack or replacements == 52:
                    return None
                middle = len(self.pack) // 2  # as many above as below: the pack is even
                self.pack.insert(middle, places[place])
                put_back.add(places[place])
                places[place] = self.pack.pop(0)
                replacements += 1
        return put_back

    def eldest(self) -> int:
        """The player to the dealer's left."""
        return (self.dealer + 1) % self.num_players

    def _deal_round(self, cards_each: int) -> None:
        """K3, K5: one card at a time, from the eldest hand to the dealer. K6: the eldest begins."""
        for _ in range(cards_each):
            for step in self.seats:
                seat = (self.eldest() + step) % self.num_players
                self.hands[seat].add(self.pack.pop(0))
        self.undealt = list(self.pack)
        self.denied = [set() for _ in self.seats]  # new cards may be of any rank
        self.to_play = self.eldest()

    def dealt_to(self, position: int) -> int:
        """K3, K5: the seat that a position of the pack is or will be dealt to; -1 for the table's and those left."""
        hands = 4 * self.num_players
        if position >= hands + 4:
            position -= 4  # the table's
            if position >= hands + (48 - hands) // self.num_players * self.num_players:
                return -1
        elif position >= hands:
            return -1
        return (self.eldest() + position) % self.num_players

    # ---- playing

    def ways(self, card: str) -> dict[str, set[str]]:
        """What playing this card can do: the name of each play and the cards it captures (K7 to K9, K17).

        K8: a card captures if it can, and is trailed (captures nothing) only if it cannot.
        """
        rank = card[0]
        on_table = {lying[0]: lying for lying in self.table}  # one card of a rank at most (K4, K8)
        found: dict[str, set[str]] = {}
        if rank == "J" and not self.figures:
            if self.table:
                found[card + "x*"] = set(self.table)  # K9: all of them
        else:
            if rank in on_table:  # K7: the equal card
                found[card + "x" + rank] = {on_table[rank]}
            for written, ranks in self.sums[rank]:  # K7, K17: one sum
                if ranks <= on_table.keys():
                    found[card + "x" + written] = {on_table[r] for r in ranks}
        if not found:
            found[card] = set()
        return found

    def legal(self) -> set[str]:
        """K6: any card of the hand; K8: under obligation "hand" a player who can capture must."""
        if self.is_over:
            return set()
        plays: dict[str, set[str]] = {}
        for card in self.hands[self.to_play]:
            plays.update(self.ways(card))
        if self.obligation == "hand":
            captures = {name for name, taken in plays.items() if taken}
            if captures:
                return captures
        return set(plays)

    def play(self, name: str) -> None:
        """K6: play one card; whatever follows from it happens at once."""
        if name not in self.legal():
            raise ValueError(f"{name} is not legal for seat {self.to_play}; legal: {sorted(self.legal())}")
        seat = self.to_play
        card = name[:2]
        taken = self.ways(card)[name]
        self.hands[seat].remove(card)
        if taken:  # K10
            self.table -= taken
            self.piles[seat] |= taken | {card}
            self.last_capturer = seat
            if self.ends_during_play(seat):
                self._count([self.early_points(s) for s in self.seats])
                return
        else:
            if self.obligation == "hand":  # K8: everybody has seen that it holds nothing that captures here
                self.denied[seat] |= {rank for rank in RANKS if any(self.ways(rank + "?").values())}
            self.table.add(card)
        self._go_on()

    def _go_on(self) -> None:
        """K5, K6: the next player, the next round, or the end of the pack (K12, K13)."""
        if any(self.hands):
            self.to_play = (self.to_play + 1) % self.num_players
            return
        cards_each = min(4, len(self.pack) // self.num_players)  # K5, the uneven last round included
        if cards_each > 0:
            self._deal_round(cards_each)
            return
        if self.last_capturer >= 0:  # K12, with the cards K5 left undealt
            self.piles[self.last_capturer] |= self.table | set(self.pack)
            self.table = set()
            self.pack = []
        self._count(self.deal_points())

    # ---- counting

    def taken(self, seat: int) -> int:
        """How many cards this seat has won (K10, K12)."""
        return len(self.piles[seat])

    def clubs(self, seat: int) -> int:
        """How many clubs this seat has won."""
        return len({card for card in self.piles[seat] if card[1] == "c"})

    def deal_points(self) -> list[int]:
        """K13: most cards 2, most clubs 1, each konchinka 1; level at the top scores nobody."""
        cards = [len(self.piles[seat]) for seat in self.seats]
        clubs = [self.clubs(seat) for seat in self.seats]
        points = []
        for seat in self.seats:
            others = [other for other in self.seats if other != seat]
            own = len(self.piles[seat] & KONCHINKI)
            if all(cards[seat] > cards[other] for other in others):
                own += 2
            if all(clubs[seat] > clubs[other] for other in others):
                own += 1
            points.append(own)
        return points

    def early_points(self, seat: int) -> int:
        """K15: what counts of an unfinished deal: konchinki 1 each, seven clubs 1."""
        seven_clubs = 1 if self.clubs(seat) >= 7 else 0
        return len(self.piles[seat] & KONCHINKI) + seven_clubs

    def ends_during_play(self, seat: int) -> bool:
        """K15: whether this capture ends the match at once, for a player who needs only 1 or 2 points.

        Not while anyone stands at the target already.
        """
        if not self.match or max(self.scores) >= self.target:
            return False
        needed = self.target - self.scores[seat]
        return needed <= 2 and self.early_points(seat) >= needed

    def match_is_won(self) -> bool:
        """K14: exactly one player has the highest total, and it has reached the target."""
        highest = max(self.scores)
        return highest >= self.target and self.scores.count(highest) == 1

    def _count(self, points: list[int]) -> None:
        """K13 to K15: write the deal down, then end or deal again."""
        self.points = points
        for seat in self.seats:
            others = sum(points) - points[seat]
            self.returns[seat] += points[seat] - Fraction(others, self.num_players - 1)
        if not self.match:
            self._end()
            return
        for seat in self.seats:
            self.scores[seat] += points[seat]
        if self.match_is_won():
            self._settle()
            self._end()
            return
        self.taken_before = [self.taken_before[seat] + self.taken(seat) for seat in self.seats]
        self.dealer = self.eldest()  # K2
        self.deal_number += 1
        self._deal()

    def _settle(self) -> None:
        """K16: each loser pays the winner."""
        (winner,) = {seat for seat in self.seats if self.scores[seat] == max(self.scores)}
        for seat in self.seats:
            if seat == winner:
                continue
            if self.settlement_kind == "points":
                pays = self.chip * max(0, self.target - self.scores[seat])
            else:
                pays = self.stake
            self.settlement[seat] -= pays
            self.settlement[winner] += pays

    def _end(self) -> None:
        self.is_over = True
        self.to_play = -1

    def winners(self) -> set[int]:
        """Who won the finished episode: most points of the deal (level: several); in a match, K14."""
        if not self.is_over:
            raise ValueError("not over yet")
        result = self.scores if self.match else self.points
        return {seat for seat in self.seats if result[seat] == max(result)}

    # ---- what a seat sees

    def sees(self, seat: int) -> Parts:
        """What a seat sees, part by part; the others are counted from it, to the left."""
        players = self.num_players
        turned = [(seat + step) % players for step in range(players)]
        order = [rank + suit for suit in SUITS for rank in RANKS]
        hand, table = self.hands[seat], self.table
        unseen = set(order) - hand - table - set().union(*self.piles)
        copies = {rank: sum(1 for card in unseen if card[0] == rank) for rank in RANKS}
        parts = {
            "hand": plane(hand, order),
            "table": plane(table, order),
            "unseen": plane(unseen, order),
            "unseen_ranks": [int(copies[rank] >= least) for least in (1, 2, 3, 4) for rank in RANKS],
            "capturing": plane((card for card in hand if any(self.ways(card).values())), order),
            "table_ranks": plane((card[0] for card in table), RANKS),
        }
        for place, other in enumerate(turned):
            parts[f"pile_{place}"] = plane(self.piles[other], order)
        if players < 12:
            undealt = self.undealt
            parts["known_pack"] = plane((card for card in self.open_pack.values() if card in undealt), order)
        later = len(self.deck[4 * players + 4 :]) // players
        if later:
            in_play = unseen | hand
            for place, other in enumerate(turned):
                own = {card for at, card in self.open_pack.items() if self.dealt_to(at) == other}
                parts[f"known_{place}"] = plane(own & in_play, order)
        for place, other in enumerate(turned):
            parts[f"cards_{place}"] = thermometer(len(self.piles[other]), 32)
            parts[f"clubs_{place}"] = thermometer(self.clubs(other), 8)
            parts[f"hand_size_{place}"] = thermometer(len(self.hands[other]), 4)
            parts[f"dealer_{place}"] = [int(other == self.dealer)]
            parts[f"last_capturer_{place}"] = [int(other == self.last_capturer)]
            if self.obligation == "hand":
                parts[f"denied_{place}"] = plane(self.denied[other], RANKS)
            if self.match:
                parts[f"score_{place}"] = thermometer(self.scores[other], self.target + 8)
        parts["dealt_later"] = thermometer(len(self.undealt) // players, later)
        return parts


def holds(places: list[str], place: int) -> bool:
    """K4: not a jack (K17: under figures neither), and of another rank than every earlier place."""
    rank = places[place][0]
    return rank != "J" and all(rank != earlier[0] for earlier in places[:place])
