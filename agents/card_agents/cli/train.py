"""The command ``card-envs train``: train a player by self-play, evaluate it and draw its learning curve."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_agents.cli.command_line import Parser, called, command, needed, to_stderr
from card_agents.cli.options import PREFIX, chosen_game, game_commands, integer, real
from card_agents.cli.warmup import notice_if_slow
from card_agents.screen import screen
from card_agents.training.settings import BUDGET, Settings
from card_envs import make_game
from card_envs.record import REWARDS
from card_envs.warmup import warm_up

if TYPE_CHECKING:
    from rich.console import Console

    from card_agents.training.run import Run

VERB = "train"

NEEDED = ("rich", "matplotlib", "torch", "stable_baselines3", "sb3_contrib", "tensorboard")
"""Packages of the extra ``train``."""


@command(VERB)
def main(argv: Sequence[str] | None = None) -> int:
    """Run the training that the arguments describe; the exit status."""
    parser = Parser(
        prog=called(VERB),
        description="Train a player by self-play, evaluate it from every seat, and write everything to a run folder. "
        f"'{called(VERB)} --resume RUN' continues a run that was stopped.",
    )
    game_commands(parser, _add_options, "--minutes 3 --out runs/mine")
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parser.parse_args(_with_game(given))
    except ValueError as error:
        parser.error(str(error))
    refused: argparse.ArgumentParser = arguments.command
    needed("train", *NEEDED)
    try:
        run = _resumed(arguments) if "resume" in arguments else _begun(arguments)
    except ValueError as error:
        refused.error(str(error))
    run_to_end(run, screen())
    return 0


def _with_game(given: list[str]) -> list[str]:
    """The arguments with the game in front, where the run to be resumed implies it."""
    if given[:1] != ["--resume"] or len(given) < 2:
        return given
    from card_agents.training.config import read_config

    return [read_config(Path(given[1]))["game"], *given]


def _add_options(parser: argparse.ArgumentParser, game: str) -> None:
    missing = argparse.SUPPRESS
    parser.add_argument("--out", type=Path, metavar="RUN", default=missing, help="run folder, default runs/GAME-...")
    parser.add_argument("--resume", type=Path, metavar="RUN", default=missing, help="continue the run in this folder")
    group = parser.add_argument_group("training")
    readers: dict[str, dict[str, Any]] = {
        "bool": {"action": argparse.BooleanOptionalAction},
        "int": {"type": integer, "metavar": "N"},
        "float": {"type": real, "metavar": "X"},
        "str": {"metavar": "NAME"},
    }
    for field in dataclasses.fields(Settings):
        reader = {"choices": _rewards(game)} if field.name == "reward" else readers[str(field.type)]
        text = field.metadata["help"].replace("%", "%%")
        shown = f"{text}; default {field.default}" if field.default != "" else text
        group.add_argument(f"--{field.name.replace('_', '-')}", default=missing, help=shown, **reader)


def _rewards(game: str) -> list[str]:
    """The rewards that a game offers under some rules."""
    match = make_game(game, match=True)
    return [reward for reward in REWARDS if match.min_returns[reward] < 0]


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings given on the command line."""
    names = [field.name for field in dataclasses.fields(Settings)]
    return {name: getattr(arguments, name) for name in names if name in arguments}


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """With a budget of steps alone there is no time limit."""
    return {"minutes": 0.0, **given} if given.get("steps") else given


def _begun(arguments: argparse.Namespace) -> Run:
    settings = Settings(**_settings(_given(arguments)))
    game = chosen_game(arguments)
    from card_agents.training.run import Run

    if "out" in arguments:
        return Run.begin(arguments.out, game, settings)
    folder = Path("runs") / f"{game.name}-{datetime.now():%Y%m%d-%H%M%S}-{settings.seed}"
    return Run.begin(folder, game, settings, numbered=True)


def _resumed(arguments: argparse.Namespace) -> Run:
    from card_agents.training.config import read_config
    from card_agents.training.run import Run

    config = read_config(arguments.resume)
    if config["game"] != arguments.game:
        raise ValueError(f"{arguments.resume} trains {config['game']}, not {arguments.game}.")
    given = _given(arguments)
    other = [name for name, value in given.items() if name not in BUDGET and value != config["settings"].get(name)]
    for name, value in vars(arguments).items():
        if name.startswith(PREFIX) and value != config["rules"].get(name[len(PREFIX) :]):
            other.append(name[len(PREFIX) :])
    if "out" in arguments:
        other.append("out")
    if other:
        raise ValueError(f"A resumed run keeps its rules and settings. Leave out {', '.join(other)}.")
    changes = {name: value for name, value in _settings(given).items() if name in BUDGET}
    return Run.resume(arguments.resume, changes)


def run_to_end(run: Run, console: Console) -> None:
    """Train and finish a run, showing progress; if it is stopped, print how to resume it."""
    from card_agents.training.run import Diverged

    try:
        with run:
            _train(run, console)
    except Diverged:
        raise
    except BaseException:
        again = f"{called(VERB)} --resume {shlex.quote(str(run.folder))}"
        to_stderr(VERB, f"{run.legs} legs are saved; {again} continues from there.")
        raise


def _train(run: Run, console: Console) -> None:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    resumed = f", resumed after {run.legs} legs" * bool(run.legs)
    console.print(f"Training {run.game.describe()}\nin {run.folder}{resumed}", soft_wrap=True)
    for remark in run.remarks:
        console.print(remark, soft_wrap=True)
    remarks_before = len(run.remarks)
    with notice_if_slow(console):
        warm_up(run.game)
    columns = (
        TextColumn("[progress.description]{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[speed]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    shown = len(run.points)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("training", total=1.0, speed="")

        def watch(run: Run) -> None:
            nonlocal shown
            budget = run.budget
            speed = f"{budget.steps:,} steps" + (f", {budget.steps / budget.seconds:,.0f}/s" if budget.seconds else "")
            bar.update(task, completed=budget.used, speed=speed)
            for point in run.points[shown:]:
                measured = [(name, value["mean"]) for name, value in point.items() if isinstance(value, dict)]
                scores = ", ".join(f"{mean:+.2f} against {name}" for name, mean in measured)
                console.print(f"{point['steps']:>12,} steps: {scores}")
            shown = len(run.points)

        run.train(watch)
        task = bar.add_task("evaluating", total=3, speed="")
        evaluation = run.finish(lambda done, total: bar.update(task, completed=done, total=total))
    console.print(evaluation.table())
    missed = run.remarks[remarks_before:]
    for remark in missed:
        console.print(remark, soft_wrap=True)
    left = "model and evaluation.json" if missed else "model, evaluation.json and learning_curve.png"
    console.print(
        f"{run.budget.steps:,} steps in {run.budget.seconds / 60:.1f} minutes of training; {left} are in {run.folder}",
        soft_wrap=True,
    )
