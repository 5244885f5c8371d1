"""What tests need to know about Konchinka."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from card_envs.game import Game
from card_envs.konchinka.dealing import seat_dealt
from card_envs.probe import Probe, Rules


def owner(game: Game, row: Any, place: int) -> int:
    """The seat whose round a position of the pack was dealt in."""
    return int(seat_dealt(row, game.constants[0], place)) if place < row.dealt else -1


def public(game: Game, row: Any, place: int) -> bool:
    """Whether a card was laid out on the table, or put back openly (K4)."""
    table = 4 * game.num_players
    return table <= place < table + 4 or bool(int(row.open) >> place & 1)


def undealt(game: Game, row: Any) -> Sequence[int]:
    """The rest of the pack; once the deal is counted it lies in a pile (K5, K12), but not where K15 ends a match."""
    won = 0
    for pile in row.pile.tolist():
        won |= pile
    return [place for place in range(int(row.dealt), 52) if not won >> int(row.deck[place]) & 1]


def known(game: Game, row: Any, seat: int) -> tuple[Any, ...]:
    """Who captured last, whose turn it is, how many cards were put back (K4), and what others cannot hold (K8)."""
    players = game.num_players
    order = [(seat + k) % players for k in range(players)]
    last = (int(row["last_capturer"]) - seat) % players if row["last_capturer"] >= 0 else -1
    put_back = (int(row["open"]) >> int(row["dealt"])).bit_count()
    denied = [int(row["denied"][s]) for s in order] if game.rules.obligation == "hand" else []
    return last, (int(row["to_play"]) - seat) % players, put_back, int(row["dealt"]), *denied


def drawn(generator: random.Random) -> Rules:
    """Any rules."""
    figures = generator.random() < 0.5
    own = [11, 12, 13] if generator.random() < 0.3 else [generator.randint(11, 14) for _ in range(3)]
    return {
        "num_players": generator.randint(2, 12),
        "figures": figures,
        "figure_sums": tuple(own) if figures else (11, 12, 13),
        "obligation": generator.choice(["card", "hand"]),
        "match": generator.random() < 0.6,
        "target": generator.choice([1, 2, 3, 5, 15, generator.randint(1, 100)]),
        "settlement": generator.choice(["points", "stakes"]),
        "chip": generator.choice([1, generator.randint(2, 10**6)]),
        "stake": generator.choice([50, generator.randint(1, 10**6)]),
    }


PROBE = Probe(
    variants=(
        {},
        *({"num_players": players} for players in range(3, 13)),
        {"figures": True},
        {"num_players": 3, "figures": True, "figure_sums": (11, 12, 14)},
        {"num_players": 4, "figures": True, "figure_sums": (12, 13, 14)},
        {"num_players": 2, "figures": True, "figure_sums": (14, 14, 14)},
        {"num_players": 6, "figures": True, "figure_sums": (14, 14, 14), "obligation": "hand"},
        {"obligation": "hand"},
        {"num_players": 5, "obligation": "hand"},
        {"match": True},
        {"num_players": 3, "match": True, "settlement": "stakes"},
        {"num_players": 4, "match": True, "target": 3, "chip": 7, "obligation": "hand"},
        {"num_players": 5, "match": True, "figures": True},
        {"num_players": 7, "match": True, "target": 1},
        {"num_players": 10, "match": True, "target": 6, "settlement": "stakes", "stake": 3},
        {"num_players": 12, "match": True, "target": 4},
        # where some deals end, and some hands are filled, as under no other rules
        {"num_players": 11, "match": True, "obligation": "hand"},
        {"num_players": 10, "match": True, "obligation": "hand", "figures": True},
        {"num_players": 12, "match": True, "figures": True, "figure_sums": (14, 14, 14)},
        {"num_players": 9, "figures": True, "figure_sums": (11, 12, 14), "obligation": "hand"},
    ),
    few=({}, {"num_players": 3, "match": True, "target": 5, "settlement": "stakes"}, {"num_players": 12}),
    smallest=None,
    owner=owner,
    public=public,
    undealt=undealt,
    won=lambda row, seat: int(row.pile[seat]),
    table=("table",),
    known=known,
    drawn=drawn,
    oracle="tests.oracle.konchinka:KonchinkaOracle",
)
