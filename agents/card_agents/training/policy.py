"""The learner's network: a trunk shared by policy and value, and a policy head that knows what actions share.

An action has parts, which are read off its name: the card, its rank and suit, what it takes. The weights of its logit
are the sum of the weights of its parts and of its own. So what is learned about one play of a queen, or one capture of
a two, generalises at once to all the others, and yet any policy can be expressed. It is a linear layer in another
parametrisation, and is saved as one.
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
"""Standard deviation of the initial logits: without advice, the untrained policy is close to uniform."""

TRUST = 3.0
"""Initial bonus of the advised action: the untrained policy follows the advice about four times in five."""


class Trunk(BaseFeaturesExtractor):
    """Linear layers with ReLU over flat observations, float32 (N, observation_size) to (N, widths[-1]).

    advice_bits: how many bits at the end of an observation are the greedy player's advice, one per action; they are
        also appended to the output of the layers.
    """

    def __init__(self, observation_space: spaces.Box, widths: Sequence[int], advice_bits: int = 0) -> None:
        super().__init__(observation_space, features_dim=widths[-1] + advice_bits)
        self.advice_bits = advice_bits
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
        features: torch.Tensor = self.layers(observations)
        return torch.cat([features, observations[:, -self.advice_bits :]], dim=1) if self.advice_bits else features


def action_parts(name: str) -> set[str]:
    """The parts of an action, read off its name: the card, then how it is played.

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
    """The parts of each action, itself the last, float32 (num_actions, parts): rows of length 1."""
    found = [action_parts(game.action_name(action)) for action in range(game.num_actions)]
    names = sorted(set().union(*found))
    shared = torch.tensor([[float(name in parts) for name in names] for parts in found])
    table = torch.cat([shared, torch.eye(game.num_actions)], dim=1)
    return table / table.sum(dim=1, keepdim=True).sqrt()


class PartsHead(nn.Module):
    """Logits, float32 (N, width) to (N, num_actions); with ``advised``, the advised action gets a learned bonus."""

    parts: torch.Tensor

    def __init__(self, width: int, parts: torch.Tensor, advised: bool = False) -> None:
        super().__init__()
        self.register_buffer("parts", parts, persistent=False)
        inputs = width - len(parts) if advised else width
        self.weight = nn.Parameter(torch.randn(parts.shape[1], inputs) * SPREAD / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(parts.shape[1]))
        self.trust = nn.Parameter(torch.tensor(TRUST)) if advised else None

    def as_linear(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight (num_actions, width) and bias (num_actions,) of the equivalent linear layer."""
        weight = self.parts @ self.weight
        if self.trust is not None:
            weight = torch.cat([weight, self.trust * torch.eye(len(self.parts))], dim=1)
        return weight, self.parts @ self.bias

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        if self.trust is None:
            return nn.functional.linear(features, *self.as_linear())
        own = nn.functional.linear(
            features[:, : self.weight.shape[1]], self.parts @ self.weight, self.parts @ self.bias
        )
        return own + self.trust * features[:, self.weight.shape[1] :]


class PartsPolicy(MaskableActorCriticPolicy):
    """The actor-critic policy of sb3-contrib with ``PartsHead`` for its logits; masks are applied in the same way.

    advice: observations end with the greedy player's advice (see ``Trunk``).
    """

    def __init__(self, *args: Any, game: Game, advice: bool = False, **kwargs: Any) -> None:
        self._game = game
        self.advice = advice
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        self.action_net = PartsHead(self.mlp_extractor.latent_dim_pi, parts_table(self._game), self.advice)
        make: Any = self.optimizer_class
        self.optimizer = make(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)
