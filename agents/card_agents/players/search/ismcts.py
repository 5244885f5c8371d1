"""Information-set Monte Carlo tree search with a single observer (Cowling, Powley and Whitehouse 2012).

One tree serves all determinizations (worlds), since its nodes are sequences of plays, which are public. Each simulation
samples a world that is possible for the seat, descends the tree by plays that are legal in that world, adds a node, and
plays the deal out with the game's greedy player. Each seat maximises its own "points" return of the deal in play.
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
from card_envs.bits import ONE, ZERO, below, draw, nth, popcount
from card_envs.checks import whole_number
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.record import NOTHING, lead_in

NODE = np.dtype(
    (
        np.record,
        [
            ("total", "f8"),  # sum of the returns of the seat that made the play
            ("visits", "i4"),  # simulations through this node
            ("available", "i4"),  # simulations at the parent in a world where the play is legal
            ("action", "i4"),  # the play that leads to this node
            ("child", "i4"),  # the child added last; 0 for none, since the root is no node's child
            ("sibling", "i4"),  # the child of the parent added before this one
        ],
    )
)


@cache
def build_ismcts(kernel: Kernel, owner: str) -> Callable[..., None]:
    """Compile the search for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    legal, play, greedy, words_of_a_set = kernel.legal, kernel.play, kernel.greedy, kernel.words
    draw_world = build_draw_world(kernel, owner)

    @compiled
    def best_child(nodes: Any, parent: int, action_set: Any, logs: Any, exploration: float) -> int:
        """The child with the greatest upper confidence bound among those whose play is in ``action_set``; 0 if none is.

        Counts these children as available and removes their plays: what is left in ``action_set`` is untried.
        """
        best, best_bound = 0, 0.0
        k: Any = np.int64(nodes[parent].child)
        while k != 0:
            node = nodes[k]
            action = np.int64(node.action)
            member = ONE << np.uint64(action & 63)
            if action_set[action >> 6] & member != ZERO:
                action_set[action >> 6] &= ~member
                node.available = np.int64(node.available) + 1
                visits = np.float64(np.int64(node.visits))
                bound = node.total / visits + exploration * np.sqrt(logs[np.int64(node.available)] / visits)
                if best == 0 or bound > best_bound:
                    best, best_bound = k, bound
            k = np.int64(node.sibling)
        return best

    @compiled
    def untried_play(s: Any, g: Any, action_set: Any) -> int:
        """A play to expand: the greedy player's if it is in ``action_set``, else a random one; -1 if it is empty."""
        count = 0
        for k in range(words_of_a_set):
            count += popcount(action_set[k])
        if count == 0:
            return -1
        likely = greedy(s, g)
        if action_set[likely >> 6] & (ONE << np.uint64(likely & 63)) != ZERO:
            return likely
        index = below(draw(s), count)
        k = 0
        while index >= popcount(action_set[k]):
            index -= popcount(action_set[k])
            k += 1
        return 64 * k + nth(action_set[k], index)

    @compiled
    def add_child(nodes: Any, size: int, parent: int, action: int) -> int:
        """Add node number ``size`` as an unvisited child of ``parent``; its number."""
        node = nodes[size]
        node.total = 0.0
        node.visits = 0
        node.available = 1
        node.action = action
        node.child = 0
        node.sibling = nodes[parent].child
        nodes[parent].child = size
        return size

    @compiled
    def simulate(
        s: Any, g: Any, nodes: Any, size: int, exploration: float, logs: Any, action_set: Any, path: Any, movers: Any
    ) -> int:
        """Run one simulation in the world ``s``; the number of nodes in use after it."""
        depth, parent, end, result = 0, 0, size, NOTHING
        while result == NOTHING and end == size:
            for k in range(words_of_a_set):
                action_set[k] = ZERO
            legal(s, g, action_set)
            k = best_child(nodes, parent, action_set, logs, exploration)
            action = untried_play(s, g, action_set)
            if action >= 0:
                k = add_child(nodes, size, parent, action)
                end = size + 1
            path[depth] = k
            movers[depth] = s.to_play
            depth += 1
            parent = k
            result = play(s, g, np.int64(nodes[k].action))
        while result == NOTHING:
            result = play(s, g, greedy(s, g))
        for k in range(depth):
            node = nodes[path[k]]
            node.visits = np.int64(node.visits) + 1
            node.total += lead_in(s.points, g, movers[k])  # ``points`` are those of the deal just scored
        return end

    @compiled
    def search(
        views: Any, constants: Any, words: Any, simulations: int, exploration: float, most: float,
        worlds: Any, nodes: Any, logs: Any, path: Any, visits: Any, means: Any,
    ) -> None:  # fmt: skip
        """Search in each view; write the visit counts and mean returns of the actions, 0 if never visited.

        ``exploration`` is in standard deviations of the returns so far, smoothed by one return of ``most`` points.
        """
        g = constants[0]
        action_set = np.empty(words_of_a_set, np.uint64)
        movers = np.empty(len(path), np.int64)
        for i in range(len(views)):
            view = views[i]
            view.choice = words[i]
            seat: Any = np.int64(view.to_play)
            nodes[0].child = 0
            size = 1
            total, squares = 0.0, most * most
            for number in range(simulations):
                variance = squares / (number + 1) - (total / (number + 1)) ** 2
                draw_world(view, worlds, g)
                spread = exploration * np.sqrt(variance)
                size = simulate(worlds[0], g, nodes, size, spread, logs, action_set, path, movers)
                value = lead_in(worlds[0].points, g, seat)
                total += value
                squares += value * value
            k = np.int64(nodes[0].child)
            while k != 0:
                node = nodes[k]
                visits[i, np.int64(node.action)] = node.visits
                means[i, np.int64(node.action)] = node.total / np.float64(np.int64(node.visits))
                k = np.int64(node.sibling)

    return search


class IsmctsAgent(Searcher):
    """Plays the most visited action; of several, the one with the best mean return.

    simulations: simulations per decision, each of which adds at most one node to the tree. With 1 it plays as the
        greedy player.
    exploration: weight of the exploration term of the upper confidence bound, in standard deviations of the returns.

    Raises ``ValueError`` unless ``simulations`` is a whole number in range.
    """

    def __init__(self, game: Game, simulations: int = 1000, *, exploration: float = 1.3) -> None:
        super().__init__(game)
        self.simulations = whole_number("simulations", simulations, 1, MOST)
        self.exploration = float(exploration)
        self._logs = np.log(np.maximum(np.arange(self.simulations + 1), 1))

    def weights(self, views: Array, legal: npt.NDArray[np.bool_], words: Array) -> npt.NDArray[np.float64]:
        visits, means = self.search(views, words)
        below_one = 0.25 + means / (4 * self.game.max_return + 1)
        return np.where(legal & (visits > 0), visits + below_one, -np.inf)

    def judge(self, views: Array, observations: Array, masks: Array, random: Array) -> Known:
        """The visits, and the mean returns of the actions visited (``card_agents.judgement``)."""
        legal, words = checked(self.game, views, masks, random)
        visits, means = self.search(views, words)
        return {
            "visits": np.where(legal, visits, np.nan),
            "value": np.where(visits > 0, means, np.nan),
        }

    def search(self, views: Array, words: Array) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Visit counts, int32, and mean "points" returns of the deal, float64, both (N, num_actions), 0 if never
        visited.

        views: views of the seats to play, records (N,), which are written to. words: uint64 (N,), random words.
        """
        game = self.game
        visits = np.zeros((len(views), game.num_actions), np.int32)
        means = np.zeros((len(views), game.num_actions))
        search = build_ismcts(game.kernel, game.name)
        search(
            views, game.constants, words, self.simulations, self.exploration, float(game.most_points),
            np.empty(1, game.dtype), np.empty(self.simulations + 1, NODE), self._logs,
            np.empty(game.max_plays, np.int64), visits, means,
        )  # fmt: skip
        return visits, means
