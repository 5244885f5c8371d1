"""A solver for the endgames of any two-player game: it tries every line of play, using the kernel itself.

It knows no game and makes no deductions, so it is slower than a solver made for one game. Values count what ``taken``
counts; a deal must take ``max_plays`` plays, and all of it must have been won by somebody when it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, lowest
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.open_cards import Solver
from card_envs.record import FULL, NOTHING


def plain_solver(
    kernel: Kernel,
    owner: str,
    *,
    unit: str,
    settled: Callable[..., Any],
    worth: Callable[..., Any],
    exact_plays: int = 12,
    ahead: int = 8,
) -> Solver:
    """The solver of the game called ``owner``, for two players.

    unit, settled, worth: as in ``Solver``; a settled position has at most ``exact_plays`` plays left.
    exact_plays: positions with at most this many plays left are searched to the end.
    ahead: plays that ``estimates`` look ahead where more are left; what is still open then counts half.
    """
    compiled = partial(njit, owner=owner)
    legal, play, taken, size = kernel.legal, kernel.play, kernel.taken, kernel.words
    frame = np.dtype(
        (
            np.record,
            [
                ("words", "u8", (size,)),  # actions still to be tried
                ("action", "i8"),  # the one being tried
                ("best", "f8"),  # what those tried are worth to the seat that asks
                ("low", "f8"),  # the alpha-beta window
                ("high", "f8"),
            ],
        )
    )

    def bounds(game: Any) -> tuple[float, float]:
        """A seat takes nothing, or all there is."""
        return 0.0, float(game.constants["all_taken"][0])

    def memory(game: Any) -> tuple[Any, Any]:
        """Tables and frames of a search, one for each play ahead."""
        return np.zeros(exact_plays + 1, game.dtype), np.zeros(exact_plays + 1, frame)

    @compiled
    def left(s: Any, g: Any) -> int:
        """Plays left in the deal."""
        return g.max_plays - np.int64(s.plays)

    @compiled
    def exact(s: Any, g: Any) -> bool:
        """Whether all cards can be seen, and few enough plays are left."""
        return np.int64(s.viewer) == FULL and left(s, g) <= exact_plays

    @compiled
    def enter(s: Any, g: Any, f: Any, seat: int, low: float, high: float) -> None:
        """Begin to try the actions of the seat on turn."""
        for k in range(size):
            f.words[k] = ZERO
        legal(s, g, f.words)
        f.best = -np.inf if np.int64(s.to_play) == seat else np.inf
        f.low, f.high = low, high

    @compiled
    def next_action(f: Any) -> int:
        """The next action to try, or -1 if there is none or none of them matters any more."""
        if f.low < f.high:
            for k in range(size):
                if f.words[k] != ZERO:
                    action = lowest(f.words[k])
                    f.words[k] &= f.words[k] - ONE
                    return 64 * k + action
        return -1

    @compiled
    def standing(s: Any, g: Any, seat: int) -> float:
        """What a seat has taken in the episode, less what the other has: the count goes on past the end of a deal."""
        own = np.int64(s.taken_before[seat]) + taken(s, g, seat)
        other = np.int64(s.taken_before[1 - seat]) + taken(s, g, 1 - seat)
        return np.float64(own - other)

    @compiled
    def solve(s: Any, g: Any, memory: Any, plays: int, out: Any) -> None:
        """Write what each action of the seat to play is worth, looking so many plays ahead: alpha-beta with a stack."""
        tables, frames = memory
        seat = np.int64(s.to_play)
        before = np.float64(np.int64(s.taken_before[seat]) - np.int64(s.taken_before[1 - seat]))
        ply = 0
        tables[0] = s
        enter(tables[0], g, frames[0], seat, -np.inf, np.inf)
        while True:
            f = frames[ply]
            action = next_action(f)
            if action >= 0:
                f.action = action
                tables[ply + 1] = tables[ply]
                after = tables[ply + 1]
                if play(after, g, action) == NOTHING and ply + 1 < plays:
                    ply += 1
                    enter(after, g, frames[ply], seat, f.low, f.high)
                    continue
                value = (np.float64(g.all_taken) + standing(after, g, seat) - before) / 2
            elif ply == 0:
                return
            else:
                value = f.best
                ply -= 1
            f = frames[ply]
            if ply == 0:
                out[f.action] = value
            elif np.int64(tables[ply].to_play) == seat:
                f.best = max(f.best, value)
                f.low = max(f.low, value)
            else:
                f.best = min(f.best, value)
                f.high = min(f.high, value)

    @compiled
    def values(s: Any, g: Any, memory: Any, out: Any) -> None:
        """Exact values of the actions of the seat to play."""
        solve(s, g, memory, exact_plays, out)

    @compiled
    def estimates(s: Any, g: Any, memory: Any, out: Any) -> None:
        """The same, but where much is left to play the search ends ``ahead`` plays on."""
        solve(s, g, memory, exact_plays if left(s, g) <= exact_plays else ahead, out)

    return Solver(unit, bounds, memory, exact, settled, values, estimates, worth)
