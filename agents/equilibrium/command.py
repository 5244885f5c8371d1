"""The command ``scripts/exploit.py``: how much players of a small game can lose, exactly."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from agents.equilibrium.cfr import Effort
from agents.equilibrium.report import Player, examine
from agents.equilibrium.solving import write_out_all
from agents.equilibrium.tree import measure
from agents.names import make_agent
from agents.options import add_agents, chosen_game, game_commands, positive, whole
from card_envs import Game

WIDEST = 8
"""Most players whose meetings fit on a screen; all of them are in the JSON."""


def main(argv: Sequence[str] | None = None) -> int:
    """Examine as the arguments say; the exit status."""
    parser = argparse.ArgumentParser(
        prog="exploit.py",
        description="Exact value of a small game, and exact exploitability of its players: the points a deal that "
        "an opponent wins who knows all that they do.",
    )
    game_commands(parser, _add_options)
    arguments = parser.parse_args(argv)
    command: argparse.ArgumentParser = arguments.command
    for option, path in (("--json", arguments.json), ("--picture", arguments.picture)):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            command.error(f"{option} {path} is not a file in a folder that exists.")
    game = chosen_game(arguments)

    from rich.console import Console

    console = Console()
    try:
        players = [player for name in arguments.agents for player in _players(name, game)]
        console.print(f"{game.describe()}: {measure(game)}", highlight=False)
        with console.status("writing the game out") as status:
            trees = write_out_all(game, memory=int(arguments.memory * 2**30))
            report = examine(
                trees,
                players,
                samples=arguments.samples,
                seed=arguments.seed,
                progress=lambda name: status.update(f"examining {name}"),
            )
    except ValueError as error:
        command.error(str(error))
    console.print(report.table())
    if 1 < len(players) <= WIDEST:
        console.print(report.pairs())
    if arguments.json is not None:
        report.save(arguments.json)
        console.print(f"Written to {arguments.json}")
    if arguments.picture is not None:
        report.draw(arguments.picture)
        console.print(f"Drawn to {arguments.picture}")
    return 0


def _players(name: str, game: Game) -> list[Player]:
    """The players of one name: a trained one twice, by its likeliest actions and by drawn ones."""
    kind, _, text = name.partition(":")
    if kind == "cfr":
        return [(name, Effort.read(text))]
    agent = make_agent(name, game)
    if not hasattr(agent, "deterministic"):
        return [(name, agent)]
    return [(f"{name} likeliest", agent), (f"{name} drawn", make_agent(name, game, deterministic=False))]


def _add_options(parser: argparse.ArgumentParser) -> None:
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
