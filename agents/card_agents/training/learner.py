"""The learner: MaskablePPO over many tables, trained one rollout at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn
from torch import nn

from card_agents.training.policy import PartsPolicy, Trunk
from card_agents.training.settings import Budget, Settings
from card_envs import Game
from card_envs.envs.sb3 import CardVecEnv

FINAL_SHARE = 0.01
"""Share of the initial learning rate that is left at the end."""


class LinearSchedule:
    """A learning rate that falls linearly with the share of the budget used, whatever progress SB3 reports."""

    def __init__(self, start: float, budget: Budget) -> None:
        self.start = start
        self.budget = budget

    def __call__(self, _: float) -> float:
        return self.start * max(FINAL_SHARE, 1.0 - self.budget.used)


class LearnerVecEnv(VecEnvWrapper):
    """The tables as the learner sees them: rewards are scaled, so that returns are of similar size in all games.

    advice: the greedy player's action is appended to each observation, one bit per action.
    """

    def __init__(self, tables: CardVecEnv, scale: float, advice: bool) -> None:
        self.game = tables.game
        self.tables = tables
        self.scale = np.float32(scale)
        self.advice = advice
        size = self.game.observation_size + (self.game.num_actions if advice else 0)
        super().__init__(tables, observation_space=spaces.Box(0, 1, (size,), np.uint8))

    def reset(self) -> np.ndarray:
        return self._advised(self.tables.reset())

    def step_wait(self) -> VecEnvStepReturn:
        observations, rewards, dones, infos = self.tables.step_wait()
        return self._advised(np.asarray(observations)), np.asarray(rewards) * self.scale, dones, infos

    def has_attr(self, attr_name: str) -> bool:
        return self.tables.has_attr(attr_name)

    def _advised(self, observations: np.ndarray) -> np.ndarray:
        if not self.advice:
            return observations
        advice = self.tables.greedy_actions()
        wide = np.zeros((len(observations), self.observation_space.shape[0]), np.uint8)  # type: ignore[index]
        wide[:, : self.game.observation_size] = observations
        wide[np.arange(len(wide)), self.game.observation_size + advice] = 1
        return wide


def make_learner(game: Game, env: VecEnv, settings: Settings, budget: Budget) -> MaskablePPO:
    """An untrained learner of ``game`` for ``env``, the same for the same seed."""
    schedule: Callable[[float], float] = LinearSchedule(settings.learning_rate, budget)
    return MaskablePPO(
        PartsPolicy,
        env,
        learning_rate=schedule,
        n_steps=settings.rollout,
        batch_size=min(settings.batch, settings.tables * settings.rollout),
        n_epochs=settings.epochs,
        gamma=1.0,  # no discounting: episodes are short, and their end decides
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        ent_coef=settings.entropy,
        vf_coef=settings.value_weight,
        seed=settings.seed,
        device="cpu",
        policy_kwargs={
            "game": game,
            "advice": settings.advice,
            "activation_fn": nn.ReLU,
            "net_arch": {"pi": [], "vf": []},
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {
                "widths": [settings.width] * settings.layers,
                "advice_bits": game.num_actions if settings.advice else 0,
            },
        },
    )
