"""What external bots of both kinds have in common: answers, forfeits, and programs that do not start."""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import ClassVar, Self

import numpy as np

from card_agents.judgement import Judge
from card_agents.players.external.limits import START_TRIES, Failure, Limits, Mistake
from card_agents.players.external.process import Program
from card_agents.protocol import Actions, Array, Forfeit, checked_masks, checked_words
from card_envs import Game, batches


class Bot(Judge, ABC):
    """An external bot (``protocol.ExternalBot``): a player whose program runs in processes of its own.

    Each seat that it plays has a program of its own, so that no seat learns what another one holds. ``act`` raises
    ``Forfeit`` where it fails, with the reasons. Use it in a ``with`` statement, or ``close`` it.
    """

    one_at_a_time: ClassVar[bool]

    def __init__(self, name: str, game: Game, limits: Limits) -> None:
        self.name = name
        self.game = game
        self.limits = limits
        self.starting = 0.0
        self._programs: dict[int, Program] = {}
        self._failed_starts = 0
        self._why = ""

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        legal = checked_masks(masks, len(views), self.game.num_actions)
        words = _one_way(checked_words(random, len(views)))
        actions = np.full(len(views), -1, np.int32)
        reasons: dict[int, str] = {}
        turns = views["to_play"]
        for seat in np.unique(turns).tolist():
            waiting = np.flatnonzero(turns == seat)
            while len(waiting):
                rows = waiting[:1]
                try:
                    rows = waiting[: self._ready(seat)]
                    answers = self._answer(seat, batches.take(views, rows), [words[row] for row in rows])
                    for row, action in zip(rows.tolist(), answers, strict=True):
                        if 0 <= action < self.game.num_actions and legal[row, action]:
                            actions[row] = action
                        else:
                            reasons[row] = self._illegal(action, legal[row])
                except Failure as failure:
                    if not isinstance(failure, Mistake):
                        self._fail(seat)
                    reasons |= dict.fromkeys(rows.tolist(), str(failure))
                waiting = waiting[len(rows) :]
        if reasons:
            raise Forfeit(self.name, actions, dict(sorted(reasons.items())))
        return actions

    def _illegal(self, action: int, legal: Array) -> str:
        named = f"{self.game.action_name(action)!r}" if 0 <= action < self.game.num_actions else f"action {action}"
        allowed = ", ".join(self.game.action_name(one) for one in np.flatnonzero(legal).tolist())
        return f"played {named}, which is illegal; legal were {allowed}"

    def _try_to_start(self, seat: int) -> None:
        """Start a program, unless that has failed too often; ``Failure`` with the reason if there is none then."""
        if self._failed_starts >= START_TRIES:
            raise Failure(self._why)
        begin = time.perf_counter()
        try:
            self._start(seat)
        except Failure as failure:
            self._failed_starts += 1
            self._why = f"could not be started: it {failure}"
            raise Failure(self._why) from None
        finally:
            self.starting += time.perf_counter() - begin
        self._failed_starts = 0

    @property
    def given_up(self) -> bool:
        """Whether it is not started any more, after ``START_TRIES`` failures in a row."""
        return self._failed_starts >= START_TRIES

    def _ready(self, seat: int) -> int:
        """See to it that the seat's program is running; how many positions may go into one question to it."""
        if seat not in self._programs:
            self._try_to_start(seat)
        return 1

    @abstractmethod
    def _start(self, seat: int) -> None:
        """Start a program for a seat and greet it; ``Failure`` if it does not get that far."""

    @abstractmethod
    def _answer(self, seat: int, views: Array, words: Sequence[int]) -> Sequence[int]:
        """Its actions in these positions, as many; ``Failure`` if it has none."""

    def _fail(self, seat: int) -> None:
        """Kill the program that failed."""
        program = self._programs.pop(seat, None)
        if program is not None:
            program.kill()

    @abstractmethod
    def over(self, final: Array) -> None:
        """An episode that it played alone is over: its last state, a record (1,)."""

    def close(self) -> None:
        """End its programs: what it is asked next has nothing to do with what it has seen."""
        while self._programs:
            self._programs.popitem()[1].end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _one_way(words: Array) -> list[int]:
    """Random numbers below 2**48, which any program can read from JSON without loss, made of random words.

    Nobody works out a table's generator from such a word (``game.draws``), and even less from what is left of it.
    """
    return [int.from_bytes(hashlib.blake2b(word, digest_size=6).digest(), "little") for word in words.astype("<u8")]
