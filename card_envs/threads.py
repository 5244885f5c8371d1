"""Rows of a batch shared among threads. Results do not depend on it: rows never interact.

All threads that work on a batch call one compiled loop, which takes chunk after chunk (``next_chunk``) until none is
left. So no thread waits for one that is slow to wake up: that one finds less to do, or nothing. The loop gets a
``crew``: the progress that its threads share, the bell that calls them to the next batch, and the number of the thread.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import extending, types

from card_envs.checks import whole_number
from card_envs.jit import JIT_DISABLED, compile_for, njit

LEAST_ROWS = 1024
"""With fewer rows per thread than this it is not worth waking one up."""

LEAST_CHUNK = 512
"""A share of this many rows or fewer is not halved any further."""

MOMENT = 20_000
"""How often a thread polls the bell before it goes to sleep: some 100 microseconds, about the cost of sleeping and
waking up."""

CHECK, WORK, UNDO = 0, 1, 2
"""The passes over all rows that a loop can make, called turns."""

FAULT, NUMBER, FAILED = 3, 4, 5
"""Where, behind the turns, a progress has the worst fault found, the number of the batch, and whether a thread has
failed."""

STOPPED = 99
"""The worst fault of all: a thread has failed and left rows unfinished."""

LINE = 8
"""Numbers in a progress for each thread (one cache line), and as many again for all together."""

Progress = npt.NDArray[np.int64]
Crew = tuple[Progress, npt.NDArray[np.int64], int]


def new_progress(threads: int, number: int) -> Progress:
    """The progress of a new batch, to be shared by so many threads.

    Of each thread: how many chunks of its own share are taken, by turn. Of all: rows done by turn, the worst fault,
    the number of the batch, and whether a thread has failed.
    """
    progress = np.zeros((threads + 1) * LINE, np.int64)
    progress[threads * LINE + NUMBER] = number
    return progress


ALONE: Crew = (np.zeros(0, np.int64), np.zeros(0, np.int64), 0)
"""A crew of one thread, which needs no progress."""


def _atomic(operation: str, plainly: Callable[[int, int], int]) -> Any:
    """Kernel that changes ``array[place]`` atomically; returns the value before."""

    def change(array: Any, place: int, value: int) -> int:
        before = array[place]
        array[place] = plainly(before, value)
        return before

    @extending.intrinsic
    def change_compiled(typing_context, array, place, value):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.atomic_rmw(operation, builder.gep(data, [arguments[1]]), arguments[2], "seq_cst")

        return types.int64(array, types.int64, types.int64), generate

    @extending.overload(change, inline="always")
    def change_overload(array, place, value):  # type: ignore[no-untyped-def]
        return lambda array, place, value: change_compiled(array, place, value)

    return change


_add = _atomic("add", lambda before, value: before + value)
_raise_to = _atomic("max", max)


@njit
def next_chunk(crew: Crew, turn: int, rows: int, done: int, fault: int) -> tuple[int, int]:
    """The next rows of this turn for this thread, as (first, end); nothing is left where first = end.

    done: rows of its last chunk, which are now done, and fault: the worst it has found. A thread begins with its own
    share, always the same rows, which may be in its core's cache; then it helps the others. Each chunk is half of what
    is left of a share, so there are few, and the last are small. When a thread has failed, nothing is left either.
    """
    progress, bell, rank = crew
    threads = len(progress) // LINE - 1
    if threads < 0:
        return done, rows  # alone
    everyone = threads * LINE
    if progress[everyone + FAILED] != 0:
        return rows, rows
    if rank == 0:
        _raise_to(bell, 0, progress[everyone + NUMBER])  # not before: now the interpreter lock is free for the others
    if fault != 0:
        _raise_to(progress, everyone + FAULT, fault)
    _add(progress, everyone + turn, done)
    for k in range(threads):
        share = (rank + k) % threads
        end = rows * (share + 1) // threads
        size = end - rows * share // threads
        taken = _add(progress, share * LINE + turn, 1)
        if taken == 0 or (size >> (taken - 1)) > LEAST_CHUNK:
            left = size >> taken
            start = end - left
            if left > LEAST_CHUNK:
                end -= left >> 1
            if start < end:
                return start, end
    return rows, rows


@njit
def wait_for_all(crew: Crew, turn: int, rows: int, fault: int) -> int:
    """Wait until all rows of this turn are done; return the worst fault that any thread has found.

    ``STOPPED`` if a thread has failed.
    """
    progress, _, _ = crew
    everyone = len(progress) - LINE
    if everyone < 0:
        return fault  # alone
    if progress[everyone + FAILED] != 0:
        return STOPPED
    while _add(progress, everyone + turn, 0) < rows:  # spins: waking up would take longer than a chunk
        if progress[everyone + FAILED] != 0:
            return STOPPED
    return _add(progress, everyone + FAULT, 0)


@njit
def linger(crew: Crew) -> None:
    """The end of every loop, where all threads but the caller's stay awake for a moment.

    The next batch often comes at once. Going to sleep, or competing with the caller for the interpreter lock, would
    cost more than a chunk.
    """
    progress, bell, rank = crew
    if rank > 0:
        number = progress[len(progress) - LINE + NUMBER]
        for _ in range(MOMENT):
            if _add(bell, 0, 0) > number:
                break


def stop(crew: Crew) -> None:
    """Tell the threads of a crew that one of them has failed."""
    progress, _, _ = crew
    progress[len(progress) - LINE + FAILED] = 1


Loop = Callable[..., int]


class _Post:
    """A helper, and its exchange with the caller; everything here is done under the interpreter lock."""

    def __init__(self) -> None:
        self.batch: tuple[int, Loop, tuple[Any, ...], Crew] | None = None
        self.failure: tuple[int, BaseException] | None = None
        self.is_asleep = False
        self.dismissed = False
        self.sleep = threading.Lock()
        self.sleep.acquire()
        self.thread = threading.Thread(target=_help, args=(self,), name="card_envs", daemon=True)
        self.thread.start()

    def wake(self) -> None:
        if self.is_asleep:
            self.is_asleep = False
            self.sleep.release()

    def dismiss(self) -> None:
        self.dismissed = True
        self.wake()


def _help(post: _Post) -> None:
    """A helper's life: work at the newest batch; sleep while there is none."""
    last = 0
    while not post.dismissed:
        batch = post.batch
        if batch is None or batch[0] == last:
            batch = None  # so as not to keep its arrays alive
            post.is_asleep = True
            if not post.dismissed:  # checked last, so that a dismissal in between is not slept through
                post.sleep.acquire()
            continue
        last, loop, given, crew = batch
        try:
            loop(*given, crew)
        except BaseException as failure:  # reported to the caller; the helper lives on
            post.failure = last, failure
            stop(crew)
        del batch, loop, given, crew


class _Helpers:
    """The threads that help one thread of one process; they end with it."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.number = 0
        self.told = 0  # the last failed batch reported to the caller
        self.bell = np.zeros(LINE, np.int64)
        self.posts: list[_Post] = []

    def call(self, threads: int, loop: Loop, given: tuple[Any, ...]) -> int:
        """Call ``loop`` in so many threads, and return its result.

        An exception in any of them is raised here, or with the next batch if a helper was too late to matter.
        """
        self.posts = [post for post in self.posts if post.thread.is_alive()]
        while len(self.posts) < threads - 1:
            self._hire()
        helping = self.posts[: threads - 1]
        self._raise_failure()
        self.number += 1
        progress = new_progress(threads, self.number)
        for rank, post in enumerate(helping, start=1):
            post.batch = self.number, loop, given, (progress, self.bell, rank)
            post.wake()
        try:
            found = loop(*given, (progress, self.bell, 0))
        except BaseException:
            stop((progress, self.bell, 0))
            self.told = self.number
            raise
        finally:
            for post in helping:
                post.batch = None
        self._raise_failure()
        return found

    def _hire(self) -> None:
        post = _Post()
        self.posts.append(post)
        weakref.finalize(self, post.dismiss)

    def _raise_failure(self) -> None:
        for post in self.posts:
            number, failure = post.failure or (0, None)
            post.failure = None
            if failure is not None and number > self.told:
                self.told = self.number
                raise failure


_own = threading.local()


def _helpers() -> _Helpers:
    """The helpers of this thread; new ones after a fork, which threads do not survive."""
    helpers = getattr(_own, "helpers", None)
    if helpers is None or helpers.process != os.getpid():
        helpers = _own.helpers = _Helpers()
    return helpers


def is_one(threads: Any) -> bool:
    """Whether ``threads`` is plainly 1."""
    return type(threads) is int and threads == 1


def share_out(threads: int, rows: int, loop: Loop, *given: Any, alone: Loop | None = None) -> int:
    """Call ``loop`` with these arguments and a crew in up to ``threads`` threads at once; return its result, the same
    in each.

    alone: the same loop without a crew, for one thread; None if there is none.
    """
    if not is_one(threads):
        threads = max(min(whole_number("threads", threads, 1, 256), rows // LEAST_ROWS), 1)
    if threads == 1 or JIT_DISABLED:
        return loop(*given, ALONE) if alone is None else alone(*given)
    compile_for(loop, *given, ALONE)
    return _helpers().call(threads, loop, given)
