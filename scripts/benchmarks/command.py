"""The benchmark command: measure the chosen parts, save the figures as JSON and plots, and print them."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import engine, environments, memory, peer_process, pictures, report, solving, training
from benchmarks.figures import Figure, Turns
from card_agents.cli.command_line import Parser, called, command, error_sentence, needed
from card_agents.cli.options import positive, whole
from card_agents.files import check_writable, write_whole
from card_agents.screen import screen
from card_agents.versions import machine, versions

if TYPE_CHECKING:
    from rich.console import Console

Measure = Callable[[Turns, Path], list[Figure]]

PARTS: dict[str, Measure] = {
    "engine": engine.measure_engine,
    "threads": engine.measure_threads,
    "environments": environments.measure_environments,
    "training": training.measure_training,
    "memory": memory.measure_memory,
    "start": memory.measure_start,
    "solving": solving.measure_solving,
    "width": engine.measure_width,
    "players": engine.measure_players,
    "peers": peer_process.measure_peers,
}
VERB = "benchmark"
FOLDER = Path("runs/benchmark")
DESCRIPTION = """The speed of the library on this machine, compared with hand-written C programs that do the same work.

Everything that is compared takes turns in one run. Reported are medians over the rounds, and ratios within a round,
so that a drift in the machine's speed does little harm. A whole run takes about eight minutes.
"""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser(prog=called(VERB), description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rounds",
        type=whole(1, 10_000),
        default=9,
        metavar="N",
        help="rounds in which everything is measured once, default 9",
    )
    parser.add_argument(
        "--seconds", type=positive, default=0.3, metavar="X", help="seconds per measurement, default %(default)s"
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        default=FOLDER / "benchmark.json",
        help="file for the figures, default %(default)s",
    )
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        default=FOLDER,
        help="folder for the plots, default %(default)s",
    )
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="PART", help=f"measure only these of: {', '.join(PARTS)}"
    )
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a ratio is below what is required")
    options = parser.parse_args(arguments)
    needed("arena", "rich", "matplotlib")
    try:
        for folder, file in ((options.json.parent, options.json.name), (options.pictures, pictures.WIDTH)):
            folder.mkdir(parents=True, exist_ok=True)
            check_writable(folder / file)
    except (OSError, ValueError) as error:
        parser.error(error_sentence(error))
    return options


def measured_on() -> dict[str, Any]:
    """The machine, with its memory and load."""
    found = machine()
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found["memory_gib"] = round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
    if hasattr(os, "getloadavg"):
        found["load_before"] = round(os.getloadavg()[0], 2)
    return found


def measure(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Measure the chosen parts; a JSON-serialisable dictionary."""
    parts = [part for part in PARTS if options.only is None or part in options.only]
    results: dict[str, Any] = {
        "date": date.today().isoformat(),
        "machine": measured_on(),
        "versions": versions(),
        "settings": {"rounds": options.rounds, "seconds": options.seconds, "parts": parts},
        "took": {},
        "figures": [],
    }
    turns = Turns(options.rounds, options.seconds)
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            console.print(f"measuring {part} …", end=" ", style="dim")
            start = time.perf_counter()
            results["figures"] += [made.to_dict() for made in PARTS[part](turns, Path(folder))]
            results["took"][part] = round(time.perf_counter() - start, 1)
            console.print(f"{results['took'][part]:.0f} s", style="dim")
    return results


@command(VERB)
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; the exit status is 0, or with ``--check`` 1 if a ratio is too low."""
    options = parse(arguments)
    console = screen()
    results = measure(options, console)
    written: list[Path] = []
    try:
        write_whole(options.json, (json.dumps(results, indent=1) + "\n").encode())
        written = [options.json, *pictures.draw(results, options.pictures)]
    finally:
        report.show(results, console)
    console.print(f"Results are in {', '.join(map(str, written))}", soft_wrap=True)
    missed = report.missed_ratios(results)
    for figure in missed if options.check else []:
        console.print(
            f"Below the required ratio: {figure.what}, {figure.game} with {figure.players}: {figure.ratio:.2f}."
        )
    return 1 if options.check and missed else 0
