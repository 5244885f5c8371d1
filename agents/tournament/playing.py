"""A chunk is played, in this process or in several."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
import traceback
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from agents.arena import BATCH, Clock, Log, compared, play_out
from agents.names import make_agent
from agents.protocol import Agent, Array
from agents.strangers import Stranger
from agents.strangers.process import die_with_parent, leave_at_once
from agents.tournament.plan import Chunk, Job, Plan

PATIENCE = 5.0
"""Seconds a worker has to end when it is stopped."""


class Players:
    """The agents of a plan, each made when it first plays. Use it in a ``with`` statement."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._made: dict[int, Agent] = {}

    def agent(self, number: int) -> Agent:
        """The agent of this number."""
        if number not in self._made:
            plan = self.plan
            name = plan.agents[number]
            self._made[number] = make_agent(name, plan.game, deterministic=plan.deterministic, limits=plan.limits)
        return self._made[number]

    def play(self, job: Job) -> Chunk:
        """Play a chunk: its deals in all seat rotations."""
        plan, game = self.plan, self.plan.game
        seeds = plan.seeds_of(job)
        pair = plan.pairs[job.pair]
        agents = [self.agent(number) for number in pair]
        names = [plan.labels[number] for number in pair]
        log = Log([Clock(), Clock()])
        points, beaten, level = (np.zeros((len(seeds), game.num_players), np.int64) for _ in range(3))
        forfeits = []
        for seat in range(game.num_players):
            seating = [1] * game.num_players
            seating[seat] = 0
            for deal, final in _played(plan, agents, names, seating, seeds, log):
                part = slice(deal, deal + len(final))
                points[part, seat], beaten[part, seat], level[part, seat] = compared(game, final, seat)
                first = plan.deals_of(job).start + deal
                forfeits += [(first + table, seat, loser, which, why) for table, loser, which, why in log.forfeits]
                log.forfeits.clear()
        for agent in agents:
            if isinstance(agent, Stranger):
                agent.begin()  # its programs need not wait for the next chunk
        decisions, seconds = zip(*((clock.decisions, round(clock.seconds, 6)) for clock in log.clocks), strict=True)
        return Chunk(points, beaten, level, list(decisions), list(seconds), sorted(forfeits))

    def close(self) -> None:
        """End the programs of strangers."""
        while self._made:
            agent = self._made.popitem()[1]
            if isinstance(agent, Stranger):
                agent.close()


def _played(
    plan: Plan, agents: Sequence[Agent], names: Sequence[str], seating: Sequence[int], seeds: Array, log: Log
) -> Iterator[tuple[int, Array]]:
    """Final states of the deals in this seating, as (number of the first, states), side by side if all can."""
    strangers = [agent for agent in agents if isinstance(agent, Stranger)]
    width = 1 if any(stranger.one_at_a_time for stranger in strangers) else BATCH
    for stranger in strangers:
        stranger.begin()
    for deal in range(0, len(seeds), width):
        final = play_out(plan.game, agents, seating, seeds[deal : deal + width], names, log)
        for stranger in strangers:
            if stranger.one_at_a_time:
                stranger.over(final)
        yield deal, final


def play_all(plan: Plan, jobs: Collection[Job], workers: int) -> Generator[tuple[Job, Chunk], None, None]:
    """Play chunks, in so many processes, and yield each as it is finished. Close the iterator to stop before the end:
    when it is done, however it ends, no process is left."""
    workers = min(workers, len(jobs))
    if workers <= 1:
        with contextlib.closing(Players(plan)) as players:
            for job in jobs:
                yield job, players.play(job)
        return
    _warm_up(plan)
    crew = _Crew(plan, workers)
    try:
        yield from crew.play(jobs)
    finally:
        crew.stop()


def _warm_up(plan: Plan) -> None:
    """Play a deal with every agent of ours, so that workers find all code compiled."""
    with contextlib.closing(Players(plan)) as players:
        for number in range(len(plan.agents)):
            agent = players.agent(number)
            if not isinstance(agent, Stranger):
                play_out(plan.game, [agent], [0] * plan.game.num_players, plan.seeds_of(Job(0, 0))[:1])


class _Crew:
    """Processes that play chunks, one at a time each."""

    def __init__(self, plan: Plan, workers: int) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would share threads and locks of compiled code
        self._crew: dict[Connection, Any] = {}
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, plan), daemon=True)
            with _deaf_to_interrupts():
                process.start()
            theirs.close()
            self._crew[ours] = process

    def play(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Chunk]]:
        """Play chunks and yield each as it is finished."""
        waiting = iter(jobs)
        busy: dict[Connection, Job] = {}
        for pipe in self._crew:
            _give(pipe, waiting, busy)
        while busy:
            for pipe in [one for one in wait(list(busy)) if isinstance(one, Connection)]:
                try:
                    answer = pipe.recv()
                except (EOFError, OSError):
                    raise RuntimeError(
                        f"A worker process ended while it played {busy[pipe]}: out of memory? Run again to go on."
                    ) from None
                if isinstance(answer, str):
                    raise RuntimeError(f"A worker process failed:\n{answer}")
                job = busy.pop(pipe)
                _give(pipe, waiting, busy)
                yield job, answer

    def stop(self) -> None:
        """End all processes: each kills its programs first."""
        for pipe, process in self._crew.items():
            pipe.close()
            process.terminate()
        for process in self._crew.values():
            process.join(PATIENCE)
            process.kill()
            process.join()
            process.close()
        self._crew.clear()


def _give(pipe: Connection, waiting: Iterator[Job], busy: dict[Connection, Job]) -> None:
    job = next(waiting, None)
    if job is not None:
        pipe.send(job)
        busy[pipe] = job


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes started in here take no notice of Ctrl-C, which is for the one that started them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, plan: Plan) -> None:
    """Play what comes through the pipe until it is closed; what goes wrong is sent back as text."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, leave_at_once)
    tie = die_with_parent()
    if tie is not None:
        tie()
    with (
        contextlib.closing(Players(plan)) as players,
        contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError),
    ):
        while True:
            job = pipe.recv()
            try:
                pipe.send(players.play(job))
            except Exception:
                pipe.send(traceback.format_exc())
