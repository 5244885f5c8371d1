"""The command ``card-envs players``: who there is to play, for a game and its rules."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from card_agents.cli.command_line import Parser, called, command, needed
from card_agents.cli.options import chosen_game, game_commands
from card_agents.cli.warmup import notice_if_slow
from card_agents.files import check_writable, write_whole
from card_agents.roster import Entry, roster
from card_agents.screen import literal, screen
from card_envs import GAMES, Game
from card_envs.warmup import loadable

if TYPE_CHECKING:
    from rich.table import Table

VERB = "players"
JSON = "file for the list"


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """List the players for the game that the arguments name, or for all games; the exit status."""
    parser = Parser(
        prog=called(VERB),
        description="Who there is to play: for one game and its rules, or for each game by its default rules. "
        "Players of other packages are listed too.",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help=JSON)
    game_commands(parser, _add_options, "", required=False)
    arguments = parser.parse_args(argv)
    games = [chosen_game(arguments)] if arguments.game else loadable(GAMES)
    needed("play", "rich")
    console = screen()
    try:
        if arguments.json is not None:
            check_writable(arguments.json)
    except ValueError as error:
        parser.error(str(error))
    with notice_if_slow(console):
        found = [(game, roster(game)) for game in games]
    try:
        if arguments.json is not None:
            content = [_as_data(game, entries) for game, entries in found]
            write_whole(arguments.json, (json.dumps(content, indent=2) + "\n").encode())
    finally:
        for game, entries in found:
            console.print(_table(game, entries))
    return 0


def _add_options(parser: argparse.ArgumentParser, game: str) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", default=argparse.SUPPRESS, help=JSON)


def _as_data(game: Game, entries: Sequence[Entry]) -> dict[str, object]:
    """The players of a game, for JSON."""
    rules = dataclasses.asdict(game.rules)
    return {"game": game.name, "rules": rules, "players": [entry.to_dict() for entry in entries]}


def _table(game: Game, entries: Sequence[Entry]) -> Table:
    from rich.table import Table

    table = Table(title=f"Players of {game.describe()}", title_justify="left")
    for heading in ("name", "what it is", "plays this", "needs", "cost"):
        table.add_column(heading, overflow="fold")
    words = {True: "yes", False: "no", None: "depends on what is named"}
    for entry in entries:
        plays = f"no: {entry.fault}" if entry.fault else words[entry.playable]
        needs = f"card_envs[{entry.extra}]" if entry.extra else ""
        from_package = "" if entry.package == "card_envs" else f" (package {entry.package})"
        cells = (entry.name, f"{entry.sentence}{from_package}", plays, needs, entry.cost)
        table.add_row(*map(literal, cells))
    return table
