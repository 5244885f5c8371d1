"""External bots: players whose programs are not ours, and what whoever plays with them owes them and the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@runtime_checkable
class ExternalBot(Protocol):
    """A player whose programs are not ours. What it may know of the others' cards depends on how it is asked: whoever
    plays with it calls ``over`` after each episode that it played one at a time, and ``close`` before deals that it
    should come to afresh, and at the end. The arena does.

    one_at_a_time: whether it is to be asked about one table until its episode is over.
    starting: seconds its programs have taken to start so far, which are no time of its decisions.
    """

    one_at_a_time: bool
    starting: float

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> npt.NDArray[np.int32]:
        """Actions as of any player; raises ``Forfeit`` where its program failed."""

    def over(self, final: Array) -> None:
        """An episode that it played alone is over, or broken off: its last state, a record (1,)."""

    def close(self) -> None:
        """End its programs: what it is asked from now on has nothing to do with what it has seen."""


def external_bot(player: Any) -> ExternalBot | None:
    """The external bot that a player is, or that it asks (a player that asks another one names it as ``asks``); None
    if there is none."""
    found = player
    while found is not None and not isinstance(found, ExternalBot):
        found = getattr(found, "asks", None)
    return found


class Forfeit(RuntimeError):
    """Raised by ``act`` of a player whose program failed in some of the rows: its seats lose those episodes.

    actions: int32 (N,), -1 in the rows that failed. reasons: for each row that failed, a sentence's end that says
    why: "gave no answer within 5 s".
    """

    def __init__(self, agent: str, actions: npt.NDArray[np.int32], reasons: Mapping[int, str]) -> None:
        row, reason = next(iter(reasons.items()))
        super().__init__(f"{agent} {reason} (in {len(reasons)} of {len(actions)} positions, row {row} the first).")
        self.actions = actions
        self.reasons = reasons
