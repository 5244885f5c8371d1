"""The figures as tables on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from benchmarks.games import label
from benchmarks.limit import PROCESS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

ROUND = ("engine", "threads", "environments", "training", "memory", "start", "solving")
"""Parts with the common kind of table; the others have their own."""
TITLES = {
    "engine": "Engine, one thread: sample_actions, then step with observations and masks",
    "threads": "Two threads, against two parallel C processes",
    "environments": "Environments and single tables, random opponents, decisions of all seats",
    "training": "Training with the defaults of scripts/train.py, against a do-nothing environment",
    "memory": "Memory growth over many decisions, after a warm-up",
    "start": "Start-up",
    "solving": "Double-dummy solving: the exact values of all actions of a position, mean time",
}


def show(results: dict[str, Any], console: Console) -> None:
    """Print everything that was measured."""
    figures = [Figure.read(row) for row in results["figures"]]
    about = results["machine"]
    console.print(
        f"{results['date']}: {about['cpu']}, {about['cores']} cores, {about.get('memory_gib', '?')} GiB, "
        f"load before {about.get('load_before', '?')}; medians over {results['settings']['rounds']} rounds"
    )
    for part in ROUND:
        chosen = [figure for figure in figures if figure.part == part]
        if chosen:
            console.print(_plain(TITLES[part], chosen))
    if any(figure.part == "width" for figure in figures):
        console.print(_grid("Engine loop by number of tables", figures, "width", "tables"))
    if any(figure.part == "players" for figure in figures):
        console.print(_grid("Engine loop by threads", figures, "players", "threads"))
    peers = [figure for figure in figures if figure.part == "peers"]
    if peers:
        console.print(_peers(peers))


def missed_ratios(results: dict[str, Any]) -> list[Figure]:
    """Figures whose ratio is below what is required, which can be judged on a noisy machine too."""
    figures = [Figure.read(row) for row in results["figures"]]
    return [figure for figure in figures if figure.met is False and figure.ratio is not None]


def amount(value: float, unit: str) -> str:
    """A value with its unit, for display."""
    if unit == "s":
        return f"{value:.2f} s" if value >= 0.1 else f"{value * 1e3:.3f} ms"
    if unit == "bytes":
        return f"{value / 2**20:.1f} MiB" if abs(value) >= 2**20 else f"{value:.0f} bytes"
    if value >= 1e6:
        return f"{value / 1e6:.2f} M/s"
    return f"{value / 1e3:.1f} k/s"


def _plain(title: str, figures: list[Figure]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left")
    table.add_column("game", no_wrap=True)
    table.add_column("what")
    for heading in ("tables", "median", "ratio", "range", "required", "met"):
        table.add_column(heading, justify="right", no_wrap=True)
    for figure in figures:
        table.add_row(
            label(figure.game, figure.players) if figure.players else figure.game.capitalize(),
            figure.what,
            f"{figure.tables:,}",
            amount(figure.value, figure.unit),
            "" if figure.ratio is None else f"{figure.ratio:.2f} of {figure.against.partition(',')[0]}",
            _spread(figure),
            _required(figure),
            {True: Text("yes", "green"), False: Text("no", "red"), None: ""}[figure.met],
        )
    return table


def _spread(figure: Figure) -> str:
    """The range of the ratio, or of the value where there is none."""
    if figure.ratio_least is not None and figure.ratio_most is not None:
        return f"{figure.ratio_least:.2f} – {figure.ratio_most:.2f}"
    if figure.least == figure.most:
        return ""
    return f"{amount(figure.least, figure.unit)} – {amount(figure.most, figure.unit)}"


def _required(figure: Figure) -> str:
    if figure.required is None:
        return ""
    sign = "≤" if figure.at_most else "≥"
    return (
        f"{sign} {figure.required:.2f}"
        if figure.ratio is not None
        else f"{sign} {amount(figure.required, figure.unit)}"
    )


def _grid(title: str, figures: list[Figure], part: str, column: str) -> Table:
    """A row per game, a column per number of tables or threads, with the C program first."""
    from rich.table import Table

    chosen = [figure for figure in figures if figure.part == part]
    limits = {(figure.game, figure.players): figure for figure in chosen if figure.what == PROCESS}
    ours = [figure for figure in chosen if not figure.what.startswith("C,")]
    numbers = sorted({getattr(figure, column) for figure in ours})
    table = Table(title=f"{title}, decisions per second", title_justify="left")
    table.add_column("game", no_wrap=True)
    for heading in [PROCESS, *(f"{number:,} {column}" for number in numbers)]:
        table.add_column(heading.removesuffix("s") if heading.startswith("1 ") else heading, justify="right")
    for key in dict.fromkeys((figure.game, figure.players) for figure in ours):
        cells = {getattr(figure, column): figure.value for figure in ours if (figure.game, figure.players) == key}
        limit = amount(limits[key].value, "") if key in limits else "-"
        table.add_row(label(*key), limit, *(amount(cells[number], "") for number in numbers))
    return table


def _peers(figures: list[Figure]) -> Table:
    from rich.table import Table

    table = Table(title="Other libraries: random play with observation and mask", title_justify="left")
    table.add_column("library", no_wrap=True)
    table.add_column("game", no_wrap=True)
    for heading in ("tables", "decisions per second", "range", "Env.step", "engine loop"):
        table.add_column(heading, justify="right", no_wrap=True)
    for figure in figures:
        if "missing" in figure.notes:
            continue
        single = figure.notes.get("ratio to Env.step")
        table.add_row(
            f"{figure.what} {figure.notes.get('version', '')}".strip(),
            label(figure.game, figure.players) if figure.players else figure.game,
            f"{figure.tables:,}",
            amount(figure.value, figure.unit),
            f"{amount(figure.least, figure.unit)} – {amount(figure.most, figure.unit)}",
            f"{1 / single:.1f} ×" if single and figure.tables == 1 else "",
            f"{1 / figure.ratio:.0f} ×" if figure.ratio else "",
        )
    missing = [f"{figure.what}: {figure.notes['missing']}" for figure in figures if "missing" in figure.notes]
    table.caption = "\n".join(
        [
            "The last two columns say how many times faster ours are; Env.step counts the decisions of all seats.",
            *missing,
        ]
    )
    table.caption_justify = "left"
    return table
