"""The body that policy and value share: SB3 alone would compute it twice."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn


class Trunk(BaseFeaturesExtractor):
    """Linear layers with ReLU over flat observations, float32 (N, observation_size) to (N, widths[-1])."""

    def __init__(self, observation_space: spaces.Box, widths: Sequence[int]) -> None:
        super().__init__(observation_space, features_dim=widths[-1])
        layers: list[nn.Module] = []
        before = observation_space.shape[0]
        for width in widths:
            linear = nn.Linear(before, width)
            nn.init.orthogonal_(linear.weight, gain=2**0.5)
            nn.init.zeros_(linear.bias)
            layers += [linear, nn.ReLU()]
            before = width
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(observations)
