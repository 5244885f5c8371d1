"""Command-line options for the rules of any game, made from the fields of its rules, and for players."""

from __future__ import annotations

import argparse
import re
import sys
import typing
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Literal

from card_agents.cli.command_line import Parser
from card_agents.fields import field_sentences, plain_hint
from card_agents.labels import labels_of
from card_agents.names import NAMES_HELP, split_label
from card_agents.seeds import read_salt
from card_envs import GAMES, Game, make_game
from card_envs.registry import game_class, rule_fields

PREFIX = "rule_"

NUMBER_OF = "num_"
"""How the name of a rule begins whose option goes without it too: ``--players`` is ``--num-players``."""

AGENTS = f"{NAMES_HELP}. LABEL=NAME labels it LABEL"
"""The help text of --agents."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def game_commands(
    parser: Parser,
    add_options: Callable[[argparse.ArgumentParser, str], None],
    example: str,
    rules: Collection[str] = (),
) -> None:
    """Add one subcommand per game, with an option for each of its rules and those that ``add_options`` adds.

    example: arguments after the game, for the help. rules: fields that it sets; games without them show no example.
    """
    commands = parser.add_subparsers(dest="game", metavar="GAME", required=True, help=", ".join(GAMES))
    for name in GAMES:
        command = commands.add_parser(
            name, help=f"{name}, see {parser.prog} {name} --help", formatter_class=argparse.RawDescriptionHelpFormatter
        )
        command.set_defaults(command=command)
        add_options(command, name)
        try:
            add_rules(command, name)
            if rule_fields(name).keys() >= set(rules):
                command.epilog = f"example: {command.prog} {example}"
                parser.epilog = parser.epilog or command.epilog
        except ValueError:  # a plug-in game that cannot be loaded: chosen_game reports why
            command.epilog = f"The game {name!r} cannot be loaded."


def parsed(parser: Parser, argv: Sequence[str] | None, game_of: Callable[[Path], str]) -> argparse.Namespace:
    """The arguments (None: those of the program); where ``--resume PATH`` comes first, ``game_of(PATH)`` is the game.

    Exits with a sentence where that raises ``ValueError``.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        if given[:1] == ["--resume"] and len(given) > 1:
            given.insert(0, game_of(Path(given[1])))
        return parser.parse_args(given)
    except ValueError as error:
        parser.error(str(error))


def add_rules(parser: argparse.ArgumentParser, game: str) -> None:
    """Add an option for each field of the rules of ``game``, in a separate group."""
    rules = game_class(game).rules_class
    group = parser.add_argument_group("rules", "numbers in brackets refer to docs/rules.md")
    hints, meanings = typing.get_type_hints(rules), field_sentences(rules)
    for name, field in rule_fields(game).items():
        option: dict[str, Any] = {"dest": PREFIX + name, "default": argparse.SUPPRESS} | _reading(hints[name])
        shown = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
        text = meanings.get(name, name).replace("%", "%%")
        option["help"] = text if field.default is None else f"{text}; default {shown}"
        spelled = [f"--{name.replace('_', '-')}"]
        if name.startswith(NUMBER_OF):
            spelled.append(f"--{name.removeprefix(NUMBER_OF).replace('_', '-')}")
        group.add_argument(*spelled, **option)


def chosen_game(arguments: argparse.Namespace) -> Game:
    """The game that the arguments name; exits with a sentence if it cannot be made."""
    rules = {name[len(PREFIX) :]: value for name, value in vars(arguments).items() if name.startswith(PREFIX)}
    command: argparse.ArgumentParser = arguments.command
    try:
        return make_game(arguments.game, **rules)
    except ValueError as error:
        command.error(str(error))


def add_agents(parser: argparse.ArgumentParser) -> None:
    """Add the required option for the names of players."""
    parser.add_argument("--agents", nargs="+", required=True, metavar="NAME", help=AGENTS)


def add_salt(parser: argparse.ArgumentParser) -> None:
    """Add the option for the secret that determines the packs together with the seed."""
    parser.add_argument(
        "--salt",
        type=salt,
        metavar="HEX",
        help="replay the packs of earlier results: the salt that they report, with the same --seed. With an external "
        "bot a random one is drawn, so that nobody can know the packs; otherwise the seed alone determines them",
    )


def add_save_games(parser: argparse.ArgumentParser) -> None:
    """Add ``--save-games``."""
    parser.add_argument(
        "--save-games",
        type=whole(0, 10_000),
        default=0,
        metavar="N",
        help="write the first N deals of each pair down as game records, in all seat rotations; default 0",
    )


def salt(text: str) -> str:
    """Parse a salt."""
    try:
        return read_salt(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def labelled(names: Sequence[str]) -> list[tuple[str, str]]:
    """The (label, name) of each player; no two labels are alike.

    >>> labelled(["greedy", "mine=ppo:a.npz", "greedy"])
    [('greedy', 'greedy'), ('mine', 'ppo:a.npz'), ('greedy (2)', 'greedy')]
    """
    given, players = zip(*map(split_label, names), strict=True)
    return list(zip(labels_of(players, given), players, strict=True))


def integer(text: str) -> int:
    """Parse a whole number written in digits."""
    if _WHOLE.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number in digits, like 1000")
    return int(text)


def whole(least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers from ``least`` to ``most``."""

    def number(text: str) -> int:
        value = integer(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is out of range: give {least} to {most}")
        return value

    return number


def real(text: str) -> float:
    """Parse a finite number."""
    value = float(text) if _NUMBER.fullmatch(text) else float("nan")
    if not abs(value) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, like 0.25")
    return value


def positive(text: str) -> float:
    """Parse a number above 0."""
    value = real(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(map(_WHOLE.fullmatch, parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers like 11,12,13")
    return tuple(map(int, parts))


def _reading(hint: Any) -> dict[str, Any]:
    """The argparse arguments for a rule of this type."""
    hint = plain_hint(hint)
    if hint is bool:
        return {"action": argparse.BooleanOptionalAction}
    if typing.get_origin(hint) is Literal:
        return {"choices": typing.get_args(hint)}
    if typing.get_origin(hint) is tuple:
        return {"type": _numbers, "metavar": ",".join("N" for _ in typing.get_args(hint))}
    return {"type": {int: integer, float: real}.get(hint, hint), "metavar": "N"}
