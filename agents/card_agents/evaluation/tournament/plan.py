"""The plan of a tournament: agents, pairs, deals, and the chunks into which the deals are divided.

A chunk is the unit of work: it is played without interruption and its results are written atomically, so that a
stopped tournament loses at most the chunks that were in play.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np

from card_agents.evaluation.tournament.identity import files_of
from card_agents.evaluation.tournament.sequential import Sprt
from card_agents.labels import labels_of
from card_agents.names import is_external
from card_agents.players.external import Limits
from card_agents.protocol import Array
from card_agents.seeds import table_seeds
from card_agents.versions import sources
from card_envs import Game


class Job(NamedTuple):
    """A chunk to be played: the number of the pair, and that of the chunk within the pair's deals."""

    pair: int
    chunk: int


class Jobs(Collection[Job]):
    """All chunks of so many pairs, in order, without those that are done; computed on demand."""

    def __init__(self, pairs: int, chunks: int, done: Collection[Job] = ()) -> None:
        self._pairs = pairs
        self._chunks = chunks
        self._done = done

    def __len__(self) -> int:
        return self._pairs * self._chunks - len(self._done)

    def __iter__(self) -> Iterator[Job]:
        every = (Job(pair, chunk) for pair in range(self._pairs) for chunk in range(self._chunks))
        return (job for job in every if job not in self._done)

    def __contains__(self, job: object) -> bool:
        if not isinstance(job, Job) or job in self._done:
            return False
        return 0 <= job.pair < self._pairs and 0 <= job.chunk < self._chunks


@dataclass(frozen=True)
class Plan:
    """A tournament, or a sequential test.

    agents: names as ``make_agent`` takes them. pairs: numbers of the agents of each meeting; the first plays one seat,
    the second all the others. deals: per pair. chunk: deals per chunk. deterministic: trained players play their most
    likely action. sprt: the sequential test that the first pair plays for; its deals are then the most there can be.
    given: the label asked for by each agent, None where its name will do; empty if there are none. salt: the secret
    that determines the packs together with the seed (``seeds``), None where the seed alone does. save_games: how many
    of the first deals of each pair are written down as records.
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
    given: tuple[str | None, ...] = ()
    salt: str | None = None
    save_games: int = 0

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the agents wherever they are shown, no two alike."""
        return labels_of(self.agents, self.given or (None,) * len(self.agents))

    @property
    def is_secret(self) -> bool:
        """Whether nobody may know the packs in advance, because an external bot takes part."""
        return any(map(is_external, self.agents))

    @property
    def unit(self) -> str:
        """The unit of play: "deal" or "match"."""
        return "match" if self.game.rules.match else "deal"

    @property
    def chunks(self) -> int:
        """Chunks per pair."""
        return -(-self.deals // self.chunk)

    @property
    def jobs(self) -> Jobs:
        """All chunks of all pairs, in order."""
        return self.left(())

    def left(self, done: Collection[Job]) -> Jobs:
        """The chunks that are not ``done``."""
        return Jobs(len(self.pairs), self.chunks, done)

    def deals_of(self, job: Job) -> slice:
        """The deals of a chunk, as a slice of all deals."""
        return slice(job.chunk * self.chunk, min((job.chunk + 1) * self.chunk, self.deals))

    def saved_of(self, job: Job) -> int:
        """How many of the first deals of a chunk are written down."""
        deals = self.deals_of(job)
        return min(max(self.save_games - deals.start, 0), deals.stop - deals.start)

    def seeds_of(self, job: Job) -> Array:
        """The seeds of the tables of a chunk, uint64."""
        return table_seeds(self.seed, self.deals, self.salt)[self.deals_of(job)]

    @cached_property
    def files(self) -> dict[str, str]:
        """Digests of the files that decide how the agents play, as of the first call."""
        return self._files_now()

    def changed(self) -> list[str]:
        """The names of ``files`` that have changed, vanished or appeared since."""
        now = self._files_now()
        return [name for name in sorted(self.files.keys() | now.keys()) if self.files.get(name) != now.get(name)]

    def _files_now(self) -> dict[str, str]:
        return {name: digest for agent in self.agents for name, digest in files_of(agent, self.game).items()}

    def to_dict(self) -> dict[str, Any]:
        """All that determines the results, as a JSON-serialisable dictionary."""
        content = {
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "layout": self.game.rules_id,
            "agents": list(self.agents),
            "files": self.files,
            "library": sources(),
            "pairs": self.pairs,
            "deals": self.deals,
            "seed": self.seed,
            "salt": self.salt,
            "chunk": self.chunk,
            "deterministic": self.deterministic,
            "limits": dataclasses.asdict(self.limits),
            "sprt": None if self.sprt is None else dataclasses.asdict(self.sprt),
            "save_games": self.save_games,
        }
        plain: dict[str, Any] = json.loads(json.dumps(content))
        return plain

    @cached_property
    def digest(self) -> str:
        """Digest of all that determines the results."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def round_robin(game: Game, agents: int) -> tuple[tuple[int, int], ...]:
    """All pairs; with more than two players, each agent of a pair in turn plays alone among the others."""
    choose = combinations if game.num_players == 2 else permutations
    return tuple((a, b) for a, b in choose(range(agents), 2))


@dataclass(frozen=True)
class Chunk:
    """The results of a chunk.

    points, beaten, level: int64 (deals, rotations), as ``arena.seat_results`` gives them. decisions, seconds: of the
    two agents of the pair. forfeits: (deal, rotation, seat, which of the two, reason); the deal is counted from the
    beginning of the tournament, the rotation is the seat of the first of the pair. games: the lines of the records of
    the first deals (``Plan.saved_of``), by deal and rotation.
    """

    points: Array
    beaten: Array
    level: Array
    decisions: list[int]
    seconds: list[float]
    forfeits: list[tuple[int, int, int, int, str]]
    games: list[str] = field(default_factory=list)

    @classmethod
    def joined(cls, chunks: Sequence[Chunk]) -> Chunk:
        """Consecutive chunks as one."""
        return cls(
            np.concatenate([one.points for one in chunks]),
            np.concatenate([one.beaten for one in chunks]),
            np.concatenate([one.level for one in chunks]),
            [sum(counts) for counts in zip(*(one.decisions for one in chunks), strict=True)],
            [sum(times) for times in zip(*(one.seconds for one in chunks), strict=True)],
            [forfeit for one in chunks for forfeit in one.forfeits],
            [line for one in chunks for line in one.games],
        )

    def first(self, deals: int) -> Chunk:
        """The first ``deals`` deals alone, if the chunk begins with deal 0. Times stay those of the whole chunk."""
        forfeits = [one for one in self.forfeits if one[0] < deals]
        arrays = self.points[:deals], self.beaten[:deals], self.level[:deals]
        games = self.games[: deals * self.points.shape[1]]
        return Chunk(*arrays, self.decisions, self.seconds, forfeits, games)
