"""Players by name: the built-in ones, files of trained ones, and those of other packages."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from agents.builtin import GreedyAgent, RandomAgent
from agents.ppo import PPOAgent
from agents.protocol import Agent
from agents.search import ExactAgent, GuidedAgent, IsmctsAgent, PimcAgent
from agents.search.searcher import MOST
from card_envs import Game

GROUP = "card_envs.players"
"""Entry points of other packages: each a callable that takes a game and the text after the colon ("" without one)
and returns an agent."""

SEARCHERS: dict[str, Callable[..., Agent]] = {"pimc": PimcAgent, "ismcts": IsmctsAgent}
"""Players that search, by name: each is made of a game and of how much it searches for a decision."""

EXACTLY = "exact+"
"""What stands before the name of a player that is to end exactly."""


def make_agent(name: str, game: Game, *, deterministic: bool = True) -> Agent:
    """The player called ``name``, for ``game``.

    ``"random"``; ``"greedy"``; ``"ppo:PATH"``, a trained policy (``deterministic``: its likeliest action instead of
    one drawn); ``"pimc:N"``, which plays N sampled worlds with open cards, and ``"ismcts:N"``, a tree search of N
    simulations (``"pimc"`` and ``"ismcts"`` with their defaults); ``"ismcts:N+ppo:PATH"``, the search weighed by a
    trained policy; ``"exact+NAME"``, exact where the hidden cards can be worked out and the player called NAME before;
    or ``"NAME"`` or ``"NAME:TEXT"`` of an entry point of the group ``card_envs.players``.

    Raises ``ValueError`` for an unknown name, for an N that is none, and for a file that is not a player of this game.

    >>> import card_envs
    >>> game = card_envs.make_game(next(iter(card_envs.GAMES)))
    >>> make_agent("careful", game)
    Traceback (most recent call last):
        ...
    ValueError: There is no player 'careful': choose one of 'random', 'greedy', 'ppo:PATH'...
    """
    kind, colon, text = name.partition(":")
    if name == "random":
        return RandomAgent(game)
    if name == "greedy":
        return GreedyAgent(game)
    if kind == "ppo":
        if not text:
            raise ValueError("'ppo' needs the file of a trained player: 'ppo:PATH'.")
        return PPOAgent.load(text, game, deterministic=deterministic)
    searcher, plus, guide = name.partition("+ppo:")
    if plus and searcher.partition(":")[0] == "ismcts":
        policy = PPOAgent.load(guide, game)
        return GuidedAgent(game, cast(IsmctsAgent, make_agent(searcher, game)), policy)
    if kind in SEARCHERS:
        return SEARCHERS[kind](game, _size(name, text)) if colon else SEARCHERS[kind](game)
    if name.startswith(EXACTLY):
        return ExactAgent(game, make_agent(name.removeprefix(EXACTLY), game, deterministic=deterministic))
    others = _others()
    if kind in others:
        return _loaded(others[kind], game, text)
    choices = ["random", "greedy", "ppo:PATH", "pimc:N", "ismcts:N", "ismcts:N+ppo:PATH", "exact+NAME", *others]
    raise ValueError(f"There is no player {name!r}: choose one of {', '.join(map(repr, choices))}.")


def _size(name: str, text: str) -> int:
    """The N of a player that searches."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST):
        raise ValueError(f"{name!r} needs a whole number from 1 to {MOST} after the colon.")
    return int(text)


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
