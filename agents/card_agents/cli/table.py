"""The command ``card-envs table``: a page in the browser, to play against people and players, to look and to replay."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

from card_agents.cli.command_line import Parser, called, command, needed
from card_agents.cli.options import AGENTS, whole
from card_agents.cli.warmup import notice_if_slow, warm_up_players
from card_agents.labels import printable
from card_agents.screen import screen
from card_envs import GAMES
from card_envs.warmup import loadable

VERB = "table"

PORT = 8765


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Serve the page until Ctrl-C; the exit status."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    needed("play", "rich", "starlette", "uvicorn")
    import webbrowser

    from card_agents.table.choices import offers_of, playable, refuse_unknown
    from card_agents.table.limits import Limits
    from card_agents.table.room import Room
    from card_agents.table.serving import address, bound, guarded, is_private, serve
    from card_agents.table.store import Store

    console = screen()
    database = arguments.database or _database()
    offers = offers_of(arguments.players)
    try:
        refuse_unknown(offers.values())
    except ValueError as error:
        parser.error(f"--players: {error}")
    listening = bound(arguments.host, arguments.port)
    store = Store(database)
    try:
        with notice_if_slow(console):
            games_of, notes = playable(offers)
            for game in loadable(GAMES):
                warm_up_players(game)
                game.new_state(seed=0).to_svg()
        room = Room(store, offers, games_of, Limits())
        guard = guarded(room, arguments.host)
        page = address(listening, store.secret)
        lines = [*notes, f"The table is at {page}"]
        if not is_private(arguments.host):
            lines.append("Whoever can reach this machine and knows the address can sit down; nothing is encrypted.")
        lines.append(f"Games are kept in {database}. Ctrl-C ends this; the games go on when it is started again.")
        for line in lines:
            console.print(printable(line), soft_wrap=True)
        if arguments.browser and _has_browser():
            threading.Thread(target=webbrowser.open, args=[urljoin(page, guard.way_in())], daemon=True).start()
        serve(guard, room, listening)
    finally:
        store.close()
        listening.close()
    return 0


def _parser() -> Parser:
    from card_agents.table.choices import DEFAULT

    parser = Parser(
        prog=called(VERB),
        description=f"Serve a page to play {', '.join(GAMES)} against people and players, to look and to replay.",
        epilog=f"example:\n  {called(VERB)} --players ppo greedy pimc:100 --no-browser\n\n"
        "docs/table.md tells more: players of one's own, phones in one's own network, where games are kept.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where to listen; default 127.0.0.1, for this machine alone. 0.0.0.0 is for everyone who can reach it",
    )
    parser.add_argument(
        "--port", type=whole(0, 65535), default=PORT, metavar="N", help=f"default {PORT}; 0 for any that is free"
    )
    parser.add_argument(
        "--players",
        nargs="+",
        default=DEFAULT,
        metavar="NAME",
        help=f"the players that people at the table may choose, and no others; default {' '.join(DEFAULT)}. {AGENTS}. "
        "Programs and files are run and read for everyone who has the address",
    )
    parser.add_argument(
        "--database", type=Path, metavar="FILE", help="where games are kept; default a file in the user's own folder"
    )
    parser.add_argument(
        "--browser", action=argparse.BooleanOptionalAction, default=True, help="open the page in a browser; default yes"
    )
    return parser


def _database() -> Path:
    """The file of the user's games, in a folder of the user's own, which is made if it is missing."""
    home = os.environ.get("XDG_DATA_HOME", "")
    folder = (Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share") / "card_envs"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / "table.sqlite"


def _has_browser() -> bool:
    """Whether a browser would open a window of its own, not take over the terminal."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
