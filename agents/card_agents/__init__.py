"""Players of any game (built-in, search, trained, external) and the arena that compares them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from card_agents.names import make_agent
    from card_agents.players.builtin import GreedyAgent, RandomAgent
    from card_agents.players.network import Network
    from card_agents.players.ppo import PPOAgent
    from card_agents.protocol import Agent

__all__ = ["Agent", "GreedyAgent", "Network", "PPOAgent", "RandomAgent", "make_agent"]

_HOMES = {
    "Agent": "protocol",
    "GreedyAgent": "players.builtin",
    "Network": "players.network",
    "PPOAgent": "players.ppo",
    "RandomAgent": "players.builtin",
    "make_agent": "names",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that a command can set the variables that numpy and torch read when they are loaded."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
