"""The rules of Konchinka that a user may choose (docs/rules.md, K1 to K17)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from card_envs.checks import choice, flag, settle, shown, whole_number

Obligation = Literal["card", "hand"]
Settlement = Literal["points", "stakes"]
OBLIGATION, SETTLEMENT = get_args(Obligation), get_args(Settlement)
OWN_WORTH = (11, 12, 13)


@dataclass(frozen=True)
class KonchinkaRules:
    """Fields of the rules; the defaults are two players and one deal.

    num_players: players at the table, 2 to 12 (K1).
    figures: jack, queen and king have points and capture and are captured in sums; the jack loses its
        privilege (K17).
    figure_sums: what a jack, queen and king capture by adding up under ``figures``, each 11 to 14.
    obligation: ``"card"``: the card played captures if it can; ``"hand"``: whoever holds a capturing card
        must capture (K8).
    match: an episode is a match of several deals (K14 to K16) instead of a single deal.
    target: points that win a match (K14).
    settlement: ``"points"``: each loser pays the winner for the points short of the target; ``"stakes"``: the winner
        takes what everyone antes (K16).
    chip: what each point short of the target pays, by points.
    stake: what everyone antes, by stakes.

    Raises ``ValueError`` for a value out of range.
    """

    num_players: int = 2
    figures: bool = False
    figure_sums: tuple[int, int, int] = OWN_WORTH
    obligation: Obligation = "card"
    match: bool = False
    target: int = 15
    settlement: Settlement = "points"
    chip: int = 1
    stake: int = 50

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", flag("figures", self.figures))
        object.__setattr__(self, "figure_sums", _figure_sums(self.figure_sums))
        if not self.figures and self.figure_sums != OWN_WORTH:
            raise ValueError(
                f"figure_sums={self.figure_sums} need figures=True: without it jack, queen and king add up to nothing."
            )
        choice("obligation", self.obligation, OBLIGATION)
        choice("settlement", self.settlement, SETTLEMENT)
        settle(self, num_players=(2, 12), target=(1, 100), chip=(1, 10**6), stake=(1, 10**6))

    @property
    def dealt_later(self) -> int:
        """Cards each player is dealt after the first four (K5)."""
        return (48 - 4 * self.num_players) // self.num_players

    @property
    def max_plays(self) -> int:
        """Plays in a deal: every card that is dealt to a hand."""
        return self.num_players * (4 + self.dealt_later)


def _figure_sums(value: object) -> tuple[int, ...]:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)) or len(value) != 3:
        raise ValueError(
            f"figure_sums={shown(value)} must be three whole numbers from 11 to 14: for jack, queen and king."
        )
    return tuple(whole_number("figure_sums", each, 11, 14) for each in value)
