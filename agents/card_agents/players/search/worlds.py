"""Worlds for a search: full states that a seat holds possible, drawn one after the other from its view."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from card_envs.bits import draw
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.record import FULL


@cache
def build_draw_world(kernel: Kernel, owner: str) -> Callable[[Any, Any, Any], None]:
    """Compile, for one game (``owner`` is its name), what draws the next world of a view whose dice are set."""
    imagine = kernel.imagine

    def draw_world(view: Any, worlds: Any, g: Any) -> None:
        """Make the first row of ``worlds`` a world of ``view``; the dice are ``view.choice``, and move on."""
        word = draw(view)
        worlds[0] = view
        s = worlds[0]
        s.choice = word
        imagine(s, g)
        s.viewer = FULL
        s.seed = draw(s)  # for the deals to come

    return njit(draw_world, owner=owner)
