"""How much a stranger's program may take, and what it is told when it takes more."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_LINE = 1 << 16
"""Most bytes of an answer."""

MOST_NOISE = 1 << 20
"""Most bytes written to the standard error between two answers."""

START_TRIES = 3
"""A program that could not be started so many times in a row is not started again."""


@dataclass(frozen=True)
class Limits:
    """Seconds allowed.

    move: for the answer to one position. start: from the start of the program to its first answer.
    """

    move: float = 5.0
    start: float = 30.0


class Failure(Exception):
    """What a program did wrong, as the end of a sentence that begins with its name."""


class Mistake(Failure):
    """A failure that the program itself has told of, and that it goes on after."""
