"""Checks of the settings and options of environments: each returns the plain value or raises a sentence."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs.checks import choice, shown
from card_envs.errors import IllegalAction, UnknownArgument
from card_envs.game import Game
from card_envs.record import REWARDS, SETTLEMENT
from card_envs.registry import make_game
from card_envs.state import State

OPTIONS = ("deck", "dealer", "seat", "deal")
"""Options that ``reset(options=...)`` accepts."""

SETTINGS = ("opponents", "seat", "reward", "illegal")
"""Arguments of every environment, besides the game and its rules."""

EXACT = 2.0**53
"""Whole numbers up to here are exact in float64."""


def chosen_game(game: str | Game, rules: Mapping[str, Any], settings: Sequence[str] = SETTINGS) -> Game:
    """The game of an environment, given by name and rules or as a ``Game``; ``settings``: its other arguments."""
    if not isinstance(game, Game):
        try:
            return make_game(game, **rules)
        except UnknownArgument as fault:
            raise UnknownArgument(f"{fault} An environment takes {', '.join(settings)} as well.") from None
    if rules:
        raise UnknownArgument(
            f"The environment got an unexpected keyword argument {next(iter(rules))!r}. game={game!r} has its rules "
            f"already: leave out {', '.join(rules)}."
        )
    return game


def chosen_reward(game: Game, reward: str, exact: float = EXACT) -> int:
    """Number of a reward; ``ValueError`` naming the choices if this game does not pay it, or not exactly.

    exact: the environment returns whole numbers up to this one exactly.
    """
    payable = [name for name in REWARDS if game.min_returns[name] < 0]
    number = REWARDS.index(choice("reward", reward, REWARDS))
    if reward not in payable:
        raise ValueError(
            f"reward={reward!r} is never paid by {game.describe()}, which is not settled at the end of a match: "
            f"choose one of {', '.join(map(repr, payable))}."
        )
    most = -game.min_returns[reward] * (game.num_players - 1)
    if number == SETTLEMENT and most > exact:
        raise ValueError(
            f"reward='settlement' may be {most:.0f} in {game.describe()}, but here rewards are float32, which is exact "
            f"up to {exact:.0f}: play for smaller chips or stakes."
        )
    return number


def checked_options(options: Any) -> dict[str, Any]:
    """The options of ``reset`` that are not None; ``ValueError`` if they are not a dict."""
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options={shown(options)} must be a dict, as in {{'seat': 0}}, or None.")
    return {name: value for name, value in (options or {}).items() if value is not None}


def chosen_action(game: Game, states: npt.NDArray[Any], action: Any) -> int:
    """The number of an action at the one table of an environment; ``IllegalAction`` if there is no such action."""
    if type(action) is np.ndarray and action.shape == ():
        action = action[()]
    try:
        if isinstance(action, (bool, np.bool_)):
            raise TypeError
        number = operator.index(action)
    except TypeError:
        raise IllegalAction(
            f"{shown(action)} is no action: give a whole number from 0 to {game.num_actions - 1}."
        ) from None
    if not 0 <= number < game.num_actions:
        raise IllegalAction(State(game, states).refusal(number))
    return number
