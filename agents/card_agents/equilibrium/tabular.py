"""Agents to policies and back: an agent is asked once at every information set; a tabular agent looks its policy up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.equilibrium.strategies import Policy, uniform
from card_agents.equilibrium.tree import Tree
from card_agents.judgement import Judge
from card_agents.protocol import (
    Actions,
    Agent,
    Array,
    ask,
    checked_masks,
    checked_words,
    external_bot,
    sampled_actions,
)
from card_envs import Game, batches


def policy_of(tree: Tree, agent: Agent, name: str = "The agent", *, samples: int = 1, seed: int = 0) -> Policy:
    """The policy of an agent, asked at each information set of both seats as the arena would ask it.

    An agent with ``probabilities(views, observations, masks)``, float (N, num_actions), is asked for them. Any other
    is asked for actions, with random words that depend only on ``seed`` and the number of the information set. With one
    sample the policy is the deterministic player that the agent is with these words; with more, it is the share of each
    action among the samples.

    An external bot is asked about each information set as if it came from a new episode.

    Raises ``ValueError`` for answers that are not probabilities of the legal actions, and where a bot fails, since its
    policy is unknown there.
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
            shares = checked_probabilities(name, agent.probabilities(views, observations, masks.copy()), masks)
        else:
            shares = np.zeros(masks.shape)
            for sample in range(draws):
                actions, reasons = ask(tree.game, agent, name, batches.copy(views), _words(seed, sample, part))
                if reasons:
                    raise ValueError(
                        f"{name} cannot be measured exactly, since it did not answer in every position: it "
                        f"{next(iter(reasons.values()))}."
                    )
                shares[np.arange(len(views)), actions] += 1 / draws
        begin, end = int(tree.first[part.start]), int(tree.first[part.stop])
        rows = np.repeat(np.arange(len(views)), np.diff(tree.first[part.start : part.stop + 1]))
        policy[begin:end] = shares[rows, tree.action[begin:end]]
    return policy


def _words(seed: int, sample: int, part: slice) -> npt.NDArray[np.uint64]:
    """A random word for each of these information sets, however they are cut into chunks."""
    stream = np.random.PCG64(np.random.SeedSequence([seed, sample]))
    stream.advance(part.start)
    return stream.random_raw(part.stop - part.start).astype(np.uint64)


def checked_probabilities(agent: str, shares: Any, masks: Array) -> npt.NDArray[np.float64]:
    """An agent's probabilities, float64 (N, num_actions); ``ValueError`` that names it if they are not valid."""
    array = np.asarray(shares, np.float64)
    if array.shape != masks.shape:
        raise ValueError(f"{agent} must give probabilities of shape {masks.shape}, not {array.shape}.")
    if not (array >= 0).all() or (array[masks == 0] != 0).any() or (abs(array.sum(axis=1) - 1) > 1e-6).any():
        raise ValueError(f"{agent} must give probabilities that are 0 for illegal actions and add up to 1 in each row.")
    return array / array.sum(axis=1, keepdims=True)


class TabularAgent(Judge):
    """Plays policies given for every information set, one game tree for each dealer."""

    def __init__(self, trees: Sequence[Tree], policies: Sequence[Policy]) -> None:
        self.game: Game = trees[0].game
        if sorted(tree.dealer for tree in trees) != list(range(self.game.num_players)) or len(trees) != len(policies):
            raise ValueError("A tabular player needs one tree and one policy for each dealer.")
        self.trees = tuple(trees)
        self.policies = tuple(policies)

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        shares = self.probabilities(views, observations, masks)
        return sampled_actions(shares, checked_words(random, len(views)))

    def probabilities(self, views: Array, observations: Array, masks: Array) -> npt.NDArray[np.float64]:
        """The probability of each action, float64 (N, num_actions); ``ValueError`` for a view outside the trees."""
        legal = checked_masks(masks, len(views), self.game.num_actions)
        shares = legal.astype(np.float64)
        choices = legal.sum(axis=1) > 1
        for tree, policy in zip(self.trees, self.policies, strict=True):
            rows = np.flatnonzero(choices & (views["dealer"] == tree.dealer))
            numbers = tree.lookup(views[rows])
            if (numbers < 0).any():
                raise ValueError(
                    f"Row {rows[numbers < 0][0]} is a position that {self.game.describe()} does not have: "
                    "a tabular player knows only single deals of its own game."
                )
            begin, count = tree.first[numbers], np.diff(tree.first)[numbers]
            for k in range(count.max(initial=0)):
                some = count > k
                sequences = begin[some] + k
                shares[rows[some], tree.action[sequences]] = policy[sequences]
        return shares
