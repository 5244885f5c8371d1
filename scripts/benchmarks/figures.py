"""Figures, and how they are measured: everything that is compared takes turns in one run.

A drift in the machine's speed then affects all of them alike. A ratio is that of two turns of one round, and the
median over the rounds is reported with the minimum and maximum.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Rate = Callable[[float], float]
"""Runs for so many seconds and returns decisions per second."""

Samples = dict[str, list[float]]
"""The value of each turn, one per round, by what was measured."""


@dataclass
class Figure:
    """One thing measured.

    Attributes:
        part: the part of the benchmark it belongs to.
        what: what was measured; game and players: at which game.
        value, least, most: median and range over the rounds, in ``unit``.
        against: what it is compared with; ratio, ratio_least, ratio_most: median and range of the ratios.
        required: the least value allowed (with ``at_most`` the greatest), of the ratio if there is one, else of the
        value.
    """

    part: str
    what: str
    game: str = ""
    players: int = 0
    tables: int = 1
    threads: int = 1
    value: float = 0.0
    least: float = 0.0
    most: float = 0.0
    unit: str = "decisions/s"
    against: str = ""
    ratio: float | None = None
    ratio_least: float | None = None
    ratio_most: float | None = None
    required: float | None = None
    at_most: bool = False
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether it meets the requirement; None where there is none."""
        if self.required is None:
            return None
        measured = self.value if self.ratio is None else self.ratio
        return measured <= self.required if self.at_most else measured >= self.required

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary; ``Figure.read`` is the inverse."""
        return dataclasses.asdict(self) | {"met": self.met}

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Figure:
        return cls(**{name: value for name, value in row.items() if name != "met"})


@dataclass(frozen=True)
class Turns:
    """How many rounds there are, and how long each measurement takes."""

    rounds: int
    seconds: float

    def take(self, rates: Mapping[str, Rate], share: float = 1.0) -> Samples:
        """Measure all of them in turns; ``share`` scales the time of a turn."""
        for rate in rates.values():
            rate(min(0.05, self.seconds))  # compile, and spread the tables over all stages of a deal
        samples: Samples = {what: [] for what in rates}
        for _ in range(self.rounds):
            for what, rate in rates.items():
                samples[what].append(rate(self.seconds * share))
        return samples


def repeat(play: Callable[[], int], seconds: float) -> float:
    """Decisions per second of ``play``, which returns how many it made."""
    decisions, start = 0, time.perf_counter()
    while True:
        decisions += play()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return decisions / elapsed


def figure(samples: Samples, part: str, what: str, against: str = "", **about: Any) -> Figure:
    """The figure of ``what``, with its ratio to ``against`` if both were measured."""
    values = samples[what]
    made = Figure(part, what, value=statistics.median(values), least=min(values), most=max(values), **about)
    if against in samples:
        ratios = [value / base for value, base in zip(values, samples[against], strict=True)]
        made.against = against
        made.ratio, made.ratio_least, made.ratio_most = statistics.median(ratios), min(ratios), max(ratios)
    elif about.get("unit", "decisions/s") == "decisions/s" and against:
        made.required = None  # the requirement is for a ratio, and there is none
    return made
