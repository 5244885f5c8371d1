"""Training of the players that ship with the library, and of a best response to each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_agents.cli.command_line import Parser, called, command, needed
from card_agents.cli.options import real, whole
from card_agents.cli.train import NEEDED, run_to_end
from card_agents.files import check_writable, write_whole
from card_agents.players.ppo import WEIGHTS, PPOAgent
from card_agents.screen import screen
from card_agents.training.settings import Settings
from card_agents.versions import versions
from card_envs import Game, make_game

if TYPE_CHECKING:
    from rich.console import Console

    from card_agents.training.run import Run

VERB = "baselines"
RESULTS = "baselines.json"


@dataclass(frozen=True)
class Baseline:
    """A player that ships with the library: its game, and the training steps of it and of a best response to it."""

    game: str
    rules: dict[str, Any]
    steps: int
    response_steps: int

    def make_game(self) -> Game:
        """The game under its rules."""
        return make_game(self.game, **self.rules)


@command(VERB)
def main(
    baselines: Sequence[Baseline], league: dict[str, Any], response: dict[str, Any], argv: Sequence[str] | None = None
) -> int:
    """Train ``baselines`` with the settings ``league``, and a learner against each with the settings ``response``."""
    parser = Parser(prog=called(VERB), description="Retrain the players that ship with the library, and measure them.")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs/baselines"), metavar="FOLDER", help="default %(default)s"
    )
    parser.add_argument(
        "--weights", type=Path, default=WEIGHTS, metavar="FOLDER", help="where the players go, default %(default)s"
    )
    parser.add_argument(
        "--threads", type=whole(0, 1024), default=0, metavar="N", help="threads of torch. 0: its own default"
    )
    parser.add_argument(
        "--share", type=_share, default=1.0, metavar="X", help="share of the training to do, for a trial"
    )
    arguments = parser.parse_args(argv)
    needed("train", *NEEDED)
    console = screen()
    for folder, file in ((arguments.runs, RESULTS), (arguments.weights, "player.npz")):
        folder.mkdir(parents=True, exist_ok=True)
        check_writable(folder / file)
    results = []
    for baseline in baselines:
        game = baseline.make_game()
        stem = f"{game.name}-{game.num_players}"

        def trained(kind: str, steps: int, settings: dict[str, Any], game: Game = game, stem: str = stem) -> Run:
            budget = {"minutes": 0.0, "steps": max(1, int(steps * arguments.share)), "threads": arguments.threads}
            return train_once(arguments.runs / f"{stem}-{kind}", game, Settings(**settings, **budget), console)

        run = trained("league", baseline.steps, league)
        player = arguments.weights / f"{stem}.npz"
        agent = run.agent()
        agent.network.notes.update(steps=run.budget.steps, minutes=round(run.budget.seconds / 60, 1), settings=league)
        PPOAgent(game, agent.network.compact()).save(player)
        against = f"ppo:{player}"
        reply = trained("response", baseline.response_steps, {**response, "against": against})
        results.append(
            {"player": stem, "bytes": player.stat().st_size, "league": summary_of(run), "response": summary_of(reply)}
        )
        write_whole(arguments.runs / RESULTS, (json.dumps(_dated(results), indent=1) + "\n").encode())
    console.print(
        f"The players are in {arguments.weights}; their results are in {arguments.runs / RESULTS}", soft_wrap=True
    )
    return 0


def _share(text: str) -> float:
    value = real(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share of the training: give a number above 0, up to 1")
    return value


def train_once(folder: Path, game: Game, settings: Settings, console: Console) -> Run:
    """The finished run of a folder: started or resumed as needed."""
    from card_agents.training.run import EVALUATION, Run

    run = Run.resume(folder) if folder.is_dir() else Run.begin(folder, game, settings)
    with run:
        if not (folder / EVALUATION).is_file():
            run_to_end(run, console)
    return run


def summary_of(run: Run) -> dict[str, Any]:
    """A summary of a finished run, as a JSON-serialisable dictionary."""
    from card_agents.training.run import EVALUATION

    return {
        "settings": run.settings.to_dict(),
        "decisions": run.budget.steps,
        "minutes": round(run.budget.seconds / 60, 1),
        "meetings": json.loads((run.folder / EVALUATION).read_text())["meetings"],
    }


def _dated(results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "versions": versions(),
        "baselines": results,
    }


if __name__ == "__main__":
    raise SystemExit(f"The list of players to train is in {VERB}: run python {VERB}.")
