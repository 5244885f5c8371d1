"""Players, built in or external, and the one way to ask any of them for actions."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from card_envs import batches
from card_envs.checks import shown
from card_envs.game import Game

Array = npt.NDArray[Any]
Actions = npt.NDArray[np.int32]


@runtime_checkable
class Agent(Protocol):
    """A player of a game.

    An agent keeps no state between calls and no random generator: all its randomness comes from ``random``, so that
    what happens at a table does not depend on the other tables.

    An agent that knows its probability of each action can have a method ``probabilities(views, observations, masks)``,
    float64 (N, num_actions), by which ``act`` draws. Exact measures need it.

    An agent that knows more of the actions than which it plays can have a method ``judge``
    (``card_agents.judgement``).

    An agent that delegates to another one has it as its attribute ``asks``, so that an external bot behind it is found.
    """

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        """Choose an action in each of N positions.

        views: the positions as the seats to play see them (``game.views``), records (N,); hidden cards are blank.
        observations: uint8 (N, observation_size), of the same seats.
        masks: uint8 or bool (N, num_actions), true where an action is legal.
        random: uint64 (N,), a random word from each table's stream.

        Returns int32 (N,), each legal in its row. Raises ``ValueError`` where a mask is missing or allows nothing.
        """
        ...


@runtime_checkable
class ExternalBot(Protocol):
    """A player that runs external programs. They can remember what they were shown, so the caller must keep episodes
    apart: call ``over`` after each episode that it played one at a time, and ``close`` before deals that it must
    meet without memories, and at the end. The arena does so.

    one_at_a_time: whether it must play a table to the end of the episode before it plays the next.
    starting: seconds its programs have taken to start so far, which do not count as time for decisions.
    """

    one_at_a_time: bool
    starting: float

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        """Actions, as for any player; raises ``Forfeit`` where its program failed."""

    def over(self, final: Array) -> None:
        """Say that an episode played one at a time is over, or broken off. final: its last state, a record (1,)."""

    def close(self) -> None:
        """End its programs: what it is asked next has nothing to do with what it has seen."""


def external_bot(player: Any) -> ExternalBot | None:
    """The external bot that a player is or delegates to (through ``asks``); None if there is none."""
    found = player
    while found is not None and not isinstance(found, ExternalBot):
        found = getattr(found, "asks", None)
    return found


class Forfeit(RuntimeError):
    """Raised by ``act`` of a player whose program failed in some of the rows: its seats lose those episodes.

    actions: int32 (N,), -1 in the rows that failed. reasons: for each row that failed, the end of a sentence that says
    why: "gave no answer within 5 s".
    """

    def __init__(self, agent: str, actions: Actions, reasons: Mapping[int, str]) -> None:
        row, reason = next(iter(reasons.items()))
        super().__init__(f"{agent} {reason} (in {len(reasons)} of {len(actions)} positions, row {row} the first).")
        self.actions = actions
        self.reasons = reasons


NAMES = "card_agents.names"
"""The module that knows players by name. It stands above this one, so it is looked for when a name is given."""


def player(name: str, game: Game) -> Agent:
    """The player called ``name`` (``card_agents.names.make_agent``); ``ValueError`` if there is none for this game."""
    try:
        names = import_module(NAMES)
    except ModuleNotFoundError as missing:
        if missing.name != NAMES.partition(".")[0]:
            raise
        raise ValueError(
            f"There is no player {shown(name)}: card_agents, which knows players by name, is not installed."
        ) from None
    found: Agent = names.make_agent(name, game)
    return found


def word_of(seed: int) -> np.uint64:
    """A random word for a player, uint64, that depends on ``seed`` alone, a whole number (mod 2**64)."""
    digest = hashlib.blake2b((batches.seed(seed)).to_bytes(8, "little"), digest_size=8).digest()
    return np.frombuffer(digest, "<u8")[0]


@dataclass
class Clock:
    """Seconds an agent spent in ``act``, and the decisions it made there; the start of its programs is left out."""

    seconds: float = 0.0
    decisions: int = 0


def ask(
    game: Game, agent: Agent, name: str, views: Array, random: Array, clock: Clock | None = None
) -> tuple[Actions, Mapping[int, str]]:
    """What an agent plays in each of these views, of the seats to play: int32 (N,), legal, or -1 where its program
    failed; and the reasons, by row.

    views: records (N,) of the game, which the agent may change. random: uint64 (N,), a word for each.

    Raises ``ValueError`` (``IllegalAction``) naming the agent for any other answer.
    """
    observations = np.empty((len(views), game.observation_size), np.uint8)
    masks = np.empty((len(views), game.num_actions), np.uint8)
    game.loops.look(views, game.constants, batches.NO_SEATS, observations, masks)
    asked, legal = batches.copy(views), masks != 0
    bot = external_bot(agent)
    begin, started = time.perf_counter(), bot.starting if bot else 0.0
    reasons: Mapping[int, str] = {}
    try:
        answer = agent.act(views, observations, masks, random)
    except Forfeit as failure:
        answer, reasons = failure.actions, failure.reasons
    finally:
        if clock is not None:
            clock.seconds += time.perf_counter() - begin - (bot.starting - started if bot else 0.0)
            clock.decisions += len(views)
    try:
        actions = batches.actions(answer, len(asked))
        known = (actions >= 0) & (actions < game.num_actions)
        good = known & legal[np.arange(len(asked)), np.where(known, actions, 0)]
        played = np.ones(len(asked), np.bool_)
        played[list(reasons)] = False
        if not good[played].all():
            game.explain(batches.take(asked, played), actions[played], np.flatnonzero(played))
    except ValueError as fault:
        raise type(fault)(f"{name} answered badly: {fault}") from fault
    return actions, reasons
