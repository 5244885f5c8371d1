"""Trained policies that play beside a learner, on torch, whose threads would compete with numpy's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from card_agents.players.network import TORCH, Network, one_hot
from card_agents.players.ppo import PPOAgent
from card_agents.protocol import Array
from card_envs import Game


class TorchAgent(PPOAgent):
    """``PPOAgent`` on torch: the same play up to the last bits of the logits."""

    def __init__(self, game: Game, network: Network, *, deterministic: bool = True) -> None:
        super().__init__(game, network, deterministic=deterministic)
        activation = getattr(nn, next(name for name, own in TORCH.items() if own == network.activation))
        body = [part for layer in network.trunk for part in (_linear(*layer), activation())]
        head = [part for layer in network.policy for part in (_linear(*layer), activation())]
        self._body, self._head = nn.Sequential(*body), nn.Sequential(*head[:-1])

    def logits(self, views: Array, observations: Array) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            x = torch.from_numpy(observations).float()
            advice = self.advice(views)
            if advice is None:
                return self._head(self._body(x)).numpy()
            bits = torch.from_numpy(one_hot(advice, self.network.outputs))
            x = self._body(torch.cat([x, bits], dim=1))
            return self._head(torch.cat([x, bits], dim=1)).numpy()


def _linear(weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], device="meta")
    layer.weight = nn.Parameter(torch.from_numpy(weight), requires_grad=False)
    layer.bias = nn.Parameter(torch.from_numpy(bias), requires_grad=False)
    return layer
