"""The command ``card-envs analyse``: what players know of a position, or where a finished game was given away."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_agents.cli.command_line import Parser, called, command, needed
from card_agents.cli.options import AGENTS, chosen_game, game_commands, labelled, whole
from card_agents.cli.warmup import notice_if_slow
from card_agents.cli.watch import record_of
from card_agents.evaluation.analysis import (
    PlayAnalysis,
    PositionAnalysis,
    RecordAnalysis,
    analyse_position,
    analyse_record,
)
from card_agents.evaluation.arena import fresh_bots
from card_agents.files import check_writable, write_whole
from card_agents.names import make_agent
from card_agents.protocol import Agent
from card_agents.replay import seat_name
from card_agents.roster import fault_of
from card_agents.screen import literal, screen
from card_envs import GAMES, Game, GameRecord
from card_envs.cards import NAMES
from card_envs.render.plays import said, translated

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

VERB = "analyse"
PLAYERS = ("greedy", "ppo", "pimc:100")
"""Asked about a position unless others are named; those that do not play the game are left out."""
JUDGE = "pimc:100"
"""The judge of a record unless another is named."""
WORLDS = 100


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Analyse what the arguments name; the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given and given[0] not in GAMES and not given[0].startswith("-"):
        return _record(given)
    return _position(given)


# A position


def _position(given: Sequence[str]) -> int:
    parser = Parser(
        prog=called(VERB),
        description="What players and open cards say of each legal play of a position, from what the seat on turn may "
        f"see alone. Or, with a file of game records instead of a game, what each play gave away: see {called(VERB)} "
        "FILE --help.",
    )
    game_commands(parser, _position_options, "--seed 7 --agents greedy pimc:20 --worlds 20")
    arguments = parser.parse_args(given)
    game = chosen_game(arguments)
    needed("play", "rich")
    console = screen()
    refused: argparse.ArgumentParser = arguments.command
    with notice_if_slow(console):
        try:
            _check(arguments.json)
            line = arguments.position
            state = game.new_state(seed=arguments.seed) if line is None else game.state_from_text(line)
            if state.is_over:
                raise ValueError("The position is over: nobody is on turn whose plays could be judged.")
            agents = _agents(arguments.agents or _playing(game), game)
        except ValueError as error:
            refused.error(str(error))
        with fresh_bots(agent for _, agent in agents):
            found = analyse_position(state, agents, worlds=arguments.worlds, seed=arguments.seed)
    shown = [translated(state.text(state.to_play), arguments.names)]
    known = [_open_sentence(found), _open_table(found, arguments.names)]
    judged = [one.text(arguments.names) for one in found.judgements]
    _keep(console, arguments.json, found.to_dict(), [*shown, *known, *judged])
    return 0


def _position_options(parser: argparse.ArgumentParser, game: str) -> None:
    parser.add_argument(
        "--position",
        metavar="LINE",
        help="the position, a line that game.state_to_text(state) makes; default a fresh deal of --seed",
    )
    parser.add_argument("--agents", nargs="+", metavar="NAME", help=f"default {' '.join(PLAYERS)}. {AGENTS}")
    parser.add_argument(
        "--worlds",
        type=whole(2, 10**6),
        default=WORLDS,
        metavar="N",
        help=f"worlds in which open cards are looked at; default {WORLDS}",
    )
    _common_options(parser)


def _playing(game: Game) -> list[str]:
    """Those of ``PLAYERS`` that play a game."""
    return [name for name in PLAYERS if not fault_of(name, game)]


def _open_sentence(found: PositionAnalysis) -> str:
    known = found.open_cards
    if known.settled:
        return "Open cards: every hidden card can be worked out, so the values are exact."
    how = "each solved exactly" if known.exact else "estimated"
    return f"Open cards, in {known.worlds} worlds that the seat holds possible, {how}:"


def _open_table(found: PositionAnalysis, names: str) -> Table:
    from rich.table import Table

    known = found.open_cards
    table = Table()
    for heading in ("play", "mean points", "standard error"):
        table.add_column(heading, justify="left" if heading == "play" else "right")
    for name, mean, spread in zip(found.names, known.mean, known.spread, strict=True):
        table.add_row(literal(said(name, names)), f"{mean:+.3f}", f"{spread:.3f}")
    return table


# A record


def _record(given: Sequence[str]) -> int:
    parser = Parser(
        prog=called(VERB),
        description="What each play of a finished game gave away, in points of the deal: against exact play where the "
        "seat could work out every hidden card, elsewhere by the values of a player, the judge (docs/analysis.md).",
        epilog=f"example: {called(VERB)} games.jsonl --agents pimc:20",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a file of game records, one a line")
    parser.add_argument(
        "--number", type=whole(1, 10**9), default=1, metavar="K", help="which record of the file; default 1"
    )
    parser.add_argument(
        "--agents",
        nargs="+",
        default=[JUDGE],
        metavar="NAME",
        help=f"judges, each with an analysis of its own: players that give values; default {JUDGE}. {AGENTS}",
    )
    _common_options(parser)
    arguments = parser.parse_args(given)
    needed("play", "rich")
    if not arguments.file.exists():
        parser.error(f"There is no game and no file {arguments.file}: the games are {', '.join(GAMES)}.")
    console = screen()
    record = record_of(arguments.file, arguments.number)
    try:
        _check(arguments.json)
        agents = _agents(arguments.agents, record.game)
    except ValueError as error:
        parser.error(str(error))
    with notice_if_slow(console), fresh_bots(agent for _, agent in agents):
        found = [_judged(record, agent, arguments.seed, console) for agent in agents]
    tables = [table for one in found for table in (_plays_table(one, arguments.names), _seats_table(one))]
    _keep(console, arguments.json, {"analyses": [one.to_dict() for one in found]}, tables)
    return 0


def _judged(record: GameRecord, agent: tuple[str, Agent], seed: int, console: Console) -> RecordAnalysis:
    """The analysis of a record by one judge, with its progress on the screen."""
    from rich.progress import Progress

    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("plays", total=None)
        return analyse_record(
            record, agent, seed=seed, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )


def _plays_table(found: RecordAnalysis, names: str) -> Table:
    from rich.table import Table

    table = Table(
        title=f"What each play gave away, in points; judge: {found.judge}",
        title_justify="left",
        caption="exact: against exact play, a true loss; judge: by the judge's values, with intervals from the spread "
        "of its worlds (95 % against each other play); forced plays are left out",
    )
    for heading in ("play", "seat", "made", "best", "gave away", "by"):
        table.add_column(heading, justify="right" if heading == "gave away" else "left")
    for play in found.plays:
        if play.basis != "forced":
            best = said(play.best, names) if play.best else "?"
            cells = (str(play.number + 1), str(play.seat), said(play.action, names), best, _amount(play), play.basis)
            table.add_row(*map(literal, cells))
    return table


def _amount(play: PlayAnalysis) -> str:
    if math.isnan(play.regret):
        return "?"
    if play.basis == "exact" or math.isnan(play.low) or play.low == play.high:
        return f"{play.regret:.3f}"
    return f"{play.regret:.3f} ({play.low:.3f} to {play.high:.3f})"


def _seats_table(found: RecordAnalysis) -> Table:
    from rich.table import Table

    table = Table(title="What each seat gave away, in points", title_justify="left")
    for heading in ("seat", "decisions", "of known regret", "exact", "by the judge", "total", "worst plays"):
        table.add_column(heading, justify="left" if heading in ("seat", "worst plays") else "right")
    for one in found.summaries():
        worst = ", ".join(f"{play.number + 1} ({play.regret:.2f})" for play in one.worst)
        counts, sums = (str(one.decisions), str(one.judged)), (one.exact, one.opinion, one.total)
        table.add_row(literal(seat_name(found.record, one.seat)), *counts, *(f"{each:.3f}" for each in sums), worst)
    return table


# Both


def _common_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=whole(0, 2**32 - 1), default=0, metavar="S", help="decides worlds and random choices; default 0"
    )
    parser.add_argument("--names", choices=NAMES, default="en", help="language of the cards' names; default en")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the analysis")


def _check(path: Path | None) -> None:
    if path is not None:
        check_writable(path)


def _agents(names: Sequence[str], game: Game) -> list[tuple[str, Agent]]:
    """The players of these names, with their labels."""
    return [(label, make_agent(name, game)) for label, name in labelled(names)]


def _keep(console: Console, path: Path | None, content: dict[str, Any], printed: Sequence[Any]) -> None:
    """Save the analysis where asked for, then print it."""
    try:
        if path is not None:
            write_whole(path, (json.dumps(content, indent=2, allow_nan=False) + "\n").encode())
    finally:
        for one in printed:
            console.print(one)
    if path is not None:
        console.print(f"The analysis is in {path}", soft_wrap=True)
