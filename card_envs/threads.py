"""Rows of a batch shared out to threads. What happens at a table does not depend on it: rows never meet."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from threading import get_ident

import numpy as np

from card_envs.bits import ONE, ZERO, scramble
from card_envs.checks import whole_number
from card_envs.jit import njit

LEAST_ROWS = 1024
"""Fewer rows than this for a thread are not worth waking it up."""

MOMENT = 1000
"""Rounds of ``pass_time`` that take a few microseconds."""

Check = Callable[[slice], int]
Work = Callable[[slice], object]


@lru_cache(maxsize=8)
def _workers(threads: int, caller: int, process: int) -> ThreadPoolExecutor:
    """A pool of its own for every process, since threads do not survive a fork, and for every thread that asks.

    Those who work on one batch wait for each other, so none of them may be kept busy by another batch.
    """
    return ThreadPoolExecutor(threads, thread_name_prefix=f"card_envs-{process}-{caller}")


@njit
def pass_time(rounds: int) -> np.uint64:
    """Keep the processor busy without the interpreter lock, so that other threads can take it."""
    word = ZERO
    for _ in range(rounds):
        word = scramble(word + ONE)
    return word


def nothing_to_check(part: slice) -> int:
    """For work that may always be done."""
    return 0


def share_out(threads: int, rows: int, check: Check, work: Work) -> int:
    """Do ``work`` on slices of so many rows, side by side in up to ``threads`` threads, if ``check`` allows.

    Every slice is checked first: only if ``check`` finds 0 in all of them is there any work. Returns the greatest
    number it found.
    """
    if threads != 1:
        threads = min(whole_number("threads", threads, 1, 256), max(rows // LEAST_ROWS, 1))
    if threads == 1:
        everything = slice(0, rows)
        found = check(everything)
        if found == 0:
            work(everything)
        return found
    ends = [rows * part // threads for part in range(threads + 1)]
    own, *others = [slice(*pair) for pair in pairwise(ends)]
    all_found: list[int] = []

    def check_and_work(part: slice) -> None:
        found = 1
        try:
            found = check(part)
        finally:
            all_found.append(found)
        while len(all_found) < threads:
            pass_time(MOMENT)  # not asleep: waking up would take longer than the others' checks
        if max(all_found) == 0:
            work(part)

    pool = _workers(threads - 1, get_ident(), os.getpid())
    pending = [pool.submit(check_and_work, part) for part in others]
    check_and_work(own)
    for other in pending:
        other.result()
    return max(all_found)
