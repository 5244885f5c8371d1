"""What a training run can be told, and its budget."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

BUDGET = ("minutes", "steps")
"""Settings that may change when a run is resumed."""

MOST = {"tables": 2**20, "rollout": 2**16, "width": 2**14, "layers": 2**6, "leg": 2**20, "threads": 2**10}
"""Beyond this a whole number is a slip of the keyboard, and no memory would do."""

LARGEST_FLOAT = 3.4e38
"""What torch can take for a number of float32."""


def setting(default: Any, text: str) -> Any:
    """A field with a sentence about it, for ``--help``."""
    return dataclasses.field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class Settings:
    """How to train. ``ValueError`` for values that make no sense."""

    seed: int = setting(0, "decides everything left to chance")
    minutes: float = setting(3.0, "training time; measuring and evaluating come on top. 0: no limit")
    steps: int = setting(0, "learner's decisions to train on. 0: no limit")
    tables: int = setting(512, "tables side by side")
    rollout: int = setting(32, "decisions a table between updates")
    batch: int = setting(1024, "decisions in a gradient step")
    epochs: int = setting(4, "times each decision is learned from")
    learning_rate: float = setting(1e-3, "at the start; it falls to nothing along the budget")
    width: int = setting(256, "width of the layers")
    layers: int = setting(2, "hidden layers that policy and value share")
    entropy: float = setting(0.003, "weight of the entropy bonus")
    gae_lambda: float = setting(0.6, "trade-off between bias and variance of advantages")
    value_weight: float = setting(0.5, "weight of the value loss")
    clip: float = setting(0.2, "how far an update may move the odds of an action")
    reward: str = setting("points", "which reward to learn from")
    advice: bool = setting(True, "whether the network is told what the greedy player would do")
    greedy_share: float = setting(0.5, "share of opponents that play greedy")
    random_share: float = setting(0.1, "share of opponents that play at random; the others are earlier selves")
    against: str = setting("", "a player who takes all other seats instead: what a learner gains on it. '': the league")
    selves: int = setting(3, "earlier selves that play at a time, the newest among them")
    pool: int = setting(20, "earlier selves that are kept")
    leg: int = setting(8, "rollouts between checkpoints; opponents change, and tables begin afresh, with each leg")
    points: int = setting(20, "points of the learning curve, spread over the budget")
    measure_deals: int = setting(1000, "deals for each point of the learning curve")
    evaluate_deals: int = setting(10_000, "deals of the evaluation at the end")
    threads: int = setting(0, "threads of torch. 0: as many as it likes")

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
                f"greedy_share={self.greedy_share} and random_share={self.random_share} are more than all opponents."
            )
        if (self.selves == 0 or self.pool == 0) and self.greedy_share + self.random_share < 1:
            raise ValueError(
                f"selves={self.selves} and pool={self.pool} leave nobody to play against: let greedy_share and "
                "random_share make up 1."
            )

    def _check(self, name: str, kind: str) -> None:
        """The value of a field is of its kind, finite and not negative; a whole number may stand for a float."""
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
        """The settings as a dictionary, as JSON has it."""
        return dataclasses.asdict(self)


@dataclass
class Budget:
    """How much training there may be, and how much there was; times in seconds."""

    limit_steps: int
    limit_seconds: float
    steps: int = 0
    seconds: float = 0.0

    @property
    def used(self) -> float:
        """Share of the budget used up, by whichever limit is nearer, from 0 to 1."""
        shares = [0.0]
        if self.limit_steps:
            shares.append(self.steps / self.limit_steps)
        if self.limit_seconds:
            shares.append(self.seconds / self.limit_seconds)
        return min(1.0, max(shares))

    @property
    def spent(self) -> bool:
        """Whether there is nothing left."""
        return self.used >= 1.0
