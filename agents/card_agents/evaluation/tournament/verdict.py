"""The verdict of a sequential test, computed from the chunks played so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from card_agents.evaluation.arena import ForfeitSummary, Meeting, meeting_of
from card_agents.evaluation.tournament.plan import Chunk, Job, Plan
from card_agents.evaluation.tournament.results import forfeits_by_reason
from card_agents.evaluation.tournament.sequential import BETTER, NOT_BETTER, UNDECIDED
from card_agents.versions import machine, versions


@dataclass(frozen=True)
class Verdict:
    """The verdict on the plan's first pair, agent ``a`` against ``b``: is ``a`` better?

    outcome: ``sequential.BETTER``, ``NOT_BETTER`` or ``UNDECIDED``. ratio: the log-likelihood ratio at the end.
    meeting: over the deals that were needed, without those played beyond them; None if there are none yet.
    games: the lines of records of the first of these deals, as far as they are to be saved.
    """

    plan: Plan
    outcome: str
    ratio: float
    meeting: Meeting | None
    forfeit_summaries: tuple[ForfeitSummary, ...]
    games: tuple[str, ...] = ()

    @property
    def is_decided(self) -> bool:
        """Whether no more deals are needed."""
        return self.outcome != UNDECIDED

    def to_dict(self) -> dict[str, Any]:
        """Everything as a JSON-serialisable dictionary. What differs from run to run is under ``run``."""
        assert self.plan.sprt is not None
        low, high = self.plan.sprt.bounds
        return {
            **self.plan.to_dict(),
            "labels": list(self.plan.labels),
            "unit": self.plan.unit,
            "verdict": self.outcome,
            "deals_needed": 0 if self.meeting is None else self.meeting.deals,
            "log_likelihood_ratio": self.ratio,
            "bounds": [low, high],
            "meeting": None if self.meeting is None else self.meeting.to_dict(),
            "forfeits": [vars(one) for one in self.forfeit_summaries],
            "run": {
                "date": datetime.now().astimezone().isoformat(timespec="seconds"),
                "machine": machine(),
                "versions": versions(),
            },
        }

    def sentences(self) -> list[str]:
        """The verdict as sentences for the screen."""
        test = self.plan.sprt
        assert test is not None
        b, a = self.plan.labels
        unit, deals = self.plan.unit, 0 if self.meeting is None else self.meeting.deals
        plural = f"{unit}es" if unit == "match" else f"{unit}s"
        found = {
            BETTER: f"{a} is better than {b} by more than {test.margin:g} points per {unit} "
            f"(wrong in at most {100 * test.alpha:g} % of such tests)",
            NOT_BETTER: f"{a} is not better than {b} by {test.better:g} points per {unit} "
            f"(wrong in at most {100 * test.beta:g} % of such tests)",
            UNDECIDED: f"Undecided whether {a} is better than {b} by more than {test.margin:g} points per {unit}",
        }
        low, high = test.bounds
        sentences = [
            f"{found[self.outcome]}, after {deals:,} {plural}.",
            f"Log-likelihood ratio {self.ratio:+.2f} of {test.better:g} against {test.margin:g}; bounds {low:+.2f} and "
            f"{high:+.2f}.",
        ]
        if self.meeting is not None:
            sentences.append(
                f"Points per {unit} {self.meeting.points_a}. This is biased, since the test stopped as soon as it was "
                "decided: use a fresh seed to estimate the effect size."
            )
        for one in self.forfeit_summaries:
            sentences.append(f"{one.agent} forfeited {one.times:,} of them: it {one.reason}.")
        return sentences


def verdict_of(plan: Plan, chunks: Mapping[Job, Chunk]) -> Verdict:
    """The verdict on the unbroken run of chunks from the first deal on; later ones do not count yet."""
    assert plan.sprt is not None
    row = []
    for job in plan.jobs:
        if job not in chunks:
            break
        row.append(chunks[job])
    if not row:
        return Verdict(plan, UNDECIDED, 0.0, None, ())
    whole = Chunk.joined(row)
    players = plan.game.num_players
    observations = whole.points.sum(axis=1) / (players * (players - 1) ** 2)
    outcome, deals = plan.sprt.verdict(observations)
    needed = whole.first(deals)
    a, b = plan.pairs[0]
    names = plan.labels[a], plan.labels[b]
    meeting = meeting_of(names, needed.points, needed.beaten, needed.level)
    ratio = float(plan.sprt.ratios(observations)[deals - 1])
    forfeits = tuple(forfeits_by_reason(plan, [needed]))
    return Verdict(plan, outcome, ratio, meeting, forfeits, tuple(needed.games))
