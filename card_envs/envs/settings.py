"""The settings of environments: how they are read, and which can be changed afterwards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from card_envs.checks import choice, shown, whole_number
from card_envs.envs.rendering import Rendering
from card_envs.envs.tables import PER_TABLE, Tables
from card_envs.errors import FixedSetting
from card_envs.render.faces import WIDTH
from card_envs.render.pixels import Pixels, sheet

ILLEGAL = ("raise", "lose")
SHEET = 16
"""Tables on a sheet by default."""

FIXED = ("game", "num_envs", "autoreset_mode")
METHODS = ("action_masks", "set_opponents", "render")
"""Methods that can be called for single tables among many."""

CHANGEABLE = (*PER_TABLE, "illegal", "render_mode")


class Settings(Rendering):
    """The settings of an environment as its attributes.

    ``reward``, ``opponents`` and ``seat`` can be set at any time and take effect with each table's next episode;
    ``illegal`` and ``render_mode`` take effect at once. The game, its rules and the number of tables are fixed: setting
    them raises ``FixedSetting``. A wrapper has attributes of its own: set these through ``env.unwrapped``.
    """

    _tables: Tables

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and "game" in self.__dict__:
            self._refuse_fixed(name, value)
        super().__setattr__(name, value)

    def _refuse_fixed(self, name: str, value: Any) -> None:
        if name in FIXED:
            old = self.__dict__.get(name, value)
            if type(old) is type(value) and old == value:
                return
        elif not hasattr(self.game.rules, name):
            return
        raise FixedSetting(
            f"{name} is fixed when an environment is made, so it cannot be set to {shown(value)}: make another one. "
            f"The settings that can change are {', '.join(CHANGEABLE)}."
        )

    @property
    def reward(self) -> Any:
        """Name of the reward that is paid from the next episodes on; a list, one per table, where they differ."""
        return self._common("reward")

    @reward.setter
    def reward(self, reward: str) -> None:
        self._tables.choose("reward", reward, None)

    @property
    def opponents(self) -> Any:
        """Who plays the other seats from the next episodes on: a player, or a list of them in turn order."""
        return self._common("opponents")

    @opponents.setter
    def opponents(self, opponents: Any) -> None:
        self._tables.choose("opponents", opponents, None)

    @property
    def seat(self) -> Any:
        """The learner's seat in the episode in play; setting it affects the next one (None: drawn for each)."""
        self._require_reset()
        return self._common("seat")

    @seat.setter
    def seat(self, seat: int | None) -> None:
        self._tables.choose("seat", seat, None)

    @property
    def illegal(self) -> str:
        """What an illegal action does: ``"raise"`` an error, or ``"lose"`` the episode."""
        return "lose" if self._tables.loses else "raise"

    @illegal.setter
    def illegal(self, illegal: str) -> None:
        self._tables.loses = choice("illegal", illegal, ILLEGAL) == "lose"

    def _seen(self, row: int) -> str | Pixels:
        """What the learner at a table may see: pixels in the modes that need them, else a page of text."""
        return self._seen_by(self.game.state(self._tables.states, row), int(self._tables.seats[row]))

    def _pixels(self, row: int, width: int = WIDTH) -> Pixels:
        return self._pixels_of(self.game.state(self._tables.states, row), int(self._tables.seats[row]), width)

    def _end(self) -> None:
        self._tables.opponents.close()
        self._close_window()

    def _require_reset(self) -> None:
        if not self._tables.begun.all():
            raise gymnasium.error.ResetNeeded("Nothing has been dealt yet: call reset() first.")

    def _common(self, name: str) -> Any:
        values = [self._tables.setting(name, row) for row in range(self._tables.size)]
        return values[0] if all(value == values[0] for value in values[1:]) else values

    def set_opponents(self, opponents: Any) -> None:
        """Change the opponents from the next episode on; ``ValueError`` naming the choices if they are invalid."""
        self._tables.choose("opponents", opponents, None)


class ManyTables(Settings):
    """The same for many tables, some of which can be read and changed alone."""

    _masks: npt.NDArray[np.uint8]

    def sheet(self, tables: int = SHEET) -> Pixels:
        """What the learners at the first tables may see, side by side: pixels, uint8 (height, width, 3).

        Raises ``MissingExtra`` where the packages that draw are not installed.
        """
        self._require_reset()
        count = min(whole_number("tables", tables, 1, 10_000), self._tables.size)
        width = WIDTH if count == 1 else max(2 * WIDTH // math.ceil(math.sqrt(count)), 240)
        return sheet([self._pixels(row, width) for row in range(count)])

    def set_opponents(self, opponents: Any, where: npt.ArrayLike | None = None) -> None:
        """Change the opponents of all rows, or of those where a bool (N,) is true, from their next episodes on."""
        self._tables.choose("opponents", opponents, where)

    def _get_at(self, rows: Sequence[int], name: str) -> list[Any]:
        if name in PER_TABLE:
            return [self._tables.setting(name, row) for row in rows]
        return [getattr(self, name)] * len(rows)

    def _set_at(self, rows: Sequence[int] | None, name: str, value: Any) -> None:
        """Set an attribute of some tables, or (None) of all."""
        if rows is None:
            if name not in PER_TABLE and not hasattr(self, name):
                raise FixedSetting(f"There is no attribute {shown(name)} to set: try {', '.join(CHANGEABLE)}.")
            setattr(self, name, value)
        elif name in PER_TABLE:
            where = np.zeros(self._tables.size, np.bool_)
            where[rows] = True
            self._tables.choose(name, value, where)
        else:
            raise ValueError(f"{shown(name)} is the same for all tables: it cannot be set for {len(rows)} of them.")

    def _call_at(self, rows: Sequence[int], name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Call a method of single tables."""
        if name == "action_masks":
            return list(self._masks[rows].astype(np.bool_))
        if name == "set_opponents":
            self._set_at(rows, "opponents", *args, **kwargs)
            return [None] * len(rows)
        if name == "render":
            self._require_reset()
            return [self._seen(row) for row in rows]
        raise AttributeError(f"Single tables have no method {shown(name)}: they have {', '.join(map(repr, METHODS))}.")
