"""``module:factory``: an agent in Python, in a process of its own that can be killed when it hangs."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, cast

import numpy as np

import card_agents
import card_envs
from card_agents.players.external import lines
from card_agents.players.external.bot import Bot
from card_agents.players.external.limits import Failure, Limits, Mistake
from card_agents.players.external.process import Program
from card_agents.players.external.serving import MOST_ROWS
from card_agents.protocol import Array
from card_envs import Game

ROOTS = list(dict.fromkeys(str(Path(package.__path__[0]).resolve().parent) for package in (card_agents, card_envs)))
"""The folders in which our packages lie: one, once they are installed; two in a checkout."""

_PROGRAM = "import sys; sys.path[:1] = sys.argv[1:]; from card_agents.players.external.serving import main; main()"
"""Not ``-m``, which would look for this package in the current directory first."""


class PythonBot(Bot):
    """An agent in other processes. It is asked about one position at a time, or about ``agent.batch`` of them."""

    one_at_a_time: ClassVar[bool] = False

    def __init__(self, name: str, game: Game, limits: Limits) -> None:
        super().__init__(name, game, limits)
        module = name.partition(":")[0]
        if not _can_be_found(module):
            raise ValueError(
                f"There is no module {module[:60]!r} for the player {name[:60]!r}: neither here nor installed."
            )
        self._batches: dict[int, int] = {}
        self._mistaken: set[int] = set()

    def _ready(self, seat: int) -> int:
        super()._ready(seat)
        if seat in self._mistaken:
            self._greet(seat)
        return self._batches[seat]

    def _start(self, seat: int) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self._programs[seat] = Program([sys.executable, "-c", _PROGRAM, *ROOTS], environment)
        self._greet(seat)

    def _greet(self, seat: int) -> None:
        """Let the program make its agent, for the first time or anew."""
        greeting = {
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "factory": self.name,
        }
        answer = self._programs[seat].ask(lines.line(greeting), self.limits.start)
        batch = lines.read_agent(answer, "batch")
        if not lines.is_whole(batch, 1, MOST_ROWS):
            raise Failure(f"answered {answer[:60]!r} to the greeting, which is no size of a batch")
        self._batches[seat] = batch
        self._mistaken.discard(seat)

    def _answer(self, seat: int, views: Array, words: Sequence[int]) -> Sequence[int]:
        question = lines.line({"rows": len(views)}) + views.tobytes() + np.array(words, "<u8").tobytes()
        answer = self._programs[seat].ask(question, self.limits.move * len(views))
        try:
            actions = lines.read_agent(answer, "actions")
        except Mistake:
            self._mistaken.add(seat)
            raise
        numbers = isinstance(actions, list) and all(lines.is_whole(one, -(2**63), 2**63 - 1) for one in actions)
        if not numbers or len(actions) != len(views):
            raise Failure(f"answered {answer[:60]!r}, which are not {len(views)} actions")
        return cast(list[int], actions)

    def _fail(self, seat: int) -> None:
        super()._fail(seat)
        self._mistaken.discard(seat)

    def over(self, final: Array) -> None:
        pass  # it keeps nothing of an episode

    def close(self) -> None:
        super().close()
        self._mistaken.clear()


def _can_be_found(module: str) -> bool:
    """Whether there is such a module, in the current directory or elsewhere; it is not run."""
    top = module.partition(".")[0]
    if os.path.isfile(f"{top}.py") or os.path.isdir(top):
        return True
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError, OSError):  # an OSError: longer than any file's name
        return False
