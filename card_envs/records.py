"""Game records: one episode, a deal or a match, written down, read back and replayed.

A record is one line of JSON (docs/record.schema.json), so that a file of records is JSON lines:

    {"record": 1, "game": "elfern", "rules": {...}, "start": "elfern | seed=7 ...", "players": ["ppo", "greedy"],
     "deals": [{"dealer": 1, "pack": "AhKd...", "plays": "Kh 9h ...", "points": [2, 0]}], "results": {...}, ...}

``start`` alone decides every pack; the packs are there to be read, and to be compared. Reading a record makes every
play again, so that a record in memory holds no position that the rules cannot reach.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Any, BinaryIO

from card_envs import positions
from card_envs.checks import shown, whole_number
from card_envs.errors import IllegalAction
from card_envs.game import Game
from card_envs.record_lines import (
    FORMAT,
    MOST_LETTERS,
    checked_names,
    checked_text,
    checked_texts,
    decoded,
    entries,
    game_of,
    library,
    names_of_plays,
)
from card_envs.state import State

RESULTS = ("points", "returns", "scores", "settlement")
"""What a finished record holds, by seat."""


@dataclass(frozen=True)
class Play:
    """A play of a record: the seat, the action's name, and a note about it ("" for none)."""

    seat: int
    name: str
    note: str = ""


class GameRecord:
    """One episode of a game: where it began, the plays, who played, what somebody noted, and the results.

    start: the full position it begins with, usually a fresh deal.
    players: names of the players by seat; none, or one for each.
    tags: anything else worth knowing, such as ``{"event": "..."}``.

    Its positions are those that the plays alone lead to: nothing draws from the table's stream. ``forfeited`` is the
    seat that lost the episode by a forfeit (None: no seat did).

    Raises ``ValueError`` for a view, for a position that is over, and for players and tags that are no texts.

    >>> import card_envs
    >>> state = card_envs.make_game("elfern").new_state(seed=7)
    >>> record = GameRecord(state, players=["Ada", "greedy"])
    >>> while not record.is_over:
    ...     record.play(record.position.greedy_action())
    >>> again = GameRecord.from_line(record.to_line())
    >>> again == record, again.at(0) == state, len(again)
    (True, True, 32)
    >>> branch = again.branch(10)
    >>> branch.play(branch.position.legal_actions()[-1], note="What if?")
    >>> branch.plays[10].note, branch.is_over
    ('What if?', False)
    """

    def __init__(self, start: State, players: Sequence[str] = (), *, tags: Mapping[str, str] | None = None) -> None:
        if start.viewer is not None:
            raise ValueError("A record needs the full position to start from: in a view the hidden cards are blank.")
        if start.is_over:
            raise ValueError("A record cannot start from a position that is over.")
        self.game: Game = start.game
        self.players = checked_names(players, start.game.num_players)
        self.tags = checked_texts("tags", {} if tags is None else tags)
        self._states = [start.clone()]
        self._plays: list[Play] = []
        self._begins = [0]
        self.forfeited: int | None = None

    # What is in it

    @property
    def start(self) -> State:
        """The position before the first play (a copy)."""
        return self.at(0)

    @property
    def position(self) -> State:
        """The position after all plays, and after the forfeit if there was one (a copy)."""
        if self.forfeited is None:
            return self.at(len(self))
        row = self._states[-1].record.copy()
        self.game.forfeit(row, None)
        return self.game.state(row, 0)

    @property
    def plays(self) -> tuple[Play, ...]:
        """All plays, in order."""
        return tuple(self._plays)

    def __len__(self) -> int:
        """The number of plays."""
        return len(self._plays)

    @property
    def is_over(self) -> bool:
        """Whether the episode has been played to its end, or forfeited."""
        return self.forfeited is not None or self._states[-1].is_over

    @property
    def results(self) -> dict[str, list[Any]] | None:
        """``points`` (of the last deal counted), ``returns``, ``scores`` and ``settlement``, each by seat; None while
        the episode goes on."""
        if not self.is_over:
            return None
        final = self.position
        return {name: getattr(final, name)().tolist() for name in RESULTS}

    def at(self, plays: int) -> State:
        """The position after so many plays (a copy); ``ValueError`` if there are not so many."""
        return self._states[whole_number("plays", plays, 0, len(self))].clone()

    def states(self) -> Iterator[State]:
        """The positions before the first play and after each one (copies)."""
        return (state.clone() for state in self._states)

    def deals(self) -> list[range]:
        """The plays of each deal, by number: ``at(plays.start)`` is the first position of the deal."""
        return [range(*ends) for ends in pairwise([*self._begins, len(self)])]

    # Going on, back, elsewhere

    def play(self, action: int | str, note: str = "") -> None:
        """Play an action, by number or name, for the seat on turn.

        Raises ``IllegalAction`` if it is not legal, also after a forfeit, and ``ValueError`` for a note that is no
        text; the record is then as it was.
        """
        note = checked_text("note", note)
        if self.forfeited is not None:
            raise IllegalAction(self.position.refusal(-1))
        before, state = self._states[-1], self._states[-1].clone()
        number = self.game.action_id(action) if isinstance(action, str) else action
        state.play(number)
        self._plays.append(Play(before.to_play, self.game.action_name(int(number)), note))
        self._states.append(state)
        if not state.is_over and _deals_counted(state) != _deals_counted(before):
            self._begins.append(len(self))

    def forfeit(self) -> None:
        """End the episode: the seat on turn loses it (``Game.forfeit``). ``ValueError`` if it is over already."""
        if self.is_over:
            raise ValueError("The episode is over already: nobody is on turn who could forfeit it.")
        self.forfeited = self._states[-1].to_play

    def annotate(self, number: int, note: str) -> None:
        """Set the note about a play, counted from 0; "" removes it. ``ValueError`` if there is no such play."""
        if not self._plays:
            raise ValueError("There is no play to annotate yet.")
        number = whole_number("number", number, 0, len(self) - 1)
        self._plays[number] = replace(self._plays[number], note=checked_text("note", note))

    def branch(self, plays: int) -> GameRecord:
        """An independent record of the first so many plays, to go on otherwise; ``ValueError`` if there are fewer."""
        plays = whole_number("plays", plays, 0, len(self))
        other = GameRecord(self._states[0], self.players, tags=self.tags)
        other._states, other._plays = self._states[: plays + 1], self._plays[:plays]
        other._begins = [begin for begin in self._begins if begin <= plays]
        return other

    # As a line

    def to_line(self) -> str:
        """The record as one line of JSON, without a line break at its end."""
        head: dict[str, Any] = {
            "record": FORMAT,
            "library": library(),
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "start": self.game.state_to_text(self._states[0]),
            "players": list(self.players),
            "deals": [self._deal(plays) for plays in self.deals()],
            "forfeit": self.forfeited,
            "results": self.results,
            "notes": {str(number): play.note for number, play in enumerate(self._plays) if play.note},
            "tags": dict(self.tags),
        }
        return json.dumps(head, ensure_ascii=False)

    def _deal(self, plays: range) -> dict[str, Any]:
        """A deal as the line has it; points: None while it goes on."""
        first, last = self._states[plays.start], self._states[plays.stop]
        counted = last.is_over or _deals_counted(first) != _deals_counted(last)
        return {
            "dealer": first.dealer,
            "pack": "".join(positions.pack(first)),
            "plays": " ".join(play.name for play in self._plays[plays.start : plays.stop]),
            "points": last.points().tolist() if counted else None,
        }

    @classmethod
    def from_line(cls, line: str) -> GameRecord:
        """The record of a line: every play is made again.

        Raises ``ValueError`` for what is not a record of this format, for an illegal play, naming it, and where the
        packs, points or results differ from what the plays lead to.
        """
        given = entries(line)
        game = game_of(given)
        record = cls(game.state_from_text(given["start"]), given["players"], tags=given["tags"])
        notes = checked_texts("notes", given["notes"])
        names = names_of_plays(given["deals"])
        for number, name in enumerate(names):
            try:
                record.play(name, notes.pop(str(number), ""))
            except ValueError as fault:
                raise ValueError(f"Play {number + 1} of the record cannot be made. {fault}") from None
        if notes:
            raise ValueError(
                f"The record has a note about play {shown(next(iter(notes)))}, counted from 0, which it lacks."
            )
        if given["forfeit"] is not None:
            record.forfeit()
        record._refuse_unless_as(given)
        return record

    def _refuse_unless_as(self, given: Mapping[str, Any]) -> None:
        """Raise ``ValueError`` unless a line's forfeit, deals and results are those of this record."""
        for name, own in (("forfeit", self.forfeited), ("results", self.results)):
            if given[name] != own:
                raise ValueError(f"The record says {name} {shown(given[name])}, but its plays lead to {shown(own)}.")
        own_deals = [self._deal(plays) for plays in self.deals()]
        if len(given["deals"]) != len(own_deals):
            raise ValueError(f"The record has {len(given['deals'])} deals, but its plays make {len(own_deals)}.")
        for number, (deal, own_deal) in enumerate(zip(given["deals"], own_deals, strict=True), 1):
            for name, value in own_deal.items():
                if deal[name] != value:
                    raise ValueError(
                        f"Deal {number} of the record has {name} {shown(deal[name])}, but its start and plays lead to "
                        f"{shown(value)}."
                    )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameRecord) and self.to_line() == other.to_line()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        how = "over" if self.is_over else "goes on"
        return f"<GameRecord of {self.game.name}: {len(self)} plays, {how}>"


def _deals_counted(state: State) -> int:
    """Deals counted in the episode so far."""
    return int(state.record["deals"][0])


# Files


def read_records(path: str | os.PathLike[str]) -> Iterator[GameRecord]:
    """The records of a file, one by one; blank lines are passed over.

    Raises ``ValueError``, naming the line, at the first that is no record; all those before it have been given by then.
    """
    with open(path, "rb") as file:
        yield from records_in(file, os.fspath(path))


def records_in(file: BinaryIO, name: str) -> Iterator[GameRecord]:
    """The records of an open file, which errors call ``name``; otherwise as ``read_records``."""
    whole = 0
    for number in count(1):
        line = file.readline(4 * MOST_LETTERS)
        if not line:
            return
        try:
            text = decoded(line)
            if not text.strip():
                continue
            record = GameRecord.from_line(text)
        except ValueError as fault:
            torn = "" if line.endswith(b"\n") else " The line does not end, so a part of it may be missing."
            before = f" There are {whole} records before it." if whole else ""
            raise ValueError(f"{name}, line {number}: {fault}{torn}{before}") from None
        whole += 1
        yield record


def write_records(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write a file of records, which replaces one of that name once it is whole."""
    unfinished = f"{os.fspath(path)}.unfinished"
    try:
        with open(unfinished, "w", encoding="utf-8", newline="\n") as file:
            for record in records:
                file.write(f"{record.to_line()}\n")
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(unfinished)
        raise
