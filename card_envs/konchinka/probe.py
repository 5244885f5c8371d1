"""What tests need to know of Konchinka."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from card_envs.game import Game
from card_envs.konchinka.dealing import seat_dealt
from card_envs.probe import Probe


def owner(game: Game, row: Any, place: int) -> int:
    """The seat whose round a position of the pack was dealt in."""
    return int(seat_dealt(row, game.constants[0], place)) if place < row.dealt else -1


def public(game: Game, row: Any, place: int) -> bool:
    """Whether a card was laid out on the table, or put back openly (K4)."""
    table = 4 * game.num_players
    return table <= place < table + 4 or bool(int(row.open) >> place & 1)


def undealt(game: Game, row: Any) -> Sequence[int]:
    """The rest of the pack; once the deal is counted it lies in a pile (K5, K12)."""
    is_counted = row.over and not row.table
    return range(52 if is_counted else int(row.dealt), 52)


PROBE = Probe(
    variants=(
        {},
        {"num_players": 3, "figures": True, "figure_sums": (11, 12, 14)},
        {"num_players": 5, "obligation": "hand"},
        {"num_players": 4, "match": True, "target": 3, "settlement": "stakes"},
        {"num_players": 12},
    ),
    smallest=None,
    owner=owner,
    public=public,
    undealt=undealt,
    won=lambda row, seat: int(row.pile[seat]),
    table=("table",),
    oracle="tests.oracle:KonchinkaOracle",
)
