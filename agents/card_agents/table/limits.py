"""How much people at the table may take of the machine."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a server of tables allows.

    games: games kept, played out or not. When there are more, those go that nobody has touched for ``rest`` seconds;
        where there are none, no game can be begun.
    in_memory: games held ready; the others are read again when somebody asks for them. ``programs``: those of them in
        which programs play. Games that somebody looks at are held all the same.
    body: bytes of a request; ``file``: of a file of records.
    records, plays: records in a file, and (about) plays in all of them together.
    replays: files of records kept; the oldest goes.
    streams: streams of events for one seat; ``all_streams``: for all.
    waiting: hints, analyses and files of records in work or waiting for it.
    threads: in which players think long, and so many again in which hints are worked out; a core is left for the rest.
    label: letters of the name of a person.
    width: pixels across of a picture, least and most.
    patience: seconds that a request may take to arrive.
    """

    games: int = 1000
    rest: float = 7 * 86400.0
    in_memory: int = 200
    programs: int = 20
    body: int = 10_000
    file: int = 2_000_000
    records: int = 200
    plays: int = 50_000
    replays: int = 50
    streams: int = 8
    all_streams: int = 400
    waiting: int = 16
    threads: int = max((os.cpu_count() or 2) - 1, 1)
    label: int = 40
    width: tuple[int, int] = (160, 2400)
    patience: float = 30.0


class Refusal(Exception):
    """Why a request is not granted, as a sentence, and the status of HTTP that says so."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
