"""Other libraries' card games at random play, each decision with observation and legal actions.

This file runs in their environment (``make bench-peers``), not in ours, and imports nothing of ours. It reads lines
from standard input and answers each with a line of JSON: ``list`` describes what can be measured,
``NAME<tab>SECONDS`` measures it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

Play = Callable[[], int]
"""Plays for a while and returns the number of decisions."""


def open_spiel(name: str) -> Play:
    """Through ``make_observation``; chance nodes are played but not counted."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    observation = make_observation(game)
    if observation is None:  # some games have only information-state tensors
        observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))

    def play() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
                continue
            observation.set_from(state, state.current_player())
            state.legal_actions_mask()
            state.apply_action(random.choice(state.legal_actions()))
            decisions += 1
        return decisions

    return play


def rlcard(name: str) -> Play:
    import rlcard as library

    env = library.make(name)

    def play() -> int:
        decisions = 0
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return play


def pettingzoo(name: str) -> Play:
    import numpy as np

    env = importlib.import_module(f"pettingzoo.classic.{name}").env()

    def play() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            mask = observation["action_mask"] if "action_mask" in observation else info["action_mask"]
            env.step(int(random.choice(np.flatnonzero(mask))))
            decisions += 1
        return decisions

    return play


def pgx(name: str, tables: int) -> Play:
    """All tables in one compiled step with automatic reset, on as many cores as it takes."""
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental import auto_reset

    env = library.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def turn(state: Any, key: Any) -> Any:
        key, chosen, dealt = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(chosen, logits)
        return step(state, actions, jax.random.split(dealt, tables)), key

    compiled = jax.jit(turn)
    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, tables))

    def play() -> int:
        nonlocal state, key
        for _ in range(10):
            state, key = compiled(state, key)
        jax.block_until_ready(state)
        return 10 * tables

    play()
    return play


LIBRARIES: dict[str, tuple[str, Callable[..., Play], list[tuple[Any, ...]]]] = {
    "OpenSpiel": ("open_spiel", open_spiel, [("hearts",), ("spades",), ("skat",), ("gin_rummy",)]),
    "RLCard": ("rlcard", rlcard, [("leduc-holdem",), ("uno",), ("gin-rummy",), ("doudizhu",)]),
    "PettingZoo": ("pettingzoo", pettingzoo, [("leduc_holdem_v4",), ("texas_holdem_v4",), ("gin_rummy_v4",)]),
    "pgx": ("pgx", pgx, [("leduc_holdem", 4096), ("leduc_holdem", 16384), ("sparrow_mahjong", 4096)]),
}
ALSO = ("jax", "numpy")
"""Other packages whose versions are reported."""


def rate(play: Play, seconds: float) -> float:
    """Decisions per second."""
    decisions, start = 0, time.perf_counter()
    while True:
        decisions += play()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return decisions / elapsed


def prepare() -> tuple[dict[str, Play], dict[str, Any]]:
    """What can be measured, by name, and its description for the parent process."""
    plays: dict[str, Play] = {}
    description: dict[str, Any] = {"games": [], "missing": {}, "versions": {"python": sys.version.split()[0]}}
    for library, (package, make, games) in LIBRARIES.items():
        try:
            description["versions"][library] = metadata.version(package)
        except metadata.PackageNotFoundError:
            description["missing"][library] = "not installed"
            continue
        for game, *width in games:
            name = " ".join(map(str, (library, game, *width)))
            try:
                plays[name] = make(game, *width)
                plays[name]()
            except Exception as fault:  # whatever the library raises
                plays.pop(name, None)
                description["missing"][name] = f"{type(fault).__name__}: {fault}".splitlines()[0][:200]
                continue
            description["games"].append({"name": name, "library": library, "game": game, "tables": (width or [1])[0]})
    for package in ALSO:
        with contextlib.suppress(metadata.PackageNotFoundError):
            description["versions"][package] = metadata.version(package)
    return plays, description


def main() -> None:
    os.environ["JAX_PLATFORMS"] = "cpu"
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print must not mix with the answers
    random.seed(0)
    plays, description = prepare()
    for line in sys.stdin:
        asked, _, seconds = line.rstrip("\n").partition("\t")
        answer = description if asked == "list" else rate(plays[asked], float(seconds))
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
