"""A game that people and players play here: whose turn it is, who thinks, and who waits for news of it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from card_agents.labels import printable
from card_agents.names import is_external
from card_agents.table.choices import Offer, excuse, offered
from card_agents.table.limits import Refusal
from card_agents.table.position import judged, seen_by, told
from card_agents.table.sitting import SEATS, WORDS, Sitting
from card_envs import Game
from card_envs.records import GameRecord

if TYPE_CHECKING:
    from card_agents.table.room import Room
    from card_agents.table.store import KeptGame

MOMENT = 0.05
"""Seconds for which an answer waits for the players' plays."""

SOON = 0.03
"""Seconds after which a player is said to think."""

BREATH = 15.0
"""Seconds after which a stream of events shows that it still flows."""


class Table:
    """A sitting that is kept in the database.

    Everything but thinking happens in one thread, so nothing can come between a look and a change.
    """

    def __init__(self, room: Room, kept: KeptGame, sitting: Sitting) -> None:
        self.room = room
        self.kept = kept
        self.sitting = sitting
        self.thinking: int | None = None
        self.trouble: str | None = None
        self.closed = False
        self._moves = 0
        self._news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._playing: asyncio.Task[None] | None = None
        self._streams: Counter[int] = Counter()

    # What a seat sees

    def position(self, seat: int, names: str, width: int) -> dict[str, Any]:
        """What is sent to a seat. names: language of the names of cards. width: of the picture, in pixels."""
        record = self.sitting.record
        view = record.position.view(seat)
        return {
            "game": self.kept.id,
            "seen": len(record),
            **seen_by(view, names, width),
            "thinking": self.thinking,
            "trouble": self.trouble,
            "labels": [printable(label) for label in record.players],
            "seats": list(self.kept.offers),
            "can_undo": self.sitting.can_undo(seat),
            **told(record, view, names),
            "results": record.results,
            "totals": list(self.totals()),
        }

    def totals(self) -> tuple[int, ...]:
        """Points by seat over the deals of this table that are over."""
        results = self.sitting.record.results
        if results is None:
            return self.kept.before
        return tuple(total + points for total, points in zip(self.kept.before, results["points"], strict=True))

    def finished_line(self) -> str:
        """The line of its record, without what players are made from; ``Refusal`` before the end."""
        if not self.sitting.record.is_over:
            raise Refusal(409, "The record can be had when the game is over: it shows every card.")
        return line_without(self.sitting.record, SEATS, WORDS)

    # What a seat does

    async def play(self, seat: int, action: int | str, seen: int) -> None:
        """A person's play; the players' answers to it are waited for as long as nobody notices.

        The very same play once more changes nothing. Raises ``Refusal`` (late, not on turn) or ``ValueError``.
        """
        if self._has_played(seat, action, seen):
            return
        self._refuse_late(seen)
        if self.sitting.record.is_over:
            raise Refusal(409, "This deal is over: begin the next one.")
        if self.sitting.to_play != seat:
            raise Refusal(409, f"It is not your turn: seat {self.sitting.to_play} is to play.")
        self._change(lambda: self.sitting.play(seat, action, seen))
        await self.play_on()

    def _has_played(self, seat: int, action: int | str, seen: int) -> bool:
        """Whether a seat, knowing of so many plays, has already played this."""
        record = self.sitting.record
        if not 0 <= seen < len(record) or record.plays[seen].seat != seat:
            return False
        if any(play.seat == seat for play in record.plays[seen + 1 :]):
            return False
        try:
            number = action if isinstance(action, int) else record.game.action_id(action)
        except ValueError:
            return False
        return record.game.action_id(record.plays[seen].name) == number

    def _refuse_late(self, seen: int) -> None:
        known = len(self.sitting.record)
        if seen != known:
            raise Refusal(
                409, f"The game has moved on: you have seen {seen} plays, and there are {known}. Look at it again."
            )

    async def undo(self, seat: int, seen: int) -> None:
        """Take a person's last play back. Raises ``Refusal`` or ``ValueError``."""
        self._refuse_late(seen)
        self._change(lambda: self.sitting.undo(seat, seen))
        self._stop_playing()
        await self.play_on()

    async def hint(self, seat: int, player: Any, names: str, width: int) -> dict[str, Any]:
        """What a player knows of the plays of a seat on turn, of whose view alone it is asked."""
        offer = offered(self.room.offers, player)
        if self.sitting.to_play != seat:
            raise Refusal(409, "A hint is for whoever is on turn.")
        moves, view = self._moves, self.sitting.record.position.view(seat)
        try:
            judgement = await self.room.thinkers.ask(lambda: self.sitting.hint(seat, offer.player))
        except ValueError as fault:
            raise Refusal(400, excuse([offer], fault)) from None
        if moves != self._moves:
            raise Refusal(409, "The game has moved on while this hint was worked out: ask again.")
        return {"seen": len(self.sitting.record), **judged(judgement, offer.name, view, names, width)}

    def _change(self, change: Any) -> None:
        """Change the game and keep it; if it cannot be kept, nothing has changed."""
        before = len(self.sitting.record)
        change()
        record = self.sitting.record
        self._moves += 1
        self.room.write(self, min(before, len(record)), record)
        self.tell()
        if record.is_over:
            self._end_programs()

    # Players

    async def play_on(self) -> None:
        """Let the players play who are on turn; wait for them as long as nobody notices."""
        if self._playing is None or self._playing.done():
            self.trouble = None
            self._playing = asyncio.create_task(self._play_on())
        await asyncio.wait({self._playing}, timeout=MOMENT)

    async def _play_on(self) -> None:
        try:
            while not self.sitting.record.is_over and not self.sitting.waits_for_person:
                await self._one_play()
        except Exception as fault:
            players = [offer for name, offer in self.room.offers.items() if name in self.kept.offers]
            self.trouble = f"The game cannot go on: {excuse(players, fault)}"
        finally:
            self.thinking = None
            asyncio.get_running_loop().call_soon(self.room.drop_idle)  # when this task is done, not before
        if self.trouble:
            self.tell()

    async def _one_play(self) -> None:
        """Let the player on turn think, and play that unless the game has moved on since."""
        seat, moves, seen = self.sitting.to_play, self._moves, len(self.sitting.record)
        slow = self.room.are_slow([self.kept.offers[seat]])
        thought = self.room.thinkers.start(self.sitting.think, "slow" if slow else "quick")
        await asyncio.wait({thought}, timeout=SOON)
        if not thought.done():
            self.thinking = seat
            self.tell()
        action = await thought
        self.thinking = None
        if moves == self._moves:
            self._change(lambda: self.sitting.put(action, seen))

    def _stop_playing(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
        self._playing, self.thinking = None, None

    # News

    def tell(self) -> None:
        """Wake all who wait for news."""
        news, self._news = self._news, asyncio.get_running_loop().create_future()
        news.set_result(None)

    async def events(self, seat: int) -> AsyncIterator[str]:
        """The stream of events of a seat: one at first, one whenever anything has changed."""
        self._streams[seat] += 1
        self.room.streams += 1
        try:
            while not self.closed:
                news = self._news
                data = json.dumps({"seen": len(self.sitting.record), "thinking": self.thinking})
                yield f"event: changed\ndata: {data}\n\n"
                while not self.closed and not news.done():
                    await asyncio.wait({news}, timeout=BREATH)
                    if not news.done():
                        yield ": nothing new\n\n"
        finally:
            self._streams[seat] -= 1
            self.room.streams -= 1
            self.room.drop_idle()

    def refuse_one_more_stream(self, seat: int) -> None:
        """``Refusal`` if a seat may not listen once more."""
        limits = self.room.limits
        if self._streams[seat] >= limits.streams or self.room.streams >= limits.all_streams:
            raise Refusal(429, f"This seat is open in {self._streams[seat]} windows already: close one of them.")

    @property
    def is_idle(self) -> bool:
        """Whether nobody looks at it or thinks for it, so that it can be read again later."""
        return not self._streams.total() and (self._playing is None or self._playing.done())

    def close(self) -> None:
        """End what goes on here, streams too."""
        self.closed = True
        self._stop_playing()
        self.tell()
        self._end_programs()

    @property
    def has_programs(self) -> bool:
        """Whether programs play here, which run for as long as it is held ready."""
        return any(is_external(name) for name in self.sitting.seats if name is not None)

    def _end_programs(self) -> None:
        """End the programs that play here, which may take a moment."""
        if self.has_programs:
            asyncio.get_running_loop().run_in_executor(None, self.sitting.close)


def line_without(record: GameRecord, *tags: str) -> str:
    """The line of a record without some of its tags."""
    entries = json.loads(record.to_line())
    entries["tags"] = {name: text for name, text in entries["tags"].items() if name not in tags}
    return json.dumps(entries, ensure_ascii=False)


def sitting_of(kept: KeptGame, offers: Mapping[str, Offer]) -> Sitting:
    """The sitting of a game as it is kept; ``Refusal`` where it cannot go on here."""
    sitters = []
    try:
        sitters = [None if name is None else offered(offers, name) for name in kept.offers]
        record = GameRecord.from_line(kept.start)
        for name, note in kept.plays:
            record.play(name, note)
        if kept.forfeited is not None:
            record.forfeit()
        return Sitting(record, _players(sitters))
    except ValueError as fault:
        players = [sitter for sitter in sitters if sitter is not None]
        raise Refusal(409, f"This game cannot go on here. {excuse(players, fault)}") from None


def begun(game: Game, sitters: Sequence[Offer | None], seed: int | None, labels: list[str]) -> Sitting:
    """A new sitting; ``Refusal`` for a player that does not play this game."""
    try:
        return Sitting.begin(game, _players(sitters), seed=seed, labels=labels)
    except ValueError as fault:
        raise Refusal(400, excuse([sitter for sitter in sitters if sitter is not None], fault)) from None


def _players(sitters: Sequence[Offer | None]) -> list[str | None]:
    """By seat, what its player is made from; None for a person."""
    return [None if sitter is None else sitter.player for sitter in sitters]


def next_sitting(before: Sitting) -> Sitting:
    """The next deal of a sitting that is over: the deal passes on. It has a seed of its own, because the record of the
    last one, which people may read now, tells its seed."""
    game = before.game
    dealer = (before.record.position.dealer + 1) % game.num_players
    return Sitting(GameRecord(game.new_state(dealer=dealer), before.record.players), before.seats)
