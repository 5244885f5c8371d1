"""What tests need to know about Elfern."""

from __future__ import annotations

import random
from typing import Any

from card_envs.game import Game
from card_envs.probe import Probe, Rules


def owner(game: Game, row: Any, place: int) -> int:
    """The seat that drew a card or was dealt it."""
    return int(row.owner) >> place & 1 if place < row.drawn else -1


def known(game: Game, row: Any, seat: int) -> tuple[Any, ...]:
    """Whether the deal counts double (E11), and by suit how many cards of the other hand can be of it (E6).

    None of a suit that it once did not follow; one more with each draw.
    """
    rules, other = game.rules, 1 - seat
    room = [rules.hand_size] * 4
    plays = [divmod(int(code), game.num_actions) for code in row["history"][: int(row["plays"])]]
    stock = rules.pack_size - 2 * rules.hand_size
    for (_, led), (follower, answer) in zip(plays[::2], plays[1::2], strict=False):
        bound = {"always": True, "never": False, "stock": stock > 0, "endgame": stock == 0}[rules.follow_suit]
        if bound and follower == other and led // rules.ranks != answer // rules.ranks:
            room[led // rules.ranks] = 0
        if stock:
            stock -= 2
            room = [min(cards + 1, rules.hand_size) for cards in room]
    held = game.hand_cards(row, other).bit_count()
    return int(row["doubled"]), *(min(cards, held) for cards in room)


def drawn(generator: random.Random) -> Rules:
    """Any rules, the full pack more often than others."""
    suits, ranks = generator.choice([(s, r) for s in range(1, 5) for r in range(2, 9) if s * r % 2 == 0])
    if generator.random() < 0.3:
        suits, ranks = 4, 8
    return {
        "follow_suit": generator.choice(["stock", "endgame", "always", "never"]),
        "suits": suits,
        "ranks": ranks,
        "honours": generator.choice([None, generator.randint(1, ranks)]),
        "hand_size": generator.randint(1, suits * ranks // 2),
        "match": generator.random() < 0.5,
        "target": generator.choice([1, 2, 3, 5, 20, generator.randint(1, 100)]),
    }


PROBE = Probe(
    variants=(
        {},
        {"follow_suit": "endgame"},
        {"follow_suit": "always"},
        {"follow_suit": "never"},
        {"match": True},
        {"match": True, "target": 5, "follow_suit": "endgame"},
        {"match": True, "target": 1},
        {"match": True, "target": 100, "suits": 2, "ranks": 5, "hand_size": 2},
        {"suits": 2, "ranks": 6, "hand_size": 3},
        {"suits": 1, "ranks": 2, "hand_size": 1},
        {"suits": 4, "ranks": 2, "hand_size": 4},
        {"suits": 3, "ranks": 8, "honours": 1, "hand_size": 5},
        {"suits": 4, "ranks": 5, "hand_size": 4},
        {"suits": 1, "ranks": 8, "hand_size": 2, "honours": 8, "follow_suit": "always"},
        {"suits": 4, "ranks": 7, "honours": 4, "hand_size": 1},
        {"hand_size": 16, "follow_suit": "endgame"},
    ),
    few=({}, {"match": True, "target": 3}),
    smallest={"suits": 4, "ranks": 3, "hand_size": 2},
    owner=owner,
    public=lambda game, row, place: False,
    undealt=lambda game, row: range(int(row.drawn), game.pack.size),
    won=lambda row, seat: int(row.won[seat]),
    table=("lead",),
    known=known,
    drawn=drawn,
    oracle="tests.oracle.elfern:ElfernOracle",
)
