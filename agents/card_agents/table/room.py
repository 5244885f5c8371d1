"""All that goes on at a server: the tables, whose seats are found by their tokens, and the files looked through."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from card_agents.evaluation.analysis import analyse_record
from card_agents.evaluation.arena import fresh_bots
from card_agents.judgement import judgement_of
from card_agents.labels import labels_of
from card_agents.names import make_agent
from card_agents.protocol import Agent
from card_agents.table.choices import Offer, choices, excuse, game_under, offered
from card_agents.table.limits import Limits, Refusal
from card_agents.table.position import judged
from card_agents.table.replays import Replays
from card_agents.table.sitting import PERSON, SEATS, Sitting
from card_agents.table.store import KeptGame, Store, new_token
from card_agents.table.tables import Table, begun, line_without, next_sitting, sitting_of
from card_agents.table.threads import Thinkers
from card_envs import Game
from card_envs.checks import shown, whole_number
from card_envs.records import GameRecord
from card_envs.render.plays import said
from card_envs.state import State

Answer = TypeVar("Answer")


class Room:
    """The tables of a server. It is used in the thread of its event loop.

    offers: the players on offer by name; games_of: by name, the games that each plays (``choices.playable``).
    """

    def __init__(
        self, store: Store, offers: Mapping[str, Offer], games_of: Mapping[str, Sequence[str]], limits: Limits
    ) -> None:
        self.store, self.offers, self.limits = store, offers, limits
        self.choices = {**choices(offers, games_of), "limits": {"label": limits.label, "file": limits.file}}
        self.thinkers = Thinkers(limits)
        self.replays = Replays(store, self.thinkers, limits)
        self.streams = 0
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._reading: dict[str, asyncio.Task[Table]] = {}

    def are_slow(self, names: Collection[str | None]) -> bool:
        """Whether one of the players of these names (None: a person) may think long, or take long to be made."""
        return any(offer.is_slow for name, offer in self.offers.items() if name in names)

    async def made(self, names: Collection[str | None], make: Callable[[], Sitting]) -> Sitting:
        """A sitting with players of these names, made in a thread that does not wait for players who think."""
        return await self.thinkers.start(make, "asked" if self.are_slow(names) else "quick")

    # Games

    async def begin(self, game: Any, rules: Any, seats: Any, labels: Any, seed: Any) -> dict[str, Any]:
        """Begin a game: its name and the tokens of the people's seats. ``ValueError`` or ``Refusal``."""
        under = game_under(game, {} if rules is None else rules)
        if not isinstance(seats, list) or len(seats) != under.num_players:
            raise ValueError(
                f"seats={shown(seats)} must name who plays in each of {under.num_players} seats: a player, or null for "
                "a person."
            )
        sitters = [None if name is None else offered(self.offers, name) for name in seats]
        if None not in sitters:
            raise ValueError("At least one seat must be a person's: nobody could look at this game.")
        called = self._labels(labels, sitters)
        if seed is not None:
            seed = whole_number("seed", seed, 0, 2**64 - 1)
        self._make_room()
        names = tuple(None if sitter is None else sitter.name for sitter in sitters)
        sitting = await self.made(names, lambda: begun(under, sitters, seed, called))
        table = self._add(Table(self, _kept(sitting.record, names, (0,) * under.num_players), sitting))
        await table.play_on()
        return {"game": table.kept.id, "seats": {str(seat): token for seat, token in table.kept.tokens.items()}}

    def _labels(self, given: Any, sitters: Sequence[Offer | None]) -> list[str]:
        """What everybody is called."""
        given = [None] * len(sitters) if given is None else given
        most = self.limits.label
        if not isinstance(given, list) or len(given) != len(sitters):
            raise ValueError(f"labels={shown(given)} must be a list with a name, or null, for each seat.")
        for label in given:
            if label is not None and not (isinstance(label, str) and len(label) <= most):
                raise ValueError(f"The name {shown(label)} is not a text of at most {most} letters.")
        names = [sitter.name if sitter else PERSON for sitter in sitters]
        return list(labels_of(names, [label if label and label.strip() else None for label in given]))

    def _make_room(self) -> None:
        """``Refusal`` if no game can be begun; those that nobody has touched for long are forgotten first."""
        if self.store.count() >= self.limits.games:
            self.store.forget_before(time.time() - self.limits.rest)
            for table in [table for table in self._tables.values() if table.is_idle]:
                self.drop(table)
        if self.store.count() >= self.limits.games:
            raise Refusal(429, f"There are {self.limits.games} games here already: begin another one later.")

    async def next(self, table: Table, seat: int) -> dict[str, Any]:
        """The next deal of a table that is over, the same for all who ask: its name and the token of this seat."""
        following = self.store.following(table.kept.id)
        if following is None:
            if not table.sitting.record.is_over:
                raise Refusal(409, "This deal is not over yet.")
            self._make_room()
            sitting = await self.made(table.kept.offers, lambda: next_sitting(table.sitting))
            following = self.store.following(table.kept.id)
        if following is None:
            kept = _kept(sitting.record, table.kept.offers, table.totals(), follows=table.kept.id)
            await self._add(Table(self, kept, sitting)).play_on()
        else:
            kept = self.store.game(following)
        return {"game": kept.id, "seats": {str(seat): kept.tokens[seat]}}

    def _add(self, table: Table) -> Table:
        self.store.add(table.kept)
        self._hold(table)
        return table

    async def seat(self, token: str) -> tuple[Table, int]:
        """The table and the seat of a token; ``Refusal`` if there is none, or if the game cannot go on here."""
        found = self.store.seat(token)
        if found is None:
            raise Refusal(404, "There is no such seat here, or its game is not kept any more.")
        game, seat = found
        if game in self._tables:
            self._tables.move_to_end(game)
            return self._tables[game], seat
        if game not in self._reading:
            self._reading[game] = asyncio.create_task(self._read(game))
        return await asyncio.shield(self._reading[game]), seat

    async def _read(self, game: str) -> Table:
        """A game as it is kept, held ready; its players think on."""
        try:
            kept = self.store.game(game)
            sitting = await self.made(kept.offers, lambda: sitting_of(kept, self.offers))
            table = Table(self, kept, sitting)
            self._hold(table)
        finally:
            del self._reading[game]
        await table.play_on()
        return table

    def _hold(self, table: Table) -> None:
        self._tables[table.kept.id] = table
        self.drop_idle(table)

    def drop_idle(self, new: Table | None = None) -> None:
        """Drop tables that nobody looks at, those of long ago first, as far as there are more than the limits allow.

        new: one that somebody is about to look at.
        """
        with_programs = [table for table in self._tables.values() if table.has_programs]
        for tables, most in (
            (with_programs, self.limits.programs),
            (list(self._tables.values()), self.limits.in_memory),
        ):
            idle = [table for table in tables if table.is_idle and table is not new]
            for table in idle[: max(len(tables) - most, 0)]:
                self.drop(table)

    def drop(self, table: Table) -> None:
        """Hold a table ready no longer: it is read again when somebody asks for it."""
        if self._tables.get(table.kept.id) is table:
            del self._tables[table.kept.id]
        table.close()

    def write(self, table: Table, kept: int, record: GameRecord) -> None:
        """Keep that of a table's plays the first ``kept`` stay and the rest is new. ``Refusal`` if it cannot be kept:
        the table is then as it was before."""
        try:
            self.store.write(table.kept.id, kept, record.plays[kept:], record.forfeited)
        except (sqlite3.Error, LookupError) as fault:
            self.drop(table)
            if isinstance(fault, LookupError):
                raise Refusal(404, "This game is not kept any more.") from None
            raise Refusal(507, f"This could not be saved, so nothing was played: {fault}.") from None

    async def judge(self, state: State, player: Any, names: str, width: int) -> dict[str, Any]:
        """What a player knows of the plays in a position of a record, of the view of the seat to play."""
        offer = offered(self.offers, player)
        judgement = await self._asked(offer, state.game, lambda agent: judgement_of(agent, state, offer.name))
        return judged(judgement, offer.name, state.view(), names, width)

    async def analyse(self, record: GameRecord, player: Any, names: str) -> dict[str, Any]:
        """What each play of a record gave away, by exact play or the values of a player, as data for JSON."""
        offer, most = offered(self.offers, player), self.limits.analysed
        if len(record) > most:
            raise Refusal(
                413, f"This game has {len(record)} plays, and at most {most} are judged: use card-envs analyse."
            )
        found = await self._asked(offer, record.game, lambda agent: analyse_record(record, (offer.name, agent)))
        told = found.to_dict()
        for play in told["plays"]:
            play |= {"action": said(play["action"], names), "best": said(play["best"], names)}
        return told

    async def _asked(self, offer: Offer, game: Game, work: Callable[[Agent], Answer]) -> Answer:
        """What a player on offer, made for this alone, has worked out; ``Refusal`` where it cannot."""

        def ask() -> Answer:
            agent = make_agent(offer.player, game)
            with fresh_bots([agent]):
                return work(agent)

        try:
            return await self.thinkers.ask(ask)
        except ValueError as fault:
            raise Refusal(400, excuse([offer], fault)) from None

    def open(self) -> None:
        """Begin, in the thread of the event loop."""
        self._loop = asyncio.get_running_loop()

    def close_soon(self) -> None:
        """``close`` from a signal or another thread."""
        self._loop.call_soon_threadsafe(self.close)

    def close(self) -> None:
        """End everything. What is kept stays."""
        for table in list(self._tables.values()):
            table.close()
        self.thinkers.close()


def _kept(
    record: GameRecord, offers: tuple[str | None, ...], before: tuple[int, ...], follows: str | None = None
) -> KeptGame:
    """A new game as it is kept, with new tokens."""
    tokens = {seat: new_token() for seat, name in enumerate(offers) if name is None}
    return KeptGame(new_token(), line_without(record, SEATS), offers, before, tokens, follows=follows)
