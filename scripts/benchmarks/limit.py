"""The limit: hand-written C programs (``scripts/limit/``) that do the same work, to measure against."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from benchmarks.figures import Rate
from benchmarks.games import TABLES
from card_envs import Game

SOURCES = Path(__file__).resolve().parent.parent / "limit"
PROCESS, PROCESSES = "C, one process", "C, two processes"


def compiler() -> str | None:
    """The C compiler of this machine, if there is one."""
    return next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)


def c_programs(game: Game, folder: Path, *, tables: int = TABLES, processes: int = 1) -> dict[str, Rate]:
    """The rate of a game's C program in so many parallel processes, ``tables`` each, by name; empty without a compiler.

    Its observation has as many bytes as ours; Elfern's program rounds them up to whole planes of 32.
    """
    found = compiler()
    if found is None:
        return {}
    program = folder / game.name
    if not program.exists():
        source = SOURCES / f"{game.name}.c"
        subprocess.run([found, "-O3", "-march=native", "-o", program, source], check=True, capture_output=True)
    size = [game.num_players, game.observation_size]
    if game.name == "elfern":
        size = [-(-game.observation_size // 32) * 32]

    def rate(seconds: float) -> float:
        command = [str(program), str(tables), str(seconds), *map(str, size)]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
        answers = [process.communicate()[0] for process in running]
        if any(process.returncode for process in running):
            raise RuntimeError(f"The C program of {game.name} failed: {answers}.")
        return sum(float(answer.split()[0]) for answer in answers) * 1e6

    return {{1: PROCESS, 2: PROCESSES}.get(processes, f"C, {processes} processes"): rate}
