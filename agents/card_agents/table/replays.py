"""Files of records that somebody looks through: they are kept as they came, the last ones ready as positions."""

from __future__ import annotations

import io
from collections import OrderedDict
from typing import Any

from card_agents.table.limits import Limits, Refusal
from card_agents.table.position import title
from card_agents.table.store import Store, new_token
from card_agents.table.threads import Thinkers
from card_envs.records import GameRecord, records_in
from card_envs.render.plays import said, translated

READY = 8
"""Files held ready; the others are read again."""


class Replays:
    """Files of records by token."""

    def __init__(self, store: Store, thinkers: Thinkers, limits: Limits) -> None:
        self._store, self._thinkers, self._limits = store, thinkers, limits
        self._ready: OrderedDict[str, list[GameRecord]] = OrderedDict()

    async def add(self, content: bytes) -> dict[str, Any]:
        """Keep a file: its token, and what is in it. ``Refusal`` or ``ValueError`` for one that cannot be read."""
        records = await self._thinkers.ask(lambda: read(content, self._limits))
        token = new_token()
        self._store.add_replay(token, content, self._limits.replays)
        self._hold(token, records)
        return {
            "replay": token,
            "records": [
                {"title": title(record.game, record.players), "players": list(record.players), "plays": len(record)}
                for record in records
            ],
        }

    async def record(self, token: str, number: int) -> GameRecord:
        """A record of a file, counted from 0; ``Refusal`` if there is none."""
        if token not in self._ready:
            content = self._store.replay(token)
            if content is None:
                raise Refusal(404, "This file of records is not kept any more: open it again.")
            self._hold(token, await self._thinkers.ask(lambda: read(content, self._limits)))
        self._ready.move_to_end(token)
        records = self._ready[token]
        if not 0 <= number < len(records):
            raise Refusal(404, f"There is no record {number} in this file, which has {len(records)}, counted from 0.")
        return records[number]

    def _hold(self, token: str, records: list[GameRecord]) -> None:
        self._ready[token] = records
        while len(self._ready) > READY:
            self._ready.popitem(last=False)


def read(content: bytes, limits: Limits) -> list[GameRecord]:
    """The records of a file, every play made again; ``Refusal`` for one that holds anything else, or too many."""
    too_many = Refusal(
        413,
        f"This file has more than {limits.records} records or {limits.plays} plays: split it, or use card-envs watch.",
    )
    if content.count(b" ") > limits.plays:  # each play has one before it
        raise too_many
    records: list[GameRecord] = []
    for record in records_in(io.BytesIO(content), "This file"):
        if len(records) == limits.records:
            raise too_many
        records.append(record)
    if not records:
        raise Refusal(400, "There is no record in this file.")
    return records


def position(record: GameRecord, plays: int, seat: str, names: str, width: int) -> dict[str, Any]:
    """A position of a record as somebody sees it who looks through it. seat: a number, or "all"."""
    state = record.position if plays == len(record) else record.at(plays)
    if seat == "all":
        svg, text = state.to_svg("all", width=width, names=names), translated(str(state), names)
    else:
        number = int(seat)
        svg, text = state.to_svg(number, width=width, names=names), state.text(number, names=names)
    last = record.plays[plays - 1] if plays else None
    return {
        "game": record.game.name,
        "labels": list(record.players) or [""] * record.game.num_players,
        "svg": svg,
        "text": text,
        "plays": plays,
        "caption": f"seat {last.seat}: {said(last.name, names)}" if last else "",
        "note": last.note if last else "",
        "history": [[play.seat, said(play.name, names), play.note] for play in record.plays],
        "over": state.is_over,
        "to_play": None if state.is_over else state.to_play,
    }
