"""Threads in which players think: compiled code runs there without Python's lock, so that it holds up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeVar

from card_agents.table.limits import Limits, Refusal

Answer = TypeVar("Answer")

Group = Literal["quick", "slow", "asked"]


QUICK = 2
"""Threads for what is done at once."""


class Thinkers:
    """Threads in groups: ``quick`` work never waits for ``slow`` players, nor for what people have ``asked``."""

    def __init__(self, limits: Limits) -> None:
        sizes: dict[Group, int] = {"quick": QUICK, "slow": limits.threads, "asked": limits.threads}
        self._pools = {group: ThreadPoolExecutor(size, group) for group, size in sizes.items()}
        self._waiting, self._most = 0, limits.waiting

    def start(self, work: Callable[[], Answer], group: Group) -> asyncio.Future[Answer]:
        """Do some work in a thread, once one of the group is free."""
        return asyncio.get_running_loop().run_in_executor(self._pools[group], work)

    async def ask(self, work: Callable[[], Answer]) -> Answer:
        """Do long work for somebody who waits; ``Refusal`` if there is too much of it already."""
        if self._waiting >= self._most:
            raise Refusal(429, f"{self._waiting} answers are being worked out already: ask again in a while.")
        self._waiting += 1
        try:
            return await self.start(work, "asked")
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Let what has begun end, and begin nothing more."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
