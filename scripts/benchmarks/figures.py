"""Figures, and how they are taken: everything that is compared takes turns in one run.

A machine whose speed drifts slows all of them alike, so a ratio is that of two turns of one round, and what is
reported is the median over the rounds with the least and the most.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Rate = Callable[[float], float]
"""Runs for so many seconds and returns decisions a second."""

Samples = dict[str, list[float]]
"""What each turn gave, by what was measured, a value a round."""


@dataclass
class Figure:
    """One thing measured.

    Attributes:
        part: the part of the benchmark it belongs to.
        what: what was measured; game and players: at which game.
        value, least, most: median and range over the rounds, in ``unit``.
        against: what it is compared with; ratio, ratio_least, ratio_most: median and range of the ratios.
        required: the least (``at_most``: the greatest) allowed, of the ratio if there is one, or of the value.
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
        """Whether it is as good as required; None where nothing is."""
        if self.required is None:
            return None
        measured = self.value if self.ratio is None else self.ratio
        return measured <= self.required if self.at_most else measured >= self.required

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; ``Figure.read`` makes it a figure again."""
        return dataclasses.asdict(self) | {"met": self.met}

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Figure:
        return cls(**{name: value for name, value in row.items() if name != "met"})


@dataclass(frozen=True)
class Turns:
    """How often, and for how long at a time, each thing is measured."""

    rounds: int
    seconds: float

    def take(self, rates: Mapping[str, Rate], share: float = 1.0) -> Samples:
        """Let all of them take their turns; ``share`` of the time of a turn."""
        for rate in rates.values():
            rate(min(0.05, self.seconds))  # compile, and bring the tables to all stages of play
        samples: Samples = {what: [] for what in rates}
        for _ in range(self.rounds):
            for what, rate in rates.items():
                samples[what].append(rate(self.seconds * share))
        return samples


def repeat(play: Callable[[], int], seconds: float) -> float:
    """Decisions a second of ``play``, which returns how many it made."""
    decisions, start = 0, time.perf_counter()
    while True:
        decisions += play()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return decisions / elapsed


def figure(samples: Samples, part: str, what: str, against: str = "", **about: Any) -> Figure:
    """The figure of ``what``, and its ratio to ``against`` if that was measured beside it."""
    values = samples[what]
    made = Figure(part, what, value=statistics.median(values), least=min(values), most=max(values), **about)
    if against in samples:
        ratios = [value / base for value, base in zip(values, samples[against], strict=True)]
        made.against = against
        made.ratio, made.ratio_least, made.ratio_most = statistics.median(ratios), min(ratios), max(ratios)
    elif about.get("unit", "decisions/s") == "decisions/s" and against:
        made.required = None  # required of a ratio, and there is nothing to compare with
    return made
