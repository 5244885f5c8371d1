"""All commands under one name: ``card-envs VERB ...``, or ``python -m card_envs VERB ...``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module

from card_agents.cli.command_line import SINGLE_THREADED, SLEEPING, Parser, begin_with, called


@dataclass(frozen=True)
class Verb:
    """A command: what it does, and the environment variables to be set before its libraries are loaded.

    unless_set: variables that the user has set stay as they are.
    """

    does: str
    settings: Mapping[str, str] = field(default_factory=dict)
    unless_set: bool = False


VERBS = {
    "train": Verb("train a player by self-play", SLEEPING, unless_set=True),
    "evaluate": Verb("compare players over the same deals"),
    "tournament": Verb("a round robin with ratings, or a sequential test of two players", SINGLE_THREADED),
    "exploit": Verb("how much players of a small game can lose, exactly"),
    "warmup": Verb("compile everything once, before workers or clocks are started"),
}
"""Each has a module of its name beside this one, with a ``main``."""


def run(verb: str, argv: Sequence[str] | None = None) -> int:
    """Run a command with these arguments, or those of the program; the exit status."""
    begin_with(VERBS[verb].settings, unless_set=VERBS[verb].unless_set)
    status: int = import_module(f"{__package__}.{verb}").main(sys.argv[1:] if argv is None else argv)
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name; the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given and given[0] in VERBS:
        return run(given[0], given[1:])
    parser = Parser(prog=called(), description="Train, compare and measure players of card games.")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for name, verb in VERBS.items():
        verbs.add_parser(name, help=verb.does)
    parser.parse_args(given)
    raise AssertionError("a verb that the parser knows has been run above")
