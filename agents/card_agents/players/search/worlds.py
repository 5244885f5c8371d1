"""Determinizations for a search: full states that are possible for a seat, sampled one at a time from its view."""

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
    """Compile the sampler of worlds for one game; ``owner`` is its name."""
    imagine = kernel.imagine

    def draw_world(view: Any, worlds: Any, g: Any) -> None:
        """Make ``worlds[0]`` the next world of ``view``; the generator is ``view.choice``, which advances."""
        word = draw(view)
        worlds[0] = view
        s = worlds[0]
        s.choice = word
        imagine(s, g)
        s.viewer = FULL
        s.seed = draw(s)  # for later deals

    return njit(draw_world, owner=owner)
