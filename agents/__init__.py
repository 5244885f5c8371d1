"""Who plays any game: the built-in players by name, trained policies, and the arena that compares them."""

from __future__ import annotations

from agents.builtin import GreedyAgent, RandomAgent
from agents.names import make_agent
from agents.network import Network
from agents.ppo import PPOAgent
from agents.protocol import Agent

__all__ = ["Agent", "GreedyAgent", "Network", "PPOAgent", "RandomAgent", "make_agent"]
