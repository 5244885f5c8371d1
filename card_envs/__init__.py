"""Two old card games for people who train, search and measure agents: Elfern and Konchinka."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from card_envs.envs.registration import register_all
from card_envs.errors import IllegalAction
from card_envs.game import Game
from card_envs.records import GameRecord, read_records, write_records
from card_envs.registry import GAMES, make_game
from card_envs.state import State

__all__ = ["GAMES", "Game", "GameRecord", "IllegalAction", "State", "make_game", "read_records", "write_records"]

try:
    __version__ = version("card_envs")
except PackageNotFoundError:  # run from a copy of the sources that was not installed
    __version__ = "0+unknown"

register_all()
