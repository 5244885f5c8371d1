"""The folder that keeps what has been played of a plan: the same plan goes on where it stopped."""

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

PLAN, CHUNKS = "tournament.json", "chunks"
KINDS = "json", "md", "png"
"""What the files in the folder are."""

LARGEST_PLAN = 1 << 20
"""Most bytes of the file of a plan."""

_LARGEST_ROW, _LARGEST_REST = 1 << 13, 1 << 20
"""Most bytes of the file of a chunk, for each of its games and beside them."""

_NAME = re.compile(r"(\d{4,})-(\d{6,})\.json")


class DamagedChunk(Exception):
    """Why the file of a chunk cannot be taken, as the end of a sentence."""


class Folder:
    """The folder of a tournament: its plan, and a file for each chunk that has been played.

    plan: what was asked for; after ``begin`` with the salt that is kept here.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan

    def begin(self) -> None:
        """Make the folder, or see that it is of this very plan; ``ValueError`` if it holds anything else, or cannot be
        written. The folder is locked by whoever calls."""
        written = self.path / PLAN
        try:
            if written.exists():
                self._go_on(written)
                for kind in KINDS:
                    remove_partial(self.path, f"*.{kind}")
            else:
                remove_partial(self.path, PLAN)
                if not is_empty(self.path):
                    raise ValueError(f"{self.path} is there already and holds no tournament: give another --out.")
                if self.plan.is_secret and self.plan.salt is None:
                    self.plan = dataclasses.replace(self.plan, salt=new_salt())
                told = json.dumps(self.plan.to_dict(), indent=2) + "\n"
                self.path.mkdir(parents=True, exist_ok=True)
                write_whole(written, told.encode(), mode=0o600)
            (self.path / CHUNKS).mkdir(exist_ok=True)
            remove_partial(self.path / CHUNKS, "*.json")
        except OSError as error:
            raise ValueError(f"{error.filename or self.path} cannot be used: {error.strerror or error}.") from None

    def _go_on(self, written: Path) -> None:
        """Take over the salt of the plan that is written there; ``ValueError`` if it is another plan."""
        found = read_plan(written)
        salt = found.get("salt")
        if self.plan.salt is None:
            self.plan = dataclasses.replace(self.plan, salt=salt)
        told = self.plan.to_dict()
        missing, unknown = told.keys() - found.keys(), found.keys() - told.keys()
        if self.plan.is_secret and salt is None:
            missing |= {"salt"}
        for odd, what in ((missing, "it lacks"), (unknown, "nothing is known of its")):
            if odd:
                names = ", ".join(map(repr, sorted(odd)))
                raise ValueError(f"{written} is of another version, or edited: {what} {names}. Give another --out.")
        others = [_difference(name, found[name], value) for name, value in told.items() if found[name] != value]
        if others:
            raise ValueError(
                f"{self.path} holds a tournament with other {', '.join(others)}: "
                "give another --out, or the same arguments to go on with it."
            )

    def _file(self, job: Job) -> Path:
        return self.path / CHUNKS / f"{job.pair:04}-{job.chunk:06}.json"

    def write(self, job: Job, chunk: Chunk) -> None:
        """Keep what came of a chunk."""
        told = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(chunk).items()}
        content = {"plan": self.plan.digest, "job": list(job), **told}
        whole = {**content, "checksum": _checksum(content)}
        write_whole(self._file(job), (json.dumps(whole, separators=(",", ":")) + "\n").encode())

    def played(self) -> Iterator[tuple[Job, Chunk | str]]:
        """The chunks there are files of, each with what came of it, or with the sentence that says why it cannot be
        taken and is to be played again."""
        for path in sorted((self.path / CHUNKS).iterdir()):
            found = _NAME.fullmatch(path.name)
            job = Job(int(found[1]), int(found[2])) if found is not None else None
            if job is None or job not in self.plan.jobs or path != self._file(job):
                continue
            try:
                yield job, self.read(job)
            except DamagedChunk as damage:
                yield job, f"{path} {damage}: this chunk is played again."

    def read(self, job: Job) -> Chunk:
        """What came of a chunk; ``DamagedChunk`` if its file is not what was written for this plan and this chunk."""
        deals = self.plan.deals_of(job)
        rows = (deals.stop - deals.start) * self.plan.game.num_players
        try:
            told = _read_json(self._file(job), _LARGEST_REST + _LARGEST_ROW * rows)
        except OSError as error:
            raise DamagedChunk(f"cannot be read ({error.strerror or error})") from None
        except ValueError as error:
            raise DamagedChunk(f"is damaged ({error})") from None
        checksum = told.pop("checksum", None)
        if checksum != _checksum(told):
            raise DamagedChunk("is damaged or edited (its checksum does not fit)")
        if told.get("plan") != self.plan.digest:
            raise DamagedChunk("is of another tournament")
        if told.get("job") != list(job):
            raise DamagedChunk("holds another chunk of this tournament")
        try:
            return _chunk(told, self.plan, deals)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise DamagedChunk("holds values that cannot be") from None


def read_plan(path: Path) -> dict[str, Any]:
    """The plan that is written in a file; ``ValueError`` with a sentence if it holds none."""
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
    """What is different in a part of the plan: its name, and which of its parts if it has some."""
    if not isinstance(found, dict) or not isinstance(wanted, dict):
        return name
    parts = [part for part in sorted(found.keys() | wanted.keys()) if found.get(part) != wanted.get(part)]
    return f"{name} ({', '.join(parts)})"


def _read_json(path: Path, most: int) -> dict[str, Any]:
    """The object of JSON in a file of no more than so many bytes; ``ValueError`` with the reason if it is none."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("it is no file")
    with path.open("rb") as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise ValueError("it is larger than it can be")
    try:
        found = json.loads(text)
        json.dumps(found)  # so deep that this fails is too deep for whoever reads it too
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    if not isinstance(found, dict):
        raise ValueError("it is no object of JSON")
    return found


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _chunk(told: dict[str, Any], plan: Plan, deals: slice) -> Chunk:
    """The chunk of these deals that a file tells of; ``ValueError``, ``TypeError``, ``KeyError`` or ``OverflowError``
    if it cannot be."""
    players = plan.game.num_players
    unit = (players - 1) ** 2
    shape = deals.stop - deals.start, players
    points = _whole(
        told["points"], shape, math.floor(plan.game.min_return * unit), math.ceil(plan.game.max_return * unit)
    )
    beaten, level = (_whole(told[name], shape, 0, players - 1) for name in ("beaten", "level"))
    _whole(beaten + level, shape, 0, players - 1)
    decisions = _whole(told["decisions"], (2,), 0, 2**62).tolist()
    seconds = [float(one) for one in told["seconds"]]
    forfeits = [(*_whole(one[:4], (4,), 0, 2**32).tolist(), str(one[4])) for one in told["forfeits"]]
    fit = all(
        deals.start <= deal < deals.stop and rotation < players and seat < players and which < 2
        for deal, rotation, seat, which, _ in forfeits
    )
    if not fit or len(seconds) != 2 or not all(map(math.isfinite, seconds)):
        raise ValueError
    return Chunk(points, beaten, level, decisions, seconds, forfeits)


def _whole(values: Any, shape: tuple[int, ...], least: int, most: int) -> Array:
    """Whole numbers of this shape and in this range, int64; ``ValueError`` or another error if they are not."""
    found = np.array(values)
    if found.dtype.kind != "i" or found.shape != shape or (found < least).any() or (found > most).any():
        raise ValueError
    return found.astype(np.int64)
