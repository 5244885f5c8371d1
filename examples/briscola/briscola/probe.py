"""What tests need to know about Briscola."""

from __future__ import annotations

from typing import Any

from card_envs import Game
from card_envs.probe import Probe


def owner(game: Game, row: Any, place: int) -> int:
    """The seat that drew a card or was dealt it."""
    return next((seat for seat in (0, 1) if int(row.places[seat]) >> place & 1), -1)


PROBE = Probe(
    variants=(
        {},
        {"suits": 2, "ranks": 5, "hand_size": 2, "match": True, "target": 3},
        {"suits": 1, "ranks": 4, "hand_size": 1},
        {"suits": 3, "ranks": 8, "hand_size": 5},
    ),
    few=({}, {"match": True}),
    smallest={"suits": 3, "ranks": 4, "hand_size": 2},
    owner=owner,
    public=lambda game, row, place: place == 2 * game.rules.hand_size,
    undealt=lambda game, row: game.stock(row),
    won=lambda row, seat: int(row.won[seat]),
    table=("lead", "turned"),
    oracle="briscola_oracle:BriscolaOracle",
)
