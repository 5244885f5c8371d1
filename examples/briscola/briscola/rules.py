"""The rules of Briscola that a user may choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from card_envs.checks import even_pack, settle

RANKS = "24567JQK3A"
COUNTING = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
"""Card points (B7)."""


@dataclass(frozen=True)
class BriscolaRules:
    """Fields of the rules; the defaults are the full game, one deal.

    match: an episode is a match of several deals (B8) instead of a single deal.
    target: deals to win in a match (B8).
    suits: suits in the pack (B1), 1 to 4, in the order clubs, diamonds, hearts, spades.
    ranks: ranks in the pack (B1), 2 to 10, from the ace down.
    hand_size: cards dealt to each player (B2), 1 to 5.

    Raises ``ValueError`` for a value out of range and for a size that cannot be dealt.
    """

    match: bool = False
    target: int = 2
    suits: int = 4
    ranks: int = 10
    hand_size: int = 3
    num_players: ClassVar[int] = 2

    def __post_init__(self) -> None:
        settle(self, target=(1, 100), suits=(1, 4), ranks=(2, 10), hand_size=(1, 5))
        even_pack(self.suits, self.ranks, self.hand_size, stock=2)

    @property
    def pack_size(self) -> int:
        """Cards in the pack."""
        return self.suits * self.ranks
