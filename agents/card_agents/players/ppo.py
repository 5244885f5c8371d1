"""A trained policy as a player. Playing needs only numpy; importing a policy from a trainer needs torch."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.archives import fault
from card_agents.judgement import Judge, Known
from card_agents.players.network import TORCH, Layers, Network
from card_agents.players.sb3 import is_sb3, read_sb3
from card_agents.protocol import Actions, Array, checked_masks, checked_words, sampled_actions
from card_envs import Game

WEIGHTS = Path(__file__).resolve().parent / "weights"
"""Trained players that ship with the library: ``GAME-PLAYERS.npz``, each for the game's default rules."""

MODEL = "model.npz"
"""File name of the player in the folder of a training run."""


def model_file(path: str | os.PathLike[str]) -> Path:
    """The file that ``PPOAgent.load(path, game)`` reads; ``ValueError`` if there is none.

    ``path`` is the file itself, a file of Stable-Baselines3 without its ``.zip``, or the folder of a training run.
    """
    path = Path(path)
    try:
        if path.name and not path.exists():
            zipped = path.with_name(f"{path.name}.zip")
            path = zipped if zipped.exists() else path
        mode = path.stat().st_mode
        if not stat.S_ISDIR(mode):
            return path
        found, run = (path / MODEL).exists(), (path / "config.json").exists()
    except (OSError, ValueError) as error:  # a zero byte in the name is a ValueError
        raise ValueError(f"{path!s:.200} cannot be read as a player: {fault(error)}.") from None
    if found:
        return path / MODEL
    if run:
        why = f"the run has not saved one yet; card-envs train --resume {path} continues it"
    else:
        why = f"it is a folder without a {MODEL}"
    raise ValueError(f"{path} cannot be read as a player: {why}.")


def shipped_file(game: Game) -> Path:
    """The file of the trained player that ships with the library; ``ValueError`` if there is none for this game."""
    path = WEIGHTS / f"{game.name}-{game.num_players}.npz"
    if not path.is_file():
        players = sorted(path.stem for path in WEIGHTS.glob("*.npz"))
        raise ValueError(
            f"No trained player ships with the library for {game.describe()}, only for {', '.join(players)} "
            "(game and number of players): train one with card-envs train and give 'ppo:PATH'."
        )
    return path


class PPOAgent(Judge):
    """Plays the policy of a network: its most likely legal action, or one sampled from it.

    All rows are computed at once, so the last bits of a logit can depend on how many there are.
    """

    def __init__(self, game: Game, network: Network, *, deterministic: bool = True) -> None:
        if (network.inputs, network.outputs) != (game.observation_size, game.num_actions):
            raise ValueError(
                f"This network has {network.inputs} inputs and {network.outputs} actions; {game.name} needs "
                f"{game.observation_size} and {game.num_actions}."
            )
        self.game = game
        self.network = network
        self.deterministic = deterministic

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        logits = self._legal_logits(views, observations, masks)
        if self.deterministic:
            return logits.argmax(axis=1).astype(np.int32)
        return draw_actions(logits, checked_words(random, len(observations)))

    def probabilities(self, views: Array, observations: Array, masks: Array) -> npt.NDArray[np.float64]:
        """The probability of each action, float64 (N, num_actions)."""
        if self.deterministic:
            logits = self._legal_logits(views, observations, masks)
            return (np.arange(self.game.num_actions) == logits.argmax(axis=1)[:, None]).astype(np.float64)
        return self.policy(views, observations, masks)

    def policy(self, views: Array, observations: Array, masks: Array) -> npt.NDArray[np.float64]:
        """The probabilities that the network gives, float64 (N, num_actions), also where the likeliest is played."""
        logits = self._legal_logits(views, observations, masks).astype(np.float64)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    def judge(self, views: Array, observations: Array, masks: Array, random: Array) -> Known:
        """The probabilities that the network gives (``card_agents.judgement``)."""
        return {"probability": self.policy(views, observations, masks)}

    def _legal_logits(self, views: Array, observations: Array, masks: Array) -> npt.NDArray[np.float32]:
        """Logits, float32 (N, num_actions), -inf for illegal actions."""
        legal = checked_masks(masks, len(observations), self.game.num_actions)
        return np.where(legal, self.logits(views, observations), np.float32(-np.inf))

    def logits(self, views: Array, observations: Array) -> npt.NDArray[np.float32]:
        """Policy logits, float32 (N, num_actions), not masked."""
        return self.network.logits(observations, self.advice(views))

    def advice(self, views: Array) -> npt.NDArray[np.int32] | None:
        """The greedy player's actions, int32 (N,), for a network with advice; it reads only what the seat may see."""
        return self.game.greedy_actions(views) if self.network.advice else None

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game, *, deterministic: bool = True) -> PPOAgent:
        """The player of a file; ``ValueError`` if there is none for this game. Nothing in the file is executed.

        path: a file that ``save`` wrote, the folder of a training run (its player as of its last checkpoint), or what
            ``model.save`` of PPO or MaskablePPO wrote (``card_agents.players.sb3``).
        """
        path = model_file(path)
        network = read_sb3(path, game) if is_sb3(path) else Network.load(path, game)
        return cls(game, network, deterministic=deterministic)

    @classmethod
    def shipped(cls, game: Game, *, deterministic: bool = True) -> PPOAgent:
        """The trained player that ships with the library; ``ValueError`` if there is none for these rules."""
        return cls.load(shipped_file(game), game, deterministic=deterministic)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write weights and metadata; loading the file executes nothing in it."""
        self.network.save(path, self.game)

    @classmethod
    def from_model(cls, model: Any, game: Game, *, deterministic: bool = True) -> PPOAgent:
        """The policy of a ``MaskablePPO`` model as a player: a copy of its weights."""
        return cls(game, network_of(model.policy), deterministic=deterministic)


def draw_actions(logits: Array, words: Array) -> Actions:
    """One action per row, int32 (N,), sampled from the softmax of ``logits`` (N, A), -inf = never.

    words: random words, uint64 (N,).
    """
    return sampled_actions(np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True)), words)


def network_of(policy: Any) -> Network:
    """The layers of a Stable-Baselines3 actor-critic policy over flat observations, as a network.

    A module that is equivalent to a linear layer has a method ``as_linear() -> (weight, bias)``.

    Raises ``ValueError`` for a policy that is not made of linear layers and one of
    ``card_agents.players.network.ACTIVATIONS``, on one shared extractor.
    """
    from torch import nn

    known = {repr(getattr(nn, name)()): own for name, own in TORCH.items()}  # with torch's default arguments
    activations = set()

    def layers(module: Any) -> Layers:
        found: Layers = []
        for part in module.modules():
            if isinstance(part, nn.Linear) or hasattr(part, "as_linear"):
                pair = (part.weight, part.bias) if isinstance(part, nn.Linear) else part.as_linear()
                weight, bias = (array.detach().cpu().numpy().astype(np.float32, copy=True) for array in pair)
                found.append((weight, bias))
            elif repr(part) in known:
                activations.add(known[repr(part)])
            elif next(part.children(), None) is None and not isinstance(part, (nn.Flatten, nn.Sequential)):
                raise ValueError(f"A policy with a {type(part).__name__} layer cannot be saved as a plain network.")
        return found

    if not policy.share_features_extractor:
        raise ValueError("A policy whose value function has its own extractor cannot be saved as a plain network.")
    trunk = layers(policy.features_extractor)
    logits = layers(policy.mlp_extractor.policy_net) + layers(policy.action_net)
    value = layers(policy.mlp_extractor.value_net) + layers(policy.value_net)
    if len(activations) > 1:
        raise ValueError(f"A policy with {' and '.join(sorted(activations))} mixed cannot be saved as a plain network.")
    return Network(
        trunk,
        logits,
        value,
        activation=activations.pop() if activations else "relu",
        advice=getattr(policy, "advice", False),
    )
