"""The command ``card-envs evaluate``: agents against each other over the same deals."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from card_agents.cli.command_line import Parser, called, command, needed
from card_agents.cli.options import add_agents, add_salt, add_save_games, chosen_game, game_commands, labelled, whole
from card_agents.cli.warmup import notice_if_slow
from card_agents.evaluation.arena import warm_up
from card_agents.evaluation.evaluating import evaluate
from card_agents.evaluation.regret import KINDS, AgentRegret, measure, refuse_unless_solved, regret_table
from card_agents.files import check_writable
from card_agents.labels import printable
from card_agents.names import make_agent, refuse_unrepeatable
from card_agents.protocol import Agent
from card_agents.screen import screen
from card_agents.seeds import table_seeds
from card_envs import Game, write_records

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from card_agents.evaluation.evaluating import Evaluation

VERB = "evaluate"


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Run the evaluation that the arguments describe; the exit status."""
    parser = Parser(
        prog=called(VERB),
        description="Play agents against each other: every deal from every seat, with 95 % intervals.",
    )
    game_commands(parser, _add_options, "--agents random greedy --deals 2000 --json results.json")
    arguments = parser.parse_args(argv)
    refused: argparse.ArgumentParser = arguments.command
    if len(arguments.agents) < 2:
        refused.error("--agents needs at least two players, such as 'random greedy'.")
    game = chosen_game(arguments)
    needed("play", "rich")
    console = screen()
    with notice_if_slow(console):
        try:
            if arguments.json is not None:
                check_writable(arguments.json)
            games_file = _games_file(arguments, game)
            players = labelled(arguments.agents)
            for _, name in players:
                refuse_unrepeatable(name)
            agents = [(label, make_agent(name, game, deterministic=not arguments.sample)) for label, name in players]
            if arguments.regret:
                refuse_unless_solved(game)
        except ValueError as error:
            refused.error(str(error))
        warm_up(game, [agent for _, agent in agents])
    evaluation = _evaluate(game, agents, arguments, console)
    evaluation = dataclasses.replace(evaluation, players=tuple(name for _, name in players))
    try:
        if arguments.json is not None:
            evaluation.save(arguments.json)
        if games_file is not None:
            write_records(games_file, evaluation.games)
    finally:
        console.print(evaluation.table())
        if arguments.regret:
            console.print(regret_table(game, evaluation.regrets))
        for note in evaluation.notes():
            console.print(printable(note))
    if arguments.json is not None:
        console.print(f"Results are in {arguments.json}", soft_wrap=True)
    if games_file is not None:
        console.print(f"{len(evaluation.games)} games are in {games_file}", soft_wrap=True)
    return 0


def _games_file(arguments: argparse.Namespace, game: Game) -> Path | None:
    """The file for games; None if none are asked for. ``ValueError`` if it cannot be written."""
    if not arguments.save_games:
        if arguments.games is not None:
            raise ValueError("--games names the file for the games of --save-games N: give both.")
        return None
    path: Path = arguments.games or Path("runs") / f"evaluate-{game.name}-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
    if arguments.games is None:
        path.parent.mkdir(exist_ok=True)
    check_writable(path)
    return path


def _evaluate(
    game: Game, agents: list[tuple[str, Agent]], arguments: argparse.Namespace, console: Console
) -> Evaluation:
    """Play the agents against each other, and measure their regret if asked for."""
    from rich.progress import Progress

    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("meetings", total=None)
        evaluation = evaluate(
            game,
            agents,
            deals=arguments.deals,
            seed=arguments.seed,
            salt=arguments.salt,
            deterministic=not arguments.sample,
            save_games=arguments.save_games,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
        if arguments.regret:
            regrets = tuple(_regret(game, agent, arguments, evaluation.salt, bar) for agent in agents)
            evaluation = dataclasses.replace(evaluation, regrets=regrets)
    return evaluation


def _regret(
    game: Game, agent: tuple[str, Agent], arguments: argparse.Namespace, salt: str | None, bar: Progress
) -> AgentRegret:
    """The regret of one agent in all seats, of both kinds unless --open-deals is 0."""
    from rich.markup import escape

    found = []
    for kind, deals in zip(KINDS, (arguments.regret_deals, arguments.open_deals), strict=True):
        if deals == 0:
            continue
        task = bar.add_task(escape(f"regret of {agent[0]}, {kind}"), total=None)

        def progress(done: int, total: int, task: TaskID = task) -> None:
            bar.update(task, completed=done, total=total)

        seeds = table_seeds(arguments.seed, deals, salt)[:]
        found.append(measure(game, agent, seeds=seeds, kind=kind, progress=progress))
    return AgentRegret(agent[0], agent[0], *found)


def _add_options(parser: argparse.ArgumentParser, game: str) -> None:
    add_agents(parser)
    parser.add_argument(
        "--deals",
        type=whole(2, 2**32),
        default=10_000,
        metavar="N",
        help="deals (matches with --match) for each pair, each in all seat rotations; default 10000",
    )
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=0, metavar="S", help="seed of the deals; default 0")
    add_salt(parser)
    parser.add_argument(
        "--sample",
        action="store_true",
        help="trained players sample their actions instead of playing the most likely one",
    )
    parser.add_argument(
        "--regret", action="store_true", help="also measure the regret of each agent against exact play, in all seats"
    )
    parser.add_argument(
        "--regret-deals",
        type=whole(2, 2**20),
        default=1000,
        metavar="N",
        help="deals for the regret where all cards can be deduced; default 1000",
    )
    parser.add_argument(
        "--open-deals",
        type=whole(0, 2**20),
        default=50,
        metavar="N",
        help="deals for the regret against double-dummy play (all cards open), which is slower; 0 for none, default 50",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the results")
    add_save_games(parser)
    parser.add_argument(
        "--games", type=Path, metavar="FILE", help="file for those games; default runs/evaluate-..., told at the end"
    )
