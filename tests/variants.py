"""The games that the general tests run on, by their probes: all that are registered, under rules chosen and drawn.

No game is named here; a few helpers to play them stand at the end.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs import Game
from card_envs.probe import Probe
from card_envs.registry import game_class


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

GAMES = list(card_envs.GAMES)
"""Names of all games there are, those of this package first."""

PROBES: dict[str, Probe] = {name: game_class(name).probe() for name in GAMES}

DEFAULTS = [Variant(name) for name in GAMES]
"""Each game by its default rules."""

ANY = DEFAULTS[0]
"""For tests of what has nothing to do with which game it is."""

VARIANTS = [Variant(name, rules) for name, probe in PROBES.items() for rules in probe.variants]
"""Rules that somebody chose."""

FEW = [Variant(name, rules) for name, probe in PROBES.items() for rules in probe.few]
"""Some of these, for tests that take long."""

MATCHES = [variant for variant in VARIANTS if variant.rules.get("match")]
SINGLE_DEALS = [variant for variant in VARIANTS if not variant.rules.get("match")]

SEVERAL = next(variant for variant in SINGLE_DEALS if variant.make().num_players > 2)
"""A game of more than two players."""

DRAWERS = {name: probe.drawn for name, probe in PROBES.items() if probe.drawn is not None}
"""What draws rules at random, by game."""


def any_rules(game: str, dice: random.Random) -> Variant:
    """A game under rules drawn at random, each field over all it may be: sizes, players, sums, matches and prices."""
    return Variant(game, DRAWERS[game](dice))


def drawn(count: int, seed: int = 20261130) -> list[Variant]:
    """So many variants of each game with rules drawn at random: the same ones every time."""
    return [any_rules(game, random.Random(f"{game} {seed} {k}")) for game in DRAWERS for k in range(count)]


DRAWN = drawn(15)
"""Rules that nobody chose, for tests of what holds under all of them."""

MANY = [*VARIANTS, *DRAWN]
"""Those that somebody chose, and the others."""


def every(variants: list[Variant] = VARIANTS) -> Any:
    """Run a test on each of these variants: it gets the ``game``."""
    return pytest.mark.parametrize("game", [pytest.param(v.make(), id=v.id) for v in variants])


def whole(deck: Any, game: Game) -> list[str]:
    """Names of the cards of a pack as it lies in a record."""
    return [game.pack.names[card] for card in deck[: game.pack.size]]


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


def stages(game: Game, count: int) -> Any:
    """Twice so many states at all stages of random deals; half of them, in a match, of later deals of it."""
    later = scattered(game, count, seed=1000)
    for _ in range(game.max_plays + 3):
        game.step(later, game.sample_actions(later))
    return np.concatenate([scattered(game, count), later])
