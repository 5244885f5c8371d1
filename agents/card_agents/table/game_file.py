"""The file of a sitting's games: one line each, the last of them in play."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from card_agents.files import check_writable, write_whole
from card_agents.table.sitting import SEATS
from card_envs.records import GameRecord, read_records


class GameFile:
    """A file of records, to which the record in play is written again after every play.

    Attributes:
        path: the file; another one once somebody else has written into it.
        records: what the file held at first, and the records finished since.

    Raises ``ValueError``, before anything is written, where there is a file that holds something else, and where the
    file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        check_writable(path)
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is no file that a game could be read from again.")
        self.path = path
        self.records = list(read_records(path)) if path.exists() else []
        self._earlier = _content(self.records)
        self._written = path.read_bytes() if path.exists() else None

    def write(self, record: GameRecord) -> None:
        """Write the record in play: whatever happens, the file holds it as it is now or as it was before."""
        if self.path.exists() and self.path.read_bytes() != self._written:
            self.path = _free(self.path)
        content = self._earlier + _content([record])
        write_whole(self.path, content)
        self._written = content

    def finish(self, record: GameRecord) -> None:
        """The record in play is over: what is written next comes after it."""
        self.records.append(record)
        self._earlier += _content([record])

    def take_last(self) -> GameRecord:
        """The last record, to go on with; ``ValueError`` if there is none."""
        if not self.records:
            raise ValueError(f"{self.path} holds no game to go on with.")
        last = self.records[-1]
        if not last.is_over:
            self.records.pop()
            self._earlier = _content(self.records)
        return last

    def of_this_sitting(self, record: GameRecord) -> list[GameRecord]:
        """The finished records of the sitting of this record, itself included if it is over, in order."""
        found = [record] if record.is_over else []
        deal = _deal(record)
        for earlier in reversed(self.records):
            if earlier is record:
                continue
            if not earlier.is_over or _sitting(earlier) != _sitting(record) or _deal(earlier) >= deal:
                break
            deal = _deal(earlier)
            found.insert(0, earlier)
        return found


def _deal(record: GameRecord) -> int:
    return int(record.start.record["deal"][0])


def _sitting(record: GameRecord) -> tuple[object, ...]:
    """What all records of a sitting have in common."""
    return record.game, int(record.start.record["seed"][0]), record.players, record.tags.get(SEATS)


def _content(records: list[GameRecord]) -> bytes:
    return "".join(f"{record.to_line()}\n" for record in records).encode()


def _free(path: Path) -> Path:
    """The first name with a number that no file has."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in names if not name.exists())
