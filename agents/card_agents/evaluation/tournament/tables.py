"""The results as tables, for the screen and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from card_agents.evaluation.intervals import Estimate
from card_agents.evaluation.tournament.results import Results
from card_agents.screen import literal

if TYPE_CHECKING:
    from rich.table import Table

Rows = list[list[str]]


def standings(results: Results) -> tuple[list[str], Rows]:
    """Headings and rows of the standings, the best agent first."""
    headings = ["agent", "rating", f"points per {results.plan.unit}", "ms per decision", "forfeits"]
    rows = []
    for number in results.order:
        time = results.milliseconds(number)
        row = [
            results.plan.labels[number],
            str(results.ratings[number]),
            str(results.points[number]),
            "" if time is None else f"{time:.3g}",
            str(results.forfeits[number] or ""),
        ]
        rows.append(row)
    if not any(results.forfeits):
        return headings[:-1], [row[:-1] for row in rows]
    return headings, rows


def payoffs(results: Results) -> tuple[list[str], Rows]:
    """Headings and rows of the payoff matrix: points of the row against the column, by rank in the standings."""
    labels, order = results.plan.labels, results.order
    rows = [
        [f"{place}. {labels[a]}", *(_shown(results.payoff(a, b)) for b in order)] for place, a in enumerate(order, 1)
    ]
    return ["against", *(f"{place}." for place in range(1, len(order) + 1))], rows


def _shown(points: Estimate | None) -> str:
    return "–" if points is None else str(points)


def title(results: Results) -> str:
    """The title: what was played."""
    plan = results.plan
    plural = "es" if plan.unit == "match" else "s"
    players = "" if plan.game.num_players == 2 else f" with {plan.game.num_players} players"
    return (
        f"{plan.game.name.capitalize()}{players}: {plan.deals:,} {plan.unit}{plural} per pair, "
        f"each in {plan.game.num_players} seat rotations"
    )


def notes(results: Results) -> list[str]:
    """Sentences below the tables."""
    plan = results.plan
    others = plan.game.num_players - 1
    sentences = [
        f"Ratings on Elo's scale, {plan.labels[results.anchor]} fixed at 0; 95 % intervals, clustered by {plan.unit}.",
        f"Payoff: points per {plan.unit} of the row "
        + ("against the column." if others == 1 else f"in one seat against the column in the other {others}."),
    ]
    if results.factor is not None:
        sentences.append(
            f"Seat rotation shrinks the interval by a factor of {results.factor:.2f} "
            "(compared with as many games on separate deals)."
        )
    sentences += [one.sentence(plan.unit) for one in results.forfeit_summaries]
    return sentences


def markdown(results: Results) -> str:
    """The whole report as Markdown."""
    parts = [f"# {title(results)}", f"`{results.plan.game.describe()}`, seed {results.plan.seed}"]
    parts += ["## Standings", _table(*standings(results)), "## Payoff", _table(*payoffs(results))]
    parts += ["\n".join(f"- {_escaped(note)}" for note in notes(results))]
    return "\n\n".join(parts) + "\n"


def _table(headings: Sequence[str], rows: Rows) -> str:
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _escaped(text: str) -> str:
    return re.sub(r"([\\|*_<>`#\[\]&~$])", r"\\\1", text)


def tables(results: Results) -> list[Table]:
    """The standings and the payoff matrix for the screen."""
    from rich.table import Table

    made = []
    for name, (headings, rows) in ((title(results), standings(results)), ("payoff", payoffs(results))):
        table = Table(title=name)
        for place, heading in enumerate(headings):
            table.add_column(heading, justify="right" if place else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(literal, row))
        made.append(table)
    return made
