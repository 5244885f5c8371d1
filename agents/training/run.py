"""A training run: a folder with its configuration, checkpoints, logs and results, and the loop that fills it.

The run goes in legs of a few rollouts. What is left to chance in leg k depends on the seed and k alone (opponents,
deals, sampled actions, minibatches), and a checkpoint is written between legs: so a run that was killed and resumed
goes on as if nothing had happened.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.utils import set_random_seed

from agents.arena import deal_seeds, meet
from agents.builtin import GreedyAgent, RandomAgent
from agents.files import remove_torn, write_whole
from agents.network import Layers, Network, identity
from agents.ppo import PPOAgent, network_of
from agents.protocol import Agent
from agents.report import Evaluation, evaluate
from agents.training import checkpoint
from agents.training.curve import draw_curve
from agents.training.learner import LearnersTables, make_learner
from agents.training.pool import Pool
from agents.training.selves import TorchAgent
from agents.training.settings import Budget, Settings
from agents.versions import versions
from card_envs import Game, make_game
from card_envs.envs.sb3 import CardVecEnv

CONFIG, MODEL, METRICS = "config.json", "model.npz", "metrics.json"
EVALUATION, CURVE, LOGS, CHECKPOINTS = "evaluation.json", "learning_curve.png", "tensorboard", "checkpoints"

TYPICAL_RETURN = 2.5
"""The greatest return of a game is scaled to this for learning."""

MEASURING, EVALUATING = 0x5EED, 0xE7A1
"""Added to the seed for the deals of the learning curve and of the evaluation at the end."""

Point = dict[str, Any]
Watcher = Callable[["Run"], None]


class Run:
    """A run in its folder. Make one with ``begin`` or ``resume``, then ``train`` and ``finish``.

    Attributes:
        legs: legs finished.
        points: the learning curve, a dict for each point.
        budget: steps and seconds of training, done and allowed.
    """

    def __init__(self, folder: Path, game: Game, settings: Settings) -> None:
        if settings.threads:
            torch.set_num_threads(settings.threads)
        self.folder = folder
        self.game = game
        self.settings = settings
        self.budget = Budget(settings.steps, 60 * settings.minutes)
        self.legs = 0
        self.points: list[Point] = []
        self.pool = Pool(game, settings)
        self.pool.check()
        set_random_seed(settings.seed)
        self._tables = CardVecEnv(game, settings.tables, opponents="greedy", reward=settings.reward)
        scale = TYPICAL_RETURN / game.max_return if settings.reward == "points" else 1.0
        self._env = LearnersTables(self._tables, scale, settings.advice)
        self.model = make_learner(game, self._env, settings, self.budget)
        self._logger: Logger | None = None

    # Beginning

    @classmethod
    def begin(cls, folder: Path, game: Game, settings: Settings) -> Run:
        """A new run in a folder that is made for it; ``ValueError`` if there are files in it already."""
        if folder.exists() and (not folder.is_dir() or any(path.is_file() for path in folder.rglob("*"))):
            raise ValueError(f"{folder} is there already: give another --out, or --resume {folder} to go on with it.")
        run = cls(folder, game, settings)
        (folder / CHECKPOINTS).mkdir(parents=True, exist_ok=True)
        run._write_config()
        return run

    @classmethod
    def resume(cls, folder: Path, changes: dict[str, Any] | None = None) -> Run:
        """The run of a folder, at its last whole checkpoint.

        changes: a new budget (``minutes``, ``steps``) to go on with. Raises ``ValueError`` if there is no run in the
        folder or no checkpoint of it can be read; the folder is then as it was.
        """
        config = read_config(folder)
        settings = Settings(**{**config["settings"], **(changes or {})})
        game = make_game(config["game"], **config["rules"])
        if identity(game) != config["identity"]:
            raise ValueError(f"{folder} was begun with another observation layout or other actions of {game.name}.")
        content = checkpoint.last(folder / CHECKPOINTS)
        run = cls(folder, game, settings)
        if content is not None:
            run._restore(content)
        if changes:
            run._write_config()
        return run

    def _write_config(self) -> None:
        config = {
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "settings": self.settings.json(),
            "identity": identity(self.game),
            "date": datetime.now().astimezone().isoformat(timespec="seconds"),
            "threads": torch.get_num_threads(),
            "versions": versions(),
        }
        write_whole(self.folder / CONFIG, (json.dumps(config, indent=2) + "\n").encode())

    # Training

    def train(self, watch: Watcher = lambda run: None) -> None:
        """Train until the budget is spent; ``watch`` is called after every rollout and every point of the curve."""
        if not self.points:
            self._measure()
            watch(self)
        while not self.budget.spent:
            opponents = self._begin_leg()
            for _ in range(self.settings.leg):
                begin = time.perf_counter()
                size = self.settings.tables * self.settings.rollout
                self.model.learn(size, reset_num_timesteps=False, log_interval=None)  # type: ignore[arg-type]
                self.budget.steps = self.model.num_timesteps
                self.budget.seconds += time.perf_counter() - begin
                watch(self)
                if self.budget.spent:
                    break
            self._end_leg(opponents)
            watch(self)

    def _begin_leg(self) -> dict[str, float]:
        """Deal afresh, choose opponents, and set every generator, all by the seed and the number of the leg."""
        words = np.random.SeedSequence([self.settings.seed, self.legs]).generate_state(4, np.uint64)
        set_random_seed(int(words[0] % 2**32))
        opponents = self.pool.seat_opponents(self._tables, np.random.default_rng(int(words[1])))
        self._tables.seed(int(words[2]))
        self.model.set_env(self._env, force_reset=True)
        self.model.set_logger(self.logger)
        return opponents

    def _end_leg(self, opponents: dict[str, float]) -> None:
        self.legs += 1
        self.pool.add(self.budget.steps, network_of(self.model.policy))
        due = self.budget.used * (self.settings.points - 1) >= len(self.points)
        if due or self.budget.spent:
            self._measure()
        learned = dict(self.logger.name_to_value)
        self.save()
        for name, share in opponents.items():
            self.logger.record(f"opponents/{name}", share)
        self.logger.record("time/steps_per_second", self.budget.steps / max(1e-9, self.budget.seconds))
        if due:
            for name, value in self.points[-1].items():
                if isinstance(value, dict):
                    self.logger.record(f"points/{name}", value["mean"])
        for name, value in learned.items():
            self.logger.record(name, value)
        self.logger.dump(self.budget.steps)

    @property
    def logger(self) -> Logger:
        """The TensorBoard log."""
        if self._logger is None:
            self._logger = configure(str(self.folder / LOGS), ["tensorboard"])
        return self._logger

    def _measure(self) -> None:
        """Add a point to the learning curve."""
        if self.points and self.points[-1]["steps"] == self.budget.steps:
            return
        seeds = deal_seeds(self.settings.seed + MEASURING, self.settings.measure_deals)
        point: Point = {"steps": self.budget.steps}
        learner = TorchAgent(self.game, network_of(self.model.policy))
        for name, opponent in self._opponents():
            point[name] = meet(self.game, ("learner", name), (learner, opponent), seeds).points_a.json()
        if self._logger is not None:
            for name in ("entropy_loss", "value_loss", "approx_kl", "explained_variance"):
                value = self._logger.name_to_value.get(f"train/{name}")
                if value is not None:
                    point[name] = float(value)
        self.points.append(point)

    def _opponents(self) -> list[tuple[str, Agent]]:
        """Whom the learner is measured against."""
        built_in: list[tuple[str, Agent]] = [("greedy", GreedyAgent(self.game)), ("random", RandomAgent(self.game))]
        return built_in if self.pool.rival is None else [*built_in, (self.settings.against, self.pool.rival)]

    def agent(self) -> PPOAgent:
        """The learner as a player, as it is now."""
        return PPOAgent.from_model(self.model, self.game)

    # Keeping

    def save(self) -> None:
        """Write a checkpoint, and the metrics so far for people."""
        selves = [
            {"steps": steps, "arrays": {name: torch.from_numpy(array) for name, array in network.arrays().items()}}
            for steps, network in self.pool.selves
        ]
        content = {
            "policy": self.model.policy.state_dict(),
            "optimizer": self.model.policy.optimizer.state_dict(),
            "updates": self.model._n_updates,
            "steps": self.budget.steps,
            "seconds": self.budget.seconds,
            "legs": self.legs,
            "points": self.points,
            "selves": selves,
        }
        checkpoint.write(self.folder / CHECKPOINTS, self.legs, content)
        self._write_metrics()

    def _write_metrics(self) -> None:
        metrics = {"steps": self.budget.steps, "legs": self.legs, "points": self.points}
        if self.pool.forfeits:
            metrics["forfeits_of_the_rival"] = dict(self.pool.forfeits)
        write_whole(self.folder / METRICS, (json.dumps(metrics, indent=1) + "\n").encode())
        for pattern in ("*.json", "*.npz", "*.png"):
            remove_torn(self.folder, pattern)

    def _restore(self, content: dict[str, Any]) -> None:
        try:
            self.model.policy.load_state_dict(content["policy"])
            self.model.policy.optimizer.load_state_dict(content["optimizer"])
            self.model._n_updates = content["updates"]
            self.model.num_timesteps = self.budget.steps = content["steps"]
            self.budget.seconds = content["seconds"]
            self.legs = content["legs"]
            self.points = content["points"]
            for entry in content["selves"]:
                self.pool.selves.append((entry["steps"], _network(entry["arrays"], self.settings.advice)))
        except (KeyError, RuntimeError, ValueError, TypeError) as error:
            raise ValueError(f"The checkpoint in {self.folder} does not fit its configuration: {error}") from None

    # Ending

    def finish(self, progress: Callable[[int, int], None] | None = None) -> Evaluation:
        """Leave the model, its evaluation against those it was measured by, and the learning curve in the folder."""
        self.pool.dismiss()
        agent = self.agent()
        agent.network.notes.update(steps=self.budget.steps, seed=self.settings.seed)
        agent.save(self.folder / MODEL)
        opponents = self._opponents()
        evaluation = evaluate(
            self.game,
            [("learner", agent), *opponents],
            deals=self.settings.evaluate_deals,
            seed=(self.settings.seed + EVALUATING) % 2**32,
            pairs=[*((0, number) for number in range(1, len(opponents) + 1)), (1, 2)],
            progress=progress,
        )
        evaluation.save(self.folder / EVALUATION)
        self._write_metrics()
        levels = {name: (0.0, f"level with {name}") for name, _ in opponents}
        levels["random"] = (evaluation.meetings[-1].points_a.mean, "what greedy makes against random")
        draw_curve(self.folder / CURVE, self.game, self.points, levels, self.budget)
        return evaluation


def read_config(folder: Path) -> dict[str, Any]:
    """The configuration of the run in a folder; ``ValueError`` if there is none that can be read."""
    try:
        config = json.loads((folder / CONFIG).read_text())
        if not isinstance(config, dict):
            raise ValueError
        for name in ("game", "rules", "settings", "identity"):
            config[name]
    except OSError as error:
        raise ValueError(f"{folder} holds no training run: {CONFIG}: {error.strerror}.") from None
    except (ValueError, KeyError):
        raise ValueError(f"{folder / CONFIG} is not the configuration of a training run.") from None
    config["rules"] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in config["rules"].items()
    }
    return config


def _network(arrays: dict[str, torch.Tensor], advice: bool) -> Network:
    """A network of the arrays that ``Network.arrays`` gave."""
    parts: dict[str, Layers] = {"trunk": [], "policy": [], "value": []}
    for part, layers in parts.items():
        while f"{part}.{len(layers)}.weight" in arrays:
            prefix = f"{part}.{len(layers)}"
            layers.append((arrays[f"{prefix}.weight"].numpy(), arrays[f"{prefix}.bias"].numpy()))
    return Network(parts["trunk"], parts["policy"], parts["value"], advice=advice)
