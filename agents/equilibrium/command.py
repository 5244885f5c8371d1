"""The command ``python scripts/exploit.py``: how much players of a small game can lose, exactly."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.command_line import Parser, called, command, needed, screen
from agents.equilibrium.cfr import Effort
from agents.equilibrium.report import Player, examine
from agents.equilibrium.solving import warm_up as warm_up_solving
from agents.equilibrium.solving import write_out_all
from agents.equilibrium.tree import measure
from agents.files import check_writable
from agents.names import make_agent
from agents.options import add_agents, chosen_game, game_commands, labelled, positive, whole
from agents.warmup import told_if_long, warm_up
from card_envs import Game

if TYPE_CHECKING:
    from rich.console import Console

    from agents.equilibrium.report import Report

SCRIPT = "scripts/exploit.py"

WIDEST = 8
"""Most players whose meetings fit on a screen; all of them are in the JSON."""


@command(SCRIPT)
def main(argv: Sequence[str] | None = None) -> int:
    """Examine as the arguments say; the exit status."""
    parser = Parser(
        prog=called(SCRIPT),
        description="Exact value of a small game, and exact exploitability of its players: the points a deal that "
        "an opponent wins who knows all that they do.",
    )
    game_commands(parser, _add_options)
    arguments = parser.parse_args(argv)
    refused: argparse.ArgumentParser = arguments.command
    game = chosen_game(arguments)
    needed("arena", "rich", *(["matplotlib"] if arguments.picture is not None else []))
    console = screen()
    try:
        for path in (arguments.json, arguments.picture):
            if path is not None:
                check_writable(path)
        report = _examined(game, arguments, console)
    except ValueError as error:
        refused.error(str(error))
    try:
        if arguments.json is not None:
            report.save(arguments.json)
        if arguments.picture is not None:
            report.draw(arguments.picture)
    finally:
        console.print(report.table())
        if 1 < len(report.rows) <= WIDEST:
            console.print(report.pairs())
    for done, path in (("Written", arguments.json), ("Drawn", arguments.picture)):
        if path is not None:
            console.print(f"{done} to {path}", soft_wrap=True)
    return 0


def _examined(game: Game, arguments: argparse.Namespace, console: Console) -> Report:
    """The report that the arguments ask for; ``ValueError`` if there can be none."""
    from rich.markup import escape

    size = measure(game)
    with told_if_long(console):
        players = [player for label, name in labelled(arguments.agents) for player in _players(label, name, game)]
        warm_up_solving(game)
        warm_up(game, [player for _, player in players if not isinstance(player, Effort)])
    console.print(f"{game.describe()}: {size}")
    with console.status("writing the game out", spinner="line") as status:
        return examine(
            write_out_all(game, memory=int(arguments.memory * 2**30)),
            players,
            samples=arguments.samples,
            seed=arguments.seed,
            progress=lambda name: status.update(escape(f"examining {name}")),
        )


def _players(label: str, name: str, game: Game) -> list[Player]:
    """The players of one name: a trained one twice, by its likeliest actions and by drawn ones."""
    kind, _, text = name.partition(":")
    if kind == "cfr":
        return [(label, Effort.read(text))]
    agent = make_agent(name, game)
    if not hasattr(agent, "deterministic"):
        return [(label, agent)]
    return [(f"{label} likeliest", agent), (f"{label} drawn", make_agent(name, game, deterministic=False))]


def _add_options(parser: argparse.ArgumentParser, game: str) -> None:
    add_agents(parser)
    parser.add_argument(
        "--samples",
        type=whole(1, 10_000),
        default=1,
        metavar="N",
        help="times a player with dice that does not state its probabilities is asked; default 1",
    )
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=0, metavar="S", help="decides the dice; default 0")
    parser.add_argument(
        "--memory", type=positive, default=6.0, metavar="GIB", help="most that the game may take; default 6"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="where to draw exploitability over time, a PNG")


if __name__ == "__main__":
    sys.exit(main())
