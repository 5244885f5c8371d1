"""All commands in one program: ``card-envs VERB ...``, or ``python -m card_envs VERB ...``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module

from card_agents.cli.command_line import SINGLE_THREADED, SLEEPING, Parser, begin_with, called


@dataclass(frozen=True)
class Verb:
    """A command: its help text, and the environment variables to set before its libraries are loaded.

    unless_set: keep the values that the user has set.
    """

    does: str
    settings: Mapping[str, str] = field(default_factory=dict)
    unless_set: bool = False


VERBS = {
    "play": Verb("play in the terminal against players, or several people", SINGLE_THREADED, unless_set=True),
    "train": Verb("train a player by self-play", SLEEPING, unless_set=True),
    "evaluate": Verb("compare players over the same deals"),
    "table": Verb("play in a browser against people and players, look and replay", SINGLE_THREADED, unless_set=True),
    "tournament": Verb("a round robin with ratings, or a sequential test of two players", SINGLE_THREADED),
    "exploit": Verb("exact value of a small game and exploitability of its players"),
    "watch": Verb("step through a game record, or write it down as pictures, a page or a film"),
    "warmup": Verb("compile everything once, before workers start or anything is timed"),
}
"""Each is a module of this package with a ``main``."""


def run(verb: str, argv: Sequence[str] | None = None) -> int:
    """Run a command with these arguments (None: those of the program); the exit status."""
    begin_with(VERBS[verb].settings, unless_set=VERBS[verb].unless_set)
    status: int = import_module(f"{__package__}.{verb}").main(sys.argv[1:] if argv is None else argv)
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command named by the arguments; the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given and given[0] in VERBS:
        return run(given[0], given[1:])
    from card_envs import GAMES

    parser = Parser(
        prog=called(),
        description="Play card games; train, compare and measure players of them.",
        epilog=f"example: {called()} play {next(iter(GAMES))}",
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for name, verb in VERBS.items():
        verbs.add_parser(name, help=verb.does)
    parser.parse_args(given)
    raise AssertionError("a verb that the parser knows has been run above")
