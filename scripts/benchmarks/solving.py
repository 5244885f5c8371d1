"""The time to solve a position double-dummy (cards open): the exact values of all actions, on one thread."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import card_envs
from benchmarks.figures import Figure, Rate, Turns
from benchmarks.games import about
from card_envs import Game


@dataclass(frozen=True)
class Stage:
    """Positions of a game with ``plays_left`` plays to come, reached by random play from fresh deals.

    Attributes:
        at_once: positions that are generated, then solved, together.
        seconds: the most that one may take on average; None where there is no requirement.
    """

    what: str
    game: Game
    plays_left: int
    at_once: int
    seconds: float | None = None

    def positions(self, first_seed: int) -> Any:
        """Full states of ``at_once`` deals."""
        states = self.game.new_states(np.arange(first_seed, first_seed + self.at_once))
        for _ in range(self.game.max_plays - self.plays_left):
            self.game.step(states, self.game.sample_actions(states), auto_reset=False)
        return states


def stages() -> list[Stage]:
    """The stages measured, of the games at full size."""
    elfern = card_envs.make_game("elfern")
    return [
        Stage("six cards each, no stock", elfern, 12, 256, 0.15e-3),
        Stage("eight cards in the stock", elfern, 20, 16, 3e-3),
        Stage("sixteen cards in the stock", elfern, 28, 1, 0.1),
        Stage("a whole deal", elfern, 32, 1, 1.0),
        Stage("four cards each, no pack", card_envs.make_game("konchinka"), 8, 256),
    ]


def solving(stage: Stage) -> Rate:
    """Positions solved per second; none twice, since the transposition table would remember it."""
    game = stage.game
    memory = game.solver.memory(game)
    seeds = count(0, stage.at_once)
    out = np.empty((stage.at_once, game.num_actions))

    def rate(seconds: float) -> float:
        solved, spent = 0, 0.0
        while spent < seconds:
            states = stage.positions(next(seeds))
            start = time.perf_counter()
            game.open_loops.values(states, game.constants, memory, out)
            spent += time.perf_counter() - start
            solved += stage.at_once
        return solved / spent

    return rate


def measure_solving(turns: Turns, folder: Path) -> list[Figure]:
    """The mean time per position; the median over the rounds, each with its own deals."""
    chosen = stages()
    samples = turns.take({stage.what: solving(stage) for stage in chosen})
    figures = []
    for stage in chosen:
        times = sorted(1 / rate for rate in samples[stage.what])
        made = Figure("solving", stage.what, unit="s", required=stage.seconds, at_most=True, **about(stage.game))
        made.value, made.least, made.most = float(np.median(times)), times[0], times[-1]
        figures.append(made)
    return figures
