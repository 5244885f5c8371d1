"""Who plays the seats of the opponents: built-in players, others by name, or objects with ``act``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs import batches
from card_envs.checks import shown
from card_envs.game import Game
from card_envs.kernel import GREEDY, OWN_CODES, RANDOM
from card_envs.players import Agent, ExternalBot, external_bot, player

BUILT_IN = {"random": RANDOM, "greedy": GREEDY}


class Opponents:
    """The opponents at ``size`` tables, by number: the code of a built-in player or of an object in ``outside``.

    A player given by name is made once, when the name is first given.

    Attributes:
        codes: who plays which seat in the episode in play, int64 (size, players).
        coming: who will play the seats after the learner's, in turn order, from each table's next episode on,
            int64 (size, players - 1).
        outside: the objects with ``act`` that play now or from the next episodes on, by code.
        listeners: the external bots among them that play one episode at a time and are told when it ends.
    """

    def __init__(self, size: int, game: Game, opponents: Any) -> None:
        self.codes = np.zeros((size, game.num_players), np.int64)
        self.coming = np.zeros((size, game.num_players - 1), np.int64)
        self._game = game
        self._by_name: dict[str, Agent] = {}
        self.outside: dict[int, Agent] = {}
        self.listeners: dict[int, ExternalBot] = {}
        self.choose(opponents, None)

    def choose(self, opponents: Any, where: npt.ArrayLike | None) -> None:
        """Set the opponents of the next episodes at all tables, or where a bool (size,) array is true.

        opponents: the name of a player (``"random"``, ``"greedy"``, ``"ppo"``, ``"pimc:20"``), an object with ``act``,
            or a list or tuple of these, one for each other seat in turn order after the learner's.

        Raises ``ValueError`` for anything else, and changes nothing.
        """
        seated = self.seated(opponents)
        rows = batches.marked(where, len(self.coming))
        for opponent in seated:
            self._check_alone(opponent, rows)
        used = set(np.unique(self.codes).tolist()) | set(np.unique(self.coming).tolist())
        self.outside = {code: opponent for code, opponent in self.outside.items() if code in used}
        self.coming[rows] = [self._code(opponent) for opponent in seated]
        self._forget()
        bots = {code: external_bot(opponent) for code, opponent in self.outside.items()}
        self.listeners = {code: bot for code, bot in bots.items() if bot is not None and bot.one_at_a_time}

    def listening(self, row: int) -> list[ExternalBot]:
        """The players at a table who are told when an episode ends."""
        return [self.listeners[code] for code in sorted(set(self.codes[row].tolist())) if code in self.listeners]

    def _check_alone(self, opponent: Any, rows: npt.NDArray[np.int64]) -> None:
        """``ValueError`` if a player who plays one table at a time would sit at several."""
        bot = external_bot(opponent)
        if bot is None or not bot.one_at_a_time:
            return
        known = [code for code, other in self.outside.items() if other is opponent]
        seated = np.isin(self.codes, known).any(axis=1) | np.isin(self.coming, known).any(axis=1)
        taken = len(np.union1d(np.flatnonzero(seated), rows))
        if taken > 1:
            raise ValueError(
                f"{shown(opponent)} plays one episode at a time and cannot be at {taken} tables: make one for each "
                "table, and seat it with where=..."
            )

    def seated(self, opponents: Any) -> list[Any]:
        """Who plays each other seat, in turn order; ``ValueError`` if ``choose`` cannot take this."""
        others = self.coming.shape[1]
        seated = list(opponents) if isinstance(opponents, (list, tuple)) else [opponents] * others
        if len(seated) != others:
            raise ValueError(
                f"opponents={shown(opponents)} names {len(seated)} players, but there are {others} other seats: give "
                "one for each, in turn order after the learner, or a single one for all."
            )
        return [self._checked(opponent) for opponent in seated]

    def _checked(self, opponent: Any) -> Any:
        """A built-in player's name, or an object with ``act``, made if named; ``ValueError`` for others."""
        if not isinstance(opponent, str):
            if callable(getattr(opponent, "act", None)) and not isinstance(opponent, type):
                return opponent
            raise ValueError(
                f"{shown(opponent)} is not an opponent: give the name of a player, such as 'greedy', an object with "
                "act(views, observations, masks, random), or a list of these, one for each other seat."
            )
        if opponent not in BUILT_IN and opponent not in self._by_name:
            try:
                self._by_name[opponent] = player(opponent, self._game)
            except ValueError as fault:
                raise ValueError(f"{shown(opponent)} is not an opponent. {fault}") from None
        return self._by_name.get(opponent, opponent)

    def _forget(self) -> None:
        """Let go of the players given by name who play nowhere any more."""
        playing = {id(opponent) for opponent in self.outside.values()}
        for name in [name for name, made in self._by_name.items() if id(made) not in playing]:
            _end(self._by_name.pop(name))

    def close(self) -> None:
        """End the programs of external bots that were given by name."""
        for made in self._by_name.values():
            _end(made)

    def names(self, row: int, learner: int) -> list[str]:
        """What everybody at a table is called, by seat: "learner", and opponents by the name given or their class."""
        given = [self._given(code) for code in self.codes[row].tolist()]
        names = [opponent if isinstance(opponent, str) else type(opponent).__name__ for opponent in given]
        names[learner] = "learner"
        return names

    def chosen(self, row: int) -> Any:
        """Who will play at a table, as ``choose`` accepts it: a player for all other seats, or a list of them."""
        seated = [self._given(code) for code in self.coming[row].tolist()]
        return seated[0] if all(one is seated[0] for one in seated) else seated

    def _given(self, code: int) -> Any:
        """The player of a code as it was given: a name, or an object."""
        for name, built_in in BUILT_IN.items():
            if code == built_in:
                return name
        opponent = self.outside.get(code)
        for name, made in self._by_name.items():
            if made is opponent:
                return name
        return opponent

    def _code(self, opponent: Any) -> int:
        if isinstance(opponent, str):
            return BUILT_IN[opponent]
        for code, known in self.outside.items():
            if known is opponent:
                return code
        code = max(self.outside, default=OWN_CODES - 1) + 1
        self.outside[code] = opponent
        return code


def _end(opponent: Agent) -> None:
    """End the programs of an external bot; others have none."""
    bot = external_bot(opponent)
    if bot is not None:
        bot.close()
