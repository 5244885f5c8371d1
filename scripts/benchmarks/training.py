"""The cost of the tables in training: MaskablePPO on them, and on an environment that does nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from benchmarks.figures import Figure, Rate, Turns, figure, repeat
from benchmarks.games import about
from card_agents.training.learner import make_learner
from card_agents.training.settings import Budget, Settings
from card_envs import Game, make_game
from card_envs.envs.sb3 import CardVecEnv

TRAINED, IDLE = "our VecEnv", "do-nothing VecEnv"
PREPARED = 64
"""Turns that an idle environment prepares."""
ROUNDS = 5
"""Most rounds, since one takes a whole rollout and its updates, more than a second."""


class IdleVecEnv(VecEnv):
    """The shapes of a ``CardVecEnv`` with nothing behind them: random bits and masks generated beforehand."""

    def __init__(self, env: CardVecEnv) -> None:
        size, actions = env.num_envs, env.game.num_actions
        self.render_mode = None
        self.num_envs = size
        super().__init__(size, env.observation_space, env.action_space)
        rng = np.random.default_rng(0)
        self._observations = rng.integers(2, size=(PREPARED, size, env.game.observation_size), dtype=np.uint8)
        self._masks = rng.random((PREPARED, size, actions)) < 6 / actions
        self._masks[..., 0] |= ~self._masks.any(axis=-1)
        self._rewards = rng.standard_normal((PREPARED, size), np.float32)
        self._dones = np.zeros(size, np.bool_)
        self._infos: list[dict[str, Any]] = [{} for _ in range(size)]
        self._turn = 0

    def reset(self) -> Any:
        return self._observations[self._turn]

    def step_async(self, actions: Any) -> None:
        self._turn = (self._turn + 1) % PREPARED

    def step_wait(self) -> VecEnvStepReturn:
        return self._observations[self._turn], self._rewards[self._turn], self._dones, self._infos

    def action_masks(self) -> Any:
        return self._masks[self._turn]

    def close(self) -> None:
        """Nothing to close."""

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        return list(getattr(self, method_name)(*method_args, **method_kwargs))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:  # type: ignore[override]
        return [False] * self.num_envs


def trained(game: Game, env: VecEnv, settings: Settings) -> Rate:
    """Trained steps per second: whole rollouts with their updates, as in ``scripts/train.py``."""
    model = make_learner(game, env, settings, Budget(0, 0.0))
    model.set_logger(Logger(None, []))
    size = settings.tables * settings.rollout

    def play() -> int:
        model.learn(size, reset_num_timesteps=False, log_interval=None)  # type: ignore[arg-type]
        return size

    return lambda seconds: repeat(play, seconds)


def measure_training(turns: Turns, folder: Path) -> list[Figure]:
    """Both games with the defaults of ``scripts/train.py`` and greedy opponents."""
    settings = Settings()
    if turns.seconds < 0.1:  # a test of the program, not of the machine
        settings = Settings(tables=32, rollout=8, batch=128, epochs=1, width=32)
    figures = []
    for game in (make_game("elfern"), make_game("konchinka")):
        env = CardVecEnv(game, settings.tables, opponents="greedy", seed=0)
        rates = {IDLE: trained(game, IdleVecEnv(env), settings), TRAINED: trained(game, env, settings)}
        samples = dataclasses.replace(turns, rounds=min(turns.rounds, ROUNDS)).take(rates)
        at: dict[str, Any] = about(game) | {"tables": settings.tables, "unit": "trained steps/s"}
        figures.append(figure(samples, "training", IDLE, **at))
        figures.append(figure(samples, "training", TRAINED, IDLE, required=0.90, **at))
    return figures
