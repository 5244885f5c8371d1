"""The game variants that the general tests run on, chosen and drawn at random, and a few helpers to play them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs import Game


@dataclass(frozen=True)
class Variant:
    """A game under some rules; ``id`` is what pytest shows."""

    game: str
    rules: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        return "-".join([self.game, *(f"{name}={value}".replace(" ", "") for name, value in self.rules.items())])

    def make(self) -> Game:
        """The game; one for all tests, since it is immutable and takes some time to make."""
        if self.id not in _MADE:
            _MADE[self.id] = card_envs.make_game(self.game, **self.rules)
        return _MADE[self.id]


_MADE: dict[str, Game] = {}


ELFERN: tuple[dict[str, Any], ...] = (
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
)

KONCHINKA: tuple[dict[str, Any], ...] = (
    *({"num_players": players} for players in range(2, 13)),
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
)

VARIANTS = [
    Variant(game, rules) for game, variants in (("elfern", ELFERN), ("konchinka", KONCHINKA)) for rules in variants
]
SINGLE_DEALS = [variant for variant in VARIANTS if not variant.rules.get("match")]


def any_rules(game: str, dice: random.Random) -> Variant:
    """A game under rules drawn at random, each field over all it may be: sizes, players, sums, matches and prices."""
    draw = DRAWERS[game]
    return Variant(game, draw(dice))


def _any_elfern(dice: random.Random) -> dict[str, Any]:
    suits, ranks = dice.choice([(s, r) for s in range(1, 5) for r in range(2, 9) if s * r % 2 == 0])
    if dice.random() < 0.3:
        suits, ranks = 4, 8
    return {
        "follow_suit": dice.choice(["stock", "endgame", "always", "never"]),
        "suits": suits,
        "ranks": ranks,
        "honours": dice.choice([None, dice.randint(1, ranks)]),
        "hand_size": dice.randint(1, suits * ranks // 2),
        "match": dice.random() < 0.5,
        "target": dice.choice([1, 2, 3, 5, 20, dice.randint(1, 100)]),
    }


def _any_konchinka(dice: random.Random) -> dict[str, Any]:
    figures = dice.random() < 0.5
    own = [11, 12, 13] if dice.random() < 0.3 else [dice.randint(11, 14) for _ in range(3)]
    return {
        "num_players": dice.randint(2, 12),
        "figures": figures,
        "figure_sums": tuple(own) if figures else (11, 12, 13),
        "obligation": dice.choice(["card", "hand"]),
        "match": dice.random() < 0.6,
        "target": dice.choice([1, 2, 3, 5, 15, dice.randint(1, 100)]),
        "settlement": dice.choice(["points", "stakes"]),
        "chip": dice.choice([1, dice.randint(2, 10**6)]),
        "stake": dice.choice([50, dice.randint(1, 10**6)]),
    }


DRAWERS = {"elfern": _any_elfern, "konchinka": _any_konchinka}
"""What draws rules at random, by game."""


def drawn(game: str, count: int, seed: int = 20261130) -> list[Variant]:
    """So many variants of a game with rules drawn at random: the same ones every time."""
    return [any_rules(game, random.Random(f"{game} {seed} {number}")) for number in range(count)]


DRAWN = [*drawn("elfern", 12), *drawn("konchinka", 18)]
"""Rules that nobody chose, for tests of what holds under all of them."""

RARE = [
    Variant("konchinka", {"num_players": 11, "match": True, "obligation": "hand"}),
    Variant("konchinka", {"num_players": 10, "match": True, "obligation": "hand", "figures": True}),
    Variant("konchinka", {"num_players": 12, "match": True, "figures": True, "figure_sums": (14, 14, 14)}),
    Variant("konchinka", {"num_players": 9, "figures": True, "figure_sums": (11, 12, 14), "obligation": "hand"}),
]
"""Where deals end, or hands hold, what they do nowhere else."""

MANY = [*VARIANTS, *RARE, *DRAWN]
"""Those that somebody chose, and the others."""


def every(variants: list[Variant] = VARIANTS) -> Any:
    """Run a test on each of these variants: it gets the ``game``."""
    return pytest.mark.parametrize("game", [pytest.param(v.make(), id=v.id) for v in variants])


def positions(game: Game, tables: int, steps: int, seed: int = 0, *, auto_reset: bool = True) -> Any:
    """Arrays of states along random play: the fresh ones, then after each step (the same array, changed)."""
    states = game.new_states(np.arange(seed, seed + tables, dtype=np.uint64))
    yield states
    for _ in range(steps):
        game.step(states, game.sample_actions(states), auto_reset=auto_reset)
        yield states


def scattered(game: Game, count: int, seed: int = 0) -> Any:
    """So many states at all stages of their deals, row i after about i plays (episodes follow one another)."""
    states = game.new_states(np.arange(seed, seed + count, dtype=np.uint64))
    stage = np.arange(count) % (game.max_plays + 1)
    for step in range(game.max_plays):
        moving = stage > step
        some = states[moving]
        game.step(some, game.sample_actions(some))
        states[moving] = some
    return states
