"""Strategies over a tree: what they make of each other, and what the best answer to one makes of it.

A *policy* says how likely each action is where it can be taken: float64 (sequences,), the actions of an information
set adding up to 1; both seats' in one array. A *plan* says how likely a seat's own choices lead along a sequence, the
product of its policy on the way: float64 (sequences,), 1 for the two roots.
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
    """The plan of a policy; information sets come after those before them."""
    plan[0] = 1.0
    plan[1] = 1.0
    for i in range(len(parent)):
        before = plan[parent[i]]
        for k in range(first[i], first[i + 1]):
            plan[k] = before * policy[k]


@njit
def add_leaves(own: Any, other: Any, pay: Any, sign: float, plan: Any, values: Any) -> None:
    """Add to each of ``own`` sequences what the ends of deals behind it pay, against the plan of the other seat."""
    for k in range(len(pay)):
        values[own[k]] += sign * np.float64(pay[k]) * plan[other[k]]


@njit
def answer(parent: Any, first: Any, seat: Any, who: int, values: Any, policy: Any) -> None:
    """Best answers of a seat from the ends back; ``values`` of its leaves become those of its sequences."""
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
def expected(leaves: Any, pay: Any, plan_0: Any, plan_1: Any) -> float:
    """What seat 0 has of all deals together."""
    total = 0.0
    for k in range(len(pay)):
        total += np.float64(pay[k]) * plan_0[leaves[0, k]] * plan_1[leaves[1, k]]
    return total


@njit
def policy_of_plan(parent: Any, first: Any, plan: Any, policy: Any) -> None:
    """The policy behind a plan, uniform where the plan never comes."""
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
    """What the ends behind each sequence of ``seat`` pay it, in all deals together, against a plan of the other."""
    values = np.zeros(tree.sequences)
    add_leaves(tree.leaves[seat], tree.leaves[1 - seat], tree.pay, 1.0 - 2.0 * seat, plan, values)
    return values


def value(tree: Tree, policy_0: Policy, policy_1: Policy) -> float:
    """Points per deal that seat 0 has when it plays the first policy against the second in seat 1."""
    return float(expected(tree.leaves, tree.pay, plan_of(tree, policy_0), plan_of(tree, policy_1))) / tree.deals


def best_response(tree: Tree, seat: int, policy: Policy) -> tuple[float, Policy]:
    """The most points per deal that ``seat`` can have against a policy in the other seat, and a policy that has them.

    Exact: against a policy of whole numbers, a player without dice, all sums are of whole numbers. The policy returned
    is a best response in its own seat and the policy answered in the other.
    """
    values = leaf_values(tree, seat, plan_of(tree, policy))
    reply = policy.copy()
    answer(tree.parent, tree.first, tree.seat, seat, values, reply)
    return float(values[seat]) / tree.deals, reply


@dataclass(frozen=True)
class BestResponses:
    """What best responses to a policy have, in points per deal.

    best: for each seat, of a best response in it against the policy in the other seat.
    """

    best: tuple[float, float]

    @property
    def nash_conv(self) -> float:
        """What both seats together could gain by a best response: 0 for an equilibrium."""
        return sum(self.best)

    @property
    def exploitability(self) -> float:
        """Mean over the seats of what a best response has of a deal, beyond the value of the game for it."""
        return self.nash_conv / 2

    @property
    def bounds(self) -> tuple[float, float]:
        """The value of the game for seat 0 lies between: what the policy makes sure of, and what it leaves it."""
        return -self.best[1], self.best[0]


def best_responses(tree: Tree, policy: Policy) -> BestResponses:
    """What best responses to a policy have in both seats, exactly, with the dealer of ``tree``."""
    return BestResponses((best_response(tree, 0, policy)[0], best_response(tree, 1, policy)[0]))


def exploitability(tree: Tree, policy: Policy) -> float:
    """Exact exploitability of a policy in points per deal, mean over the seats, with the dealer of ``tree``."""
    return best_responses(tree, policy).exploitability


def uniform(tree: Tree) -> Policy:
    """Every action as likely as the others."""
    policy = np.ones(tree.sequences)
    policy[ROOTS:] = np.repeat(1.0 / np.diff(tree.first), np.diff(tree.first))
    return policy
