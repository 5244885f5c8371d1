"""The learner: MaskablePPO over many tables, ready to be trained a rollout at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn
from torch import nn

from agents.training.policy import PartsPolicy, Trunk
from agents.training.settings import Budget, Settings
from card_envs import Game

LEAST_RATE = 0.01
"""Share of the learning rate that is left at the very end."""


class Falling:
    """A learning rate that falls in a line along the budget, whatever Stable-Baselines3 takes for progress."""

    def __init__(self, start: float, budget: Budget) -> None:
        self.start = start
        self.budget = budget

    def __call__(self, _: float) -> float:
        return self.start * max(LEAST_RATE, 1.0 - self.budget.used)


class ScaledRewards(VecEnvWrapper):
    """Rewards times a constant, so that returns of all games are of one size."""

    def __init__(self, venv: VecEnv, scale: float) -> None:
        super().__init__(venv)
        self.scale = np.float32(scale)

    def reset(self) -> np.ndarray:
        return self.venv.reset()  # type: ignore[return-value]

    def step_wait(self) -> VecEnvStepReturn:
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards * self.scale, dones, infos

    def has_attr(self, attr_name: str) -> bool:
        return self.venv.has_attr(attr_name)


def make_learner(game: Game, env: VecEnv, settings: Settings, budget: Budget) -> MaskablePPO:
    """An untrained learner of ``game`` for ``env``; the same seed makes the same one."""
    schedule: Callable[[float], float] = Falling(settings.learning_rate, budget)
    return MaskablePPO(
        PartsPolicy,
        env,
        learning_rate=schedule,
        n_steps=settings.rollout,
        batch_size=min(settings.batch, settings.tables * settings.rollout),
        n_epochs=settings.epochs,
        gamma=1.0,  # episodes are short, and what counts is their end
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        seed=settings.seed,
        device="cpu",
        policy_kwargs={
            "game": game,
            "activation_fn": nn.ReLU,
            "net_arch": {"pi": [], "vf": []},
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"widths": [settings.width] * settings.layers},
        },
    )
