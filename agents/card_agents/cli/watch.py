"""The command ``card-envs watch``: step through a game record, or write it down as pictures, a page or a film."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from card_agents import replay
from card_agents.cli.command_line import Parser, called, command, needed
from card_agents.cli.options import whole
from card_agents.files import check_writable, write_whole
from card_envs import GameRecord, read_records
from card_envs.cards import NAMES

VERB = "watch"

KEYS = "Enter: next, b: back, f: first, l: last, a number: so many plays, q: quit"
MILLISECONDS = 1200
"""How long a film shows each position."""


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Show the record that the arguments name; the exit status."""
    parser = Parser(
        prog=called(VERB),
        description="Step through a game record, or write it down as pictures, a page or a film.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"example:\n  {called(VERB)} games.jsonl --html game.html\n\ndocs/records.md says what a record is.",
    )
    _add_options(parser)
    arguments = parser.parse_args(argv)
    if arguments.gif is not None:
        needed("pictures", "resvg_py", "PIL")
    record = record_of(arguments.file, arguments.number)
    seat = None if arguments.seat == "all" else arguments.seat
    if seat is not None and seat >= record.game.num_players:
        parser.error(f"--seat {seat}: this record has {record.game.num_players} seats, from 0.")
    written = [
        path
        for path in (_pictures(record, seat, arguments), _page(record, seat, arguments), _film(record, seat, arguments))
        if path
    ]
    for path in written:
        print(f"Written: {path}")
    if not written:
        _step_through(record, seat, arguments.names)
    return 0


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a file of game records, one a line")
    parser.add_argument(
        "--number", type=whole(1, 10**9), default=1, metavar="K", help="which record of the file; default 1"
    )
    parser.add_argument("--seat", type=_seat, default="all", metavar="S", help="show what this seat saw; default all")
    parser.add_argument("--names", choices=NAMES, default="en", help="language of the cards' names; default en")
    parser.add_argument(
        "--width", type=whole(200, 4000), default=720, metavar="W", help="of pictures, in pixels; default 720"
    )
    parser.add_argument(
        "--svg", type=Path, metavar="DIR", help="write each position to a picture of its own, in this folder"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write one page for a browser, which needs no other file"
    )
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write a film (needs the extra pictures)")


def _seat(text: str) -> int | str:
    return text if text == "all" else whole(0, 11)(text)


def record_of(path: Path, number: int) -> GameRecord:
    """A record of a file, counted from 1; ``ValueError`` if there are not so many."""
    found = 0
    for record in read_records(path):
        found += 1
        if found == number:
            return record
    raise ValueError(f"{path} has {found} record{'' if found == 1 else 's'}, so there is no record {number}.")


def _pictures(record: GameRecord, seat: int | None, arguments: argparse.Namespace) -> Path | None:
    folder: Path | None = arguments.svg
    if folder is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    digits = len(str(len(record)))
    for plays in range(len(record) + 1):
        drawn = replay.picture(record, plays, seat, arguments.names, arguments.width)
        write_whole(folder / f"{plays:0{digits}}.svg", drawn.encode())
    return folder


def _page(record: GameRecord, seat: int | None, arguments: argparse.Namespace) -> Path | None:
    path: Path | None = arguments.html
    if path is not None:
        check_writable(path)
        write_whole(path, replay.html(record, seat, arguments.names, arguments.width).encode())
    return path


def _film(record: GameRecord, seat: int | None, arguments: argparse.Namespace) -> Path | None:
    path: Path | None = arguments.gif
    if path is None:
        return None
    from PIL import Image

    from card_envs.render.pixels import pixels

    check_writable(path)
    drawn = (replay.picture(record, plays, seat, arguments.names, arguments.width) for plays in range(len(record) + 1))
    first, *others = (Image.fromarray(pixels(svg)).quantize(64) for svg in drawn)
    film = io.BytesIO()
    first.save(film, "GIF", save_all=True, append_images=others, duration=MILLISECONDS, loop=0)
    write_whole(path, film.getvalue())
    return path


def _step_through(record: GameRecord, seat: int | None, names: str) -> None:
    """Show positions one by one as asked for at a terminal; elsewhere all of them."""
    asked = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    plays = 0
    while True:
        print(f"{replay.text(record, plays, seat, names)}\n\n{replay.caption(record, plays, names)}")
        if not asked:
            if plays == len(record):
                return
            print()
            plays += 1
            continue
        try:
            wanted = _wanted(input(f"[{KEYS}] ").strip().lower(), plays, len(record))
        except EOFError:
            return
        if wanted is None:
            return
        plays = wanted


def _wanted(key: str, plays: int, last: int) -> int | None:
    """How many plays to show next; None to stop."""
    if key in ("q", "quit"):
        return None
    if key.isascii() and key.isdigit():
        return min(int(key), last)
    steps = {"": plays + 1, "n": plays + 1, "b": plays - 1, "f": 0, "l": last}
    return min(max(steps.get(key, plays), 0), last)
