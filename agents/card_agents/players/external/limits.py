"""How much an external bot may take, and what it is told when it takes more."""

from __future__ import annotations

import math
from dataclasses import dataclass

from card_agents.labels import printable

LONGEST_LINE = 1 << 16
"""Most bytes of an answer."""

MOST_NOISE = 1 << 20
"""Most bytes written to the standard error between two answers."""

START_TRIES = 3
"""A program that could not be started so many times in a row is not started again."""

LONGEST_REASON = 300
"""Most characters of a reason."""


@dataclass(frozen=True)
class Limits:
    """Seconds allowed; ``ValueError`` unless they are numbers above 0.

    move: for the answer to one position. start: from the start of the program to its first answer.
    """

    move: float = 5.0
    start: float = 30.0

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            if not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
                raise ValueError(f"{name}={seconds!r} is no limit: give the seconds allowed, a number above 0.")


class Failure(Exception):
    """What a program did wrong, as the end of a sentence that begins with its name.

    The words may be the program's own: they are made fit to be printed and written, whatever they are.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(shortened(reason))


class Mistake(Failure):
    """A failure that the program itself has told of, and that it goes on after."""


def shortened(text: str) -> str:
    """The text on one line that any file and any terminal takes, cut where it is too long.

    >>> shortened("x" * 1000) == "x" * LONGEST_REASON + "..."
    True
    """
    return printable(text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}...")
