"""The learner's network: a body that policy and value share, and a policy head that knows what actions have in common.

An action has parts, which are read off its name: the card, its rank and suit, what it takes. The weights of its logit
are the sum of the weights of its parts and of its own. So what is learned about one play of a queen, or one capture of
a two, holds at once for all the others, and still any policy can be expressed. It is a plain linear layer written
in another way, and is saved as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from card_envs import Game

SPREAD = 0.01
"""Of the first logits: the untrained policy is close to uniform."""


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


def action_parts(name: str) -> set[str]:
    """What an action has in common with others, read off its name: a card, then how it is played.

    >>> sorted(action_parts("Kh"))
    ['card Kh', 'how ', 'length 0', 'play K', 'rank K', 'suit h']
    >>> sorted(action_parts("8cxA25"))
    ['card 8c', 'how x', 'length 4', 'play 8xA25', 'rank 8', 'suit c', 'with 2', 'with 5', 'with A']
    """
    card, how = name[:2], name[2:]
    parts = {f"card {card}", f"rank {card[:1]}", f"suit {card[1:]}"}
    parts |= {f"how {how[:1]}", f"length {len(how)}", f"play {card[:1]}{how}"}
    return parts | {f"with {member}" for member in how[1:]}


def parts_table(game: Game) -> torch.Tensor:
    """Which parts each action has, itself the last, float32 (num_actions, parts): rows of length 1."""
    found = [action_parts(game.action_name(action)) for action in range(game.num_actions)]
    names = sorted(set().union(*found))
    shared = torch.tensor([[float(name in parts) for name in names] for parts in found])
    table = torch.cat([shared, torch.eye(game.num_actions)], dim=1)
    return table / table.sum(dim=1, keepdim=True).sqrt()


class PartsHead(nn.Module):
    """Logits, float32 (N, width) to (N, num_actions)."""

    parts: torch.Tensor

    def __init__(self, width: int, parts: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("parts", parts, persistent=False)
        self.weight = nn.Parameter(torch.randn(parts.shape[1], width) * SPREAD / width**0.5)
        self.bias = nn.Parameter(torch.zeros(parts.shape[1]))

    def as_linear(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight (num_actions, width) and bias (num_actions,) of the linear layer that this is."""
        return self.parts @ self.weight, self.parts @ self.bias

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(features, *self.as_linear())


class PartsPolicy(MaskableActorCriticPolicy):
    """The actor-critic policy of sb3-contrib with ``PartsHead`` for its logits; masks are applied as there."""

    def __init__(self, *args: Any, game: Game, **kwargs: Any) -> None:
        self._game = game
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        self.action_net = PartsHead(self.mlp_extractor.latent_dim_pi, parts_table(self._game))
        make: Any = self.optimizer_class
        self.optimizer = make(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)
