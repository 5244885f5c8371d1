"""Two old card games for people who train, search and measure agents: Elfern and Konchinka."""

from __future__ import annotations

from card_envs.envs.registration import register_all
from card_envs.errors import IllegalAction
from card_envs.game import Game
from card_envs.registry import GAMES, make_game
from card_envs.state import State

__all__ = ["GAMES", "Game", "IllegalAction", "State", "make_game"]

register_all()
