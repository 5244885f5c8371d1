"""The command ``scripts/evaluate.py``: agents by name, over the same deals."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.arena import deal_seeds
from agents.names import make_agent
from agents.options import add_agents, chosen_game, game_commands, whole
from agents.protocol import Agent
from agents.regret import KINDS, AgentRegret, measure, refuse_unless_solved, regret_table
from agents.report import evaluate
from card_envs import Game

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate as the arguments say; the exit status."""
    parser = argparse.ArgumentParser(
        prog="evaluate.py", description="Play agents against each other: every deal from every seat, with intervals."
    )
    game_commands(parser, _add_options)
    arguments = parser.parse_args(argv)
    command: argparse.ArgumentParser = arguments.command
    if len(arguments.agents) < 2:
        command.error("--agents needs at least two players, 'random greedy' say.")
    if arguments.json is not None and (arguments.json.is_dir() or not arguments.json.parent.is_dir()):
        command.error(f"--json {arguments.json} is not a file in a folder that exists.")
    game = chosen_game(arguments)
    try:
        agents = [(name, make_agent(name, game, deterministic=not arguments.sample)) for name in arguments.agents]
        if arguments.regret:
            refuse_unless_solved(game)
    except ValueError as error:
        command.error(str(error))

    from rich.console import Console
    from rich.progress import Progress

    console = Console()
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("meetings", total=None)
        evaluation = evaluate(
            game,
            agents,
            deals=arguments.deals,
            seed=arguments.seed,
            deterministic=not arguments.sample,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
        if arguments.regret:
            regrets = tuple(_regret(game, agent, arguments, bar) for agent in dict(agents).items())
            evaluation = dataclasses.replace(evaluation, regrets=regrets)
    console.print(evaluation.table())
    if arguments.regret:
        console.print(regret_table(game, evaluation.regrets))
    for note in evaluation.notes():
        console.print(note, markup=False, highlight=False)
    if arguments.json is not None:
        evaluation.save(arguments.json)
        console.print(f"Written to {arguments.json}")
    return 0


def _regret(game: Game, agent: tuple[str, Agent], arguments: argparse.Namespace, bar: Progress) -> AgentRegret:
    """The regret of one agent in all seats, of both kinds unless there are no deals for the second."""
    found = []
    for kind, deals in zip(KINDS, (arguments.regret_deals, arguments.open_deals), strict=True):
        if deals == 0:
            continue
        task = bar.add_task(f"regret of {agent[0]}, {kind}", total=None)

        def progress(done: int, total: int, task: TaskID = task) -> None:
            bar.update(task, completed=done, total=total)

        found.append(measure(game, agent, seeds=deal_seeds(arguments.seed, deals), kind=kind, progress=progress))
    return AgentRegret(agent[0], agent[0], *found)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_agents(parser)
    parser.add_argument(
        "--deals",
        type=whole(2, 2**32),
        default=10_000,
        metavar="N",
        help="deals (matches with --match) for each pair, each in all seat rotations; default 10000",
    )
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=0, metavar="S", help="which deals; default 0")
    parser.add_argument(
        "--sample", action="store_true", help="trained players draw their actions instead of taking the likeliest"
    )
    parser.add_argument(
        "--regret", action="store_true", help="also what each agent gives away against exact play, in all seats"
    )
    parser.add_argument(
        "--regret-deals",
        type=whole(2, 2**20),
        default=1000,
        metavar="N",
        help="deals for the regret where all cards can be worked out; default 1000",
    )
    parser.add_argument(
        "--open-deals",
        type=whole(0, 2**20),
        default=50,
        metavar="N",
        help="deals for the regret against play that sees all cards, which takes longer; 0 for none, default 50",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
