"""Players by name: the library's own, files of trained ones, those of other packages, and external bots."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from card_agents.players.builtin import GreedyAgent, RandomAgent
from card_agents.players.external import Limits, is_bot, make_bot
from card_agents.players.ppo import PPOAgent
from card_agents.players.search import ExactAgent, GuidedAgent, IsmctsAgent, PimcAgent
from card_agents.players.search.searcher import MOST
from card_agents.protocol import Agent
from card_envs import Game

GROUP = "card_envs.players"
"""Entry points of other packages: each a callable that takes a game and the text after the colon ("" without one)
and returns an agent."""


NAMES = ("random", "greedy", "ppo", "ppo:PATH", "pimc:N", "ismcts:N", "ismcts:N+ppo", "exact+NAME", "cfr:N")

NAMES_HELP = f"{', '.join(NAMES)}, module:factory, cmd:PROGRAM (docs/bots.md), or a player of another package"
"""The names there are, for the help of commands."""

SEARCHERS: dict[str, Callable[..., Agent]] = {"pimc": PimcAgent, "ismcts": IsmctsAgent}
"""Players that search, by name: each is made of a game and of how much it searches for a decision."""

OWN_KINDS = frozenset({"random", "greedy", "ppo", "cfr", *SEARCHERS})
"""What the names of the library's own players begin with."""

EXACT_PREFIX = "exact+"
"""What stands before the name of a player that is to play the end exactly."""

_LABELLED = re.compile(r"(\w(?:[\w .-]*\w)?)=(.*)", re.DOTALL)


def split_label(text: str) -> tuple[str | None, str]:
    """The label and the player of ``LABEL=PLAYER``; a label of None where there is none.

    A label is made of letters, digits, ``-``, ``_``, ``.`` and spaces, and begins and ends with a letter, a digit or
    ``_``. A player's own text may have an equals sign: before it stands a colon, which no label has.

    >>> split_label("mine=cmd:./bot --depth=3")
    ('mine', 'cmd:./bot --depth=3')
    >>> split_label("cmd:./bot --depth=3")
    (None, 'cmd:./bot --depth=3')
    >>> split_label("greedy")
    (None, 'greedy')
    """
    found = _LABELLED.fullmatch(text)
    return (found[1], found[2]) if found else (None, text)


def make_agent(name: str, game: Game, *, deterministic: bool = True, limits: Limits | None = None) -> Agent:
    """The player called ``name``, for ``game``.

    ==============================  ==================================================================
    ``random``, ``greedy``          the built-in players
    ``ppo``, ``ppo:PATH``           the trained player that comes with the library, or one of a file;
                                    ``deterministic``: its likeliest action instead of one drawn
    ``pimc``, ``pimc:N``            plays N sampled worlds with open cards
    ``ismcts``, ``ismcts:N``        a tree search of N simulations
    ``ismcts:N+ppo``, ``...:PATH``  such a search, weighed by a trained policy
    ``exact+NAME``                  the player called NAME, exact where the hidden cards can be worked out
    ``cfr:N``, ``cfr:Xs``           what CFR+ finds in N iterations, for a game that is small enough; or in X seconds,
                                    which is another player each time
    ``NAME``, ``NAME:TEXT``         an entry point of the group ``card_envs.players``
    ``module:factory``              an external bot in Python, within ``limits`` (``card_agents.players.external``)
    ``cmd:PROGRAM``                 an external bot in any language
    ==============================  ==================================================================

    Raises ``ValueError`` for an unknown name and for a player that cannot be made for this game.

    >>> import card_envs
    >>> game = card_envs.make_game(next(iter(card_envs.GAMES)))
    >>> make_agent("careful", game)
    Traceback (most recent call last):
        ...
    ValueError: There is no player 'careful': choose one of 'random', 'greedy', 'ppo', 'ppo:PATH'...
    """
    kind, _, text = name.partition(":")
    if name == "random":
        return RandomAgent(game)
    if name == "greedy":
        return GreedyAgent(game)
    if kind == "ppo":
        return _trained(game, name, deterministic)
    if name.startswith(EXACT_PREFIX):
        return ExactAgent(
            game, make_agent(name.removeprefix(EXACT_PREFIX), game, deterministic=deterministic, limits=limits)
        )
    if kind.partition("+")[0] in SEARCHERS:
        return _searching(game, name)
    if kind == "cfr":
        return _equilibrium(game, text)
    others = _others()
    if kind in others:
        return _loaded(others[kind], game, text)
    if is_bot(name):
        return make_bot(name, game, limits)
    choices = [*NAMES, *others, "module:factory", "cmd:PROGRAM"]
    raise ValueError(f"There is no player {name!r}: choose one of {', '.join(map(repr, choices))}.")


def _trained(game: Game, name: str, deterministic: bool = True) -> PPOAgent:
    """The player ``"ppo"`` or ``"ppo:PATH"``."""
    _, colon, path = name.partition(":")
    if not colon:
        return PPOAgent.shipped(game, deterministic=deterministic)
    if not path:
        raise ValueError("'ppo:' needs the file of a trained player: 'ppo:PATH'.")
    return PPOAgent.load(path, game, deterministic=deterministic)


def _searching(game: Game, name: str) -> Agent:
    """A player that searches: its name, how much it searches, and for a tree search the policy that guides it."""
    searcher, plus, guide = name.partition("+")
    kind, colon, text = searcher.partition(":")
    if colon and not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST):
        raise ValueError(f"{name!r} needs a whole number from 1 to {MOST} after {kind!r} and the colon.")
    agent = SEARCHERS[kind](game, int(text)) if colon else SEARCHERS[kind](game)
    if not plus:
        return agent
    if not isinstance(agent, IsmctsAgent) or guide.partition(":")[0] != "ppo":
        raise ValueError(f"{name!r} is no player: only a tree search is guided, by 'ppo', as in 'ismcts:1000+ppo'.")
    return GuidedAgent(game, agent, _trained(game, guide))


def _equilibrium(game: Game, text: str) -> Agent:
    from card_agents.equilibrium import CFRLimit, cfr_agent

    return cfr_agent(game, CFRLimit.read(text))


def bare(name: str) -> str:
    """The player inside of wrappers: ``"greedy"`` of ``"exact+greedy"``."""
    while name.startswith(EXACT_PREFIX):
        name = name.removeprefix(EXACT_PREFIX)
    return name


def is_external(name: str) -> bool:
    """Whether a player is an external bot, wrapped or not: a program of its own, that could look packs up.

    >>> is_external("exact+cmd:./bot"), is_external("module:factory"), is_external("exact+ismcts:10+ppo:model.npz")
    (True, True, False)
    """
    kind = bare(name).partition(":")[0]
    return kind.partition("+")[0] not in OWN_KINDS and kind not in _others()


def refuse_unrepeatable(name: str) -> None:
    """``ValueError`` for a player that is another one each time it is made, where results must come out the same."""
    kind, _, text = bare(name).partition(":")
    if kind == "cfr" and text.endswith("s"):
        raise ValueError(
            f"{name!r} plays what it finds in a time, which is something else on each machine and in each process: "
            "give a number of iterations, 'cfr:1000' say. Seconds are for card-envs exploit."
        )


def _others() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(entry: EntryPoint, game: Game, text: str) -> Agent:
    try:
        agent = entry.load()(game, text)
    except Exception as error:
        raise ValueError(
            f"The player {entry.name!r} ({entry.value}) could not be made: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(agent, Agent):
        raise ValueError(f"The player {entry.name!r} ({entry.value}) has no act(views, observations, masks, random).")
    return agent
