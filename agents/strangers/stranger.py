"""What the players of both kinds have in common: answers, forfeits, and programs that do not start."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import ClassVar, Self

import numpy as np

from agents.protocol import Actions, Array, Forfeit, checked_masks, checked_words
from agents.strangers.limits import START_TRIES, Failure, Limits, Mistake
from card_envs import Game


class Stranger(ABC):
    """A player whose program is not ours. ``act`` raises ``Forfeit`` where it fails, with the reasons.

    Who plays with it says ``begin`` before deals that it should come to afresh, ``over`` after each (where it plays
    one at a time), and ``close`` at the end; or uses it in a ``with`` statement.
    """

    one_at_a_time: ClassVar[bool]
    """Whether it should be asked about one table until its episode is over."""

    def __init__(self, name: str, game: Game, limits: Limits) -> None:
        self.name = name
        self.game = game
        self.limits = limits
        self._failed_starts = 0
        self._why = ""

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        legal = checked_masks(masks, len(views), self.game.num_actions)
        words = _one_way(checked_words(random, len(views)))
        actions = np.full(len(views), -1, np.int32)
        reasons: dict[int, str] = {}
        begin = 0
        while begin < len(views):
            part = slice(begin, begin + 1)
            try:
                part = slice(begin, min(begin + self._rows(views, begin), len(views)))
                answers = self._answer(views[part], words[part])
                for row, action in enumerate(answers, begin):
                    if 0 <= action < self.game.num_actions and legal[row, action]:
                        actions[row] = action
                    else:
                        reasons[row] = self._illegal(action, legal[row])
            except Failure as failure:
                if not isinstance(failure, Mistake):
                    self._fail()
                reasons |= dict.fromkeys(range(part.start, part.stop), str(failure))
            begin = part.stop
        if reasons:
            raise Forfeit(self.name, actions, reasons)
        return actions

    def _illegal(self, action: int, legal: Array) -> str:
        named = f"{self.game.action_name(action)!r}" if 0 <= action < self.game.num_actions else f"action {action}"
        allowed = ", ".join(self.game.action_name(one) for one in np.flatnonzero(legal).tolist())
        return f"played {named}, which is illegal; legal were {allowed}"

    def _try_to_start(self) -> None:
        """Start a program, unless that has failed too often; ``Failure`` with the reason if there is none then."""
        if self._failed_starts >= START_TRIES:
            raise Failure(self._why)
        try:
            self._start()
        except Failure as failure:
            self._failed_starts += 1
            self._why = f"could not be started: it {failure}"
            raise Failure(self._why) from None
        self._failed_starts = 0

    @property
    def given_up(self) -> bool:
        """Whether it is not started any more, after ``START_TRIES`` failures in a row."""
        return self._failed_starts >= START_TRIES

    def _rows(self, views: Array, begin: int) -> int:
        """How many positions from ``begin`` on go into one question; the program is running then."""
        return 1

    @abstractmethod
    def _start(self) -> None:
        """Start a program and greet it; ``Failure`` if it does not get that far."""

    @abstractmethod
    def _answer(self, views: Array, words: Sequence[int]) -> Sequence[int]:
        """Its actions in these positions; ``Failure`` if it has none."""

    @abstractmethod
    def _fail(self) -> None:
        """Kill the program that failed."""

    @abstractmethod
    def begin(self) -> None:
        """What it is asked from now on has nothing to do with what it has seen: it begins afresh."""

    @abstractmethod
    def over(self, final: Array) -> None:
        """An episode that it played alone is over: its last state, a record (1,)."""

    @abstractmethod
    def close(self) -> None:
        """End its programs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _one_way(words: Array) -> list[int]:
    """Random numbers below 2**48 made of random words, from which a table's generator cannot be worked out.

    A word of the generator itself would tell its state, that the seed, and that the whole pack.
    """
    return [int.from_bytes(hashlib.blake2b(word, digest_size=6).digest(), "little") for word in words.astype("<u8")]
