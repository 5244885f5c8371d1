"""Tree search guided by a trained policy: visit counts weighted by the policy's probabilities."""

from __future__ import annotations

import numpy as np

from card_agents.judgement import Judge, Known
from card_agents.players.ppo import PPOAgent
from card_agents.players.search.ismcts import IsmctsAgent
from card_agents.players.search.searcher import checked
from card_agents.protocol import Actions, Array
from card_envs import Game, batches

TRUST = 0.3
"""Exponent of the policy's probability; the best of 0, 0.3, 0.6 and 1 in play."""


class GuidedAgent(Judge):
    """Plays the legal action with the greatest visits × probability ** ``trust``.

    search: the tree search. policy: a trained policy for the same game.
    """

    def __init__(self, game: Game, search: IsmctsAgent, policy: PPOAgent, *, trust: float = TRUST) -> None:
        self.game = game
        self.search = search
        self.policy = policy
        self.trust = trust

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        legal, words = checked(self.game, views, masks, random)
        actions = legal.argmax(axis=1).astype(np.int32)
        free = np.flatnonzero(legal.sum(axis=1) > 1)
        if len(free):
            chosen, allowed = batches.take(views, free), legal[free]
            # Logits differ from log-probabilities by a constant per row, which changes no comparison within it.
            logits = self.policy.logits(chosen, observations[free])
            visits, _ = self.search.search(chosen, words[free])
            weights = np.log(visits + 0.5) + self.trust * logits
            actions[free] = np.where(allowed, weights, -np.inf).argmax(axis=1)
        return actions

    def judge(self, views: Array, observations: Array, masks: Array, random: Array) -> Known:
        """What the search and the policy know (``card_agents.judgement``)."""
        found = self.search.judge(batches.copy(views), observations, masks, random)
        return {**found, **self.policy.judge(views, observations, masks, random)}
