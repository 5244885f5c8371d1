"""Memory growth, and start-up time."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.engine import LOOP, loop
from benchmarks.environments import BATCH, SINGLE, single_env, vector_env
from benchmarks.figures import Figure, Rate, Turns
from benchmarks.games import TABLES, about
from card_envs import make_game

DECISIONS = 10_000_000
SLACK = 2**20
"""Bytes of fluctuation that do not count as growth."""
FIRST_GAME = "import card_envs; card_envs.make_game({!r}).new_state(seed=0)"


def resident() -> int:
    """Resident memory of this process in bytes; 0 where the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def growth(rate: Rate, decisions: int) -> tuple[int, int]:
    """Growth of memory in bytes over at least so many decisions after a warm-up, and the decisions made."""
    rate(0.3)
    before, made = resident(), 0.0
    while made < decisions:
        start = time.perf_counter()
        speed = rate(0.2)
        made += speed * (time.perf_counter() - start)
    return resident() - before, int(made)


def measure_memory(turns: Turns, folder: Path) -> list[Figure]:
    """10 million decisions of the engine and of the vector environment, fewer of the single one."""
    wanted = DECISIONS if turns.seconds >= 0.1 else DECISIONS // 100
    figures = []
    for game in (make_game("elfern"), make_game("konchinka", num_players=4)):
        for what, rate, tables, decisions in (
            (LOOP, loop(game), TABLES, wanted),
            (BATCH, vector_env(game), TABLES, wanted),
            (SINGLE, single_env(game), 1, wanted // 20),
        ):
            grown, made = growth(rate, decisions)
            made_figure = Figure("memory", f"memory grown, {what}", value=grown, least=grown, most=grown, unit="bytes")
            made_figure.game, made_figure.players = about(game).values()
            made_figure.tables, made_figure.notes = tables, {"decisions": made}
            made_figure.required, made_figure.at_most = SLACK, True
            figures.append(made_figure)
    return figures


def measure_start(turns: Turns, folder: Path) -> list[Figure]:
    """Import and first game in a new process, and the first compilation of everything."""
    figures = []
    for name in ("elfern", "konchinka"):
        command = [sys.executable, "-c", FIRST_GAME.format(name)]
        timed(command, {})
        times = [timed(command, {}) for _ in range(turns.rounds)]
        figures.append(_seconds("import and first game, warm cache", times, 1.5, name))
    if turns.seconds >= 0.1:
        with tempfile.TemporaryDirectory() as cache:
            times = [timed([sys.executable, "-m", "card_envs.warmup"], {"NUMBA_CACHE_DIR": cache})]
        figures.append(_seconds("first compilation of everything", times, 45.0, ""))
    return figures


def timed(command: list[str], environment: dict[str, str]) -> float:
    """Running time of a command in seconds."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)
    return time.perf_counter() - start


def _seconds(what: str, times: list[float], allowed: float, game: str) -> Figure:
    made = Figure("start", what, game, unit="s", required=allowed, at_most=True)
    made.value, made.least, made.most = statistics.median(times), min(times), max(times)
    return made
