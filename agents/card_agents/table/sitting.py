"""A game in play between people and players, apart from how people see it and how it is kept."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from card_agents.judgement import Judgement, judgement_of
from card_agents.labels import labels_of
from card_agents.names import is_external, make_agent
from card_agents.protocol import Agent, ExternalBot, ask, external_bot
from card_envs import Game
from card_envs.checks import shown
from card_envs.records import GameRecord, Play

PERSON = "person"
"""What a person without a name is called."""

SEATS, WORDS = "seats", "words"
"""Tags of a record that can go on: who plays where, as JSON, and what the players' random words are made from."""

Seats = Sequence[str | None]
"""By seat, the name of a player, or None for a person."""


class LatePlay(ValueError):
    """The game has moved on since the caller looked at it."""


class Sitting:
    """A game in play between people and players. All there is to save is its ``record``, whose tags let it go on.

    record: the episode so far. seats: who plays where.

    The players' random words are a keyed hash of the tag ``words`` and the number of plays, so a game that was broken
    off goes on as it would have. ``think`` may run in another thread while the game changes; everything else belongs
    into one thread.

    Raises ``ValueError`` for a player that cannot be made for this game.

    >>> import card_envs
    >>> sitting = Sitting.begin(card_envs.make_game("elfern"), [None, "greedy"], seed=4)
    >>> while not sitting.waits_for_person:
    ...     told = sitting.put(sitting.think(), sitting.plays)
    >>> sitting.play(0, sitting.record.position.legal_actions()[0])
    >>> sitting.undo(0) == sitting.plays
    True
    """

    def __init__(self, record: GameRecord, seats: Seats) -> None:
        self._begin(record, seats, {})

    def _begin(self, record: GameRecord, seats: Seats, agents: dict[str, Agent]) -> None:
        self.record = record
        self.game: Game = record.game
        self.seats = _checked_seats(seats, self.game)
        record.players = record.players or labels_of([name or PERSON for name in self.seats], [None] * len(self.seats))
        self._key = record.tags.get(WORDS) or str(secrets.randbits(64))
        record.tags.update({SEATS: json.dumps(self.seats), WORDS: self._key})
        self._agents = agents
        self._programs = threading.Lock()
        self._taken_back = False
        try:
            for name in self.seats:
                if name is not None:
                    self._agent(name)
        except ValueError:
            self.close()
            raise

    @classmethod
    def begin(cls, game: Game, seats: Seats, seed: int | None = None, labels: Sequence[str] | None = None) -> Sitting:
        """A fresh deal. seed: decides everything random; None draws one. labels: what everybody is called, by seat."""
        seats = _checked_seats(seats, game)
        start = game.new_state(seed=seed)
        key = str(secrets.randbits(64)) if seed is None else _hashed(f"{seed % 2**64}")
        named = labels_of([name or PERSON for name in seats], labels or [None] * len(seats))
        return cls(GameRecord(start, named, tags={WORDS: key}), seats)

    @classmethod
    def resume(cls, record: GameRecord, seats: Seats | None = None) -> Sitting:
        """Go on with a record of a sitting. seats: who plays now; by default those of its tags.

        Raises ``ValueError`` where the tags do not say who plays. A record may come from anywhere, so external bots,
        which are programs, are run only where ``seats`` names them.
        """
        if seats is None:
            seats = _tagged_seats(record)
            for name in seats:
                if name is not None and is_external(name):
                    raise ValueError(
                        f"This game was played against {name!r}, a program that a record cannot start: name it again."
                    )
        return cls(record, seats)

    # Whose turn it is

    @property
    def to_play(self) -> int:
        """The seat on turn, or -1 when the episode is over."""
        return -1 if self.record.is_over else self.record.position.to_play

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is on turn."""
        seat = self.to_play
        return seat >= 0 and self.seats[seat] is None

    @property
    def plays(self) -> int:
        """The number of plays so far."""
        return len(self.record)

    # People

    def play(self, seat: int, action: int | str, seen: int | None = None) -> None:
        """A person's play, by number or name.

        seen: how many plays the person knew of. Raises ``LatePlay`` if there are others by now, ``IllegalAction`` for
        an action that is not legal, and ``ValueError`` where the seat is not a person's or not on turn.
        """
        self._refuse_late(seen)
        self._refuse_no_person(seat)
        if not self.record.is_over and seat != self.to_play:
            raise ValueError(f"It is not the turn of seat {seat}: seat {self.to_play} is to play.")
        self.record.play(action)

    def can_undo(self, seat: int) -> bool:
        """Whether ``undo`` would do something."""
        try:
            self._last_play(seat)
        except ValueError:
            return False
        return True

    def undo(self, seat: int, seen: int | None = None) -> int:
        """Go back to before a person's last play; what players have played since then is taken back too.

        Returns the number of plays that are left. Raises ``LatePlay`` as ``play`` does, and ``ValueError`` where there
        is nothing to take back: before a first play of this deal, after another person's play, and after the end.
        """
        self._refuse_late(seen)
        left = self._last_play(seat)
        self.record = self.record.branch(left)
        self._taken_back = True
        return left

    def _last_play(self, seat: int) -> int:
        """The number of a person's last play; ``ValueError`` with a sentence if it cannot be taken back."""
        self._refuse_no_person(seat)
        if self.record.is_over:
            raise ValueError("It is over, so nothing can be taken back.")
        for number in reversed(self.record.deals()[-1]):
            player = self.record.plays[number].seat
            if player == seat:
                return number
            if self.seats[player] is None:
                raise ValueError(f"Seat {player}, another person, has played since then, so it cannot be taken back.")
        raise ValueError(f"Seat {seat} has not played in this deal yet, so there is nothing to take back.")

    def _refuse_late(self, seen: int | None) -> None:
        if seen is not None and seen != self.plays:
            raise LatePlay(
                f"The game has moved on: you have seen {shown(seen)} plays, and there are {self.plays}. "
                "Look at it again."
            )

    def _refuse_no_person(self, seat: int) -> None:
        if seat not in range(len(self.seats)) or self.seats[seat] is not None:
            raise ValueError(f"Seat {shown(seat)} is not a person's.")

    # Players

    def think(self) -> int:
        """What the player on turn would play. It changes nothing, and may take as long as that player does.

        Raises ``ValueError`` where no player is on turn, and for a player that fails to answer or answers badly.
        """
        record = self.record
        plays, state = len(record), record.position
        name = None if state.is_over else self.seats[state.to_play]
        if name is None:
            raise ValueError("No player is on turn here.")
        agent, view = self._agents[name], state.view().record.copy()
        word = np.array([int(_hashed(f"{self._key} {plays}"))], np.uint64)
        is_program = external_bot(agent) is not None
        with self._programs if is_program else nullcontext():
            if is_program and self._taken_back:  # what programs remember has not happened
                self._taken_back = False
                self._end_programs()
            actions, reasons = ask(self.game, agent, name, view, word)
        if reasons:
            raise ValueError(f"{name} gave no play: it {reasons[0]}.")
        return int(actions[0])

    def put(self, action: int, seen: int) -> Play:
        """Make the play that ``think`` found when there were ``seen`` plays.

        Whoever takes plays back has to drop what was thought before. Raises ``LatePlay`` where the number of plays has
        changed, ``IllegalAction`` if the action is not legal.
        """
        self._refuse_late(seen)
        self.record.play(action)
        return self.record.plays[-1]

    def hint(self, seat: int, player: str) -> Judgement:
        """What a player knows about the plays of a person on turn. It is asked with the view of that seat alone.

        Raises ``ValueError`` where the seat is not a person's on turn, and for a player that cannot be made or fails.
        """
        self._refuse_no_person(seat)
        record = self.record
        if record.is_over or seat != record.position.to_play:
            raise ValueError("A hint is for whoever is on turn.")
        view = record.position.view(seat)
        agent = self._agent(player)
        with self._programs if external_bot(agent) is not None else nullcontext():
            return judgement_of(agent, view, player, seed=int(_hashed(f"{self._key} {len(record)} hint")))

    def _agent(self, name: str) -> Agent:
        if name not in self._agents:
            self._agents[name] = make_agent(name, self.game)
        return self._agents[name]

    def _bots(self) -> list[ExternalBot]:
        found = (external_bot(agent) for agent in self._agents.values())
        return [bot for bot in found if bot is not None]

    def _end_programs(self) -> None:
        for bot in self._bots():
            bot.close()

    # Afterwards

    def next_deal(self) -> Sitting:
        """The next deal, or match, at this table: the same seats and seed, the deal passes to the left.

        Raises ``ValueError`` before the end.
        """
        if not self.record.is_over:
            raise ValueError("This deal is not over yet.")
        final = self.record.position
        row = final.record[0]
        start = self.game.new_state(
            int(row["seed"]), deal=(int(row["deal"]) + 1) % 2**64, dealer=(final.dealer + 1) % self.game.num_players
        )
        record = GameRecord(start, self.record.players, tags={**self.record.tags, WORDS: _hashed(f"{self._key} next")})
        following = Sitting.__new__(Sitting)
        following._begin(record, self.seats, {k: v for k, v in self._agents.items() if external_bot(v) is None})
        return following

    def close(self) -> None:
        """End the programs of external bots."""
        if self._bots():
            with self._programs:
                for bot in self._bots():
                    bot.over(self.record.position.record)
                self._end_programs()


def _hashed(text: str) -> str:
    """A random number below 2**64 that depends on a text alone, in digits."""
    return str(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little"))


def _checked_seats(seats: Any, game: Game) -> tuple[str | None, ...]:
    """Who plays where; ``ValueError`` unless there is a player or a person for each seat."""
    fits = isinstance(seats, Sequence) and not isinstance(seats, str) and len(seats) == game.num_players
    if not fits or not all(name is None or isinstance(name, str) for name in seats):
        raise ValueError(
            f"seats={shown(seats)} must say who plays in each of {game.num_players} seats: the name of a player, or "
            "None for a person."
        )
    return tuple(seats)


def _tagged_seats(record: GameRecord) -> tuple[str | None, ...]:
    """Who plays where by the tags of a record; ``ValueError`` if they do not say so."""
    try:
        return _checked_seats(json.loads(record.tags[SEATS]), record.game)
    except (KeyError, ValueError, RecursionError):
        raise ValueError(
            "This record does not say who plays in which seat, so it cannot go on: it is not of people's games."
        ) from None
