"""The learning curve as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from card_agents.figures import new_figure, save_figure
from card_agents.training.settings import Budget
from card_envs import Game

COLOURS = ("#c8553d", "#2a7fb8", "#5a8f3c")

Level = tuple[float, str]
"""A reference level in points per deal, and its label."""


def draw_curve(path: Path, game: Game, points: list[dict[str, Any]], levels: dict[str, Level], budget: Budget) -> None:
    """Draw points per deal against each player in ``levels`` over the steps trained, with 95 % bands."""
    from matplotlib.ticker import EngFormatter

    unit = "match" if game.rules.match else "deal"
    figure = new_figure(8, 0.5 + 3 * len(levels))
    panels = figure.subplots(len(levels), 1, sharex=True)
    steps = [point["steps"] for point in points]
    for axes, colour, (name, (level, meaning)) in zip(panels, COLOURS, levels.items(), strict=False):
        means, lows, highs = ([point[name][part] for point in points] for part in ("mean", "low", "high"))
        axes.plot(steps, means, color=colour, linewidth=2, marker="o", markersize=3.5, label=f"against {name}")
        axes.fill_between(steps, lows, highs, color=colour, alpha=0.25, linewidth=0, label="95 % interval")
        axes.axhline(level, color="0.3", linestyle="--", linewidth=1.2, label=meaning)
        axes.margins(y=0.15)
        axes.set_ylabel(f"points per {unit}")
        axes.grid(alpha=0.25)
        axes.legend(loc="best", framealpha=0.8, fontsize=9)
    panels[-1].set_xlim(left=0)
    panels[-1].xaxis.set_major_formatter(EngFormatter(sep=""))
    panels[-1].set_xlabel("learner's decisions")
    players = "" if game.num_players == 2 else f" with {game.num_players} players"
    figure.suptitle(f"{game.name.capitalize()}{players}: self-play, {budget.seconds / 60:.1f} minutes of training")
    save_figure(figure, path)
