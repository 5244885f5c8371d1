"""Rows of a batch shared out to threads. What happens at a table does not depend on it: rows never meet."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from card_envs.checks import whole_number

Result = TypeVar("Result")

LEAST_ROWS = 1024
"""Fewer rows than this for a thread are not worth waking it up."""


@lru_cache(maxsize=4)
def _workers(threads: int, process: int) -> ThreadPoolExecutor:
    """A pool of its own for every process: threads do not survive a fork."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"card_envs-{process}")


def share_out(threads: int, rows: int, work: Callable[[slice], Result]) -> list[Result]:
    """Call ``work`` on slices of so many rows, side by side in up to ``threads`` threads; its results in order."""
    if threads != 1:
        threads = min(whole_number("threads", threads, 1, 256), max(rows // LEAST_ROWS, 1))
    if threads == 1:
        return [work(slice(0, rows))]
    bounds = [rows * part // threads for part in range(threads + 1)]
    slices = [slice(*ends) for ends in pairwise(bounds)]
    others = [_workers(threads - 1, os.getpid()).submit(work, part) for part in slices[1:]]
    return [work(slices[0]), *(other.result() for other in others)]
