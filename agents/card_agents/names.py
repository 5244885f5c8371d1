"""Players by name: the library's own, trained ones from files, those of other packages, and external bots."""

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
"""Entry point group of other packages' players: each is a callable that takes a game and the text after the colon
("" without one) and returns an agent."""


NAMES = ("random", "greedy", "ppo", "ppo:PATH", "pimc:N", "ismcts:N", "ismcts:N+ppo", "exact+NAME", "cfr:N")

NAMES_HELP = f"{', '.join(NAMES)}, module:factory, cmd:PROGRAM (docs/bots.md), or a player of another package"
"""The names of players, for the help of commands."""

SEARCHERS: dict[str, Callable[..., Agent]] = {"pimc": PimcAgent, "ismcts": IsmctsAgent}
"""Search players by name: each is made from a game and the worlds or simulations per decision."""

OWN_KINDS = frozenset({"random", "greedy", "ppo", "cfr", *SEARCHERS})
"""First parts of the names of the library's own players."""

EXACT_PREFIX = "exact+"
"""Prefix for a player that plays exactly once every card can be deduced."""

_LABELLED = re.compile(r"(\w(?:[\w .-]*\w)?)=(.*)", re.DOTALL)


def split_label(text: str) -> tuple[str | None, str]:
    """Split ``LABEL=PLAYER`` into label and player; the label is None where there is none.

    A label consists of letters, digits, ``-``, ``_``, ``.`` and spaces, and begins and ends with a letter, a digit or
    ``_``. A player's own text may contain an equals sign: it comes after a colon, which no label has.

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
    ``ppo``, ``ppo:PATH``           the trained player that ships with the library, or one from a file;
                                    ``deterministic``: its most likely action instead of a sampled one
    ``pimc``, ``pimc:N``            perfect-information Monte Carlo with N determinizations
    ``ismcts``, ``ismcts:N``        information-set Monte Carlo tree search with N simulations
    ``ismcts:N+ppo``, ``...:PATH``  the same, guided by a trained policy
    ``exact+NAME``                  the player NAME, but exact play once every hidden card can be deduced
    ``cfr:N``, ``cfr:Xs``           the policy of N iterations of CFR+, for a small enough game; or of X seconds,
                                    which is a different player every time
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
    plugged = others()
    if kind in plugged:
        return _loaded(plugged[kind], game, text)
    if is_bot(name):
        return make_bot(name, game, limits)
    choices = [*NAMES, *plugged, "module:factory", "cmd:PROGRAM"]
    raise ValueError(f"There is no player {name!r}: choose one of {', '.join(map(repr, choices))}.")


def _trained(game: Game, name: str, deterministic: bool = True) -> PPOAgent:
    """The player ``"ppo"`` or ``"ppo:PATH"``."""
    _, colon, path = name.partition(":")
    if not colon:
        return PPOAgent.shipped(game, deterministic=deterministic)
    if not path:
        raise ValueError("'ppo:' needs the file of a trained player after the colon: 'ppo:PATH'.")
    return PPOAgent.load(path, game, deterministic=deterministic)


def _searching(game: Game, name: str) -> Agent:
    """A search player: its name, its worlds or simulations per decision, and for a tree search the guiding policy."""
    searcher, plus, guide = name.partition("+")
    kind, colon, text = searcher.partition(":")
    if colon and not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST):
        raise ValueError(f"{name!r} needs a whole number from 1 to {MOST} after {kind!r} and the colon.")
    agent = SEARCHERS[kind](game, int(text)) if colon else SEARCHERS[kind](game)
    if not plus:
        return agent
    if not isinstance(agent, IsmctsAgent) or guide.partition(":")[0] != "ppo":
        raise ValueError(
            f"{name!r} is not a player: only a tree search can be guided, by 'ppo', as in 'ismcts:1000+ppo'."
        )
    return GuidedAgent(game, agent, _trained(game, guide))


def _equilibrium(game: Game, text: str) -> Agent:
    from card_agents.equilibrium import CFRLimit, cfr_agent

    return cfr_agent(game, CFRLimit.read(text))


def unwrapped(name: str) -> str:
    """The player inside wrappers: ``"greedy"`` of ``"exact+greedy"``."""
    while name.startswith(EXACT_PREFIX):
        name = name.removeprefix(EXACT_PREFIX)
    return name


def is_external(name: str) -> bool:
    """Whether a player is an external bot, wrapped or not: a separate program, which could look the packs up.

    >>> is_external("exact+cmd:./bot"), is_external("module:factory"), is_external("exact+ismcts:10+ppo:model.npz")
    (True, True, False)
    """
    kind = unwrapped(name).partition(":")[0]
    return kind.partition("+")[0] not in OWN_KINDS and kind not in others()


def refuse_unrepeatable(name: str) -> None:
    """``ValueError`` for a player that is not the same each time it is made, where results must be reproducible."""
    kind, _, text = unwrapped(name).partition(":")
    if kind == "cfr" and text.endswith("s"):
        raise ValueError(
            f"{name!r} depends on how far CFR+ gets in that time, which differs between machines and processes: "
            "give a number of iterations, such as 'cfr:1000'. Seconds are only for card-envs exploit."
        )


def others() -> dict[str, EntryPoint]:
    """The players of other packages, by name: entry points of ``GROUP``."""
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
