"""Threads in which players think: compiled code runs there without Python's lock, so that it holds up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from card_agents.table.limits import Limits, Refusal

Answer = TypeVar("Answer")


class Thinkers:
    """Two groups of threads, so that players who answer at once never wait for one who thinks long."""

    def __init__(self, limits: Limits) -> None:
        self._quick = ThreadPoolExecutor(limits.threads, "quick")
        self._slow = ThreadPoolExecutor(limits.threads, "slow")
        self._waiting, self._most = 0, limits.waiting

    def start(self, work: Callable[[], Answer], *, slow: bool) -> asyncio.Future[Answer]:
        """Do some work in a thread, once one is free."""
        return asyncio.get_running_loop().run_in_executor(self._slow if slow else self._quick, work)

    async def ask(self, work: Callable[[], Answer]) -> Answer:
        """Do work that somebody waits for; ``Refusal`` if there is too much of it already."""
        if self._waiting >= self._most:
            raise Refusal(429, f"{self._waiting} answers are being worked out already: ask again in a while.")
        self._waiting += 1
        try:
            return await self.start(work, slow=True)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Let what has begun end, and begin nothing more."""
        for pool in (self._quick, self._slow):
            pool.shutdown(wait=False, cancel_futures=True)
