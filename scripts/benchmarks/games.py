"""The games that are measured."""

from __future__ import annotations

from typing import Any

import card_envs
from card_envs import Game

TABLES = 4096
"""Default number of tables."""

MANY_TABLES = 65_536
"""Enough for several threads."""


def measured_games() -> list[Game]:
    """Elfern, and Konchinka with the fewest, with four and with the most players."""
    return [card_envs.make_game("elfern"), *(konchinka(players) for players in (2, 4, 12))]


def konchinka(players: int) -> Game:
    return card_envs.make_game("konchinka", num_players=players)


def about(game: Game) -> dict[str, Any]:
    """The fields of a figure that describe the game."""
    return {"game": game.name, "players": game.num_players}


def label(name: str, players: int) -> str:
    """The display name of a game."""
    return name.capitalize() if name == "elfern" else f"{name.capitalize()}, {players} players"


def env_id(game: Game) -> str:
    return f"card_envs/{game.name.capitalize()}-v0"


def env_options(game: Game) -> dict[str, Any]:
    return {"num_players": game.num_players} if game.name == "konchinka" else {}
