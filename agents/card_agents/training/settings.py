"""The settings of a training run, and its budget."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

BUDGET = ("minutes", "steps")
"""Settings that may change when a run is resumed."""

MOST = {"tables": 2**20, "rollout": 2**16, "width": 2**14, "layers": 2**6, "leg": 2**20, "threads": 2**10}
"""Larger integers are taken for typing errors: no memory would do."""

LARGEST_FLOAT = 3.4e38
"""The largest float32 that torch accepts."""


def setting(default: Any, text: str) -> Any:
    """A field with its help text for ``--help``."""
    return dataclasses.field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class Settings:
    """How to train. Raises ``ValueError`` for invalid values."""

    seed: int = setting(0, "seed of all randomness")
    minutes: float = setting(3.0, "training time, without measuring and evaluating. 0: no limit")
    steps: int = setting(0, "the learner's decisions to train on. 0: no limit")
    tables: int = setting(512, "tables played in parallel")
    rollout: int = setting(32, "decisions per table between updates")
    batch: int = setting(1024, "decisions per gradient step")
    epochs: int = setting(4, "passes over each rollout")
    learning_rate: float = setting(1e-3, "initial learning rate; it falls linearly to nearly 0 over the budget")
    width: int = setting(256, "width of the layers")
    layers: int = setting(2, "hidden layers shared by policy and value")
    entropy: float = setting(0.003, "weight of the entropy bonus")
    gae_lambda: float = setting(0.6, "lambda of generalised advantage estimation")
    value_weight: float = setting(0.5, "weight of the value loss")
    clip: float = setting(0.2, "clip range of PPO")
    reward: str = setting("points", "the reward to maximise")
    advice: bool = setting(True, "append the greedy player's action to the observation")
    greedy_share: float = setting(0.5, "share of greedy opponents")
    random_share: float = setting(0.1, "share of random opponents; the others are past snapshots of the learner")
    against: str = setting(
        "", "a player that takes all other seats instead, to train a best response to it. '': the opponent pool"
    )
    selves: int = setting(3, "snapshots that play at a time, including the newest")
    pool: int = setting(20, "snapshots that are kept")
    leg: int = setting(8, "rollouts between checkpoints; each leg draws new opponents and fresh deals")
    points: int = setting(20, "points of the learning curve, spread evenly over the budget")
    measure_deals: int = setting(1000, "deals per point of the learning curve")
    evaluate_deals: int = setting(10_000, "deals of the final evaluation")
    threads: int = setting(0, "threads of torch. 0: its own default")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check(field.name, str(field.type))
        for name in ("tables", "rollout", "batch", "epochs", "width", "layers", "leg", "learning_rate", "clip"):
            self._refuse(name, getattr(self, name) == 0, "must be above 0")
        for name, most in MOST.items():
            self._refuse(name, getattr(self, name) > most, f"is more than {most}")
        for name in ("learning_rate", "clip"):
            self._refuse(name, getattr(self, name) > LARGEST_FLOAT, "is more than float32 holds")
        for name in ("measure_deals", "evaluate_deals"):
            self._refuse(name, getattr(self, name) > 2**32, "is more than 2**32")
        for name in ("points", "measure_deals", "evaluate_deals"):
            self._refuse(name, getattr(self, name) < 2, "must be at least 2")
        self._refuse("gae_lambda", self.gae_lambda > 1, "must be from 0 to 1")
        self._refuse("tables", self.tables * self.rollout < 2, "is too few: a rollout needs two decisions")
        if self.batch < self.tables * self.rollout and self.tables * self.rollout % self.batch:
            raise ValueError(
                f"batch={self.batch} does not divide the {self.tables * self.rollout} decisions of a rollout "
                f"(tables={self.tables} × rollout={self.rollout})."
            )
        self._refuse("seed", self.seed >= 2**32, "must be below 2**32")
        self._refuse("minutes", self.minutes == 0 == self.steps, "and steps=0: one of them must end the training")
        if self.greedy_share + self.random_share > 1:
            raise ValueError(
                f"greedy_share={self.greedy_share} and random_share={self.random_share} add up to more than 1."
            )
        if (self.selves == 0 or self.pool == 0) and self.greedy_share + self.random_share < 1:
            raise ValueError(
                f"selves={self.selves} and pool={self.pool} leave nobody to play against: let greedy_share and "
                "random_share add up to 1."
            )

    def _check(self, name: str, kind: str) -> None:
        """``ValueError`` unless a field is of its type, finite and not negative; an int may stand for a float."""
        value: Any = getattr(self, name)
        if kind == "float" and type(value) is int:
            value = float(value)
            object.__setattr__(self, name, value)
        if type(value).__name__ != kind or (kind == "float" and not math.isfinite(value)):
            raise ValueError(f"{name}={value!r} is not a {kind}.")
        if kind in ("int", "float") and value < 0:
            raise ValueError(f"{name}={value!r} is negative.")

    def _refuse(self, name: str, wrong: bool, why: str) -> None:
        if wrong:
            raise ValueError(f"{name}={getattr(self, name)!r} {why}.")

    def to_dict(self) -> dict[str, Any]:
        """The settings as a JSON-serialisable dictionary."""
        return dataclasses.asdict(self)


@dataclass
class Budget:
    """The training allowed and used; times in seconds."""

    limit_steps: int
    limit_seconds: float
    steps: int = 0
    seconds: float = 0.0

    @property
    def used(self) -> float:
        """Share of the budget used, by whichever limit is nearer, from 0 to 1."""
        shares = [0.0]
        if self.limit_steps:
            shares.append(self.steps / self.limit_steps)
        if self.limit_seconds:
            shares.append(self.seconds / self.limit_seconds)
        return min(1.0, max(shares))

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.used >= 1.0
