"""The built-in players, which need no training and play any game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from card_agents.judgement import Judge
from card_agents.protocol import Actions, Array, checked_masks, checked_words
from card_envs import Game


class RandomAgent(Judge):
    """Plays a uniformly random legal action."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        legal = checked_masks(masks, len(views), self.game.num_actions)
        words = checked_words(random, len(views))
        counts = legal.sum(axis=1, dtype=np.uint64)
        index = ((words >> np.uint64(32)) * counts) >> np.uint64(32)
        ranks = legal.cumsum(axis=1, dtype=np.uint16)
        return (ranks > index[:, None]).argmax(axis=1).astype(np.int32)

    def probabilities(self, views: Array, observations: Array, masks: Array) -> npt.NDArray[np.float64]:
        """The probability of each action, float64 (N, num_actions)."""
        legal = checked_masks(masks, len(views), self.game.num_actions)
        return legal / legal.sum(axis=1, keepdims=True)


class GreedyAgent(Judge):
    """Plays as the game's own greedy player."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        checked_masks(masks, len(views), self.game.num_actions)
        return self.game.greedy_actions(views)
