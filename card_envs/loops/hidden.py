"""Hidden cards: views of full states, and determinizations of views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs.bits import draw
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.record import FULL


@dataclass(frozen=True)
class Hidden:
    """The compiled loops that hide cards and draw worlds."""

    hide: Callable[..., Any]
    imagine: Callable[..., Any]


def build_hidden(kernel: Kernel, owner: str) -> Hidden:
    """Compile them for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    hide_from, imagine_world = kernel.hide, kernel.imagine

    @compiled
    def hide(states: Any, constants: Any, seats: Any) -> None:
        """Make full states views of ``seats``; views of that seat stay as they are."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            if s.viewer == FULL:
                hide_from(s, g, np.int64(seats[i]))
                s.viewer = seats[i]
                s.seed = np.uint64(0)
                s.choice = np.uint64(0)

    @compiled
    def imagine(states: Any, constants: Any, seeds: Any) -> None:
        """Turn views into full states that their seats hold possible, each drawn from the seed of its row."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            s.choice = seeds[i]
            imagine_world(s, g)
            s.viewer = FULL
            s.seed = draw(s)  # for the deals to come

    return Hidden(hide, imagine)
