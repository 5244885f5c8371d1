"""Strategies over a game tree: their values against each other, and best responses.

A *policy* gives the probability of each action where it can be taken: float64 (sequences,), summing to 1 over the
actions of an information set; one array holds both seats. A *plan* (realization plan) gives the probability that a
seat's own choices lead along a sequence, the product of its policy on the path: float64 (sequences,), 1 for the two
empty sequences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.equilibrium.tree import Tree
from card_agents.equilibrium.walking import ROOTS
from card_agents.protocol import Array
from card_envs.jit import njit

Policy = npt.NDArray[np.float64]


@njit
def write_plan(parent: Any, first: Any, policy: Any, plan: Any) -> None:
    """Write the plan of a policy; parents come before their information sets."""
    plan[0] = 1.0
    plan[1] = 1.0
    for i in range(len(parent)):
        before = plan[parent[i]]
        for k in range(first[i], first[i + 1]):
            plan[k] = before * policy[k]


@njit
def add_leaves(own: Any, other: Any, payoff: Any, sign: float, plan: Any, values: Any) -> None:
    """Add the payoffs of the leaves behind each of the ``own`` sequences, against the plan of the other seat."""
    for k in range(len(payoff)):
        values[own[k]] += sign * np.float64(payoff[k]) * plan[other[k]]


@njit
def respond(parent: Any, first: Any, seat: Any, who: int, values: Any, policy: Any) -> None:
    """Write a best response of a seat by backward induction; ``values`` of its leaves become those of its sequences."""
    for i in range(len(parent) - 1, -1, -1):
        if seat[i] != who:
            continue
        best = first[i]
        for k in range(first[i], first[i + 1]):
            policy[k] = 0.0
            if values[k] > values[best]:
                best = k
        policy[best] = 1.0
        values[parent[i]] += values[best]


@njit
def expected_payoff(leaves: Any, payoff: Any, plan_0: Any, plan_1: Any) -> float:
    """Payoff to seat 0, summed over all deals."""
    total = 0.0
    for k in range(len(payoff)):
        total += np.float64(payoff[k]) * plan_0[leaves[0, k]] * plan_1[leaves[1, k]]
    return total


@njit
def policy_of_plan(parent: Any, first: Any, plan: Any, policy: Any) -> None:
    """Write the policy of a plan; uniform at information sets that the plan never reaches."""
    for i in range(len(parent)):
        before = 0.0
        for k in range(first[i], first[i + 1]):
            before += plan[k]
        for k in range(first[i], first[i + 1]):
            policy[k] = plan[k] / before if before > 0.0 else 1.0 / (first[i + 1] - first[i])


def plan_of(tree: Tree, policy: Policy) -> npt.NDArray[np.float64]:
    """The plans of both seats under a policy, float64 (sequences,)."""
    plan = np.empty(tree.sequences)
    write_plan(tree.parent, tree.first, policy, plan)
    return plan


def leaf_values(tree: Tree, seat: int, plan: Array) -> npt.NDArray[np.float64]:
    """Payoff to ``seat`` behind each of its sequences, summed over all deals, against a plan of the other seat."""
    values = np.zeros(tree.sequences)
    add_leaves(tree.leaves[seat], tree.leaves[1 - seat], tree.payoff, 1.0 - 2.0 * seat, plan, values)
    return values


def value(tree: Tree, policy_0: Policy, policy_1: Policy) -> float:
    """Expected points per deal for seat 0 when it plays the first policy against the second in seat 1."""
    return (
        float(expected_payoff(tree.leaves, tree.payoff, plan_of(tree, policy_0), plan_of(tree, policy_1))) / tree.deals
    )


def best_response(tree: Tree, seat: int, policy: Policy) -> tuple[float, Policy]:
    """The value in points per deal of a best response of ``seat`` to a policy of the other seat, and its policy.

    Exact: against a deterministic policy all sums are of whole numbers. The policy returned is a best response in
    ``seat`` and the given policy in the other.
    """
    values = leaf_values(tree, seat, plan_of(tree, policy))
    reply = policy.copy()
    respond(tree.parent, tree.first, tree.seat, seat, values, reply)
    return float(values[seat]) / tree.deals, reply


@dataclass(frozen=True)
class BestResponses:
    """The values of best responses to a policy, in points per deal.

    best: for each seat, the value of a best response in it to the policy in the other seat.
    """

    best: tuple[float, float]

    @property
    def nash_conv(self) -> float:
        """What the two seats together could gain by best responses: 0 for an equilibrium."""
        return sum(self.best)

    @property
    def exploitability(self) -> float:
        """Mean over the seats of the gain of a best response beyond the value of the game."""
        return self.nash_conv / 2

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the value of the game for seat 0: what the policy guarantees it, and what it concedes to it."""
        return -self.best[1], self.best[0]


def best_responses(tree: Tree, policy: Policy) -> BestResponses:
    """Exact values of best responses to a policy in both seats, with the dealer of ``tree``."""
    return BestResponses((best_response(tree, 0, policy)[0], best_response(tree, 1, policy)[0]))


def exploitability(tree: Tree, policy: Policy) -> float:
    """Exact exploitability of a policy in points per deal, mean over the seats, with the dealer of ``tree``."""
    return best_responses(tree, policy).exploitability


def uniform(tree: Tree) -> Policy:
    """The uniform policy."""
    policy = np.ones(tree.sequences)
    policy[ROOTS:] = np.repeat(1.0 / np.diff(tree.first), np.diff(tree.first))
    return policy
