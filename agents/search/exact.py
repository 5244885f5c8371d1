"""Exact play where a seat can work out every hidden card, and another player's before."""

from __future__ import annotations

import numpy as np

from agents.protocol import Actions, Agent, Array
from agents.search.pimc import PimcAgent
from agents.search.searcher import checked
from card_envs import Game, batches


class ExactAgent:
    """Plays as another player does until a position is settled, and then exactly."""

    def __init__(self, game: Game, before: Agent) -> None:
        self.game = game
        self.before = before
        self._exactly = PimcAgent(game, 1)  # settled positions have but one world

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        checked(self.game, views, masks, random)
        actions = np.empty(len(views), np.int32)
        settled = self.game.is_settled(views)
        for player, rows in ((self._exactly, np.flatnonzero(settled)), (self.before, np.flatnonzero(~settled))):
            if len(rows):
                actions[rows] = player.act(batches.take(views, rows), observations[rows], masks[rows], random[rows])
        return actions
