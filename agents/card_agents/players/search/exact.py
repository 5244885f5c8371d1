"""Exact play once a seat can deduce every hidden card, and another player before."""

from __future__ import annotations

import numpy as np

from card_agents.judgement import Judge, Known, known_of
from card_agents.players.search.pimc import PimcAgent
from card_agents.players.search.searcher import checked
from card_agents.protocol import Actions, Agent, Array, Forfeit
from card_envs import Game, batches


class ExactAgent(Judge):
    """Plays as another player until the position is settled (every hidden card can be deduced), then exactly."""

    def __init__(self, game: Game, before: Agent) -> None:
        self.game = game
        self.before = before
        self._exactly = PimcAgent(game, 1)  # a settled position has only one world

    @property
    def asks(self) -> Agent:
        """The player before exact play."""
        return self.before

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        checked(self.game, views, masks, random)
        actions = np.full(len(views), -1, np.int32)
        reasons: dict[int, str] = {}
        settled = self.game.is_settled(views)
        for player, rows in ((self._exactly, np.flatnonzero(settled)), (self.before, np.flatnonzero(~settled))):
            if len(rows):
                seen = batches.take(views, rows), observations[rows], masks[rows], random[rows]
                try:
                    actions[rows] = player.act(*seen)
                except Forfeit as failure:
                    actions[rows] = failure.actions
                    reasons = {int(rows[row]): reason for row, reason in failure.reasons.items()}
        if reasons:
            raise Forfeit("The player before exact play", actions, reasons)
        return actions

    def judge(self, views: Array, observations: Array, masks: Array, random: Array) -> Known:
        """Exact values where the position is settled, else what the player before knows (``card_agents.judgement``)."""
        settled = self.game.is_settled(views)
        exact = self._exactly.judge(batches.copy(views), observations, masks, random)
        before = known_of(self.before, views, observations, masks, random)
        nothing = np.full(masks.shape, np.nan)
        columns = {*exact, *before}
        return {
            name: np.where(settled[:, None], exact.get(name, nothing), before.get(name, nothing)) for name in columns
        }
