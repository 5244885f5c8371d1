"""Exact values of a list of players in a small game: tables for the screen, JSON, and a figure."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_agents.equilibrium.cfr import CFR, CFRLimit
from card_agents.equilibrium.solving import WorstCase, certain_digits, meeting, policies_of, solve, worst_case
from card_agents.equilibrium.strategies import Policy
from card_agents.equilibrium.tree import Tree
from card_agents.figures import new_figure, save_figure
from card_agents.files import write_whole
from card_agents.protocol import Agent
from card_agents.screen import literal
from card_agents.versions import versions
from card_envs import Game

if TYPE_CHECKING:
    from rich.table import Table

Player = tuple[str, Agent | CFRLimit]
"""A name with an agent, or with a limit for CFR+."""


@dataclass(frozen=True)
class PlayerResult:
    """One player. seconds: of CFR+, or of asking another player at all information sets. runs: of CFR+."""

    name: str
    worst: WorstCase
    seconds: float
    runs: tuple[CFR, ...] = ()

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the value of the game for the non-dealer, as this player proves them."""
        return self.worst.as_non_dealer, -self.worst.as_dealer


@dataclass(frozen=True)
class ExactResults:
    """Exact values of players of a small game. meetings: points per deal of each row against each column."""

    game: Game
    trees: tuple[Tree, ...]
    rows: tuple[PlayerResult, ...]
    meetings: tuple[tuple[float, ...], ...]
    samples: int
    seed: int

    @property
    def mirrored(self) -> bool:
        """Whether swapping the seats changes nothing."""
        return self.trees[1].mirrors(self.trees[0])

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the value of the game for the non-dealer: the best that any row proves."""
        return max(row.bounds[0] for row in self.rows), min(row.bounds[1] for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The results as a JSON-serialisable dictionary."""
        tree = self.trees[0]
        return {
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "unit": "points per deal",
            "deals": tree.deals,
            "nodes": tree.nodes,
            "information_sets": tree.sets,
            "sequences": tree.sequences,
            "bytes": tree.bytes,
            "symmetric": self.mirrored,
            "value_of_the_seat_left_of_the_dealer": {"low": self.bounds[0], "high": self.bounds[1]},
            "players": [
                {
                    "name": row.name,
                    "worst_leading": row.worst.as_non_dealer,
                    "worst_dealing": row.worst.as_dealer,
                    "exploitability": row.worst.exploitability,
                    "nash_conv": row.worst.nash_conv,
                    "seconds": round(row.seconds, 3),
                    "curve": [
                        [{"iterations": p.iterations, "seconds": round(p.seconds, 4), "nash_conv": p.found.nash_conv}
                         for p in run.curve]
                        for run in row.runs
                    ],
                }
                for row in self.rows
            ],
            "meetings": [list(row) for row in self.meetings],
            "samples": self.samples,
            "seed": self.seed,
            "date": datetime.now().astimezone().isoformat(timespec="seconds"),
            "versions": versions(),
        }  # fmt: skip

    def save(self, path: Path) -> None:
        """Write the results as JSON, atomically."""
        write_whole(path, (json.dumps(self.to_dict(), indent=2) + "\n").encode())

    def table(self) -> Table:
        """The worst case and the exploitability of each player."""
        from rich.table import Table

        tree = self.trees[0]
        low, high = self.bounds
        table = Table(
            title=f"{self.game.name}: {tree.deals:,} deals, {tree.nodes:,} nodes, {tree.sets:,} information sets "
            "for each dealer",
            caption=f"exact points per deal; value of the game for the non-dealer {certain_digits(low, high)} "
            f"({low:+.9f} to {high:+.9f})",
        )
        table.add_column("")
        table.add_column("player", overflow="fold")
        for heading in ("worst case, non-dealer", "worst case, dealer", "exploitability", "seconds"):
            table.add_column(heading, justify="right")
        for number, row in enumerate(self.rows, 1):
            worst = row.worst
            shown = f"{worst.exploitability:.6f}" if worst.exploitability > 1e-4 else f"{worst.exploitability:.1e}"
            table.add_row(
                str(number),
                literal(row.name),
                f"{worst.as_non_dealer:+.6f}",
                f"{worst.as_dealer:+.6f}",
                shown,
                f"{row.seconds:.1f}",
            )
        return table

    def payoff_table(self) -> Table:
        """The payoff matrix."""
        from rich.table import Table

        table = Table(title="exact points per deal of the row against the column, mean over the seats")
        for heading in ("", *map(str, range(1, len(self.rows) + 1))):
            table.add_column(heading, justify="right")
        for number, points in enumerate(self.meetings, 1):
            table.add_row(str(number), *(f"{point:+.3f}" for point in points))
        return table

    def draw(self, path: Path) -> None:
        """Draw the exploitability of CFR+ over its running time, and that of the other players as lines."""
        figure = new_figure(10, 5)
        axes = figure.subplots()
        for number, row in enumerate(self.rows):
            colour, dashes = f"C{number % 10}", ("--", ":", "-.")[number // 10 % 3]
            if row.runs:
                points = [point for point in row.runs[0].curve if point.iterations > 0]
                heights = [point.found.exploitability for point in points]
                seconds = [point.seconds * len(row.runs) for point in points]
                axes.plot(seconds, heights, color=colour, linewidth=2, marker="o", markersize=3.5, label=row.name)
            else:
                axes.axhline(row.worst.exploitability, color=colour, linestyle=dashes, linewidth=1.4, label=row.name)
        axes.set_yscale("log")
        if any(row.runs for row in self.rows):
            axes.set_xscale("log")
            axes.set_xlabel("seconds of CFR+")
        axes.set_ylabel("exploitability, points per deal")
        axes.set_title(f"{self.game.name.capitalize()}: {self.trees[0].deals:,} deals for each dealer")
        axes.grid(alpha=0.25)
        figure.legend(loc="outside right upper", fontsize=9 if len(self.rows) <= 8 else 6)
        save_figure(figure, path)


def exact_results_of(
    trees: Sequence[Tree],
    players: Sequence[Player],
    *,
    samples: int = 1,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> ExactResults:
    """Exact values of these players. ``progress`` is called with the name of each player before it is measured."""
    rows: list[PlayerResult] = []
    policies: list[list[Policy]] = []
    for name, player in players:
        if progress is not None:
            progress(name)
        begin = time.perf_counter()
        runs: list[CFR] = []
        if isinstance(player, CFRLimit):
            found, runs = solve(trees, player.seconds, iterations=player.iterations)
            seconds = sum(run.seconds for run in runs)
        else:
            found = policies_of(trees, player, name, samples=samples, seed=seed)
            seconds = time.perf_counter() - begin
        rows.append(PlayerResult(name, worst_case(trees, found), seconds, tuple(runs)))
        policies.append(found)
    meetings = tuple(tuple(meeting(trees, own, other) for other in policies) for own in policies)
    return ExactResults(trees[0].game, tuple(trees), tuple(rows), meetings, samples, seed)
