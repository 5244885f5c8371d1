"""Who there is to play: each kind of player, what it does, what it costs, and whether it plays a game by some rules.

The sentences about players are here alone; commands, and the page of ``card-envs table``, take them from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from card_agents.names import EXACT_PREFIX, NAMES, make_agent, others, unwrapped
from card_envs import Game

EXTERNAL = ("module:factory", "cmd:PROGRAM")
"""Patterns of external bots' names."""

SENTENCES = {
    "random": "plays any legal action",
    "greedy": "the game's own rule of thumb",
    "ppo": "trained by self-play, answers at once",
    "pimc": "plays sampled deals out with open cards, and thinks for a while",
    "ismcts": "searches sampled deals, and thinks for a while",
    "cfr": "close to an equilibrium of a small game",
}
"""What the players of the library do, by the first part of their names."""

OTHER = "a player of another package, or a program"
"""What is said of all others."""

SPECIAL = {
    "ppo": "the trained player that ships with the library, answers at once",
    "ppo:PATH": "a trained player from a file, answers at once",
    "pimc:N": f"{SENTENCES['pimc']}: N of them at each turn",
    "ismcts:N": f"{SENTENCES['ismcts']}: N simulations at each turn",
    "ismcts:N+ppo": "the same, guided by the trained player",
    "exact+NAME": "the player NAME, exact once every card can be deduced",
    "cfr:N": f"{SENTENCES['cfr']}, by N iterations of CFR+",
    "module:factory": "an external bot in Python (docs/bots.md)",
    "cmd:PROGRAM": "an external bot in any language (docs/bots.md)",
}
"""What a pattern of names stands for, where more can be said than of a player by that name."""

COSTS = {
    "random": "fast",
    "greedy": "fast",
    "ppo": "fast",
    "pimc": "thinks: solves N deals with open cards at each turn",
    "ismcts": "thinks: plays N deals out at each turn",
    "exact": "thinks a little where it is exact; before, as NAME",
    "cfr": "solves the game before it plays, then fast",
}
"""About what the players cost, by the first part of their names."""

UNKNOWN_COST = "as its author made it"

TRIED = {"pimc:N": "pimc:1", "ismcts:N": "ismcts:1", "ismcts:N+ppo": "ismcts:1+ppo", "exact+NAME": "exact+greedy",
         "cfr:N": "cfr:1"}  # fmt: skip
"""The player that is made to see whether those of a pattern can be; where a pattern is a name, it is that player."""

UNTRIED = ("ppo:PATH", *EXTERNAL)
"""Patterns of which nobody can say before the file or program is named."""


def kind_of(name: str) -> str:
    """The first part of a player's name, without wrappers: ``"ismcts"`` of ``"exact+ismcts:100+ppo"``."""
    return unwrapped(name).partition(":")[0].partition("+")[0]


def is_slow(name: str) -> bool:
    """Whether a player may take long to answer."""
    return COSTS.get(kind_of(name)) != "fast"


def sentence_of(name: str) -> str:
    """What a player does.

    >>> sentence_of("exact+greedy")
    "the game's own rule of thumb; exact once every card can be deduced"
    """
    does = SENTENCES.get(kind_of(name), OTHER)
    return does if unwrapped(name) == name else f"{does}; exact once every card can be deduced"


@dataclass(frozen=True)
class Entry:
    """A kind of player, and whether it plays a game.

    name: the pattern of its names. sentence: what it does. cost: about what it costs. playable: whether it can be made
    for the game; None if that depends on a file or a program. fault: why it cannot, a sentence; "" if it can.
    package: the package it comes from. extra: the extra of this package that it needs, "" for none.
    """

    name: str
    sentence: str
    cost: str
    playable: bool | None
    fault: str = ""
    package: str = "card_envs"
    extra: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary."""
        return dict(vars(self))


def roster(game: Game) -> list[Entry]:
    """All players there are for a game, those of this library first, then those of other packages.

    Each is made once, and those of other packages with no text after their name; programs are not started.
    """
    found = [_own(name, game) for name in (*NAMES, *EXTERNAL)]
    for name, entry in sorted(others().items()):
        fault = fault_of(name, game)
        package = entry.dist.name if entry.dist is not None else entry.module
        found.append(Entry(name, f"made by {entry.value}", UNKNOWN_COST, not fault, fault, package))
    return found


def _own(name: str, game: Game) -> Entry:
    kind = "exact" if name.startswith(EXACT_PREFIX) else kind_of(name)
    sentence = SPECIAL.get(name) or SENTENCES[kind]
    cost = COSTS.get(kind, UNKNOWN_COST)
    if name in UNTRIED:
        return Entry(name, sentence, cost, None)
    fault = fault_of(TRIED.get(name, name), game)
    return Entry(name, sentence, cost, not fault, fault)


def fault_of(name: str, game: Game) -> str:
    """Why a player cannot be made for a game; "" if it can."""
    try:
        make_agent(name, game)
    except (ValueError, ImportError) as fault:
        return str(fault)
    return ""
