"""The episode in play at a table, as far as it has to be noted for its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs.errors import IllegalAction
from card_envs.game import Game
from card_envs.kernel import OUTSIDE, RANDOM
from card_envs.records import GameRecord

Array = npt.NDArray[Any]


@dataclass
class Episode:
    """Where an episode began, who plays, and the actions that came from outside the compiled code.

    What the built-in players have played follows from that. So noting costs next to nothing, and the plays are worked
    out when a record is asked for.

    start: the table as it was dealt, (1,) records. players: who plays each seat, int8 (num_players,), codes of
    ``kernel``. names: what they are called. played: each action from outside, and the table's stream before it was
    played.
    """

    start: Array
    players: npt.NDArray[np.int8]
    names: Sequence[str]
    played: list[tuple[int, int]] = field(default_factory=list)

    def record(self, game: Game) -> GameRecord:
        """The record of the episode so far. An action that was not legal lost it."""
        table = self.start.copy()
        record = GameRecord(game.state(table, 0), self.names)
        noted = iter(self.played)
        while not record.is_over:
            code = self.players[table["to_play"][0]]
            if code == OUTSIDE:
                found = next(noted, None)
                if found is None:
                    break
                action, table["choice"][0] = found
            else:
                chosen = game.sample_actions(table) if code == RANDOM else game.greedy_actions(table)
                action = int(chosen[0])
            try:
                record.play(action)
            except IllegalAction:
                record.forfeit()
                break
            game.step(table, np.array([action], np.int32), auto_reset=False)
        return record
