"""Information-set Monte Carlo tree search (single observer; Cowling, Powley and Whitehouse 2012).

One tree for all worlds: its nodes are sequences of plays, which all see. Every simulation draws a world that the
seat holds possible, goes down the tree by the actions that are legal in that world, adds a node, and plays the deal
out. Each seat wants its own points return of the deal in play.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.protocol import Array
from agents.search.searcher import MOST, Searcher
from card_envs import Game
from card_envs.bits import ONE, ZERO, below, draw, nth, popcount
from card_envs.checks import whole_number
from card_envs.jit import njit
from card_envs.loops import Kernel
from card_envs.record import FULL, NOTHING, OVER, lead_in

NODE = np.dtype(
    (
        np.record,
        [
            ("total", "f8"),  # returns of the seat that played the action, summed
            ("visits", "i4"),  # simulations that came through
            ("available", "i4"),  # simulations that could have: they came to the parent, where it was legal
            ("action", "i4"),  # the play that leads here
            ("child", "i4"),  # number of the child last added, 0 for none: the root is nobody's child
            ("sibling", "i4"),  # and of the parent's child added before
        ],
    )
)


@cache
def build_ismcts(kernel: Kernel, owner: str) -> Callable[..., None]:
    """Compile the search for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    legal, pick, play, greedy, taken = kernel.legal, kernel.pick, kernel.play, kernel.greedy, kernel.taken
    imagine, words_of_a_set = kernel.imagine, kernel.words

    @compiled
    def best_child(nodes: Any, parent: int, words: Any, logs: Any, exploration: float) -> int:
        """The child of greatest upper confidence bound among those whose action is in the set; 0 if there is none.

        The children found are told that they were available, and their actions leave the set: what stays is untried.
        """
        best, best_bound = 0, 0.0
        k = np.int64(nodes[parent].child)
        while k != 0:
            node = nodes[k]
            action = np.int64(node.action)
            member = ONE << np.uint64(action & 63)
            if words[action >> 6] & member != ZERO:
                words[action >> 6] &= ~member
                node.available = np.int64(node.available) + 1
                visits = np.float64(node.visits)
                bound = node.total / visits + exploration * np.sqrt(logs[np.int64(node.available)] / visits)
                if best == 0 or bound > best_bound:
                    best, best_bound = k, bound
            k = np.int64(node.sibling)
        return best

    @compiled
    def member_of(words: Any, index: int) -> int:
        """The member of the set with ``index`` smaller ones."""
        k = 0
        while index >= popcount(words[k]):
            index -= popcount(words[k])
            k += 1
        return 64 * k + nth(words[k], index)

    @compiled
    def play_out(s: Any, g: Any, result: int, rashness: int) -> int:
        """Play the deal to its end as the greedy player does, with a random play now and then; what came of it."""
        while result == NOTHING:
            word = draw(s)
            if np.int64(word & np.uint64(0xFFFF)) < rashness:
                result = play(s, g, pick(s, g, word))
            else:
                result = play(s, g, greedy(s, g))
        return result

    @compiled
    def share(s: Any, g: Any, result: int, before: Any, seat: int) -> int:
        return np.int64(s.taken_before[seat]) - np.int64(before[seat]) + (taken(s, g, seat) if result == OVER else 0)

    @compiled
    def simulate(
        s: Any, g: Any, nodes: Any, size: int, path: Any, movers: Any, words: Any, logs: Any, before: Any, values: Any,
        exploration: float, rashness: int, tie: float, greedy_first: int
    ) -> int:  # fmt: skip
        """One simulation in the world ``s`` with ``size`` nodes in the tree; how many there are after it."""
        depth, parent, result = 0, 0, NOTHING
        grown = False
        for seat in range(g.num_players):
            before[seat] = s.taken_before[seat]
        while result == NOTHING and not grown:
            for k in range(words_of_a_set):
                words[k] = ZERO
            legal(s, g, words)
            k = best_child(nodes, parent, words, logs, exploration)
            untried = 0
            for w in range(words_of_a_set):
                untried += popcount(words[w])
            if untried > 0:
                action = member_of(words, below(draw(s), untried))
                if greedy_first:
                    wanted = greedy(s, g)
                    if words[wanted >> 6] & (ONE << np.uint64(wanted & 63)) != ZERO:
                        action = wanted
                k = size
                node = nodes[k]
                node.total = 0.0
                node.visits = 0
                node.available = 1
                node.action = action
                node.child = 0
                node.sibling = nodes[parent].child
                nodes[parent].child = k
                size += 1
                grown = True
            path[depth] = k
            movers[depth] = s.to_play
            depth += 1
            parent = k
            result = play(s, g, np.int64(nodes[k].action))
        result = play_out(s, g, result, rashness)
        everyone = 0
        for seat in range(g.num_players):
            everyone += share(s, g, result, before, seat)
        for seat in range(g.num_players):
            own = share(s, g, result, before, seat)
            lead = np.float64(own) - np.float64(everyone - own) / np.float64(g.num_players - 1)
            values[seat] = lead_in(s.points, g, seat) + tie * lead / np.float64(g.all_taken)
        for k in range(depth):
            node = nodes[path[k]]
            node.visits = np.int64(node.visits) + 1
            node.total += values[movers[k]]
        return size

    @compiled
    def search(
        views: Any, constants: Any, random: Any, simulations: int, exploration: float, rashness: int, tie: float,
        greedy_first: int, worlds: Any, nodes: Any, logs: Any, path: Any, visits: Any, means: Any
    ) -> None:  # fmt: skip
        """Search in each view; write the visits and the mean returns of the actions, 0 where there were none."""
        g = constants[0]
        words = np.empty(words_of_a_set, np.uint64)
        movers = np.empty(len(path), np.int64)
        before = np.empty(g.num_players, np.int64)
        values = np.empty(g.num_players)
        for i in range(len(views)):
            view = views[i]
            view.choice = random[i]
            nodes[0].child = 0
            size = 1
            for _ in range(simulations):
                word = draw(view)
                worlds[0] = view
                s = worlds[0]
                s.choice = word
                imagine(s, g)
                s.viewer = FULL
                s.seed = draw(s)
                size = simulate(
                    s, g, nodes, size, path, movers, words, logs, before, values, exploration, rashness, tie,
                    greedy_first
                )  # fmt: skip
            k = np.int64(nodes[0].child)
            while k != 0:
                node = nodes[k]
                visits[i, np.int64(node.action)] = node.visits
                means[i, np.int64(node.action)] = node.total / np.float64(node.visits)
                k = np.int64(node.sibling)

    return search


class IsmctsAgent(Searcher):
    """Plays the action that most simulations went through.

    simulations: simulations a decision, each of which adds a node to the tree.
    exploration: the constant of the upper confidence bound, in parts of the points that a deal is about.
    rashness: chance of a random play instead of the greedy player's as a deal is played out.
    """

    def __init__(
        self,
        game: Game,
        simulations: int = 1000,
        *,
        exploration: float = 0.3,
        rashness: float = 0.1,
        tie: float = 0.5,
        greedy_first: int = 1,
        by_mean: bool = False,
    ) -> None:
        super().__init__(game)
        self.simulations = whole_number("simulations", simulations, 1, MOST)
        self.exploration, self.rashness, self.tie = exploration, rashness, tie
        self.greedy_first, self.by_mean = greedy_first, by_mean

    def weights(self, views: Array, legal: npt.NDArray[np.bool_], words: Array) -> npt.NDArray[np.float64]:
        visits, means = self.search(views, words)
        weights = means if self.by_mean else visits + 1e-6 * means
        return np.where(legal & (visits > 0), weights, -np.inf)

    def search(self, views: Array, words: Array) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Visits, int32, and mean returns, float64, of each action, both (N, num_actions)."""
        game = self.game
        visits = np.zeros((len(views), game.num_actions), np.int32)
        means = np.zeros((len(views), game.num_actions))
        run = build_ismcts(game.kernel, game.name)
        nodes = np.zeros(self.simulations + 1, NODE)
        logs = np.log(np.maximum(np.arange(self.simulations + 1), 1))
        run(
            views, game.constants, words, self.simulations, self.exploration * game.most_points,
            int(self.rashness * 0x10000), self.tie, self.greedy_first, np.empty(1, game.dtype), nodes, logs,
            np.empty(game.max_plays + 1, np.int64), visits, means,
        )  # fmt: skip
        return visits, means
