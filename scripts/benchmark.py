"""How fast the library is on this machine, against C programs written by hand that do the same work.

    python scripts/benchmark.py [--rounds 5] [--seconds 1] [--json runs/benchmark.json]

A C program (``scripts/limit/``) and the library take turns in one run, so that a machine whose speed drifts
slows both; medians and the range of the ratios are reported. Both write the same number of bytes a decision.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from rich.console import Console
from rich.table import Table

import card_envs
from card_envs.game import Game

LIMIT = Path(__file__).parent / "limit"
TABLES = 4096
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("elfern", {}),
    ("konchinka", {"num_players": 2}),
    ("konchinka", {"num_players": 4}),
    ("konchinka", {"num_players": 12}),
]

Rate = Callable[[float], float]
"""Runs for so many seconds and returns decisions a second."""


def repeat(play: Callable[[], int], seconds: float) -> float:
    """Decisions a second of ``play``, which returns how many decisions it made."""
    decisions, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        decisions += play()
    return decisions / elapsed


def limit(game: Game, folder: Path) -> Rate | None:
    """The C program of a game, compiled for this machine; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    program = folder / game.name
    source = LIMIT / f"{game.name}.c"
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True, capture_output=True)
    size = [game.num_players, game.observation_size]
    if game.name == "elfern":  # its program is for two, and writes planes of 32 bytes
        size = [-(-game.observation_size // 32) * 32]

    def rate(seconds: float) -> float:
        command = [str(program), str(TABLES), str(seconds), *map(str, size)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]) * 1e6

    return rate


def fused(game: Game) -> Rate:
    """The engine loop: ``sample_actions``, then ``step`` filling observations and masks."""
    states = game.new_states(np.arange(TABLES))
    actions = np.empty(TABLES, np.int32)
    observations = np.empty((TABLES, game.observation_size), np.uint8)
    masks = np.empty((TABLES, game.num_actions), np.uint8)

    def play() -> int:
        for _ in range(20):
            game.sample_actions(states, out=actions)
            game.step(states, actions, observations=observations, masks=masks)
        return 20 * TABLES

    return lambda seconds: repeat(play, seconds)


def four_verbs(game: Game) -> Rate:
    """The same with ``sample_actions``, ``step``, ``observations`` and ``masks`` called one by one."""
    states = game.new_states(np.arange(TABLES))
    actions = np.empty(TABLES, np.int32)
    observations = np.empty((TABLES, game.observation_size), np.uint8)
    masks = np.empty((TABLES, game.num_actions), np.uint8)

    def play() -> int:
        for _ in range(20):
            game.sample_actions(states, out=actions)
            game.step(states, actions)
            game.observations(states, out=observations)
            game.masks(states, out=masks)
        return 20 * TABLES

    return lambda seconds: repeat(play, seconds)


def vector_env(game: Game) -> Rate:
    """``VectorEnv.step`` against random opponents; decisions of the learners and their opponents."""
    env = gymnasium.make_vec(
        env_id(game), num_envs=TABLES, vectorization_mode="vector_entry_point", **game_options(game)
    )
    env.reset(seed=0)
    rounds = game.num_players  # decisions at a table for one of the learner's

    def play() -> int:
        for _ in range(5):
            env.step(env.unwrapped.sample_actions())  # type: ignore[attr-defined]
        return 5 * TABLES * rounds

    return lambda seconds: repeat(play, seconds)


def single_env(game: Game) -> Rate:
    """``Env.step`` through ``gymnasium.make`` against a random opponent; decisions of all seats."""
    env = gymnasium.make(env_id(game), **game_options(game))
    random = np.random.default_rng(0)
    info = env.reset(seed=0)[1]
    rounds = game.num_players

    def play() -> int:
        nonlocal info
        for _ in range(200):
            legal = np.flatnonzero(info["action_mask"])
            _, _, over, _, info = env.step(int(legal[int(random.integers(len(legal)))]))
            if over:
                info = env.reset()[1]
        return 200 * rounds

    return lambda seconds: repeat(play, seconds)


def state_play(game: Game) -> Rate:
    """``State.play`` by number, through whole deals known beforehand."""
    state = game.new_state(seed=0)
    start = state.clone()
    while not state.is_over:
        state.play(int(state.legal_actions()[0]))
    actions = [game.action_id(name) for _, name in state.history]

    def play() -> int:
        for _ in range(20):
            fresh = start.clone()
            for action in actions:
                fresh.play(action)
        return 20 * len(actions)

    return lambda seconds: repeat(play, seconds)


def env_id(game: Game) -> str:
    return f"card_envs/{game.name.capitalize()}-v0"


def game_options(game: Game) -> dict[str, Any]:
    return {"num_players": game.num_players} if game.name == "konchinka" else {}


def start_up() -> dict[str, float]:
    """Seconds to import and make the first game with a warm cache, and to compile everything without one."""
    code = "import card_envs; card_envs.make_game('konchinka').new_state(seed=0)"
    warm = statistics.median(timed([sys.executable, "-c", code], {}) for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        cold = timed([sys.executable, "-m", "card_envs.warmup"], {"NUMBA_CACHE_DIR": folder})
    return {"import and first game, warm cache": warm, "first compile of everything": cold}


def timed(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)
    return time.perf_counter() - start


def measure(name: str, rules: dict[str, Any], rounds: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Median rates of one game, and each one's ratio to the C program in the same rounds."""
    game = card_envs.make_game(name, **rules)
    rates: dict[str, Rate] = {
        "engine loop": fused(game),
        "four verbs": four_verbs(game),
        "VectorEnv.step": vector_env(game),
        "Env.step": single_env(game),
        "State.play": state_play(game),
    }
    c_program = limit(game, folder)
    if c_program is not None:
        rates = {"C program": c_program} | rates
    for rate in rates.values():
        rate(0.05)  # compile, and fill the tables with deals at all stages
    samples: dict[str, list[float]] = {what: [] for what in rates}
    for _ in range(rounds):
        for what, rate in rates.items():
            samples[what].append(rate(seconds))
    row: dict[str, Any] = {"game": name, "rules": rules, "row_bytes": game.dtype.itemsize, "rates": {}}
    for what, values in samples.items():
        row["rates"][what] = {"median": statistics.median(values), "least": min(values), "most": max(values)}
        if c_program is not None:
            ratios = [value / base for value, base in zip(values, samples["C program"], strict=True)]
            row["rates"][what]["ratio_to_c"] = statistics.median(ratios)
            row["rates"][what]["ratio_range"] = [min(ratios), max(ratios)]
    return row


def report(results: dict[str, Any], console: Console) -> None:
    """Print the tables."""
    table = Table(title=f"Decisions a second, {TABLES} tables, one thread (medians; ratio to C in the same rounds)")
    for heading in ("game", "what", "million / s", "ratio to C", "from - to"):
        table.add_column(heading, justify="left" if heading in ("game", "what") else "right")
    for row in results["games"]:
        players = row["rules"].get("num_players", 2)
        for what, rate in row["rates"].items():
            low, high = rate.get("ratio_range", (float("nan"),) * 2)
            ratio = f"{rate['ratio_to_c']:.2f}" if "ratio_to_c" in rate else "-"
            span = f"{low:.2f} - {high:.2f}" if "ratio_to_c" in rate else "-"
            table.add_row(f"{row['game']}, {players} players", what, f"{rate['median'] / 1e6:.3f}", ratio, span)
    console.print(table)
    for what, seconds in results["start_up"].items():
        console.print(f"{what}: {seconds:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which everything takes its turn")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each turn")
    parser.add_argument("--json", type=Path, default=Path("runs/benchmark.json"), help="where the figures go")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        games = [measure(*game, arguments.rounds, arguments.seconds, Path(folder)) for game in GAMES]
    results = {
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": {name: version(name) for name in ("card_envs", "numpy", "numba", "gymnasium")},
        "tables": TABLES,
        "games": games,
        "start_up": start_up(),
    }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    console = Console()
    report(results, console)
    console.print(f"Figures written to {arguments.json}")


if __name__ == "__main__":
    main()
