"""A training run: a folder with its configuration, checkpoints, logs and results, and the loop that fills it.

A run consists of legs of a few rollouts each. All randomness in leg k (opponents, deals, sampled actions, minibatches)
depends only on the seed and k, and a checkpoint is written between legs, so a run that was killed and resumed continues
as if nothing had happened. Whatever stops it, at most one leg is lost.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.utils import set_random_seed

from card_agents.archives import LARGEST
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.evaluation.evaluating import Evaluation, evaluate
from card_agents.files import is_empty, locked, new_folder, remove_partial, write_whole
from card_agents.players.builtin import GreedyAgent, RandomAgent
from card_agents.players.network import Layers, Network
from card_agents.players.ppo import MODEL, PPOAgent, network_of
from card_agents.protocol import Agent
from card_agents.training import checkpoint
from card_agents.training.config import game_and_settings, job_digest, read_config, write_config
from card_agents.training.curve import draw_curve
from card_agents.training.learner import LearnerVecEnv, make_learner
from card_agents.training.pool import Pool
from card_agents.training.settings import Budget, Settings
from card_agents.training.torch_agent import TorchAgent
from card_envs import Game
from card_envs.envs.sb3 import CardVecEnv

METRICS, EVALUATION, CURVE = "metrics.json", "evaluation.json", "learning_curve.png"
LOGS, CHECKPOINTS = "tensorboard", "checkpoints"

TYPICAL_RETURN = 2.5
"""Rewards are scaled so that the maximum return of a game is this."""

MEASURING, EVALUATING = 0x5EED, 0xE7A1
"""Added to the seed for the deals of the learning curve and of the final evaluation."""

MASKED = 1e8
"""What sb3-contrib subtracts from the logits of illegal actions: logits as large as this defeat the mask."""

Point = dict[str, Any]
Watcher = Callable[["Run"], None]


LOSSES = ("loss", "policy_gradient_loss", "value_loss", "entropy_loss")


class Diverged(ValueError):
    """The weights or losses are no longer finite; nothing of them has been written."""


class Run:
    """A training run in its folder. Create one with ``begin`` or ``resume``, then ``train`` and ``finish``.

    It holds the folder's lock until it is finished or closed, and is a context manager.

    Attributes:
        legs: legs finished.
        points: the learning curve, a dict for each point.
        budget: steps and seconds of training, used and allowed.
        remarks: sentences about faults that did no harm.
    """

    def __init__(self, folder: Path, game: Game, settings: Settings) -> None:
        _refuse_too_wide(game, settings)
        if settings.threads:
            torch.set_num_threads(settings.threads)
        self.folder = folder
        self.game = game
        self.settings = settings
        self.budget = Budget(settings.steps, 60 * settings.minutes)
        self.legs = 0
        self.points: list[Point] = []
        self.remarks: list[str] = []
        self._held = ExitStack()
        self.pool = Pool(game, settings)
        self.pool.check()
        self.rival = self.pool.rival
        set_random_seed(settings.seed)
        self._tables = CardVecEnv(game, settings.tables, opponents="greedy", reward=settings.reward)
        scale = TYPICAL_RETURN / game.max_return if settings.reward == "points" else 1.0
        self._env = LearnerVecEnv(self._tables, scale, settings.advice)
        self.model = make_learner(game, self._env, settings, self.budget)
        self._logger: Logger | None = None

    # Starting and resuming

    @classmethod
    def begin(cls, folder: Path, game: Game, settings: Settings, *, numbered: bool = False) -> Run:
        """A new run in a new folder.

        numbered: append a number to the folder's name if it is taken. Raises ``ValueError`` if the folder is not empty
        or
            cannot be written, or if another process is about to train in it; nothing is created then.
        """
        if not numbered:
            _refuse_used(folder)
        run = cls(folder, game, settings)
        if numbered:
            run.folder = new_folder(folder)
        run._hold()
        try:
            _refuse_used(run.folder)
            write_config(run.folder, game, settings)
        except BaseException:
            run.close()
            raise
        return run

    @classmethod
    def resume(cls, folder: Path, changes: dict[str, Any] | None = None) -> Run:
        """The run of a folder, resumed from its last intact checkpoint.

        changes: a new budget (``minutes``, ``steps``). Raises ``ValueError`` if there is no run in the folder, no
            checkpoint can be read, or another process is training in it; the folder is then unchanged.
        """
        game, settings = game_and_settings(folder, read_config(folder), changes or {})
        run = cls(folder, game, settings)
        run._hold()
        try:
            content = checkpoint.last(folder / CHECKPOINTS, run.remarks)
            if content is not None:
                run._restore(content)
            if changes:
                write_config(folder, game, settings)
        except BaseException:
            run.close()
            raise
        return run

    def _hold(self) -> None:
        self._held.enter_context(locked(self.folder, "training"))

    def close(self) -> None:
        """Release the folder's lock."""
        self._held.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Training

    def train(self, watch: Watcher = lambda run: None) -> None:
        """Train until the budget is spent; ``watch`` is called after every rollout and every point of the curve.

        Raises ``Diverged`` where the weights or losses are no longer finite.
        """
        if not self.points:
            self._measure()
            watch(self)
        while not self.budget.spent:
            opponents = self._begin_leg()
            for _ in range(self.settings.leg):
                begin = time.perf_counter()
                self._learn()
                self.budget.steps = self.model.num_timesteps
                self.budget.seconds += time.perf_counter() - begin
                watch(self)
                if self.budget.spent:
                    break
            self._end_leg(opponents)
            watch(self)

    def _learn(self) -> None:
        """One rollout and its updates; ``Diverged`` if anything is not finite afterwards."""
        size = self.settings.tables * self.settings.rollout
        try:
            self.model.learn(size, reset_num_timesteps=False, log_interval=None)  # type: ignore[arg-type]
        except (ValueError, RuntimeError):  # what torch and the tables raise for a diverged policy
            self._network()
            if self._largest_logit() > MASKED / 2:
                raise self._diverged("its logits are larger than any mask") from None
            raise
        for name in LOSSES:
            value = self.logger.name_to_value[f"train/{name}"]
            if not math.isfinite(value):
                raise self._diverged(f"the {name.replace('_', ' ')} is {value}")
        if not checkpoint.finite(self.model.policy.optimizer.state_dict()):
            raise self._diverged("the state of the optimizer is not finite")
        self._network()

    def _network(self) -> Network:
        """The learner's current network; ``Diverged`` if its numbers are unusable."""
        try:
            return network_of(self.model.policy)
        except ValueError as error:
            raise self._diverged(str(error)) from None

    def _largest_logit(self) -> float:
        """The largest absolute logit at the current tables, illegal actions included."""
        policy: Any = self.model.policy
        with torch.no_grad():
            logits: torch.Tensor = policy.get_distribution(torch.as_tensor(self.model._last_obs)).distribution.logits
        return float(logits.abs().max())

    def _diverged(self, how: str) -> Diverged:
        kept = checkpoint.newest(self.folder / CHECKPOINTS)
        last = f"the last good checkpoint is {kept}" if kept else "there was no checkpoint yet"
        return Diverged(
            f"Training diverged at step {self.model.num_timesteps}: {how}. Nothing of that was saved; {last}. Start "
            "another run with a lower learning rate or value weight."
        )

    def _begin_leg(self) -> dict[str, float]:
        """Deal afresh, assign opponents and seed every generator, all from the seed and the number of the leg."""
        words = np.random.SeedSequence([self.settings.seed, self.legs]).generate_state(4, np.uint64)
        set_random_seed(int(words[0] % 2**32))
        opponents = self.pool.seat_opponents(self._tables, np.random.default_rng(int(words[1])))
        self._tables.seed(int(words[2]))
        self.model.set_env(self._env, force_reset=True)
        self.model.set_logger(self.logger)
        return opponents

    def _end_leg(self, opponents: dict[str, float]) -> None:
        self.legs += 1
        self.pool.add(self.budget.steps, self._network())
        due = self.budget.used * (self.settings.points - 1) >= len(self.points)
        if due or self.budget.spent:
            self._measure()
        learned = {name: value for name, value in self.logger.name_to_value.items() if math.isfinite(value)}
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
        learner = TorchAgent(self.game, self._network())
        for name, opponent in self._opponents():
            point[name] = meet(self.game, ("learner", name), (learner, opponent), seeds).points_a.to_dict()
        if self._logger is not None:
            for name in ("entropy_loss", "value_loss", "approx_kl", "explained_variance"):
                value = self._logger.name_to_value.get(f"train/{name}")
                if value is not None and math.isfinite(value):  # explained_variance is NaN where all returns are equal
                    point[name] = float(value)
        self.points.append(point)

    def _opponents(self) -> list[tuple[str, Agent]]:
        """The opponents that the learner is measured against."""
        built_in: list[tuple[str, Agent]] = [("greedy", GreedyAgent(self.game)), ("random", RandomAgent(self.game))]
        return built_in if self.rival is None else [*built_in, (self.settings.against, self.rival)]

    def agent(self) -> PPOAgent:
        """The current learner as a player."""
        agent = PPOAgent(self.game, self._network())
        agent.network.notes.update(steps=self.budget.steps, seed=self.settings.seed)
        return agent

    # Saving

    def save(self) -> None:
        """Write a checkpoint, and for use outside the run the player and the metrics so far."""
        agent = self.agent()
        selves = [
            {"steps": steps, "arrays": {name: torch.from_numpy(array) for name, array in network.arrays().items()}}
            for steps, network in self.pool.snapshots
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
            "job": job_digest(self.game, self.settings),
        }
        checkpoint.write(self.folder / CHECKPOINTS, self.legs, content)
        agent.save(self.folder / MODEL)
        self._write_metrics()

    def _write_metrics(self) -> None:
        metrics: dict[str, Any] = {"steps": self.budget.steps, "legs": self.legs, "points": self.points}
        if self.pool.forfeits:
            metrics["forfeits_of_the_rival"] = dict(self.pool.forfeits)
        write_whole(self.folder / METRICS, (json.dumps(metrics, indent=1, allow_nan=False) + "\n").encode())
        for pattern in ("*.json", "*.npz", "*.png"):
            remove_partial(self.folder, pattern)

    def _restore(self, content: dict[str, Any]) -> None:
        if content.get("job") != job_digest(self.game, self.settings):
            raise ValueError(
                f"The last checkpoint in {self.folder} is from another run or version, or --against has changed."
            )
        try:
            self.model.policy.load_state_dict(content["policy"])
            self.model.policy.optimizer.load_state_dict(content["optimizer"])
            self.model._n_updates = content["updates"]
            self.model.num_timesteps = self.budget.steps = content["steps"]
            self.budget.seconds = content["seconds"]
            self.legs = content["legs"]
            self.points = content["points"]
            for entry in content["selves"]:
                self.pool.snapshots.append((entry["steps"], _restored(entry["arrays"], self.settings.advice)))
        except (KeyError, RuntimeError, ValueError, TypeError) as error:
            raise ValueError(f"The checkpoint in {self.folder} does not fit its configuration: {error}") from None

    # Finishing

    def finish(self, progress: Callable[[int, int], None] | None = None) -> Evaluation:
        """Write the model, its evaluation against the opponents it was measured by, and the learning curve to the
        folder.

        Everything is saved when this returns, except a figure that could not be drawn: a remark says why.
        """
        self.pool.dismiss()
        agent = self.agent()
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
        levels = {name: (0.0, f"equal to {name}") for name, _ in opponents}
        levels["random"] = (evaluation.meetings[-1].points_a.mean, "greedy against random")
        try:
            draw_curve(self.folder / CURVE, self.game, self.points, levels, self.budget)
        except Exception as error:  # whatever matplotlib raises: nothing depends on the figure
            self.remarks.append(f"{CURVE} could not be drawn: {type(error).__name__}: {error}")
        self.close()
        return evaluation


def _refuse_too_wide(game: Game, settings: Settings) -> None:
    """``ValueError`` for a network too large to be saved (``Network.save``), estimated before it is made."""
    width, advice_bits = settings.width, game.num_actions if settings.advice else 0
    inputs = game.observation_size + advice_bits
    weights = width * (inputs + (settings.layers - 1) * width + game.num_actions) + advice_bits * game.num_actions
    if 4 * weights > LARGEST // 2:
        raise ValueError(
            f"width={width} and layers={settings.layers} make a network of {weights:,} weights, of which at most "
            f"{LARGEST // 8:,} can be saved."
        )


def _refuse_used(folder: Path) -> None:
    if not is_empty(folder):
        raise ValueError(f"{folder} already exists: give another --out, or --resume {folder} to resume it.")


def _restored(arrays: dict[str, torch.Tensor], advice: bool) -> Network:
    """The network with the arrays that ``Network.arrays`` gave."""
    parts: dict[str, Layers] = {"trunk": [], "policy": [], "value": []}
    for part, layers in parts.items():
        while f"{part}.{len(layers)}.weight" in arrays:
            prefix = f"{part}.{len(layers)}"
            layers.append((arrays[f"{prefix}.weight"].numpy(), arrays[f"{prefix}.bias"].numpy()))
    return Network(parts["trunk"], parts["policy"], parts["value"], advice=advice)
