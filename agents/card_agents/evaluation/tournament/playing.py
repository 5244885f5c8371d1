"""Chunks are played, in this process or in several."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
import traceback
from collections.abc import Collection, Generator, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from card_agents.evaluation.arena import play_rotations, warm_up
from card_agents.evaluation.tournament.plan import Chunk, Job, Plan
from card_agents.names import make_agent
from card_agents.players.external.process import outlived_by_none
from card_agents.players.external.supervising import die_with_parent
from card_agents.protocol import Agent

PATIENCE = 5.0
"""Seconds that a worker has to exit when it is stopped."""


class Players:
    """The agents of a plan, made on first use."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._made: dict[int, Agent] = {}

    def agent(self, number: int) -> Agent:
        """The agent of this number."""
        if number not in self._made:
            plan = self.plan
            name = plan.agents[number]
            agent = make_agent(name, plan.game, deterministic=plan.deterministic, limits=plan.limits)
            warm_up(plan.game, [agent])  # so that no agent's clock includes loading compiled code
            self._made[number] = agent
        return self._made[number]

    def play(self, job: Job) -> Chunk:
        """Play a chunk: its deals in all seat rotations."""
        plan = self.plan
        a, b = plan.pairs[job.pair]
        names = plan.labels[a], plan.labels[b]
        agents = self.agent(a), self.agent(b)
        games = play_rotations(
            plan.game, names, agents, plan.seeds_of(job), plan.deals_of(job).start, plan.saved_of(job)
        )
        decisions, seconds = zip(*((clock.decisions, round(clock.seconds, 6)) for clock in games.clocks), strict=True)
        lines = [record.to_line() for record in games.records]
        return Chunk(games.points, games.beaten, games.level, list(decisions), list(seconds), games.forfeits, lines)


def play_all(plan: Plan, jobs: Collection[Job], workers: int) -> Generator[tuple[Job, Chunk], None, None]:
    """Play chunks in so many processes and yield each as it is finished.

    Call ``warm_up_players`` first, or each process compiles its own code. Close the iterator to stop early: when it
    ends, for whatever reason, no process is left.
    """
    workers = min(workers, len(jobs))
    if workers <= 1:
        players = Players(plan)
        for job in jobs:
            yield job, players.play(job)
        return
    pool = _WorkerPool(plan, workers)
    try:
        yield from pool.play(jobs)
    finally:
        pool.kill()


def warm_up_players(plan: Plan) -> None:
    """Play a deal with every agent that is not an external bot, so that all code is compiled before workers start."""
    players = Players(plan)
    for number in range(len(plan.agents)):
        players.agent(number)


class _WorkerPool:
    """Processes that play one chunk at a time each."""

    def __init__(self, plan: Plan, workers: int) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would share threads and locks of compiled code
        self._processes: dict[Connection, Any] = {}
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, plan), daemon=True)
            with _ignoring_interrupts():
                process.start()
            theirs.close()
            self._processes[ours] = process
        outlived_by_none(self)

    def play(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Chunk]]:
        """Play chunks and yield each as it is finished."""
        waiting = iter(jobs)
        busy: dict[Connection, Job] = {}
        for pipe in self._processes:
            _assign(pipe, waiting, busy)
        while busy:
            for pipe in [one for one in wait(list(busy)) if isinstance(one, Connection)]:
                try:
                    answer = pipe.recv()
                except (EOFError, OSError):
                    raise ChildProcessError(
                        f"A worker process ended while it played {busy[pipe]}: out of memory? Run again to resume."
                    ) from None
                if isinstance(answer, str):
                    raise RuntimeError(f"A worker process failed:\n{answer}")
                job = busy.pop(pipe)
                _assign(pipe, waiting, busy)
                yield job, answer

    def kill(self) -> None:
        """End all processes; each ends its bots first."""
        for pipe, process in self._processes.items():
            pipe.close()
            process.terminate()
        for process in self._processes.values():
            process.join(PATIENCE)
            process.kill()
            process.join()
            process.close()
        self._processes.clear()


def _assign(pipe: Connection, waiting: Iterator[Job], busy: dict[Connection, Job]) -> None:
    job = next(waiting, None)
    if job is not None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # reported when its answer is received
            pipe.send(job)
        busy[pipe] = job


@contextlib.contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Processes started within ignore Ctrl-C, which only the parent is to handle."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, plan: Plan) -> None:
    """Play the chunks received through the pipe until it is closed; errors are sent back as text."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    players = Players(plan)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            job = pipe.recv()
            try:
                pipe.send(players.play(job))
            except Exception:
                pipe.send(traceback.format_exc())
