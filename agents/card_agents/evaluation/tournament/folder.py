"""The folder of a tournament, which keeps the chunks that have been played: the same plan resumes where it stopped."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from card_agents.evaluation.tournament.plan import Chunk, Job, Plan
from card_agents.files import is_empty, remove_partial, write_whole
from card_agents.protocol import Array
from card_agents.seeds import new_salt, read_salt
from card_envs.record_lines import MOST_LETTERS
from card_envs.records import GameRecord

PLAN, CHUNKS = "tournament.json", "chunks"
KINDS = "json", "jsonl", "md", "png"
"""Extensions of the files in the folder."""

LARGEST_PLAN = 1 << 20
"""Most bytes of a plan's file."""

_LARGEST_ROW, _LARGEST_REST = 1 << 13, 1 << 20
"""Most bytes of a chunk's file: for each of its games, and for the rest."""

_NAME = re.compile(r"(\d{4,})-(\d{6,})\.json")


class DamagedChunk(Exception):
    """Why a chunk's file cannot be used, as the end of a sentence."""


class Folder:
    """The folder of a tournament: its plan, and one file for each chunk that has been played.

    plan: the plan asked for; after ``begin``, with the salt that is kept in the folder.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan

    def begin(self) -> None:
        """Make the folder, or check that it holds this very plan. The caller must hold the folder's lock.

        Raises ``ValueError`` if the folder holds anything else, or cannot be written.
        """
        path = self.path / PLAN
        try:
            if path.exists():
                self._resume(path)
                for kind in KINDS:
                    remove_partial(self.path, f"*.{kind}")
            else:
                remove_partial(self.path, PLAN)
                if not is_empty(self.path):
                    raise ValueError(f"{self.path} already exists and holds no tournament: give another --out.")
                if self.plan.is_secret and self.plan.salt is None:
                    self.plan = dataclasses.replace(self.plan, salt=new_salt())
                content = json.dumps(self.plan.to_dict(), indent=2) + "\n"
                self.path.mkdir(parents=True, exist_ok=True)
                write_whole(path, content.encode(), mode=0o600)
            (self.path / CHUNKS).mkdir(exist_ok=True)
            remove_partial(self.path / CHUNKS, "*.json")
        except OSError as error:
            raise ValueError(f"{error.filename or self.path} cannot be used: {error.strerror or error}.") from None

    def _resume(self, path: Path) -> None:
        """Adopt the salt of the plan in a file; ``ValueError`` if it is another plan."""
        found = read_plan(path)
        salt = found.get("salt")
        if self.plan.salt is None:
            self.plan = dataclasses.replace(self.plan, salt=salt)
        wanted = self.plan.to_dict()
        missing, unknown = wanted.keys() - found.keys(), found.keys() - wanted.keys()
        if self.plan.is_secret and salt is None:
            missing |= {"salt"}
        for odd, what in ((missing, "it lacks"), (unknown, "this version does not know its")):
            if odd:
                names = ", ".join(map(repr, sorted(odd)))
                raise ValueError(
                    f"{path} was written by another version, or edited: {what} {names}. Give another --out."
                )
        others = [_difference(name, found[name], value) for name, value in wanted.items() if found[name] != value]
        if others:
            raise ValueError(
                f"{self.path} holds a tournament that differs in {', '.join(others)}: "
                "give another --out, or the same arguments to resume it."
            )

    def _file(self, job: Job) -> Path:
        return self.path / CHUNKS / f"{job.pair:04}-{job.chunk:06}.json"

    def write(self, job: Job, chunk: Chunk) -> None:
        """Write the results of a chunk to its file."""
        values = {
            name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(chunk).items()
        }
        content = {"plan": self.plan.digest, "job": list(job), **values}
        whole = {**content, "checksum": _checksum(content)}
        write_whole(self._file(job), (json.dumps(whole, separators=(",", ":")) + "\n").encode())

    def played(self) -> Iterator[tuple[Job, Chunk | str]]:
        """The chunks that have a file, each with its results, or with a sentence that says why it cannot be used and
        will be played again."""
        for path in sorted((self.path / CHUNKS).iterdir()):
            found = _NAME.fullmatch(path.name)
            job = Job(int(found[1]), int(found[2])) if found is not None else None
            if job is None or job not in self.plan.jobs or path != self._file(job):
                continue
            try:
                yield job, self.read(job)
            except DamagedChunk as damage:
                yield job, f"{path} {damage}: this chunk will be played again."

    def read(self, job: Job) -> Chunk:
        """The results of a chunk; ``DamagedChunk`` if its file is not what was written for this plan and chunk."""
        deals = self.plan.deals_of(job)
        players = self.plan.game.num_players
        rows, games = (deals.stop - deals.start) * players, self.plan.saved_of(job) * players
        try:
            content = _read_json(self._file(job), _LARGEST_REST + _LARGEST_ROW * rows + 2 * MOST_LETTERS * games)
        except OSError as error:
            raise DamagedChunk(f"cannot be read ({error.strerror or error})") from None
        except ValueError as error:
            raise DamagedChunk(f"is damaged ({error})") from None
        checksum = content.pop("checksum", None)
        if checksum != _checksum(content):
            raise DamagedChunk("is damaged or edited (its checksum does not match)")
        if content.get("plan") != self.plan.digest:
            raise DamagedChunk("belongs to another tournament")
        if content.get("job") != list(job):
            raise DamagedChunk("holds another chunk of this tournament")
        try:
            return _chunk(content, self.plan, job)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise DamagedChunk("holds impossible values") from None


def read_plan(path: Path) -> dict[str, Any]:
    """The plan in a file; ``ValueError`` with a sentence if it holds none."""
    try:
        found = _read_json(path, LARGEST_PLAN)
        if found.get("salt") is not None:
            found["salt"] = read_salt(str(found["salt"]))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be read ({str(error).rstrip('.')}): give another --out.") from None
    return found


def _difference(name: str, found: Any, wanted: Any) -> str:
    """A part of the plan that differs: its name, and the names of its parts that differ, if it has parts."""
    if not isinstance(found, dict) or not isinstance(wanted, dict):
        return name
    parts = [part for part in sorted(found.keys() | wanted.keys()) if found.get(part) != wanted.get(part)]
    return f"{name} ({', '.join(parts)})"


def _read_json(path: Path, most: int) -> dict[str, Any]:
    """The JSON object in a file of at most ``most`` bytes; ``ValueError`` with the reason if it is not one."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise ValueError(f"it is longer than {most:,} bytes")
    try:
        found = json.loads(text)
        json.dumps(found)  # fails where it is nested too deeply to be written again
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")
    return found


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _chunk(content: dict[str, Any], plan: Plan, job: Job) -> Chunk:
    """The chunk from the content of its file; ``ValueError``, ``TypeError``, ``KeyError`` or ``OverflowError`` if its
    values are impossible."""
    deals = plan.deals_of(job)
    players = plan.game.num_players
    unit = (players - 1) ** 2
    shape = deals.stop - deals.start, players
    points = _whole(
        content["points"], shape, math.floor(plan.game.min_return * unit), math.ceil(plan.game.max_return * unit)
    )
    beaten, level = (_whole(content[name], shape, 0, players - 1) for name in ("beaten", "level"))
    _whole(beaten + level, shape, 0, players - 1)
    decisions = _whole(content["decisions"], (2,), 0, 2**62).tolist()
    seconds = [float(one) for one in content["seconds"]]
    forfeits = [(*_whole(one[:4], (4,), 0, 2**32).tolist(), str(one[4])) for one in content["forfeits"]]
    fit = all(
        deals.start <= deal < deals.stop and rotation < players and seat < players and which < 2
        for deal, rotation, seat, which, _ in forfeits
    )
    if not fit or len(seconds) != 2 or not all(map(math.isfinite, seconds)):
        raise ValueError
    games = [GameRecord.from_line(line).to_line() for line in content["games"]]
    if len(games) != plan.saved_of(job) * players:
        raise ValueError
    return Chunk(points, beaten, level, decisions, seconds, forfeits, games)


def _whole(values: Any, shape: tuple[int, ...], least: int, most: int) -> Array:
    """Integers of this shape and range, int64; ``ValueError`` or another error if they are not."""
    found = np.array(values)
    if found.dtype.kind != "i" or found.shape != shape or (found < least).any() or (found > most).any():
        raise ValueError
    return found.astype(np.int64)
