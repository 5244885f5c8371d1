"""The rules of Elfern that a user may choose (docs/rules.md, E1 to E12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from card_envs.checks import choice, even_pack, settle

FollowSuit = Literal["stock", "endgame", "always", "never"]
FOLLOW_SUIT = get_args(FollowSuit)


@dataclass(frozen=True)
class ElfernRules:
    """Fields of the rules; the defaults are the full game, one deal.

    follow_suit: when the second player must follow suit: ``"stock"`` while the stock lasts (E6, E8),
        ``"endgame"`` only once it is used up, ``"always"`` or ``"never"``.
    match: an episode is a match of several deals (E11, E12) instead of a single deal.
    target: points that end a match (E12).
    suits: suits in the pack (E1), 1 to 4, in the order clubs, diamonds, hearts, spades.
    ranks: ranks in the pack (E1), 2 to 8, from the ace down.
    honours: honours in each suit (E2), from the ace down; by default five, or all ranks if there are fewer.
    hand_size: cards dealt to each player (E4).

    Raises ``ValueError`` for a value out of range and for a size that cannot be dealt.
    """

    follow_suit: FollowSuit = "stock"
    match: bool = False
    target: int = 20
    suits: int = 4
    ranks: int = 8
    honours: int | None = None
    hand_size: int = 6

    def __post_init__(self) -> None:
        choice("follow_suit", self.follow_suit, FOLLOW_SUIT)
        settle(self, target=(1, 100), suits=(1, 4), ranks=(2, 8))
        if self.honours is None:
            object.__setattr__(self, "honours", min(5, self.ranks))
        settle(self, honours=(1, self.ranks), hand_size=(1, 16))
        even_pack(self.suits, self.ranks, self.hand_size)

    @property
    def num_players(self) -> int:
        """Two (E1)."""
        return 2

    @property
    def pack_size(self) -> int:
        """Cards in the pack."""
        return self.suits * self.ranks

    @property
    def all_honours(self) -> int:
        """Honours in the pack (20 in the full game)."""
        return self.suits * self.honours if self.honours is not None else 0

    def points_for(self, honours: int) -> int:
        """Points for winning ``honours`` honours (E10), before doubling; 0 for half of them or fewer."""
        if 2 * honours <= self.all_honours:
            return 0
        if self.all_honours != 20:
            return 1
        return 1 if honours <= 13 else 2 if honours <= 15 else 3 if honours <= 17 else 4 if honours <= 19 else 5
