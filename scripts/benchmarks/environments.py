"""The environments and the single table. Decisions of all seats are counted, from the tables themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from benchmarks.engine import LOOP, loop
from benchmarks.figures import Figure, Rate, Turns, figure, repeat
from benchmarks.games import TABLES, about, env_id, env_options, measured_games
from card_envs import Game

BATCH, SINGLE, PLAY = "VectorEnv.step", "Env.step", "State.play"


def decisions(game: Game, states: Any) -> int:
    """Plays at these tables since they were made; every complete deal has the same number (outside matches)."""
    return int(states["deal"].sum()) * game.max_plays + int(states["plays"].sum())


def counted(game: Game, states: Callable[[], Any], play: Callable[[], object]) -> Rate:
    """The rate of ``play``, with decisions counted in ``states`` before and after."""

    def rate(seconds: float) -> float:
        before, calls = decisions(game, states()), 0

        def once() -> int:
            nonlocal calls
            play()
            calls += 1
            return 1

        calls_a_second = repeat(once, seconds)
        return (decisions(game, states()) - before) / calls * calls_a_second

    return rate


def vector_env(game: Game, size: int = TABLES) -> Rate:
    """``VectorEnv.step`` with a random learner against random opponents."""
    env: Any = gymnasium.make_vec(
        env_id(game), num_envs=size, vectorization_mode="vector_entry_point", **env_options(game)
    )
    env.reset(seed=0)
    inner = env.unwrapped
    return counted(game, lambda: inner.full_states, lambda: env.step(inner.sample_actions()))


def single_env(game: Game) -> Rate:
    """``Env.step`` through ``gymnasium.make`` with a random learner against random opponents."""
    env: Any = gymnasium.make(env_id(game), **env_options(game))
    chances = np.random.default_rng(0).random(1000).tolist()
    info = env.reset(seed=0)[1]

    def play() -> None:
        nonlocal info
        for chance in chances:
            legal = info["action_mask"].nonzero()[0]
            _, _, over, _, info = env.step(int(legal[int(chance * len(legal))]))
            if over:
                info = env.reset()[1]

    return counted(game, lambda: env.unwrapped.full_state.record, play)


def state_play(game: Game) -> Rate:
    """``State.play`` with action numbers, through whole deals chosen beforehand, with the copy each starts from."""
    start = game.new_state(seed=0)
    state, actions = start.clone(), []
    rng = np.random.default_rng(0)
    while not state.is_over:
        actions.append(int(rng.choice(state.legal_actions())))
        state.play(actions[-1])

    def play() -> int:
        for _ in range(20):
            fresh = start.clone()
            for action in actions:
                fresh.play(action)
        return 20 * len(actions)

    return lambda seconds: repeat(play, seconds)


def measure_environments(turns: Turns, folder: Path) -> list[Figure]:
    """The vector environment against the engine loop, the single environment and ``State.play`` alone."""
    figures = []
    for game in measured_games():
        rates = {LOOP: loop(game), BATCH: vector_env(game), SINGLE: single_env(game), PLAY: state_play(game)}
        samples = turns.take(rates)
        at = about(game)
        figures.append(figure(samples, "environments", LOOP, tables=TABLES, **at))
        figures.append(figure(samples, "environments", BATCH, LOOP, tables=TABLES, required=0.5, **at))
        figures.append(figure(samples, "environments", SINGLE, required=100_000, **at))
        figures.append(figure(samples, "environments", PLAY, required=250_000, **at))
    return figures
