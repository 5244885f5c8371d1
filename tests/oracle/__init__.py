"""A slow, plain second telling of the games in this package, written from docs/rules.md alone, to hold it against.

Cards are strings such as ``"Kh"``: a rank of ``A23456789TJQK``, then a suit of ``cdhs``. What a seat is paid
(``returns``) is told from there. A game's probe names its oracle (``card_envs.probe``).
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from card_envs.registry import game_class

BESIDE = [str(folder) for folder in (Path(__file__).resolve().parents[2] / "examples").glob("*/tests")]
"""Where the oracles of the games in examples/ stand."""

sys.path += [folder for folder in BESIDE if folder not in sys.path]


def oracle_class(game: str) -> Any:
    """The oracle of a game, or None if it has none."""
    module, _, name = game_class(game).probe().oracle.partition(":")
    return getattr(importlib.import_module(module), name) if module else None
