"""What tests need to know of Elfern."""

from __future__ import annotations

from typing import Any

from card_envs.game import Game
from card_envs.probe import Probe


def owner(game: Game, row: Any, place: int) -> int:
    """The seat that drew a card or was dealt it."""
    return int(row.owner) >> place & 1 if place < row.drawn else -1


PROBE = Probe(
    variants=(
        {},
        {"follow_suit": "always"},
        {"match": True, "target": 5, "follow_suit": "endgame"},
        {"suits": 2, "ranks": 6, "hand_size": 3, "follow_suit": "never"},
        {"suits": 3, "ranks": 8, "honours": 1, "hand_size": 5},
    ),
    smallest={"suits": 4, "ranks": 3, "hand_size": 2},
    owner=owner,
    public=lambda game, row, place: False,
    undealt=lambda game, row: range(int(row.drawn), game.pack.size),
    won=lambda row, seat: int(row.won[seat]),
    table=("lead",),
    oracle="tests.oracle:ElfernOracle",
)
