"""What the tests of the environments share: the games they run on, scripted opponents, ways to play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from card_envs.envs.single import CardEnv
from tests.variants import FEW, MATCHES, Variant

PLAYED = FEW
"""The games that every test of the environments runs on."""

SEVERAL_MATCH = next(variant for variant in MATCHES if variant.make().num_players > 2)
"""A match of more than two players."""


def env_id(variant: Variant) -> str:
    return f"card_envs/{variant.game.capitalize()}-v0"


def make(variant: Variant, **settings: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(env_id(variant), **variant.rules, **settings)


def make_vec(variant: Variant, num_envs: int, **settings: Any) -> Any:
    return gymnasium.make_vec(
        env_id(variant), num_envs=num_envs, vectorization_mode="vector_entry_point", **variant.rules, **settings
    )


def rewards_of(variant: Variant) -> list[str]:
    """The rewards that a game pays."""
    least = variant.make().min_returns
    return [reward for reward, value in least.items() if value < 0]


REWARDED = [(variant, reward) for variant in PLAYED for reward in rewards_of(variant)]


class FirstLegal:
    """Always plays its lowest legal action."""

    def act(self, views: Any, observations: Any, masks: Any, random: Any) -> Any:
        return masks.argmax(axis=1)


class Dicer:
    """Plays a legal action by the table's dice."""

    def act(self, views: Any, observations: Any, masks: Any, random: Any) -> Any:
        counts = masks.sum(axis=1).astype(np.uint64)
        return np.array(
            [np.flatnonzero(mask)[int(word % count)] for mask, word, count in zip(masks, random, counts, strict=True)]
        )


class Answer:
    """Answers whatever it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, views: Any, observations: Any, masks: Any, random: Any) -> Any:
        return self.answer(masks)

    def __repr__(self) -> str:
        return "Answer of a test"


def last_legal(mask: Any) -> int:
    return int(np.flatnonzero(mask)[-1])


def some_legal(masks: Any, dice: np.random.Generator) -> Any:
    """A random legal action a row (0 where there is none), from outside dice."""
    return np.array([dice.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in np.asarray(masks)])


def play_through(env: Any, episodes: int, seed: int) -> Iterator[tuple[Any, ...]]:
    """Play some episodes of an environment by its own dice; yields every answer of reset and step."""
    table = env.unwrapped
    answer = env.reset(seed=seed)
    for _ in range(episodes):
        yield answer
        over = False
        while not over:
            action = table.sample_action()
            answer = env.step(action)
            over = answer[2]
            yield (action, *answer)
        answer = env.reset()


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, arrays with their dtypes."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray):
        if one.dtype == object:
            return all(same(a, b) for a, b in zip(one, other, strict=True))
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    return type(one) is type(other) and one == other


def card_env(env: Any) -> CardEnv:
    assert isinstance(env.unwrapped, CardEnv)
    return env.unwrapped


each_game = pytest.mark.parametrize("variant", PLAYED, ids=lambda variant: variant.id)
each_reward = pytest.mark.parametrize(("variant", "reward"), REWARDED, ids=lambda x: getattr(x, "id", x))
