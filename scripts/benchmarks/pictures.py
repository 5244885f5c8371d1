"""The figures as two plots: by number of tables, with the C limit and the peers; and by threads and players."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from benchmarks.games import label
from card_agents.figures import new_figure, save_figure

COLOURS = {
    ("elfern", 2): "#2a7fb8",
    ("konchinka", 2): "#c8553d",
    ("konchinka", 4): "#d99a2b",
    ("konchinka", 12): "#6a4c93",
}
MARKS = {
    "Env.step": ("o", "#2a7fb8"),
    "OpenSpiel": ("s", "#2f6f4e"),
    "RLCard": ("^", "#6b6b6b"),
    "PettingZoo": ("D", "#b0567f"),
    "pgx": ("*", "#111111"),
}
"""Marker and colour of our single environment and of each peer."""
NUMBERS = {1: "one", 2: "two", 4: "four", 8: "eight"}
LINES = {1: "#2a7fb8", 2: "#c8553d", 4: "#6a4c93", 8: "#2f6f4e"}
WIDTH, PLAYERS = "benchmark_width.png", "benchmark_players.png"
GAP = 0.125
"""Least distance between the labels of two markers, in decades."""


def draw(results: dict[str, Any], folder: Path) -> list[Path]:
    """Draw what was measured; the files written."""
    figures = [Figure.read(row) for row in results["figures"]]
    drawn = []
    for name, part, picture in ((WIDTH, "width", _by_width), (PLAYERS, "players", _by_players)):
        if any(figure.part == part for figure in figures):
            folder.mkdir(parents=True, exist_ok=True)
            picture(figures, _under(results), folder / name)
            drawn.append(folder / name)
    return drawn


def _under(results: dict[str, Any]) -> str:
    about = results["machine"]
    return (
        f"{about['cpu']}, {about['cores']} cores; {results['date']}; random legal play with observation and mask, "
        f"medians over {results['settings']['rounds']} rounds"
    )


def _canvas() -> tuple[Any, Any]:
    canvas = new_figure(9.2, 6.2, dpi=130)
    axes = canvas.add_subplot()
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    return canvas, axes


def _by_width(figures: list[Figure], under: str, path: Path) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter

    canvas, axes = _canvas()
    chosen = [figure for figure in figures if figure.part == "width"]
    for key, colour in COLOURS.items():
        ours = sorted((f for f in chosen if (f.game, f.players) == key), key=lambda f: f.tables)
        line = [figure for figure in ours if not figure.what.startswith("C,")]
        if not line:
            continue
        widths, values = [f.tables for f in line], [f.value for f in line]
        axes.plot(widths, values, color=colour, linewidth=2.2, marker="o", markersize=5, label=label(*key), zorder=3)
        low, high = [f.least for f in line], [f.most for f in line]
        axes.fill_between(widths, low, high, color=colour, alpha=0.18, linewidth=0)
        for figure in ours:
            if figure.what.startswith("C,"):
                axes.axhline(figure.value, color=colour, linestyle="--", linewidth=1.1, zorder=2)
    axes.plot([], [], color="0.35", linestyle="--", linewidth=1.1, label="hand-written C (same colour)")
    axes.set_xscale("log")
    axes.set_yscale("log")
    marked = [figure for figure in figures if figure.part == "peers" and figure.what in MARKS and figure.value]
    _mark(axes, marked)
    axes.set_xlim(0.016 if marked else 0.7, 600_000 if marked else 130_000)
    axes.xaxis.set_major_locator(FixedLocator([10**power for power in range(6)]))
    axes.xaxis.set_minor_locator(FixedLocator([]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(_short))
    axes.set_xlabel("number of tables")
    axes.set_ylabel("decisions per second (card_envs and C: one thread)")
    canvas.suptitle("Decisions per second by number of tables", fontsize=14, fontweight="bold")
    axes.set_title(under, fontsize=8.5, color="0.35")
    axes.legend(loc="lower right", framealpha=0.95, fontsize=9)
    save_figure(canvas, path)


def _mark(axes: Any, figures: list[Figure]) -> None:
    """A labelled marker for each: single tables on the left, where there is no line; many tables on the right."""
    from matplotlib.patheffects import withStroke

    for left in (True, False):
        column = sorted((f for f in figures if (f.tables == 1) == left), key=lambda f: f.value)
        for figure, height in zip(column, apart([math.log10(f.value) for f in column], GAP), strict=True):
            marker, colour = MARKS[figure.what]
            axes.plot(figure.tables, figure.value, marker, color=colour, markersize=8, zorder=4)
            axes.annotate(
                f"card_envs, {figure.what}" if figure.players else f"{figure.what} {_plain_name(figure.game)}",
                (figure.tables, figure.value),
                xytext=(figure.tables * (0.55 if left else 1.5), 10**height),
                arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 3},
                color=colour,
                fontsize=8.5,
                ha="right" if left else "left",
                va="center",
                zorder=5,
                path_effects=[withStroke(linewidth=2.5, foreground="white")],
            )


def apart(heights: list[float], gap: float) -> list[float]:
    """Ascending heights, moved as little as possible so that neighbours are at least ``gap`` apart."""
    groups: list[list[float]] = []  # sum of (height - place × gap), count
    for place, height in enumerate(heights):
        groups.append([height - place * gap, 1])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, number = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += number
    moved = [total / number for total, number in groups for _ in range(int(number))]
    return [height + place * gap for place, height in enumerate(moved)]


def _plain_name(game: str) -> str:
    words = game.replace("-", " ").replace("_", " ").split()
    return " ".join(word for word in words if not (word[0] == "v" and word[1:].isdigit()))


def _short(value: float, _: Any = None) -> str:
    if value >= 1e6:
        return f"{value / 1e6:g} million"
    return f"{value / 1e3:g} thousand" if value >= 1e3 else f"{value:g}"


def _by_players(figures: list[Figure], under: str, path: Path) -> None:
    canvas, axes = _canvas()
    chosen = sorted((figure for figure in figures if figure.part == "players"), key=lambda f: f.players)
    for threads in sorted({figure.threads for figure in chosen}):
        colour, number = LINES.get(threads, "0.2"), NUMBERS.get(threads, str(threads))
        plural = "s" if threads > 1 else ""
        same = [figure for figure in chosen if figure.threads == threads]
        ours = [figure for figure in same if not figure.what.startswith("C,")]
        _span(axes, ours, colour, f"card_envs, {number} thread{plural}", "-")
        limit = [figure for figure in same if figure.what.startswith("C,")]
        if limit:
            _span(axes, limit, colour, f"hand-written C, {number} process{'es' if plural else ''}", "--")
    top = max((figure.most for figure in chosen), default=1.0) / 1e6
    axes.set_ylim(0, 1.28 * top)  # space for the legend
    axes.set_xticks(range(2, 13))
    axes.set_xlabel("players per table")
    axes.set_ylabel("million decisions per second")
    tables = max((figure.tables for figure in chosen), default=0)
    canvas.suptitle(f"Konchinka by threads and number of players, {tables:,} tables", fontsize=14, fontweight="bold")
    axes.set_title(under, fontsize=8.5, color="0.35")
    axes.legend(loc="upper center", ncols=2, framealpha=0.95, fontsize=9)
    save_figure(canvas, path)


def _span(axes: Any, line: list[Figure], colour: str, name: str, style: str) -> None:
    """A line over the number of players, with its range as a band."""
    players = [figure.players for figure in line]
    low, middle, high = ([getattr(f, end) / 1e6 for f in line] for end in ("least", "value", "most"))
    width = 2.2 if style == "-" else 1.3
    axes.plot(players, middle, style, color=colour, linewidth=width, marker="o", markersize=2 * width, label=name)
    axes.fill_between(players, low, high, color=colour, alpha=0.15 if style == "-" else 0.07, linewidth=0)
