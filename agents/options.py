"""Command-line options for the rules of whichever game is named: made from the fields of its rules."""

from __future__ import annotations

import argparse
import types
import typing
from collections.abc import Callable
from typing import Any

from agents.names import SPOKEN
from card_envs import GAMES, Game, make_game
from card_envs.registry import game_class, rule_fields

PREFIX = "rule_"


def game_commands(parser: argparse.ArgumentParser, add_options: Callable[[argparse.ArgumentParser], None]) -> None:
    """One command for each game, with an option for each of its rules and those that ``add_options`` adds."""
    commands = parser.add_subparsers(dest="game", metavar="GAME", required=True, help=", ".join(GAMES))
    for name in GAMES:
        command = commands.add_parser(
            name, help=f"{name}, see {parser.prog} {name} --help", formatter_class=argparse.RawDescriptionHelpFormatter
        )
        command.set_defaults(command=command)
        add_options(command)
        try:
            add_rules(command, name)
        except ValueError:  # a game of another package that cannot be loaded: chosen_game will say so
            command.epilog = f"The game {name!r} cannot be loaded."


def add_rules(parser: argparse.ArgumentParser, game: str) -> None:
    """An option for each field of the rules of ``game``, in a group of their own."""
    group = parser.add_argument_group("rules", f"see {game_class(game).rules_class.__name__}")
    hints = typing.get_type_hints(game_class(game).rules_class)
    for name, field in rule_fields(game).items():
        option = f"--{name.replace('_', '-')}"
        reader = _reader(hints[name])
        common: dict[str, Any] = {"dest": PREFIX + name, "default": argparse.SUPPRESS}
        if reader is bool:
            group.add_argument(option, action=argparse.BooleanOptionalAction, help=f"default {field.default}", **common)
        else:
            shown = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
            group.add_argument(option, type=reader, metavar="VALUE", help=f"default {shown}", **common)


def chosen_game(arguments: argparse.Namespace) -> Game:
    """The game that the arguments ask for; ends the program with a sentence if it cannot be."""
    rules = {name[len(PREFIX) :]: value for name, value in vars(arguments).items() if name.startswith(PREFIX)}
    command: argparse.ArgumentParser = arguments.command
    try:
        return make_game(arguments.game, **rules)
    except ValueError as error:
        command.error(str(error))


def add_agents(parser: argparse.ArgumentParser) -> None:
    """An option for the names of players, of which there must be some."""
    parser.add_argument("--agents", nargs="+", required=True, metavar="NAME", help=SPOKEN)


def whole(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number from ``least`` to ``most``."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is out of range: give {least} to {most}")
        return value

    return number


def positive(text: str) -> float:
    """Reads a number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers like 11,12,13") from None


def _reader(hint: Any) -> Callable[[str], Any]:
    """What reads a rule of this type from text."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is tuple:
        return _numbers
    reader: Callable[[str], Any] = hint
    return reader
