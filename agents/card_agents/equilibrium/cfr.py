"""Counterfactual regret minimisation: policies that approach an equilibrium.

The regrets are those of CFR+ (Tammelin 2014): never below zero, with alternating updates. With ``predictive`` the next
policy also counts the last regret twice, as a prediction of the next one (Farina, Kroer, Sandholm 2021), and the
average weights iteration t by t squared instead of t.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from card_agents.equilibrium.strategies import (
    BestResponses,
    Policy,
    add_leaves,
    best_responses,
    policy_of_plan,
    uniform,
    write_plan,
)
from card_agents.equilibrium.tree import Tree
from card_envs.jit import njit


@njit
def match_regrets(
    parent: Any, first: Any, seat: Any, who: int, values: Any, policy: Any, regrets: Any, trust: float
) -> None:
    """Update the regrets of one iteration by backward induction, and the policy by regret matching.

    values: of the leaves behind each sequence; they become those of the sequences. trust: how many times the last
    regret counts as a prediction.
    """
    for i in range(len(parent) - 1, -1, -1):
        if seat[i] != who:
            continue
        begin, end = first[i], first[i + 1]
        mean = 0.0
        for k in range(begin, end):
            mean += policy[k] * values[k]
        values[parent[i]] += mean
        total = 0.0
        for k in range(begin, end):
            regret = values[k] - mean
            regrets[k] = max(regrets[k] + regret, 0.0)
            policy[k] = max(regrets[k] + trust * regret, 0.0)
            total += policy[k]
        for k in range(begin, end):
            policy[k] = policy[k] / total if total > 0.0 else 1.0 / (end - begin)


@njit
def add_plan(parent: Any, first: Any, seat: Any, who: int, plan: Any, weight: float, average: Any) -> None:
    """Add the plan of a seat, weighted, to the sum of its plans."""
    for i in range(len(parent)):
        if seat[i] == who:
            for k in range(first[i], first[i + 1]):
                average[k] += weight * plan[k]


@dataclass(frozen=True)
class CFRLimit:
    """When CFR+ stops: after so many iterations, which always find the same policy, or after so many seconds."""

    iterations: int | None = None
    seconds: float = math.inf

    @classmethod
    def read(cls, text: str) -> CFRLimit:
        """Parse ``"1000"`` (iterations) or ``"10s"`` (seconds); ``ValueError`` for anything else.

        >>> CFRLimit.read("1000"), CFRLimit.read("0.5s")
        (CFRLimit(iterations=1000, seconds=inf), CFRLimit(iterations=None, seconds=0.5))
        """
        if re.fullmatch(r"[0-9]{1,9}", text) and int(text) > 0:
            return cls(iterations=int(text))
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?s", text) and float(text[:-1]) > 0:
            return cls(seconds=float(text[:-1]))
        raise ValueError(
            f"'cfr' needs a limit above 0, in iterations ('cfr:1000', say) or seconds ('cfr:10s'), not {text[:40]!r}."
        )


@dataclass(frozen=True)
class Point:
    """A point of the convergence curve: best responses to the average policy after so many iterations and seconds."""

    iterations: int
    seconds: float
    found: BestResponses


@dataclass
class CFR:
    """A run of CFR+ on a tree. ``run`` can be called again to continue; equal iterations give equal policies.

    seconds: time spent on iterations. curve: the points measured so far.
    """

    tree: Tree
    predictive: bool = True
    iterations: int = 0
    seconds: float = 0.0
    curve: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._policy = uniform(self.tree)
        self._regrets = np.zeros(self.tree.sequences)
        self._average = np.zeros(self.tree.sequences)
        self._plan = np.empty(self.tree.sequences)
        self._values = np.empty(self.tree.sequences)
        self._improve(0, 0.0, 0, 0)  # compiles, so that ``seconds`` does not include it

    def iterate(self) -> None:
        """One iteration: first seat 0, then seat 1."""
        begin = time.perf_counter()
        self.iterations += 1
        weight = float(self.iterations) ** (2 if self.predictive else 1)
        for who in (0, 1):
            self._improve(who, weight, self.tree.sets, len(self.tree.payoff))
        self.seconds += time.perf_counter() - begin

    def _improve(self, who: int, weight: float, sets: int, leaves: int) -> None:
        """Update one seat, over the first ``sets`` information sets and ``leaves`` leaves."""
        tree, values, plan = self.tree, self._values, self._plan
        parent, first, seat = tree.parent[:sets], tree.first[: sets + 1], tree.seat[:sets]
        own, other = tree.leaves[who, :leaves], tree.leaves[1 - who, :leaves]
        write_plan(parent, first, self._policy, plan)
        values[:] = 0
        add_leaves(own, other, tree.payoff[:leaves], (1.0 - 2.0 * who) / tree.deals, plan, values)
        match_regrets(parent, first, seat, who, values, self._policy, self._regrets, float(self.predictive))
        write_plan(parent, first, self._policy, plan)
        add_plan(parent, first, seat, who, plan, weight, self._average)

    def policy(self) -> Policy:
        """The average policy, float64 (sequences,), which converges to an equilibrium."""
        policy = uniform(self.tree)
        policy_of_plan(self.tree.parent, self.tree.first, self._average, policy)
        return policy

    def run(
        self,
        seconds: float = float("inf"),
        *,
        iterations: int | None = None,
        gap: float = 0.0,
        progress: Callable[[Point], None] | None = None,
    ) -> Policy:
        """Iterate until a limit is reached, measuring on the way; the average policy.

        seconds: time for the iterations of this call, without measuring. iterations: most iterations in all.
        gap: stop when the bounds of the value are this close. progress: called with each point measured.

        Raises ``ValueError`` if nothing would end the iterations.
        """
        if seconds == float("inf") and iterations is None and gap <= 0:
            raise ValueError("Nothing would end the iterations: give seconds, iterations or a gap above 0.")
        end = self.seconds + seconds
        measured = max(self.iterations, 1)
        while True:
            spent = self.seconds >= end or (iterations is not None and self.iterations >= iterations)
            if spent or self.iterations >= measured:
                point = self.measure()
                if progress is not None:
                    progress(point)
                if spent or point.found.nash_conv <= gap:
                    return self.policy()
                measured = max(measured + 1, int(measured * 1.3))
            self.iterate()

    def measure(self) -> Point:
        """Measure the average policy; the result is appended to the curve."""
        point = Point(self.iterations, self.seconds, best_responses(self.tree, self.policy()))
        self.curve.append(point)
        return point
