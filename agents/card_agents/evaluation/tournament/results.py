"""The results of a tournament, computed from its chunks: the same whichever process played them, and when."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from card_agents.evaluation.arena import ForfeitSummary, Meeting, meeting_of
from card_agents.evaluation.intervals import CONFIDENCE, Estimate, estimate
from card_agents.evaluation.tournament.plan import Chunk, Job, Plan
from card_agents.evaluation.tournament.ratings import PRIOR, Rating, rate
from card_agents.labels import printable
from card_agents.protocol import Array
from card_agents.versions import machine, versions

ANCHOR = "random"
"""The agent rated 0 if it takes part; otherwise it is the first."""


@dataclass(frozen=True)
class Results:
    """Meetings, ratings and everything else of a whole tournament.

    meetings: one for each pair of the plan. factors: for each pair, by how much playing all seat rotations of a deal
    shrinks the interval of the points (``rotation_factor``), None where that is undefined. factor: the same over all
    pairs. points: of each agent, per deal, the mean over its opponents. forfeit_summaries: by agent and
    reason. forfeits, seconds, decisions: of each agent.
    """

    plan: Plan
    meetings: tuple[Meeting, ...]
    factors: tuple[float | None, ...]
    factor: float | None
    points: tuple[Estimate, ...]
    ratings: tuple[Rating, ...]
    forfeit_summaries: tuple[ForfeitSummary, ...]
    forfeits: tuple[int, ...]
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]

    @property
    def anchor(self) -> int:
        """Number of the agent rated 0."""
        return anchor_of(self.plan)

    @property
    def order(self) -> list[int]:
        """The agents' numbers, the best rated first."""
        points = [one.mean for one in self.points]
        known = [-math.inf if one.rating is None else one.rating for one in self.ratings]
        return sorted(range(len(points)), key=lambda number: (-known[number], -points[number], number))

    def payoff(self, a: int, b: int) -> Estimate | None:
        """Points per deal of one agent in one seat against another in all the others; None against itself."""
        for (first, second), meeting in zip(self.plan.pairs, self.meetings, strict=True):
            if (first, second) == (a, b):
                return meeting.points_a
            if (second, first) == (a, b) and self.plan.game.num_players == 2:
                return meeting.points_b
        return None

    def milliseconds(self, agent: int) -> float | None:
        """Milliseconds per decision of an agent; None if it made none."""
        return 1000 * self.seconds[agent] / self.decisions[agent] if self.decisions[agent] else None

    def to_dict(self) -> dict[str, Any]:
        """Everything as a JSON-serialisable dictionary. What differs from run to run is under ``run``."""
        plan = self.plan
        labels = plan.labels
        matrix = [[self.payoff(a, b) for b in range(len(labels))] for a in range(len(labels))]
        return {
            **plan.to_dict(),
            "labels": list(labels),
            "unit": plan.unit,
            "rotations": plan.game.num_players,
            "first_table_seed": int(plan.seeds_of(Job(0, 0))[0]),
            "confidence": CONFIDENCE,
            "clusters": "deals: the mean over all seat rotations of one deal is one observation",
            "model": "Bradley-Terry on Elo's scale; a draw is half a win for each; "
            f"{PRIOR:g} drawn game added to each pair; intervals by the scatter over deals",
            "anchor": labels[self.anchor],
            "table": [
                {
                    "agent": labels[number],
                    "rating": vars(self.ratings[number]),
                    "points": self.points[number].to_dict(),
                    "decisions": self.decisions[number],
                    "forfeits": self.forfeits[number],
                }
                for number in self.order
            ],
            "payoff": {
                "agents": list(labels),
                "points_of_row_against_column": [[one and one.to_dict() for one in row] for row in matrix],
            },
            "meetings": [
                {**meeting.to_dict(), "rotation_factor": factor}
                for meeting, factor in zip(self.meetings, self.factors, strict=True)
            ],
            "rotation_factor": self.factor,
            "forfeits": [vars(one) for one in self.forfeit_summaries],
            "run": run_of(self),
        }


def run_of(results: Results) -> dict[str, Any]:
    """Date, machine, versions and speed of a run."""
    labels = results.plan.labels
    times = {label: results.milliseconds(number) for number, label in enumerate(labels)}
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "seconds": round(sum(results.seconds), 3),
        "ms_per_decision": {label: None if time is None else round(time, 5) for label, time in times.items()},
        "machine": machine(),
        "versions": versions(),
    }


def results_of(plan: Plan, chunks: Mapping[Job, Chunk]) -> Results:
    """The results of a plan whose chunks have all been played."""
    labels, players = plan.labels, plan.game.num_players
    pairs = [
        Chunk.joined([chunks[Job(pair, chunk)] for chunk in range(plan.chunks)]) for pair in range(len(plan.pairs))
    ]
    names = [(labels[a], labels[b]) for a, b in plan.pairs]
    meetings = [meeting_of(name, one.points, one.beaten, one.level) for name, one in zip(names, pairs, strict=True)]
    parts = [rotation_parts(one.points / (players - 1) ** 2) for one in pairs]
    shares = np.array([(one.beaten + one.level / 2).sum(axis=1) / (players - 1) for one in pairs])
    seconds, decisions = [0.0] * len(labels), [0] * len(labels)
    for pair, one in zip(plan.pairs, pairs, strict=True):
        for which, agent in enumerate(pair):
            seconds[agent] += one.seconds[which]
            decisions[agent] += one.decisions[which]
    lost = forfeits_by_reason(plan, pairs)
    return Results(
        plan,
        tuple(meetings),
        tuple(rotation_factor(*part) for part in parts),
        rotation_factor(sum(part[0] for part in parts), sum(part[1] for part in parts)),
        tuple(_points(plan, pairs, agent) for agent in range(len(labels))),
        tuple(rate(shares, plan.pairs, len(labels), anchor_of(plan), players)),
        tuple(lost),
        tuple(sum(one.times for one in lost if one.agent == label) for label in labels),
        tuple(seconds),
        tuple(decisions),
    )


def anchor_of(plan: Plan) -> int:
    """Number of the agent rated 0."""
    return plan.agents.index(ANCHOR) if ANCHOR in plan.agents else 0


def _points(plan: Plan, pairs: Sequence[Chunk], agent: int) -> Estimate:
    """Points per deal of an agent in one seat, the mean over its opponents in all the others."""
    deals = []
    for (a, b), one in zip(plan.pairs, pairs, strict=True):
        points = one.points.sum(axis=1)
        if agent == a:
            deals.append(points)
        elif agent == b and plan.game.num_players == 2:
            deals.append(-points)
    players = plan.game.num_players
    return estimate(np.sum(deals, axis=0) / (players * (players - 1) ** 2 * len(deals)))


def forfeits_by_reason(plan: Plan, pairs: Sequence[Chunk]) -> list[ForfeitSummary]:
    """Summaries of the forfeits, by agent and reason."""
    first: dict[tuple[int, str], tuple[int, int, int]] = {}
    times: dict[tuple[int, str], int] = {}
    for pair, one in zip(plan.pairs, pairs, strict=True):
        for deal, _, seat, which, reason in one.forfeits:
            key = pair[which], reason
            first.setdefault(key, (pair[1 - which], deal, seat))
            times[key] = times.get(key, 0) + 1
    return [
        ForfeitSummary(plan.labels[key[0]], printable(key[1]), times[key], plan.labels[against], deal, seat)
        for key, (against, deal, seat) in sorted(first.items())
    ]


def rotation_parts(points: Array) -> tuple[float, float]:
    """Variance of the mean of as many games, times the number of deals, without and with rotation.

    points: float (deals, rotations). Without rotation every game would be on a separate deal, with seats still
    balanced. Both are NaN for a single deal.
    """
    if len(points) < 2:
        return math.nan, math.nan
    return float(points.var(axis=0, ddof=1).mean()) / points.shape[1], float(points.mean(axis=1).var(ddof=1))


def rotation_factor(without: float, with_rotation: float) -> float | None:
    """How many times wider the interval of as many games would be without rotation; None if that is undefined, as for a
    single deal or an interval of no width."""
    return math.sqrt(without / with_rotation) if with_rotation > 0 else None


def to_json(results: Any) -> str:
    """Results as the text of a JSON file."""
    return json.dumps(results, indent=2, allow_nan=False) + "\n"
