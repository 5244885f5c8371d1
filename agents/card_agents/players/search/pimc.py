"""Perfect-information Monte Carlo: worlds are drawn and played with open cards, and what is best on average is played.

Where the seat can work out every hidden card there is but one world, and the play is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.players.search.searcher import MOST, Searcher
from card_agents.players.search.worlds import build_draw_world
from card_agents.protocol import Array
from card_envs import Game
from card_envs.bits import ONE, ZERO
from card_envs.checks import whole_number
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.open_cards import Solver


@cache
def build_pimc(kernel: Kernel, solver: Solver, owner: str) -> Callable[..., None]:
    """Compile the search for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    legal, words_of_a_set = kernel.legal, kernel.words
    draw_world = build_draw_world(kernel, owner)
    is_settled, write_values, write_estimates = solver.settled, solver.values, solver.estimates
    worth = solver.worth

    @compiled
    def search(
        views: Any, constants: Any, random: Any, count: int, tie: float, memory: Any, worlds: Any, means: Any
    ) -> None:
        """Write to ``means`` what each legal action is worth in the mean of ``count`` worlds, in each view."""
        g = constants[0]
        words = np.empty(words_of_a_set, np.uint64)
        values = np.zeros(g.num_actions)
        s = worlds[0]
        for i in range(len(views)):
            view = views[i]
            view.choice = random[i]
            words[:] = ZERO
            legal(view, g, words)
            settled = is_settled(view, g)
            wanted = 1 if settled else count
            for _ in range(wanted):
                draw_world(view, worlds, g)
                if settled:
                    write_values(s, g, memory, values)
                else:
                    write_estimates(s, g, memory, values)
                for action in range(g.num_actions):
                    if words[action >> 6] & (ONE << np.uint64(action & 63)) != ZERO:
                        means[i, action] += worth(s, g, values[action]) + tie * values[action]
            for action in range(g.num_actions):
                means[i, action] /= wanted

    return search


class PimcAgent(Searcher):
    """Plays the action that brings most in the mean of ``worlds`` worlds played with open cards.

    tie: what one more of the solver's unit is worth, in points, beside the points it brings: points are a coarse
        measure, and to be far from the next step of their scale is worth something.
    """

    def __init__(self, game: Game, worlds: int = 20, *, tie: float = 0.02) -> None:
        super().__init__(game)
        self.worlds = whole_number("worlds", worlds, 1, MOST)
        self.tie = tie
        self._spare: list[Any] = []

    def weights(self, views: Array, legal: npt.NDArray[np.bool_], words: Array) -> npt.NDArray[np.float64]:
        game = self.game
        means = np.zeros((len(views), game.num_actions))
        try:
            memory = self._spare.pop()
        except IndexError:
            memory = game.solver.memory(game)
        run = build_pimc(game.kernel, game.solver, game.name)
        run(views, game.constants, words, self.worlds, self.tie, memory, np.empty(1, game.dtype), means)
        self._spare.append(memory)
        return np.where(legal, means, -np.inf)
