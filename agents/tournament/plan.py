"""What is to be played, and the folder that keeps what has been: the same plan goes on where it stopped.

The deals of each pair are cut into chunks. A chunk is the unit of work: it is played in one go, and its outcome is
written whole, so that a stopped tournament has lost at most the chunks that were in play.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shlex
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.arena import deal_seeds
from agents.files import write_whole
from agents.protocol import Array
from agents.strangers import Limits
from agents.tournament.sequential import Sprt
from card_envs import Game

PLAN, CHUNKS = "tournament.json", "chunks"


class Job(NamedTuple):
    """A chunk to be played: the number of the pair, and that of the chunk among its deals."""

    pair: int
    chunk: int


@dataclass(frozen=True)
class Plan:
    """A tournament, or a sequential test.

    agents: names as ``make_agent`` takes them. pairs: numbers of the agents of each meeting, the first of which plays
    one seat, the second all the others. deals: for each pair. chunk: deals of a chunk. deterministic: trained players
    play their likeliest action. sprt: the test that the first pair plays for; its deals are then the most there can be.
    """

    game: Game
    agents: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    deals: int
    seed: int
    chunk: int
    deterministic: bool
    limits: Limits
    sprt: Sprt | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The agents' names, told apart where one plays several times."""
        seen: Counter[str] = Counter()
        labels = []
        for name in self.agents:
            seen[name] += 1
            labels.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
        return tuple(labels)

    @property
    def unit(self) -> str:
        """What is played over: "deal" or "match"."""
        return "match" if self.game.rules.match else "deal"

    @property
    def jobs(self) -> list[Job]:
        """All chunks of all pairs, in order."""
        return [Job(pair, chunk) for pair in range(len(self.pairs)) for chunk in range(-(-self.deals // self.chunk))]

    def deals_of(self, job: Job) -> slice:
        """Which of the deals a chunk holds."""
        return slice(job.chunk * self.chunk, min((job.chunk + 1) * self.chunk, self.deals))

    def seeds_of(self, job: Job) -> Array:
        """The seeds of the tables of a chunk, uint64."""
        return deal_seeds(self.seed, self.deals)[self.deals_of(job)]

    def json(self) -> dict[str, Any]:
        """All that decides what comes of it, in JSON's terms."""
        told = {
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "layout": self.game.rules_id,
            "agents": list(self.agents),
            "files": {name: digest for agent in self.agents for name, digest in files_of(agent).items()},
            "pairs": self.pairs,
            "deals": self.deals,
            "seed": self.seed,
            "chunk": self.chunk,
            "deterministic": self.deterministic,
            "limits": dataclasses.asdict(self.limits),
            "sprt": None if self.sprt is None else dataclasses.asdict(self.sprt),
        }
        plain: dict[str, Any] = json.loads(json.dumps(told))
        return plain


def round_robin(game: Game, agents: int) -> tuple[tuple[int, int], ...]:
    """All pairs; with more than two players each of a pair plays once alone among the others."""
    choose = combinations if game.num_players == 2 else permutations
    return tuple((a, b) for a, b in choose(range(agents), 2))


def files_of(agent: str) -> dict[str, str]:
    """The files in an agent's name, with digests of their contents: a changed file is another agent."""
    kind, _, text = agent.partition(":")
    trained = agent.partition("ppo:")[2]  # also behind another player's name and a +
    if kind == "cmd":
        words = shlex.split(text)
        words[0] = shutil.which(words[0]) or words[0]
    elif Path(text).is_file() or Path(trained).is_file():
        words = [text, trained]
    else:  # the module of module:factory, where it lies here
        words = [f"{kind.replace('.', '/')}.py"]
    return {word: hashlib.sha256(Path(word).read_bytes()).hexdigest() for word in words if Path(word).is_file()}


@dataclass(frozen=True)
class Chunk:
    """What came of the games of a chunk, all int64 (deals, rotations) as ``arena.compared`` tells, and what it took.

    decisions, seconds: of the two agents of the pair. forfeits: (deal, rotation, seat, which of the two, reason); the
    deal counted from the beginning of the tournament, the rotation being the seat of the first of the pair.
    """

    points: Array
    beaten: Array
    level: Array
    decisions: list[int]
    seconds: list[float]
    forfeits: list[tuple[int, int, int, int, str]]

    @classmethod
    def joined(cls, chunks: Sequence[Chunk]) -> Chunk:
        """Chunks that follow each other as one."""
        return cls(
            np.concatenate([one.points for one in chunks]),
            np.concatenate([one.beaten for one in chunks]),
            np.concatenate([one.level for one in chunks]),
            [sum(counts) for counts in zip(*(one.decisions for one in chunks), strict=True)],
            [sum(times) for times in zip(*(one.seconds for one in chunks), strict=True)],
            [forfeit for one in chunks for forfeit in one.forfeits],
        )

    def first(self, deals: int) -> Chunk:
        """The first of the deals alone, if these are the first of all. What it took is left as it is."""
        forfeits = [one for one in self.forfeits if one[0] < deals]
        arrays = self.points[:deals], self.beaten[:deals], self.level[:deals]
        return Chunk(*arrays, self.decisions, self.seconds, forfeits)


class Folder:
    """The folder of a tournament: its plan, and a file for each chunk that has been played."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan

    def begin(self) -> None:
        """Make the folder, or see that it is of this very plan; ``ValueError`` if it holds anything else."""
        written = self.path / PLAN
        if not written.exists():
            if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
                raise ValueError(f"{self.path} is there already and holds no tournament: give another --out.")
            (self.path / CHUNKS).mkdir(parents=True, exist_ok=True)
            write_whole(written, (json.dumps(self.plan.json(), indent=2) + "\n").encode())
            return
        try:
            found = json.loads(written.read_text())
            others = [name for name, value in self.plan.json().items() if found.get(name) != value]
        except (ValueError, AttributeError):
            raise ValueError(f"{written} cannot be read: give another --out.") from None
        if others:
            raise ValueError(
                f"{self.path} holds a tournament with other {', '.join(others)}: "
                "give another --out, or the same arguments to go on with it."
            )
        (self.path / CHUNKS).mkdir(exist_ok=True)

    def _file(self, job: Job) -> Path:
        return self.path / CHUNKS / f"{job.pair:04}-{job.chunk:06}.json"

    def write(self, job: Job, chunk: Chunk) -> None:
        """Keep what came of a chunk."""
        told = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(chunk).items()}
        write_whole(self._file(job), (json.dumps(told, separators=(",", ":")) + "\n").encode())

    def read(self, job: Job) -> Chunk | None:
        """What came of a chunk; None if it has not been played, or its file is damaged."""
        deals = self.plan.deals_of(job)
        shape = (deals.stop - deals.start, self.plan.game.num_players)
        try:
            told = json.loads(self._file(job).read_text())
            points, beaten, level = (np.array(told[name], np.int64) for name in ("points", "beaten", "level"))
            forfeits = [(int(d), int(r), int(s), int(w), str(reason)) for d, r, s, w, reason in told["forfeits"]]
            chunk = Chunk(points, beaten, level, list(told["decisions"]), list(told["seconds"]), forfeits)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return chunk if points.shape == beaten.shape == level.shape == shape else None
