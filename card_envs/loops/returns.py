"""What an episode has brought each seat so far, by one of the rewards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs import record
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.record import POINTS, SHARE, WIN


@dataclass(frozen=True)
class Returns:
    """The compiled loops that count; the first one is for a single row and seat."""

    outcome: Callable[..., Any]
    outcomes: Callable[..., Any]


def build_returns(kernel: Kernel, owner: str) -> Returns:
    """Compile them for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    taken, settlement = kernel.taken, kernel.settlement

    @compiled
    def outcome(s: Any, g: Any, reward: int, seat: int) -> float:
        """The return of this episode so far, by one of the rewards of ``record.REWARDS``."""
        if s.forfeit >= 0:
            return record.returned_forfeit(s, g, reward, seat)
        if reward == POINTS:
            return record.lead_in(s.total, g, seat)
        if reward == SHARE:
            everyone = 0
            own = 0
            for other in range(g.num_players):
                honours = np.int64(s.taken_before[other]) + taken(s, g, other)
                everyone += honours
                if other == seat:
                    own = honours
            share = record.above_others(np.float64(own), np.float64(everyone), g.num_players)
            return share / np.float64(g.all_taken)
        if s.over == 0:
            return 0.0
        return record.returned_win(s, g, seat) if reward == WIN else np.float64(settlement(s, g, seat))

    @compiled
    def outcomes(states: Any, constants: Any, reward: int, out: Any) -> None:
        """Returns so far of every seat, by one of the rewards."""
        g = constants[0]
        for i in range(len(states)):
            for seat in range(g.num_players):
                out[i, seat] = outcome(states[i], g, reward, seat)

    return Returns(outcome, outcomes)
