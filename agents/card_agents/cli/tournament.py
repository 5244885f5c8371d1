"""The command ``card-envs tournament``: a round robin with ratings, or a sequential test of two agents."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from card_agents.cli.command_line import (
    FAILED,
    INTERRUPTED,
    Parser,
    called,
    command,
    error_sentence,
    missing,
    needed,
)
from card_agents.cli.options import AGENTS, add_salt, add_save_games, chosen_game, game_commands, positive, real, whole
from card_agents.cli.warmup import notice_if_slow
from card_agents.evaluation.tournament.folder import Folder
from card_agents.evaluation.tournament.pictures import PAYOFF, RATINGS, draw
from card_agents.evaluation.tournament.plan import Chunk, Job, Plan, round_robin
from card_agents.evaluation.tournament.playing import play_all, warm_up_players
from card_agents.evaluation.tournament.results import results_of, to_json
from card_agents.evaluation.tournament.sequential import Sprt
from card_agents.evaluation.tournament.tables import markdown, notes, tables
from card_agents.evaluation.tournament.verdict import verdict_of
from card_agents.files import check_writable, locked, new_folder, write_whole
from card_agents.labels import printable
from card_agents.names import make_agent, refuse_unrepeatable, split_label
from card_agents.players.external import Limits
from card_agents.screen import screen
from card_envs import Game

if TYPE_CHECKING:
    from rich.console import Console

RESULTS, REPORT, VERDICT, GAMES = "results.json", "report.md", "verdict.json", "games.jsonl"
DEALS, MOST_DEALS = 1000, 100_000
VERB = "tournament"
Chunks = dict[Job, Chunk]


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Play the tournament that the arguments describe; the exit status."""
    parser = Parser(
        prog=called(VERB),
        description="Play agents against each other, every deal from every seat: a round robin with ratings "
        "(--agents), or a sequential test of whether one is better than another (--sprt). Run it again with the same "
        "arguments to resume it.",
    )
    game_commands(parser, _add_options, "--agents random greedy pimc:5 --deals 50 --workers 2")
    arguments = parser.parse_args(argv)
    refused: argparse.ArgumentParser = arguments.command
    game = chosen_game(arguments)
    needed("play", "rich")
    with ExitStack() as held:
        try:
            plan = _plan(arguments, game)
            folder = arguments.out or new_folder(
                Path("runs") / f"tournament-{game.name}-{datetime.now():%Y%m%d-%H%M%S}"
            )
            held.enter_context(locked(folder, "playing"))
            kept = Folder(folder, plan)
            kept.begin()
            for name in (GAMES, VERDICT) if plan.sprt else (GAMES, RESULTS, REPORT, RATINGS, PAYOFF):
                check_writable(folder / name)
        except ValueError as error:
            refused.error(str(error))
        return _run(kept, arguments.workers)


def _run(folder: Folder, workers: int) -> int:
    """Play the remaining chunks and report the results; the exit status."""
    plan, console = folder.plan, screen()
    console.print(f"Playing {plan.game.describe()}\nin {folder.path}", soft_wrap=True)
    undrawn = "" if plan.sprt else missing("arena", "matplotlib")
    if undrawn:
        console.print(f"There will be no figures: {undrawn}", soft_wrap=True)
    chunks: Chunks = {}
    try:
        _play(folder, chunks, workers, console)
        changed = plan.changed()
        if changed:
            console.print(
                f"Files changed during play: {printable(', '.join(changed))}. The results mix old and new players; "
                "give another --out to play only with the new ones.",
                soft_wrap=True,
            )
        if plan.sprt:
            return _finish_test(folder, chunks, console)
        return _finish_tournament(folder, chunks, console, pictures=not undrawn)
    except KeyboardInterrupt:
        console.print(
            f"Stopped. {len(chunks)} of {len(plan.jobs)} chunks are saved: run it again with the same arguments and "
            f"--out {folder.path} to resume it.",
            soft_wrap=True,
        )
        return INTERRUPTED


def _add_options(parser: argparse.ArgumentParser, game: str) -> None:
    parser.add_argument("--agents", nargs="+", metavar="NAME", help=f"play a round robin of these: {AGENTS}")
    parser.add_argument(
        "--sprt",
        nargs=2,
        metavar=("A", "B"),
        help="test whether B is better than A instead; names as those of --agents",
    )
    parser.add_argument(
        "--deals",
        type=whole(2, 2**32),
        metavar="N",
        help="deals (matches with --match) for each pair, each in all seat rotations, "
        f"default {DEALS}; with --sprt the most there may be, default {MOST_DEALS}",
    )
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=0, metavar="S", help="seed of the deals; default 0")
    add_salt(parser)
    parser.add_argument("--workers", type=whole(1, 1024), default=1, metavar="W", help="processes; default 1")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="folder of the tournament; default runs/tournament-..."
    )
    parser.add_argument(
        "--chunk",
        type=whole(1, 10**6),
        default=100,
        metavar="N",
        help="deals per chunk, the unit that is saved; default 100",
    )
    parser.add_argument(
        "--sample",
        action="store_true",
        help="trained players sample their actions instead of playing the most likely one",
    )
    add_save_games(parser)
    group = parser.add_argument_group("module:factory and cmd:PROGRAM")
    limits = Limits()
    for option, seconds, meaning in (
        ("--move-seconds", limits.move, "seconds per answer"),
        ("--start-seconds", limits.start, "seconds from the start to the first answer"),
    ):
        group.add_argument(option, type=positive, default=seconds, metavar="X", help=f"{meaning}; default {seconds:g}")
    group = parser.add_argument_group("--sprt", "is B better than A by more than MARGIN points per deal?")
    for option, default, meaning in (
        ("--margin", 0.0, "lower end of the indifference region, in points per deal"),
        ("--better", 0.1, "upper end of the indifference region, in points per deal"),
        ("--alpha", 0.05, "probability of the verdict 'better' where B is better by --margin or less"),
        ("--beta", 0.05, "probability of the verdict 'not better' where B is better by --better or more"),
    ):
        group.add_argument(option, type=real, metavar="X", help=f"{meaning}; default {default:g}")
        parser.set_defaults(**{option[2:]: None})


def _plan(arguments: argparse.Namespace, game: Game) -> Plan:
    """The plan that the arguments ask for; ``ValueError`` with a sentence if they are invalid."""
    options = {name: getattr(arguments, name) for name in ("margin", "better", "alpha", "beta")}
    test = {"margin": 0.0, "better": 0.1, "alpha": 0.05, "beta": 0.05}
    test |= {name: value for name, value in options.items() if value is not None}
    if bool(arguments.agents) == bool(arguments.sprt):
        raise ValueError("Give either --agents for a round robin or --sprt A B for a test.")
    pairs: tuple[tuple[int, int], ...]
    labelled = [split_label(text) for text in arguments.sprt or arguments.agents]
    given, agents = tuple(label for label, _ in labelled), tuple(name for _, name in labelled)
    if arguments.sprt:
        pairs, sprt = ((1, 0),), Sprt(**test, spread=game.max_return)
    else:
        extra = [f"--{name}" for name, value in options.items() if value is not None]
        if extra:
            raise ValueError(f"{', '.join(extra)} can only be used with --sprt A B.")
        if len(agents) < 2:
            raise ValueError("--agents needs at least two players, such as 'random greedy'.")
        pairs, sprt = round_robin(game, len(agents)), None
    limits = Limits(arguments.move_seconds, arguments.start_seconds)
    for name in agents:
        refuse_unrepeatable(name)
        make_agent(name, game, limits=limits)  # refuses a player that cannot be made
    return Plan(
        game,
        agents,
        pairs,
        arguments.deals or (MOST_DEALS if sprt else DEALS),
        arguments.seed,
        arguments.chunk,
        not arguments.sample,
        limits,
        sprt,
        given,
        arguments.salt,
        arguments.save_games,
    )


def _play(folder: Folder, chunks: Chunks, workers: int, console: Console) -> None:
    """Read the chunks that have been played and play the rest, or until a test is decided."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    plan = folder.plan
    for job, found in folder.played():
        if isinstance(found, str):
            console.print(printable(found), soft_wrap=True)
        else:
            chunks[job] = found
    left = plan.left(frozenset(chunks))
    ended = _watch(plan, chunks)
    if not left or ended():
        return
    with notice_if_slow(console):
        warm_up_players(plan)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    with (
        Progress(*columns, *times, console=console, transient=True) as bar,
        closing(play_all(plan, left, workers)) as played,
    ):
        task = bar.add_task("deals", total=len(plan.jobs), completed=len(chunks))
        for job, chunk in played:
            folder.write(job, chunk)
            chunks[job] = chunk
            a, b = (plan.labels[number] for number in plan.pairs[job.pair])
            bar.update(task, completed=len(chunks), description=f"{a} : {b}")
            if ended():
                return


def _watch(plan: Plan, chunks: Chunks) -> Callable[[], bool]:
    """A function that says whether play can stop before all chunks are there, because the test is decided."""
    if plan.sprt is None:
        return lambda: False
    return lambda: verdict_of(plan, chunks).is_decided


def _finish_tournament(folder: Folder, chunks: Chunks, console: Console, pictures: bool) -> int:
    results = results_of(folder.plan, chunks)
    written, failure = [RESULTS, REPORT], ""
    try:
        written += _write_games(folder, [line for job in folder.plan.jobs for line in chunks[job].games])
        write_whole(folder.path / RESULTS, to_json(results.to_dict()).encode())
        write_whole(folder.path / REPORT, markdown(results).encode(errors="backslashreplace"))
        if pictures:
            try:
                draw(results, folder.path)
                written += [RATINGS, PAYOFF]
            except Exception as error:  # whatever matplotlib raises, the results are saved
                failure = error_sentence(error)
    finally:
        for table in tables(results):
            console.print(table)
        for note in notes(results):
            console.print(printable(note))
    console.print(f"Results are in {folder.path}: {', '.join(written)}", soft_wrap=True)
    if failure:
        console.print(f"The figures could not be drawn: {failure}", soft_wrap=True)
    return FAILED if failure else 0


def _finish_test(folder: Folder, chunks: Chunks, console: Console) -> int:
    verdict = verdict_of(folder.plan, chunks)
    written = [VERDICT]
    try:
        written += _write_games(folder, list(verdict.games))
        write_whole(folder.path / VERDICT, to_json(verdict.to_dict()).encode())
    finally:
        for sentence in verdict.sentences():
            console.print(printable(sentence))
    console.print(f"Results are in {folder.path}: {', '.join(written)}", soft_wrap=True)
    return 0


def _write_games(folder: Folder, lines: list[str]) -> list[str]:
    """Write the games down that are to be saved; the names of the files written."""
    if not lines:
        return []
    write_whole(folder.path / GAMES, "".join(f"{line}\n" for line in lines).encode())
    return [GAMES]
