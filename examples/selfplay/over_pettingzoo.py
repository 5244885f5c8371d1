"""Self-play over PettingZoo in one file: one network plays every seat, and learns from what each seat is paid.

    python examples/selfplay/over_pettingzoo.py --rounds 150

It needs ``pip install "card_envs[pettingzoo,train]"``. The point to get right is whose reward is learned from: a play
is worth what its own agent receives from then on, not what the next agent is shown by ``last()``.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from torch import nn

from card_envs.envs import pettingzoo

TABLES = 64
"""Episodes of a round, whose agents are asked together."""


class Network(nn.Module):
    """Scores of the actions and the worth of a position, from an observation."""

    def __init__(self, observation_size: int, num_actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observation_size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.scores, self.worth = nn.Linear(128, num_actions), nn.Linear(128, 1)

    def forward(self, seen: torch.Tensor, masks: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        """The distribution over legal actions, and the worth."""
        hidden = self.body(seen)
        scores = self.scores(hidden).masked_fill(~masks, -1e9)
        return torch.distributions.Categorical(logits=scores), self.worth(hidden).squeeze(-1)

    def choose(self, observations: list[dict[str, Any]]) -> tuple[torch.Tensor, ...]:
        """What was seen, the masks, an action each, and its log-probability."""
        seen = torch.as_tensor(np.stack([one["observation"] for one in observations]), dtype=torch.float32)
        masks = torch.as_tensor(np.stack([one["action_mask"] for one in observations]), dtype=torch.bool)
        with torch.no_grad():
            policy, _ = self(seen, masks)
            actions = policy.sample()
        return seen, masks, actions, policy.log_prob(actions)


def play_round(envs: list[Any], network: Network) -> list[torch.Tensor]:
    """An episode at every table: what was seen, masks, actions, log-probabilities and what each agent then received."""
    for env in envs:
        env.reset()
    plays: list[tuple[torch.Tensor, ...]] = []
    places: list[list[tuple[int, str]]] = []  # of each play: its table and its agent
    paid: list[list[dict[str, float]]] = []  # at each table, after each of its plays
    received = [dict.fromkeys(env.possible_agents, 0.0) for env in envs]
    going = list(range(len(envs)))
    while going:
        chosen = network.choose([envs[k].observe(envs[k].agent_selection) for k in going])
        plays.append(chosen)
        places.append([(k, envs[k].agent_selection) for k in going])
        paid.append([received[k].copy() for k in going])
        for k, action in zip(going, chosen[2].tolist(), strict=True):
            envs[k].step(action)
            for agent, reward in envs[k].rewards.items():
                received[k][agent] += reward
        going = [k for k in going if not envs[k].terminations[envs[k].agent_selection]]
    worth = [
        received[k][agent] - before[agent]
        for at, then in zip(places, paid, strict=True)
        for (k, agent), before in zip(at, then, strict=True)
    ]
    return [*(torch.cat(column) for column in zip(*plays, strict=True)), torch.tensor(worth)]


def learn(network: Network, optimizer: torch.optim.Optimizer, batch: list[torch.Tensor]) -> None:
    """Proximal policy optimisation on one round."""
    for _ in range(4):
        for rows in torch.randperm(len(batch[0])).split(256):
            seen, masks, actions, before, worth = (column[rows] for column in batch)
            policy, expected = network(seen, masks)
            advantage = worth - expected.detach()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            ratio = (policy.log_prob(actions) - before).exp()
            gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            loss = -gain + 0.5 * (worth - expected).square().mean() - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def points_against_random(env: Any, network: Network, deals: int, seed: int) -> tuple[float, float]:
    """Mean points a deal of the network, at each seat in turn, against random players; and its standard error."""
    dice = np.random.default_rng(seed)
    points = []
    for deal in range(deals):
        own = env.possible_agents[deal % len(env.possible_agents)]
        env.reset(seed=seed + deal // len(env.possible_agents))
        total = 0.0
        while not env.terminations[env.agent_selection]:
            agent = env.agent_selection
            observation = env.observe(agent)
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(network.choose([observation])[2]) if agent == own else int(dice.choice(legal)))
            total += env.rewards[own]
        points.append(total)
    return float(np.mean(points)), float(np.std(points) / np.sqrt(deals))


def train(name: str, rounds: int, seed: int, **rules: Any) -> tuple[float, float]:
    """Learn for so many rounds, and play against random; see ``points_against_random``."""
    torch.manual_seed(seed)
    version = getattr(pettingzoo, f"{name}_v0")
    envs = [version.raw_env(**rules) for _ in range(TABLES)]
    for k, env in enumerate(envs):
        env.reset(seed=seed + k)
    game = envs[0].game
    network = Network(game.observation_size, game.num_actions)
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
    for _ in range(rounds):
        learn(network, optimizer, play_round(envs, network))
    return points_against_random(version.raw_env(**rules), network, 400, 10_000)


def main() -> None:
    """Train as the command line says, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="elfern", help="name of a game (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=150, help=f"rounds of {TABLES} episodes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    asked = parser.parse_args()
    mean, error = train(asked.game, asked.rounds, asked.seed)
    print(f"{mean:+.2f} points a deal against random, standard error {error:.2f}, after {asked.rounds} rounds")


if __name__ == "__main__":
    main()
