"""Other libraries, measured in a process with its own environment that takes turns with ours."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.engine import LOOP, loop
from benchmarks.environments import SINGLE, single_env
from benchmarks.figures import Figure, Rate, Turns, figure
from benchmarks.games import TABLES, about
from card_envs import make_game

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
PROGRAM = Path(__file__).with_name("peers.py")


class Peers:
    """The process, as a context manager. ``description`` is what it says it can measure."""

    def __enter__(self) -> Peers:
        command = [str(PYTHON), str(PROGRAM)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.description = self._ask("list")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def rate(self, name: str) -> Rate:
        return lambda seconds: float(self._ask(f"{name}\t{seconds}"))

    def _ask(self, line: str) -> Any:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("The process for the other libraries has no pipes.")
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"The process for the other libraries ended: run {PYTHON} {PROGRAM} to see why.")
        return json.loads(answer)


def measure_peers(turns: Turns, folder: Path) -> list[Figure]:
    """Each peer against our engine loop over many tables, and against our single environment."""
    game = make_game("elfern")
    if not PYTHON.exists():
        return [Figure("peers", "OpenSpiel, RLCard, PettingZoo, pgx", notes={"missing": "not installed"})]
    with Peers() as peers:
        rates = {LOOP: loop(game), SINGLE: single_env(game)}
        rates |= {peer["name"]: peers.rate(peer["name"]) for peer in peers.description["games"]}
        samples = turns.take(rates)
    versions = peers.description["versions"]
    figures = [
        figure(samples, "peers", LOOP, tables=TABLES, notes={"versions": versions}, **about(game)),
        figure(samples, "peers", SINGLE, **about(game)),
    ]
    for peer in peers.description["games"]:
        made = figure(samples, "peers", peer["name"], LOOP, game=peer["game"], tables=peer["tables"])
        single = figure(samples, "peers", peer["name"], SINGLE).ratio
        made.what, made.notes = peer["library"], {"version": versions[peer["library"]], "ratio to Env.step": single}
        figures.append(made)
    missing = peers.description["missing"]
    return figures + [Figure("peers", name, notes={"missing": why}) for name, why in missing.items()]
