"""External bots: ``module:factory`` in Python, and ``cmd:PROGRAM`` in any language.

Each runs in a process of its own, within limits, so that whatever it does costs it the episode and nobody else
anything (docs/bots.md).
"""

from __future__ import annotations

import os
import re

from card_agents.players.external.bot import Bot
from card_agents.players.external.limits import Limits
from card_agents.players.external.program import ProgramBot
from card_agents.players.external.python import PythonBot
from card_envs import Game

__all__ = ["Bot", "Limits", "is_bot", "make_bot"]

_FACTORY = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def is_bot(name: str) -> bool:
    """Whether a player's name is an external bot's, of the form ``cmd:PROGRAM`` or ``module:factory``."""
    return name.partition(":")[0] == "cmd" or _FACTORY.fullmatch(name) is not None


def make_bot(name: str, game: Game, limits: Limits | None = None) -> Bot:
    """The external bot of this name; its program is started when it is first asked.

    name: ``cmd:PROGRAM ARGUMENTS``, quoted as for a shell; or ``module:factory``, where ``factory(game)`` of a module
    (of the current directory, or any that can be imported) returns an agent.

    Raises ``ValueError`` if there is no such program or module to be found.
    """
    if os.name != "posix":
        raise ValueError(f"{name!r} needs process groups to be kept in its limits: they are there on Linux and macOS.")
    kind: type[Bot] = ProgramBot if name.partition(":")[0] == "cmd" else PythonBot
    return kind(name, game, Limits() if limits is None else limits)
