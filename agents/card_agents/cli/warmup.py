"""Compile the code of players, measurements and the exact solver once, so that no timing includes compilation.

Run ``card-envs warmup`` before starting many workers: it compiles all of ``card_envs`` too (``card_envs.warmup``
suffices without players of this package). Compiled code stays on the disk until the library changes.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from card_agents.cli.command_line import Parser, called, command
from card_agents.evaluation.arena import warm_up
from card_agents.names import make_agent
from card_envs import GAMES, Game
from card_envs.warmup import loadable
from card_envs.warmup import warm_up as warm_up_game

if TYPE_CHECKING:
    from rich.console import Console

VERB = "warmup"

PLAYERS = ("random", "greedy", "ppo", "pimc:1", "ismcts:1", "ismcts:1+ppo", "exact+greedy")
"""Together they use all compiled code of the players."""

PATIENCE = 2.0
"""Seconds after which a message explains the delay."""


def warm_up_players(game: Game) -> None:
    """Compile a game and all that its players need."""
    warm_up_game(game)
    for name in PLAYERS:
        with contextlib.suppress(ValueError):  # not every game has every player
            warm_up(game, [make_agent(name, game)])


def warm_up_all(game: Game) -> None:
    """Compile everything for a game."""
    from card_agents.equilibrium.solving import warm_up as warm_up_equilibrium
    from card_agents.evaluation.regret import KINDS, measure

    warm_up_players(game)
    for kind in KINDS:
        with contextlib.suppress(ValueError):  # not every game has exact play
            measure(game, ("greedy", make_agent("greedy", game)), seeds=np.zeros(1, np.uint64), kind=kind)
    if game.num_players == 2:
        warm_up_equilibrium(game)


@contextlib.contextmanager
def notice_if_slow(console: Console) -> Iterator[None]:
    """Print an explanation if the body of the ``with`` statement takes longer than ``PATIENCE``."""
    notice = threading.Timer(
        PATIENCE,
        console.print,
        ["Warming up: compiling code, which is cached for later runs, and playing one deal with each player."],
        {"soft_wrap": True},
    )
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Compile everything for the games that the arguments name, and print how long it took; the exit status."""
    parser = Parser(
        prog=called(VERB),
        description="Compile everything once, before workers or clocks are started; it is kept.",
        epilog=f"example: {called(VERB)} {next(iter(GAMES))}",
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(GAMES)}; all of them if none is named")
    names = parser.parse_args(argv).games
    for name in names:
        if name not in GAMES:
            parser.error(f"there is no game {name!r}: choose from {', '.join(GAMES)}.")
    for game in loadable(names or GAMES):
        start = time.perf_counter()
        print(f"{game.name}: compiling, or loading compiled code ...", end=" ", flush=True)
        warm_up_all(game)
        print(f"{time.perf_counter() - start:.1f} s")
    return 0
