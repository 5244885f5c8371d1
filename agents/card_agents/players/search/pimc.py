"""Perfect-information Monte Carlo: the action with the best mean value over determinizations played double-dummy.

Where the seat can deduce every hidden card there is only one world, and play is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.judgement import Known
from card_agents.players.search.searcher import MOST, Searcher, checked
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
        views: Any, constants: Any, words: Any, count: int, tie: float, memory: Any, worlds: Any, means: Any
    ) -> None:
        """Write to ``means`` the value of each legal action, averaged over ``count`` worlds, for each view."""
        g = constants[0]
        action_set = np.empty(words_of_a_set, np.uint64)
        values = np.zeros(g.num_actions)
        s = worlds[0]
        for i in range(len(views)):
            view = views[i]
            view.choice = words[i]
            action_set[:] = ZERO
            legal(view, g, action_set)
            settled = is_settled(view, g)
            wanted = 1 if settled else count
            for _ in range(wanted):
                draw_world(view, worlds, g)
                if settled:
                    write_values(s, g, memory, values)
                else:
                    write_estimates(s, g, memory, values)
                for action in range(g.num_actions):
                    if action_set[action >> 6] & (ONE << np.uint64(action & 63)) != ZERO:
                        means[i, action] += worth(s, g, values[action]) + tie * values[action]
            for action in range(g.num_actions):
                means[i, action] /= wanted

    return search


class PimcAgent(Searcher):
    """Plays the action with the best mean value over ``worlds`` worlds played double-dummy (cards open).

    tie: points added per unit of the solver (an honour, say), since points are a coarse measure and a margin within a
        step of their scale has value too. Raises ``ValueError`` unless ``worlds`` is a whole number in range.
    """

    def __init__(self, game: Game, worlds: int = 20, *, tie: float = 0.02) -> None:
        super().__init__(game)
        self.worlds = whole_number("worlds", worlds, 1, MOST)
        self.tie = tie
        self._spare: list[Any] = []

    def weights(self, views: Array, legal: npt.NDArray[np.bool_], words: Array) -> npt.NDArray[np.float64]:
        return np.where(legal, self._means(views, words, self.worlds, self.tie), -np.inf)

    def _means(self, views: Array, words: Array, worlds: int, tie: float) -> npt.NDArray[np.float64]:
        """Mean values over the next ``worlds`` worlds of the streams that ``words`` begin; ``views`` have them then."""
        game = self.game
        means = np.zeros((len(views), game.num_actions))
        try:
            memory = self._spare.pop()
        except IndexError:
            memory = game.solver.memory(game)
        run = build_pimc(game.kernel, game.solver, game.name)
        run(views, game.constants, words, worlds, tie, memory, np.empty(1, game.dtype), means)
        self._spare.append(memory)
        return means

    def world_values(self, views: Array, words: Array) -> npt.NDArray[np.float64]:
        """The points that each action brings the seat to play in each world, without ``tie``: float64 (worlds, N,
        num_actions), 0 for illegal actions.

        views: views of the seats to play, records (N,), which are written to. words: uint64 (N,), random words. The
        worlds are those in which ``act`` plays with these words.
        """
        found = []
        for _ in range(self.worlds):
            found.append(self._means(views, words, 1, 0.0))
            words = views["choice"].copy()
        return np.array(found)

    def judge(self, views: Array, observations: Array, masks: Array, random: Array) -> Known:
        """Mean values over the worlds, their standard errors, and exact values where there is only one world
        (``card_agents.judgement``)."""
        legal, words = checked(self.game, views, masks, random)
        settled = self.game.is_settled(views)[:, None]
        values = self.world_values(views, words)
        error = values.std(axis=0, ddof=1) / np.sqrt(self.worlds) if self.worlds > 1 else np.full(legal.shape, np.nan)
        value = np.where(legal, values.mean(axis=0), np.nan)
        return {
            "value": value,
            "spread": np.where(legal, np.where(settled, 0.0, error), np.nan),
            "exact": np.where(settled, value, np.nan),
        }
