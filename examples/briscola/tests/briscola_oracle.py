"""Briscola as the README tells it, rules B1 to B8, with sets, lists and strings: slow and independent of the engine."""

from __future__ import annotations

from collections.abc import Callable

ORDER = "A3KQJ76542"  # B1: from the highest down
POINTS = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}  # B7


class BriscolaOracle:
    """One episode: a single deal, or a match of deals. ``packs(k)`` is the pack of deal k, top card first."""

    def __init__(
        self,
        packs: Callable[[int], list[str]],
        dealer: int,
        *,
        scores: list[int] | None = None,
        match: bool = False,
        target: int = 2,
        suits: int = 4,
        ranks: int = 10,
        hand_size: int = 3,
    ) -> None:
        self.packs, self.dealer = packs, dealer
        self.match, self.target, self.hand_size = match, target, hand_size
        self.all_cards = {rank + suit for suit in "cdhs"[:suits] for rank in ORDER[:ranks]}
        self.scores = list(scores or [0, 0])
        self.points = [0, 0]
        self.returns = [0, 0]
        self.settlement = [0, 0]
        self.taken_before = [0, 0]
        self.everything = sum(POINTS.get(card[0], 0) for card in self.all_cards)
        self.is_over = False
        self.void_deals = 0
        self.deal_number = 0
        self._deal()

    def _deal(self) -> None:
        pack = list(self.packs(self.deal_number))
        assert set(pack) == self.all_cards
        assert len(pack) == len(self.all_cards)
        self.hands: list[set[str]] = [set(), set()]
        self.piles: list[set[str]] = [set(), set()]
        for _ in range(self.hand_size):  # B2
            for seat in (1 - self.dealer, self.dealer):
                self.hands[seat].add(pack.pop(0))
        self.turned = pack.pop(0)  # B3
        self.trumps = self.turned[1]
        self.stock = [*pack, self.turned]
        self.led: str | None = None
        self.to_play = 1 - self.dealer  # B4

    @property
    def table(self) -> list[str]:
        """The card led, and the turned card while it lies there."""
        return [card for card in (self.led, self.turned if self.stock else None) if card]

    @property
    def undealt(self) -> list[str]:
        """The stock but for the turned card."""
        return self.stock[:-1]

    def taken(self, seat: int) -> int:
        """Card points won in the deal (B7)."""
        return sum(POINTS.get(card[0], 0) for card in self.piles[seat])

    def winners(self) -> set[int]:
        """Who won the episode, both if it is a draw."""
        result = self.scores if self.match else self.points
        return {seat for seat in (0, 1) if result[seat] == max(result)}

    def legal(self) -> set[str]:
        """B4: any card."""
        return set() if self.is_over else set(self.hands[self.to_play])

    def play(self, name: str) -> None:
        """Play one card; whatever follows from it happens at once."""
        self.hands[self.to_play].remove(name)
        if self.led is None:
            self.led = name
            self.to_play = 1 - self.to_play
            return
        winner = self.to_play if self._beats(name, self.led) else 1 - self.to_play
        self.piles[winner] |= {self.led, name}
        self.led = None
        for seat in (winner, 1 - winner):  # B6
            if self.stock:
                self.hands[seat].add(self.stock.pop(0))
        self.to_play = winner
        if not any(self.hands):
            self._count()

    def _beats(self, answer: str, lead: str) -> bool:
        """B5."""
        if answer[1] == lead[1]:
            return ORDER.index(answer[0]) < ORDER.index(lead[0])
        return answer[1] == self.trumps

    def _count(self) -> None:
        """B7, B8."""
        won = [self.taken(0), self.taken(1)]
        self.points = [int(won[0] > won[1]), int(won[1] > won[0])]
        for seat in (0, 1):
            self.returns[seat] += self.points[seat] - self.points[1 - seat]
            self.scores[seat] += self.points[seat] if self.match else 0
        if self.match and max(self.scores) < self.target:
            self.taken_before = [self.taken_before[seat] + won[seat] for seat in (0, 1)]
            self.dealer = 1 - self.dealer
            self.deal_number += 1
            self._deal()
        else:
            self.is_over, self.to_play = True, -1
