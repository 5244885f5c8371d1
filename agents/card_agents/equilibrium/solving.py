"""A small game with all its dealers: its value, the exploitability of agents, and the equilibrium that CFR+ finds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from card_agents.equilibrium.asking import TabularAgent, policy_of
from card_agents.equilibrium.cfr import CFR, Effort, Point
from card_agents.equilibrium.strategies import BestResponses, Policy, best_responses, value
from card_agents.equilibrium.tree import MEMORY, Tree, nothing_written, write_out
from card_agents.protocol import Agent
from card_envs import Game


def write_out_all(game: Game, *, memory: int = MEMORY) -> tuple[Tree, ...]:
    """One tree for each dealer; ``ValueError`` for a game too large for so many bytes."""
    return tuple(write_out(game, dealer, memory=memory // 2) for dealer in range(2))


@dataclass(frozen=True)
class Worst:
    """What a player makes sure of, against opponents who know all that it does, in points per deal: exact.

    leading: in the seat left of the dealer. dealing: as dealer.
    """

    leading: float
    dealing: float

    @property
    def exploitability(self) -> float:
        """What a best response wins of it a deal, both seats alike often: 0 for an equilibrium, never less."""
        return -(self.leading + self.dealing) / 2

    @property
    def nash_conv(self) -> float:
        """Twice that: what two best responses, one in each seat, have together."""
        return -(self.leading + self.dealing)


def worst_case(found: Sequence[BestResponses]) -> Worst:
    """Mean over the dealers; ``found`` has the exploitability for each of them."""
    return Worst(
        leading=-sum(one.best[dealer] for dealer, one in enumerate(found)) / len(found),
        dealing=-sum(one.best[1 - dealer] for dealer, one in enumerate(found)) / len(found),
    )


def policies_of(
    trees: Sequence[Tree], agent: Agent, name: str = "The agent", *, samples: int = 1, seed: int = 0
) -> list[Policy]:
    """What an agent does, for each dealer (``asking.policy_of``)."""
    return [policy_of(tree, agent, name, samples=samples, seed=seed) for tree in trees]


def worst_of(trees: Sequence[Tree], policies: Sequence[Policy]) -> Worst:
    """What a player with these policies makes sure of."""
    return worst_case([best_responses(tree, policy) for tree, policy in zip(trees, policies, strict=True)])


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
    """Average policies of CFR+, for each dealer, and the runs that found them.

    Where the tree of one dealer is the mirror image of the other's, which is checked and not taken for granted, one run
    serves both; otherwise they share the time. Limits as for ``CFR.run``.
    """
    mirrored = all(tree.mirrors(trees[0]) for tree in trees[1:])
    runs = [CFR(tree) for tree in trees[: 1 if mirrored else None]]
    found = [run.run(seconds / len(runs), iterations=iterations, gap=gap, progress=progress) for run in runs]
    return (found * len(trees) if mirrored else found), runs


def certain_digits(low: float, high: float) -> str:
    """A number between two bounds, with as many digits as they share: "+0.1542".

    >>> certain_digits(0.15421, 0.15424), certain_digits(-0.32, 0.41)
    ('+0.1542', '+0')
    """
    for digits in range(12, 0, -1):
        if f"{low:.{digits}f}" == f"{high:.{digits}f}":
            return f"{low:+.{digits}f}"
    return f"{(low + high) / 2:+.0f}"


def cfr_agent(game: Game, effort: Effort) -> TabularAgent:
    """The player that CFR+ finds with so much effort; ``ValueError`` for a game too large to be written out."""
    trees = write_out_all(game)
    return TabularAgent(trees, solve(trees, effort.seconds, iterations=effort.iterations)[0])


def warm_up(game: Game) -> None:
    """Compile what exact play of a game of two players is made of."""
    trees = tuple(dataclasses.replace(nothing_written(game, dealer), deals=1) for dealer in range(2))
    policies = solve(trees, iterations=1)[0]
    worst_of(trees, policies)
    meeting(trees, policies, policies)
    trees[0].find(game.views(game.new_states(np.arange(2, dtype=np.uint64))))
