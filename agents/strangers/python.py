"""``module:factory``: an agent in Python, in a process of its own that can be killed when it hangs."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.protocol import Array
from agents.strangers import lines
from agents.strangers.limits import Failure, Limits, Mistake
from agents.strangers.process import Program
from agents.strangers.stranger import Stranger
from card_envs import Game

ROOT = str(Path(__file__).resolve().parent.parent.parent)

_PROGRAM = "import sys; sys.path[0] = sys.argv[1]; from agents.strangers.serving import main; main()"
"""Not ``-m``, which would look for this package in the current directory first."""


class PythonBot(Stranger):
    """An agent in another process. It is asked about one position at a time, or about ``agent.batch`` of them."""

    one_at_a_time: ClassVar[bool] = False

    def __init__(self, name: str, game: Game, limits: Limits) -> None:
        super().__init__(name, game, limits)
        module = name.partition(":")[0]
        if not _can_be_found(module):
            raise ValueError(f"There is no module {module!r} for the player {name!r}, neither here nor installed.")
        self._program: Program | None = None
        self._batch = 1
        self._is_fresh = True

    def _rows(self, views: Array, begin: int) -> int:
        if self._program is None:
            self._try_to_start()
        elif not self._is_fresh:
            self._greet()
        self._is_fresh = True
        return self._batch

    def _start(self) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self._program = Program([sys.executable, "-c", _PROGRAM, ROOT], environment)
        self._greet()

    def _greet(self) -> None:
        """Let the program make its agent, for the first time or anew."""
        assert self._program is not None
        greeting = {
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "rules_id": self.game.rules_id,
            "factory": self.name,
        }
        answer = lines.read(self._program.ask(lines.line(greeting), self.limits.start))
        if "error" in answer:
            raise Failure(str(answer["error"]))
        self._batch = int(answer["batch"])

    def _answer(self, views: Array, words: Sequence[int]) -> Sequence[int]:
        assert self._program is not None
        question = lines.line({"rows": len(views)}) + views.tobytes() + np.array(words, "<u8").tobytes()
        answer = lines.read(self._program.ask(question, self.limits.move * len(views)))
        if "error" in answer:
            self._is_fresh = False
            raise Mistake(str(answer["error"]))
        actions: list[int] = answer["actions"]
        return actions

    def _fail(self) -> None:
        if self._program is not None:
            self._program.kill()
            self._program = None

    def begin(self) -> None:
        self._is_fresh = False

    def over(self, final: Array) -> None:
        pass  # it keeps nothing of an episode

    def close(self) -> None:
        if self._program is not None:
            self._program.end()
            self._program = None


def _can_be_found(module: str) -> bool:
    """Whether there is such a module, in the current directory or elsewhere; it is not run."""
    top = module.partition(".")[0]
    here = Path(top)
    if here.with_suffix(".py").is_file() or here.is_dir():
        return True
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        return False
