"""The ratings and the payoff matrix as figures."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from card_agents.evaluation.tournament.ratings import FITTED
from card_agents.evaluation.tournament.results import Results
from card_agents.evaluation.tournament.tables import title
from card_agents.figures import new_figure, save_figure
from card_agents.labels import labels_of

RATINGS, PAYOFF = "ratings.png", "payoff.png"
COLOUR = "#2a7fb8"
LONGEST = 28
"""Most characters of a label in a figure."""


def draw(results: Results, folder: Path) -> None:
    """Draw both figures into a folder."""
    import matplotlib

    # Labels are plain text, not formulas, whatever characters they contain and however matplotlib is configured.
    plain: Any = {"text.parse_math": False, "text.usetex": False, "axes.formatter.use_mathtext": False}
    with matplotlib.rc_context(plain), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # the font lacks some characters
        _ratings(results, folder / RATINGS)
        _payoff(results, folder / PAYOFF)


def names(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels shortened to fit, no two alike; their ends are kept, since paths differ there.

    >>> names(["greedy", "ppo:runs/first-game/1/m.npz", "ppo:tuns/first-game/1/m.npz"])
    ('greedy', 'ppo:runs/first-game/1/m.npz', 'ppo:tuns/first-game/1/m.npz')
    """
    short = [label if len(label) <= LONGEST else f"…{label[1 - LONGEST :]}" for label in labels]
    return labels_of(short, [None] * len(short))


def _ratings(results: Results, path: Path) -> None:
    """A dot with its interval for each agent, the best on top; an arrow where an end is open."""
    shown = names(results.plan.labels)
    order = [number for number in results.order if results.ratings[number].rating is not None]
    figure = new_figure(8.6, 1.7 + 0.48 * len(order), dpi=130)
    axes = figure.add_subplot()
    middles = [results.ratings[number].rating or 0.0 for number in order]
    width = max(max(middles) - min(middles), 100.0)
    ends = list(middles)
    for place, number in enumerate(order):
        one = results.ratings[number]
        middle = one.rating or 0.0
        low = middle if one.low is None else one.low
        high = middle if one.high is None else one.high
        if one.kind == FITTED:
            axes.plot([low, high], [place, place], color=COLOUR, linewidth=6, alpha=0.35, solid_capstyle="butt")
            axes.plot(middle, place, "o", color=COLOUR, markersize=8)
            ends += [max(low, middle - width), min(high, middle + width)]
        else:
            bound = low if one.low is not None else high
            reach = math.copysign(0.12 * width, 1 if one.low is not None else -1)
            arrow = {"arrowstyle": "-|>", "color": COLOUR, "linewidth": 2}
            axes.annotate("", (bound + reach, place), (bound, place), arrowprops=arrow)
            axes.plot(bound, place, "|", color=COLOUR, markersize=14, markeredgewidth=3)
            ends.append(bound + reach)
        label = "0" if number == results.anchor else str(one)
        axes.annotate(label, (1.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=10.5)
    axes.axvline(0, color="0.4", linestyle="--", linewidth=1, zorder=0)
    axes.set_xlim(min(ends) - 0.04 * width, max(ends) + 0.04 * width)
    axes.set_yticks(range(len(order)), [shown[number] for number in order], fontsize=11)
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.grid(axis="x", alpha=0.25)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel(f"rating on Elo's scale, {shown[results.anchor]} = 0; 95 % intervals")
    figure.suptitle(title(results), fontsize=12, fontweight="bold")
    save_figure(figure, path)


def _payoff(results: Results, path: Path) -> None:
    """The matrix as a heat map, blue where the row wins, with the numbers in the cells."""
    from matplotlib.colors import LinearSegmentedColormap

    order = results.order
    size = len(order)
    cell = 1.15
    figure = new_figure(3.4 + cell * size, 2.4 + 0.72 * cell * size, dpi=130)
    axes = figure.add_subplot()
    values = [[results.payoff(a, b) for b in order] for a in order]
    most = max((abs(one.mean) for row in values for one in row if one is not None), default=0.0) or 1.0
    colours = LinearSegmentedColormap.from_list("payoff", ["#c8553d", "#f7f5f2", "#2a7fb8"])
    picture = [[0.0 if one is None else one.mean for one in row] for row in values]
    axes.imshow(picture, cmap=colours, vmin=-most, vmax=most, aspect="auto")
    for i, row in enumerate(values):
        for j, one in enumerate(row):
            if one is None:
                axes.text(j, i, "–", ha="center", va="center", color="0.6", fontsize=12)
                continue
            colour = "white" if abs(one.mean) > 0.62 * most else "black"
            axes.text(j, i - 0.12, f"{one.mean:+.2f}", ha="center", va="center", color=colour, fontsize=12)
            half = (one.high - one.low) / 2
            if math.isfinite(half):
                axes.text(j, i + 0.22, f"± {half:.2f}", ha="center", va="center", color=colour, fontsize=8.5)
    shown = names(results.plan.labels)
    labels = [shown[number] for number in order]
    slanted = max(map(len, labels)) > 9
    axes.set_xticks(range(size), labels, fontsize=11, rotation=30 if slanted else 0, ha="left" if slanted else "center")
    axes.set_yticks(range(size), labels, fontsize=11)
    axes.xaxis.tick_top()
    axes.set_xticks([place - 0.5 for place in range(1, size)], minor=True)
    axes.set_yticks([place - 0.5 for place in range(1, size)], minor=True)
    axes.grid(which="minor", color="white", linewidth=3)
    axes.tick_params(which="minor", length=0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    others = results.plan.game.num_players - 1
    seats = "" if others == 1 else f" in one seat, column in the other {others}"
    axes.set_xlabel(f"points per {results.plan.unit} of the row against the column{seats}; 95 % intervals")
    figure.suptitle(title(results), fontsize=12, fontweight="bold")
    save_figure(figure, path)
