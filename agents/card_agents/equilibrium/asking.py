"""From agents to policies and back: an agent is asked once in every information set; a policy plays by looking up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.equilibrium.strategies import Policy, uniform
from card_agents.equilibrium.tree import Tree
from card_agents.protocol import (
    Actions,
    Agent,
    Array,
    ask,
    checked_masks,
    checked_words,
    drawn,
    external_bot,
)
from card_envs import Game, batches


def policy_of(tree: Tree, agent: Agent, name: str = "The agent", *, samples: int = 1, seed: int = 0) -> Policy:
    """What an agent does in each information set of both seats, asked as the arena asks it.

    An agent with ``probabilities(views, observations, masks)``, float (N, num_actions), is asked for them. Any other
    is asked for actions, with words that are decided by ``seed`` and the number of the information set: with one
    sample the policy is the player that the agent is with these dice; with more, the share of each action among them.

    An external bot is asked about each information set as if it were of an episode of its own.

    Raises ``ValueError`` for answers that are no probabilities of the legal actions, and where a program fails: what
    it would have done is not known then.
    """
    bot = external_bot(agent)
    try:
        return _asked(tree, agent, name, samples, seed)
    finally:
        if bot is not None:
            bot.close()


def _asked(tree: Tree, agent: Agent, name: str, samples: int, seed: int) -> Policy:
    policy = uniform(tree)
    draws = 1 if hasattr(agent, "probabilities") else samples
    for part, views in tree.views():
        observations, masks = tree.game.observations(views), tree.game.masks(views)
        if hasattr(agent, "probabilities"):
            shares = checked_shares(name, agent.probabilities(views, observations, masks.copy()), masks)
        else:
            shares = np.zeros(masks.shape)
            for sample in range(draws):
                actions, reasons = ask(tree.game, agent, name, batches.copy(views), _words(seed, sample, part))
                if reasons:
                    raise ValueError(
                        f"{name} has no exact figures, for it did not answer in every position: it "
                        f"{next(iter(reasons.values()))}."
                    )
                shares[np.arange(len(views)), actions] += 1 / draws
        begin, end = int(tree.first[part.start]), int(tree.first[part.stop])
        rows = np.repeat(np.arange(len(views)), np.diff(tree.first[part.start : part.stop + 1]))
        policy[begin:end] = shares[rows, tree.action[begin:end]]
    return policy


def _words(seed: int, sample: int, part: slice) -> npt.NDArray[np.uint64]:
    """A random word for each of these information sets, whatever the size of the part."""
    stream = np.random.PCG64(np.random.SeedSequence([seed, sample]))
    stream.advance(part.start)
    return stream.random_raw(part.stop - part.start).astype(np.uint64)


def checked_shares(agent: str, shares: Any, masks: Array) -> npt.NDArray[np.float64]:
    """What an agent says are its probabilities, float64 (N, num_actions); ``ValueError`` naming it if they are none."""
    array = np.asarray(shares, np.float64)
    if array.shape != masks.shape:
        raise ValueError(f"{agent} must give probabilities of shape {masks.shape}, not {array.shape}.")
    if not (array >= 0).all() or (array[masks == 0] != 0).any() or (abs(array.sum(axis=1) - 1) > 1e-6).any():
        raise ValueError(f"{agent} must give probabilities that are 0 for illegal actions and add up to 1 in each row.")
    return array / array.sum(axis=1, keepdims=True)


class TabularAgent:
    """Plays by policies written down for every information set, those of one tree for each dealer."""

    def __init__(self, trees: Sequence[Tree], policies: Sequence[Policy]) -> None:
        self.game: Game = trees[0].game
        if sorted(tree.dealer for tree in trees) != list(range(self.game.num_players)) or len(trees) != len(policies):
            raise ValueError("A tabular player needs one tree and one policy for each dealer.")
        self.trees = tuple(trees)
        self.policies = tuple(policies)

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        shares = self.probabilities(views, observations, masks)
        return drawn(shares, checked_words(random, len(views)))

    def probabilities(self, views: Array, observations: Array, masks: Array) -> npt.NDArray[np.float64]:
        """How likely it plays each action, float64 (N, num_actions)."""
        legal = checked_masks(masks, len(views), self.game.num_actions)
        shares = legal.astype(np.float64)
        choices = legal.sum(axis=1) > 1
        for tree, policy in zip(self.trees, self.policies, strict=True):
            rows = np.flatnonzero(choices & (views["dealer"] == tree.dealer))
            numbers = tree.find(views[rows])
            if (numbers < 0).any():
                raise ValueError(
                    f"Row {rows[numbers < 0][0]} is a position that {self.game.describe()} does not have: "
                    "a tabular player knows single deals of its own game alone."
                )
            begin, count = tree.first[numbers], np.diff(tree.first)[numbers]
            for k in range(count.max(initial=0)):
                some = count > k
                sequences = begin[some] + k
                shares[rows[some], tree.action[sequences]] = policy[sequences]
        return shares
