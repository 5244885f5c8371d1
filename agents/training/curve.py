"""The learning curve as a picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from agents.files import write_whole
from agents.training.settings import Budget
from card_envs import Game

COLOURS = {"random": "#2a7fb8", "greedy": "#c8553d"}


def draw_curve(path: Path, game: Game, points: list[dict[str, Any]], greedy_at_random: float, budget: Budget) -> None:
    """Draw points per deal against greedy and random over the steps trained, with 95 % bands.

    greedy_at_random: what the greedy player makes against random, drawn for comparison.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    unit = "match" if game.rules.match else "deal"
    figure = Figure(figsize=(8, 5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    steps = [point["steps"] for point in points]
    for name, colour in COLOURS.items():
        means, lows, highs = ([point[name][part] for point in points] for part in ("mean", "low", "high"))
        axes.plot(steps, means, color=colour, linewidth=2, marker="o", markersize=3.5, label=f"against {name}")
        axes.fill_between(steps, lows, highs, color=colour, alpha=0.25, linewidth=0)
    axes.axhline(
        greedy_at_random, color=COLOURS["random"], linestyle="--", linewidth=1.2, label="greedy against random"
    )
    axes.axhline(0, color="0.35", linewidth=1)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    players = "" if game.num_players == 2 else f" with {game.num_players} players"
    axes.set_title(f"{game.name.capitalize()}{players}: self-play, {budget.seconds / 60:.1f} minutes of training")
    axes.set_xlabel("decisions trained on")
    axes.set_ylabel(f"points a {unit}, mean with 95 % interval")
    axes.grid(alpha=0.25)
    axes.legend(loc="lower right", framealpha=0.9)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    write_whole(path, buffer.getvalue())
