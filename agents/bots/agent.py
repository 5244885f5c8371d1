"""An external bot as an agent in Python: ``agent:make`` (docs/bots.md)."""

from typing import Any

import numpy as np

from card_envs import Game


class Moody:
    """The game's greedy player, which plays any legal action one time in five."""

    batch = 64
    """Most positions that it is asked about at once."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, views: Any, observations: Any, masks: Any, random: Any) -> Any:
        """Actions, int32 (N,), for N positions; all dice are taken from ``random``, uint64 (N,)."""
        actions = self.game.greedy_actions(views)
        for row in np.flatnonzero(random % 5 == 0):
            legal = np.flatnonzero(masks[row])
            actions[row] = legal[random[row] // 5 % len(legal)]
        return actions


def make(game: Game) -> Moody:
    """The agent for a game: what a name like ``agent:make`` calls."""
    return Moody(game)
