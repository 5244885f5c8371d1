"""``cmd:PROGRAM``: a program in any language that speaks JSON lines over its standard input and output."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from typing import ClassVar

from agents.protocol import Array
from agents.strangers import lines
from agents.strangers.limits import Failure, Limits
from agents.strangers.process import Program
from agents.strangers.stranger import Stranger
from card_envs import Game


class ProgramBot(Stranger):
    """A program of its own for each seat it plays, so that no seat learns what another one holds."""

    one_at_a_time: ClassVar[bool] = True

    def __init__(self, name: str, game: Game, limits: Limits) -> None:
        super().__init__(name, game, limits)
        try:
            self.command = shlex.split(name.partition(":")[2])
        except ValueError as error:
            raise ValueError(f"{name!r} cannot be taken apart into words: {error}.") from None
        if not self.command:
            raise ValueError("'cmd' needs the program to run: 'cmd:PROGRAM ARGUMENTS'.")
        if shutil.which(self.command[0]) is None:
            raise ValueError(f"There is no program {self.command[0]!r} to run for the player {name!r}.")
        self._programs: dict[int, Program] = {}
        self._episode = 1
        self._seat = 0

    def _rows(self, views: Array, begin: int) -> int:
        self._seat = int(views["to_play"][begin])
        if self._seat not in self._programs:
            self._try_to_start()
        return 1

    def _start(self) -> None:
        program = Program(self.command)
        self._programs[self._seat] = program
        answer = lines.read(program.ask(lines.line(lines.hello(self.game, self.limits.move)), self.limits.start))
        if answer.get("ready") is not True:
            raise Failure(f'answered {answer!r:.60} to the hello instead of {{"ready": true}}')

    def _answer(self, views: Array, words: Sequence[int]) -> Sequence[int]:
        question = lines.line(lines.move(self.game, views, self._episode, words[0]))
        return [lines.read_action(self.game, self._programs[self._seat].ask(question, self.limits.move))]

    def _fail(self) -> None:
        program = self._programs.pop(self._seat, None)
        if program is not None:
            program.kill()

    def begin(self) -> None:
        self.close()
        self._episode = 1

    def over(self, final: Array) -> None:
        for seat, program in self._programs.items():
            program.tell(lines.line(lines.end(self.game, final, self._episode, seat)))
        self._episode += 1

    def close(self) -> None:
        while self._programs:
            self._programs.popitem()[1].end()
