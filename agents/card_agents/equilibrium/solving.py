"""Exact solving of a small game over both dealers: its value, exploitability, and the equilibrium that CFR+ finds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from card_agents.equilibrium.cfr import CFR, CFRLimit, Point
from card_agents.equilibrium.strategies import BestResponses, Policy, best_responses, value
from card_agents.equilibrium.tabular import TabularAgent, policy_of
from card_agents.equilibrium.tree import MEMORY, Tree, build_tree, empty_tree
from card_agents.protocol import Agent
from card_envs import Game


def build_trees(game: Game, *, memory: int = MEMORY) -> tuple[Tree, ...]:
    """One game tree for each dealer; ``ValueError`` for a game too large for ``memory`` bytes."""
    return tuple(build_tree(game, dealer, memory=memory // 2) for dealer in range(2))


@dataclass(frozen=True)
class WorstCase:
    """What a player gets against best responses, in points per deal: exact.

    as_non_dealer: in the seat left of the dealer. as_dealer: as dealer.
    """

    as_non_dealer: float
    as_dealer: float

    @property
    def exploitability(self) -> float:
        """What a best response wins against it per deal, mean over the seats: 0 for an equilibrium, never less."""
        return -(self.as_non_dealer + self.as_dealer) / 2

    @property
    def nash_conv(self) -> float:
        """Twice the exploitability: the sum of what best responses in the two seats win."""
        return -(self.as_non_dealer + self.as_dealer)


def mean_worst_case(found: Sequence[BestResponses]) -> WorstCase:
    """The mean over the dealers; ``found`` holds the best responses for each of them."""
    return WorstCase(
        as_non_dealer=-sum(one.best[dealer] for dealer, one in enumerate(found)) / len(found),
        as_dealer=-sum(one.best[1 - dealer] for dealer, one in enumerate(found)) / len(found),
    )


def policies_of(
    trees: Sequence[Tree], agent: Agent, name: str = "The agent", *, samples: int = 1, seed: int = 0
) -> list[Policy]:
    """The policy of an agent for each dealer (``tabular.policy_of``)."""
    return [policy_of(tree, agent, name, samples=samples, seed=seed) for tree in trees]


def worst_case(trees: Sequence[Tree], policies: Sequence[Policy]) -> WorstCase:
    """What a player with these policies gets against best responses."""
    return mean_worst_case([best_responses(tree, policy) for tree, policy in zip(trees, policies, strict=True)])


def meeting(trees: Sequence[Tree], a: Sequence[Policy], b: Sequence[Policy]) -> float:
    """Exact points per deal of one player against another, mean over seats and dealers."""
    pairs = zip(trees, a, b, strict=True)
    return sum(value(tree, own, other) - value(tree, other, own) for tree, own, other in pairs) / (2 * len(trees))


def solve(
    trees: Sequence[Tree],
    seconds: float = float("inf"),
    *,
    iterations: int | None = None,
    gap: float = 0.0,
    progress: Callable[[Point], None] | None = None,
) -> tuple[list[Policy], list[CFR]]:
    """Average policies of CFR+ for each dealer, and the runs that found them.

    If the tree of one dealer is checked to be the mirror image of the other's, one run serves both; otherwise they
    share the time. Limits as for ``CFR.run``.
    """
    mirrored = all(tree.mirrors(trees[0]) for tree in trees[1:])
    runs = [CFR(tree) for tree in trees[: 1 if mirrored else None]]
    found = [run.run(seconds / len(runs), iterations=iterations, gap=gap, progress=progress) for run in runs]
    return (found * len(trees) if mirrored else found), runs


def certain_digits(low: float, high: float) -> str:
    """A number between two bounds, to the digits on which they agree: "+0.1542".

    >>> certain_digits(0.15421, 0.15424), certain_digits(-0.32, 0.41)
    ('+0.1542', '+0')
    """
    for digits in range(12, 0, -1):
        if f"{low:.{digits}f}" == f"{high:.{digits}f}":
            return f"{low:+.{digits}f}"
    return f"{(low + high) / 2:+.0f}"


def cfr_agent(game: Game, limit: CFRLimit) -> TabularAgent:
    """The player that CFR+ finds within a limit; ``ValueError`` for a game too large to be solved exactly."""
    trees = build_trees(game)
    return TabularAgent(trees, solve(trees, limit.seconds, iterations=limit.iterations)[0])


def warm_up(game: Game) -> None:
    """Compile the exact solver of a two-player game."""
    trees = tuple(dataclasses.replace(empty_tree(game, dealer), deals=1) for dealer in range(2))
    policies = solve(trees, iterations=1)[0]
    worst_case(trees, policies)
    meeting(trees, policies, policies)
    trees[0].lookup(game.views(game.new_states(np.arange(2, dtype=np.uint64))))
