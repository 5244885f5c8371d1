"""``cmd:PROGRAM``: a program in any language that speaks JSON lines over its standard input and output."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from types import ModuleType
from typing import ClassVar

from card_agents.players.external import lines, version1
from card_agents.players.external.bot import Bot
from card_agents.players.external.limits import Limits
from card_agents.players.external.process import Program
from card_agents.protocol import Actions, Array
from card_envs import Game

LONGEST_WORD, LONGEST_COMMAND = 1 << 16, 1 << 20
"""Most bytes of an argument and of a whole command: what every system takes, and no command needs."""

_VERSIONS = dict(zip(lines.PROTOCOLS, (version1, lines), strict=True))


class ProgramBot(Bot):
    """A program that is asked about one table until its episode is over, and told of the end."""

    one_at_a_time: ClassVar[bool] = True

    def __init__(self, name: str, game: Game, limits: Limits) -> None:
        super().__init__(name, game, limits)
        self.command = command_of(name)
        self._episode = 1
        self._asked: set[int] = set()
        self._spoken: dict[int, ModuleType] = {}

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        """One position is the next one of the episode in play; several at once are of as many episodes."""
        self._apart = len(views) > 1
        return super().act(views, observations, masks, random)

    def _start(self, seat: int) -> None:
        program = self._programs[seat] = Program(self.command)
        answer = program.ask(lines.line(lines.hello(self.game, self.limits.move)), self.limits.start)
        self._spoken[seat] = _VERSIONS[lines.read_ready(answer)]

    def _answer(self, seat: int, views: Array, words: Sequence[int]) -> Sequence[int]:
        self._asked.add(seat)
        question = lines.line(self._spoken[seat].move(self.game, views, self._episode, words[0]))
        if self._apart:
            self._episode += 1
        return [lines.read_action(self.game, self._programs[seat].ask(question, self.limits.move))]

    def over(self, final: Array) -> None:
        for seat in sorted(self._asked & self._programs.keys()):
            self._programs[seat].tell(lines.line(self._spoken[seat].end(self.game, final, self._episode, seat)))
        self._asked.clear()
        self._episode += 1

    def close(self) -> None:
        super().close()
        self._asked.clear()
        self._episode = 1


def command_of(name: str) -> list[str]:
    """The words of ``cmd:PROGRAM ARGUMENTS``; ``ValueError`` with a sentence if they cannot be run."""
    shown = name if len(name) <= 60 else f"{name[:60]}..."
    try:
        command = shlex.split(name.partition(":")[2])
    except ValueError as error:
        raise ValueError(f"{shown!r} cannot be taken apart into words: {error}.") from None
    if not command or not command[0]:
        raise ValueError("'cmd' needs the program to run: 'cmd:PROGRAM ARGUMENTS'.")
    try:
        words = [os.fsencode(word) for word in command]
    except UnicodeEncodeError as error:
        raise ValueError(f"{shown!r} cannot be run: {error.object[error.start]!r} cannot be encoded here.") from None
    if any(b"\0" in word for word in words):
        raise ValueError(f"{shown!r} cannot be run: no word of a command may hold the character 0.")
    if max(map(len, words)) > LONGEST_WORD or sum(map(len, words)) > LONGEST_COMMAND:
        raise ValueError(
            f"{shown!r} cannot be run: a word may have {LONGEST_WORD} bytes, and the command {LONGEST_COMMAND}. "
            "Put what is longer into a file."
        )
    if shutil.which(command[0]) is None:
        raise ValueError(f"There is no program {command[0][:60]!r} to run for the player {shown!r}.")
    return command
