"""The batch verbs: the loop of a rollout, fused and verb by verb, by number of tables, threads and players."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import Figure, Rate, Turns, figure, repeat
from benchmarks.games import MANY_TABLES, TABLES, about, konchinka, measured_games
from benchmarks.limit import PROCESS, PROCESSES, c_programs
from card_envs import Game

LOOP, VERBS, THREADED = "engine loop", "four verbs", "engine loop, two threads"
WIDE = "engine loop, actions int64"
WIDTHS = (1, 16, 256, 4096, 65_536)
ROW_BYTES = {("elfern", 2): 192, ("konchinka", 12): 512}
"""The largest size allowed for a row of state."""


class Tables:
    """Tables of a game with all buffers that a rollout needs."""

    def __init__(self, game: Game, size: int = TABLES, threads: int = 1) -> None:
        self.game = game
        self.threads = threads
        self.states = game.new_states(np.arange(size))
        self.actions = np.empty(size, np.int32)
        self.observations = np.empty((size, game.observation_size), np.uint8)
        self.masks = np.empty((size, game.num_actions), np.uint8)
        self.turns = max(1, 80_000 // size)

    def loop(self) -> int:
        """Some turns at every table in two calls: sample actions, then step, filling observations and masks."""
        game, states, threads = self.game, self.states, self.threads
        for _ in range(self.turns):
            game.sample_actions(states, out=self.actions, threads=threads)
            game.step(states, self.actions, observations=self.observations, masks=self.masks, threads=threads)
        return self.turns * len(states)

    def wide(self) -> int:
        """The same loop with int64 actions, numpy's default, as ``argmax`` and torch return them."""
        game, states = self.game, self.states
        wide = self.actions.astype(np.int64)
        for _ in range(self.turns):
            game.sample_actions(states, out=self.actions)
            wide[:] = self.actions
            game.step(states, wide, observations=self.observations, masks=self.masks)
        return self.turns * len(states)

    def verbs(self) -> int:
        """The same with the four verbs called separately."""
        game, states, threads = self.game, self.states, self.threads
        for _ in range(self.turns):
            game.sample_actions(states, out=self.actions, threads=threads)
            game.step(states, self.actions, threads=threads)
            game.observations(states, out=self.observations, threads=threads)
            game.masks(states, out=self.masks, threads=threads)
        return self.turns * len(states)


def loop(game: Game, size: int = TABLES, threads: int = 1) -> Rate:
    return loop_of(Tables(game, size), threads)


def loop_of(tables: Tables, threads: int) -> Rate:
    def rate(seconds: float) -> float:
        tables.threads = threads
        return repeat(tables.loop, seconds)

    return rate


def wide(game: Game, size: int = TABLES) -> Rate:
    tables = Tables(game, size)
    return lambda seconds: repeat(tables.wide, seconds)


def verbs(game: Game) -> Rate:
    tables = Tables(game)
    return lambda seconds: repeat(tables.verbs, seconds)


def measure_engine(turns: Turns, folder: Path) -> list[Figure]:
    """One thread against the C program, int64 actions against int32, and the size of a row."""
    figures = []
    for game in measured_games():
        samples = turns.take(c_programs(game, folder) | {LOOP: loop(game), WIDE: wide(game), VERBS: verbs(game)})
        at = about(game) | {"tables": TABLES}
        if PROCESS in samples:
            figures.append(figure(samples, "engine", PROCESS, **at))
        figures.append(figure(samples, "engine", LOOP, PROCESS, required=0.80, **at))
        figures.append(figure(samples, "engine", WIDE, LOOP, required=0.85, **at))
        figures.append(figure(samples, "engine", VERBS, PROCESS, required=0.65, **at))
        size, allowed = game.dtype.itemsize, ROW_BYTES.get((game.name, game.num_players))
        if allowed is not None:
            row = Figure("engine", "a row of state", value=size, least=size, most=size, unit="bytes", **about(game))
            row.required, row.at_most = allowed, True
            figures.append(row)
    return figures


def measure_threads(turns: Turns, folder: Path) -> list[Figure]:
    """Two threads against two C processes in parallel, after a check that threads change no result."""
    figures = []
    for game in measured_games():
        compare_threads(game)
        rates = c_programs(game, folder, tables=MANY_TABLES // 2, processes=2)
        rates |= {LOOP: loop(game, MANY_TABLES), THREADED: loop(game, MANY_TABLES, 2)}
        samples = turns.take(rates)
        at = about(game) | {"tables": MANY_TABLES}
        if PROCESSES in samples:
            figures.append(figure(samples, "threads", PROCESSES, threads=2, **at))
        figures.append(figure(samples, "threads", LOOP, **at))
        identical = {"bit-identical to one thread": True}
        figures.append(figure(samples, "threads", THREADED, PROCESSES, threads=2, required=0.75, notes=identical, **at))
    return figures


def compare_threads(game: Game, size: int = MANY_TABLES, rounds: int = 40) -> None:
    """Play the same with one and two threads; ``RuntimeError`` if a single byte differs."""
    one, two = Tables(game, size, 1), Tables(game, size, 2)
    for _ in range(rounds):
        results = []
        for tables in (one, two):
            game.sample_actions(tables.states, out=tables.actions, threads=tables.threads)
            results.append(
                game.step(
                    tables.states, tables.actions, observations=tables.observations, masks=tables.masks,
                    threads=tables.threads,
                )
            )  # fmt: skip
        pairs = [
            (one.actions, two.actions), (one.observations, two.observations), (one.masks, two.masks),
            (one.states.view(np.uint8), two.states.view(np.uint8)), *zip(*results, strict=True),
        ]  # fmt: skip
        if not all(np.array_equal(first, second) for first, second in pairs):
            raise RuntimeError(f"Two threads did not play {game.name} exactly as one does.")


Entry = tuple[str, Rate, dict[str, Any]]
"""What is measured, its rate, and the other fields of its figure."""


def _take_all(turns: Turns, part: str, entries: list[Entry]) -> list[Figure]:
    """Figures for one plot: all take turns with each other, so that a slow moment hits all alike."""
    samples = turns.take({str(number): rate for number, (_, rate, _) in enumerate(entries)}, share=0.5)
    figures = [figure(samples, part, str(number), **fields) for number, (_, _, fields) in enumerate(entries)]
    for made, (what, _, _) in zip(figures, entries, strict=True):
        made.what = what
    return figures


def measure_width(turns: Turns, folder: Path) -> list[Figure]:
    """The engine loop by number of tables, and the C program at 4096."""
    entries: list[Entry] = []
    for game in measured_games():
        at = about(game)
        entries += [(name, rate, at | {"tables": TABLES}) for name, rate in c_programs(game, folder).items()]
        entries += [(LOOP, loop(game, width), at | {"tables": width}) for width in WIDTHS]
    return _take_all(turns, "width", entries)


def measure_players(turns: Turns, folder: Path) -> list[Figure]:
    """Konchinka by number of players: threads against as many C processes, with the same number of tables."""
    entries: list[Entry] = []
    for players in range(2, 13):
        game = konchinka(players)
        tables = Tables(game, MANY_TABLES)
        for count in thread_counts():
            at = about(game) | {"tables": MANY_TABLES, "threads": count}
            programs = c_programs(game, folder, tables=MANY_TABLES // count, processes=count)
            entries += [(name, rate, at) for name, rate in programs.items()]
            entries.append((LOOP, loop_of(tables, count), at))
    return _take_all(turns, "players", entries)


def thread_counts() -> list[int]:
    """1, 2, 4, … up to the number of cores (8 at most), and always 2."""
    cores = os.cpu_count() or 1
    return [count for count in (1, 2, 4, 8) if count <= max(cores, 2)]
