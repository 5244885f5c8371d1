"""The command ``card-envs play``: a person, or several at one screen, plays in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from card_agents.cli.command_line import INTERRUPTED, Parser, called, command, needed
from card_agents.cli.options import PREFIX, chosen_game, game_commands, whole
from card_agents.cli.warmup import PLAYERS, notice_if_slow
from card_agents.evaluation.arena import warm_up
from card_agents.labels import labels_of
from card_agents.names import NAMES_HELP, is_external, make_agent, split_label
from card_agents.screen import screen
from card_agents.table.game_file import GameFile
from card_agents.table.sitting import PERSON, Sitting
from card_agents.table.terminal import Quit, Terminal
from card_envs import Game
from card_envs.cards import NAMES, rank_name
from card_envs.records import GameRecord
from card_envs.warmup import warm_up as warm_up_game

if TYPE_CHECKING:
    from rich.console import Console

VERB = "play"

YOU = "you"
"""A person, among the names of players."""

FOLDER = Path("runs")
"""Where games are kept unless the arguments say otherwise."""

ONLY_NEW = ("seed", "seat", "save")
"""Options of a new game."""


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Play as the arguments say; the exit status."""
    parser = Parser(
        prog=called(VERB),
        description="Play against players of the library, or several people at one screen. The game is saved after "
        f"every play; '{called(VERB)} --resume FILE' goes on with it.",
    )
    game_commands(parser, _add_options, "--opponents random --seed 7 --deals 1")
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parser.parse_args(_with_game(given))
    except ValueError as error:
        parser.error(str(error))
    refused: argparse.ArgumentParser = arguments.command
    needed("play", "rich")
    console = screen()
    try:
        _check_letters(arguments.names, console)
        with notice_if_slow(console):
            file, sitting = _resumed(arguments) if "resume" in arguments else (None, _begun(arguments))
            hints = _hints(arguments, sitting.game)
            file = file or _new_file(arguments)
            _warm_up(sitting, hints)
    except ValueError as error:
        refused.error(str(error))
    if sys.stdin.isatty() and console.is_terminal:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # lines can be edited, and earlier ones fetched back
    terminal = Terminal(console, sitting, file, names=arguments.names, hints=hints, rules=_where_the_rules_are())
    return _played(terminal, arguments)


def _played(terminal: Terminal, arguments: argparse.Namespace) -> int:
    """Play until people stop, and say how to go on; the exit status."""
    status = 0
    try:
        terminal.play(arguments.deals)
    except (Quit, EOFError):
        pass
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        terminal.sitting.close()
    path = terminal.file.path
    if path.exists():
        again = [called(VERB), "--resume", shlex.quote(str(path))]
        if arguments.names != NAMES[0]:
            again += ["--names", arguments.names]
        if "hints" in arguments:
            again += ["--hints", shlex.quote(arguments.hints)]
        seats = terminal.sitting.seats
        if any(name is not None and is_external(name) for name in seats):
            again += ["--seats", *(shlex.quote(name or YOU) for name in seats)]
        terminal.console.print(f"\nThe game is kept in {path}. To go on: {' '.join(again)}", soft_wrap=True)
    else:
        terminal.console.print("\nNothing was played, so nothing is kept.")
        with contextlib.suppress(OSError):
            FOLDER.rmdir()  # only if it is empty
    return status


def _with_game(given: list[str]) -> list[str]:
    """The arguments with the game in front, where the file to go on with implies it."""
    if given[:1] != ["--resume"] or len(given) < 2:
        return given
    return [_last_of(Path(given[1]))[1].game.name, *given]


def _add_options(parser: argparse.ArgumentParser, game: str) -> None:
    missing = argparse.SUPPRESS
    parser.add_argument(
        "--opponents",
        nargs="+",
        default=missing,
        metavar="NAME",
        help=f"who plays the other seats, in turn order after yours; the last one named plays all that are left, "
        f"default greedy: {NAMES_HELP}",
    )
    parser.add_argument("--seat", type=whole(0, 255), default=missing, metavar="S", help="your seat, default 0")
    parser.add_argument(
        "--seats",
        nargs="+",
        default=missing,
        metavar="NAME",
        help=f"who plays in every seat, instead of --opponents and --seat: '{YOU}' is a person, LABEL=NAME is called "
        f"LABEL, and several people take turns at the screen, as with --seats Ada={YOU} Bob={YOU}",
    )
    parser.add_argument("--seed", type=whole(0, 2**64 - 1), default=missing, metavar="S", help="seed of the deals; "
                        "default drawn at random")  # fmt: skip
    parser.add_argument(
        "--deals", type=whole(1, 10**9), metavar="N", help="deals (matches with --match) to play, default on and on"
    )
    parser.add_argument(
        "--hints",
        nargs="?",
        const=missing,
        default=missing,
        metavar="NAME",
        help="the player that gives hints, default the trained one where there is one for the rules, else greedy",
    )
    parser.add_argument(
        "--names", choices=NAMES, default=NAMES[0], help="language of the names of cards, default %(default)s"
    )
    parser.add_argument(
        "--save",
        type=Path,
        default=missing,
        metavar="FILE",
        help=f"file of records (JSON lines) to add the games to, default {FOLDER}/{VERB}-{game}-...",
    )
    parser.add_argument(
        "--resume", type=Path, default=missing, metavar="FILE", help="go on with the last game of a file"
    )


def _check_letters(names: str, console: Console) -> None:
    """``ValueError`` where the terminal lacks the letters of a language."""
    try:
        "".join(rank_name(rank, names) for rank in "AKQJ").encode(console.encoding)
    except UnicodeError:
        raise ValueError(
            f"--names {names} needs letters that this terminal ({console.encoding}) does not have: leave it out."
        ) from None


def _begun(arguments: argparse.Namespace) -> Sitting:
    """A new game."""
    game = chosen_game(arguments)
    seats, labels = _seats(arguments, game)
    return Sitting.begin(game, seats, getattr(arguments, "seed", None), labels)


def _new_file(arguments: argparse.Namespace) -> GameFile:
    """The file that a new game is kept in."""
    if "save" in arguments:
        return GameFile(arguments.save)
    try:
        FOLDER.mkdir(exist_ok=True)
    except OSError as error:
        raise ValueError(f"{FOLDER} cannot be made here ({error.strerror}): give --save FILE.") from None
    return GameFile(FOLDER / f"{VERB}-{arguments.game}-{datetime.now():%Y%m%d-%H%M%S}.jsonl")


def _resumed(arguments: argparse.Namespace) -> tuple[GameFile, Sitting]:
    """The last game of a file."""
    other = [name for name in vars(arguments) if name in ONLY_NEW or name.startswith(PREFIX)]
    if other:
        names = ", ".join(f"--{name.removeprefix(PREFIX).replace('_', '-')}" for name in other)
        raise ValueError(f"A game that goes on keeps its rules and its file. Leave out {names}.")
    file, record = _last_of(arguments.resume)
    if record.game.name != arguments.game:
        raise ValueError(f"The last game of {file.path} is of {record.game.name}, not of {arguments.game}.")
    chosen = "opponents" in arguments or "seats" in arguments
    return file, Sitting.resume(record, _seats(arguments, record.game)[0] if chosen else None)


def _last_of(path: Path) -> tuple[GameFile, GameRecord]:
    if not path.exists():
        raise ValueError(f"There is no file {path} to go on with.")
    file = GameFile(path)
    return file, file.take_last()


def _seats(arguments: argparse.Namespace, game: Game) -> tuple[list[str | None], list[str]]:
    """By seat, who plays there (None: a person), and what everybody is called."""
    if "seats" in arguments:
        if "opponents" in arguments or "seat" in arguments:
            raise ValueError("Give either --seats or --opponents and --seat.")
        if len(arguments.seats) != game.num_players:
            raise ValueError(f"--seats needs a name for each of {game.num_players} seats, not {len(arguments.seats)}.")
        given = arguments.seats
    else:
        opponents = getattr(arguments, "opponents", ["greedy"])
        seat, others = getattr(arguments, "seat", 0), game.num_players - 1
        if seat > others:
            raise ValueError(f"--seat {seat} is none of the seats from 0 to {others}.")
        if len(opponents) > others:
            raise ValueError(f"--opponents names {len(opponents)} players, but there are {others} other seats.")
        around = [YOU, *opponents, *[opponents[-1]] * (others - len(opponents))]
        given = [around[(s - seat) % game.num_players] for s in range(game.num_players)]
    split = [split_label(text) for text in given]
    if all(name != YOU for _, name in split):
        raise ValueError(f"--seats names nobody who is there: a person is called '{YOU}'.")
    labels = labels_of([PERSON if name == YOU else name for _, name in split], [label for label, _ in split])
    return [None if name == YOU else name for _, name in split], list(labels)


def _hints(arguments: argparse.Namespace, game: Game) -> str:
    """The player that gives hints; ``ValueError`` if there is none of that name."""
    if "hints" in arguments:
        make_agent(arguments.hints, game)
        return str(arguments.hints)
    try:
        make_agent("ppo", game)
    except ValueError:
        return "greedy"
    return "ppo"


def _warm_up(sitting: Sitting, hints: str) -> None:
    """Compile what will be used, with players that think less."""
    game = sitting.game
    warm_up_game(game)
    named = [name for name in (*sitting.seats, hints) if name is not None]
    cheap = [one for one in PLAYERS if any(one.partition(":")[0] in name for name in named)]
    for one in cheap:
        try:
            warm_up(game, [make_agent(one, game)])
        except ValueError:  # no such player for this game: whoever was named has been made already
            continue


def _where_the_rules_are() -> str:
    addresses = dict(line.split(", ") for line in metadata("card_envs").get_all("Project-URL") or [])
    return f"The rules of the library's games: {addresses.get('Documentation', '')}rules.html"
