"""The game tree of a small game in full: every deal, every play, every information set.

The tree is kept in *sequence form* (Koller, Megiddo, von Stengel). A *sequence* is what a seat itself has done on the
path to a node: an information set where it had a choice, and the action taken there. A strategy is a probability for
each sequence, and the value of two strategies against each other is a sum over the leaves, each a pair of sequences.

Chance is the pack. Deals that differ only in the order in which a seat received the cards that it holds before the
first play count as one deal: the packs walked have those cards in ascending order, and all of them are equally likely.

An information set is a view: all that a seat is ever handed (``card_agents.protocol``), its own cards in the order in
which they came to it and all plays in order. So two nodes with the same view look the same to every agent, whatever it
computes; and since a view contains all earlier views of its seat, the game has perfect recall. Views are told apart by
a 64-bit hash; the walk checks that each is always reached by the same sequence and with the same number of actions. A
forced play makes no information set, since there is nothing to decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.equilibrium import walking
from card_agents.equilibrium.walking import (
    LEAVES,
    NODES,
    ROOTS,
    SEQUENCES,
    SETS,
    VIEWED,
    TreeArrays,
    TreeWalk,
    Workspace,
)
from card_agents.protocol import Array
from card_envs import Game, batches
from card_envs.record import BLANK

MOST_DEALS = 5_000_000
MOST_NODES = 500_000_000
MEMORY = 6 << 30
"""Most bytes that a tree may take."""

CHUNK = 1 << 14
"""Views handed to an agent at a time."""

_PROBES = 512
_GROWTH = 1 << 16


@dataclass(frozen=True)
class Size:
    """The size of a game for one dealer: the number of deals (exact), and estimates of the nodes and leaves."""

    deals: int
    nodes: int
    leaves: int

    def __str__(self) -> str:
        return f"{self.deals:,} deals for each dealer, about {self.nodes:,} nodes"


def measure(game: Game) -> Size:
    """Count the deals of a game and estimate its nodes by Knuth's random probes, which is quick.

    Raises ``ValueError`` unless the game has two players and is played in single deals.
    """
    if game.num_players != 2:
        raise ValueError(
            f"Exact solving needs two players, and this is {game.describe()}: with more, a game has no single value."
        )
    if game.rules.match:
        raise ValueError("A match has no longest play, so no finite game tree: take single deals, match=False.")
    deals = math.factorial(game.pack.size)
    places = groups(game, 0)
    for group in np.unique(places[places >= 0]):
        deals //= math.factorial(int((places == group).sum()))
    states = game.new_states(np.arange(_PROBES, dtype=np.uint64))
    branches = np.ones(_PROBES)  # the play found has probability 1 / branches: it stands for that many
    nodes = branches.copy()
    while (live := ~game.is_over(states)).any():
        branches[live] *= game.masks(states)[live].sum(axis=1)
        nodes[live] += branches[live]
        game.step(states, game.sample_actions(states), auto_reset=False)
    return Size(deals, round(deals * nodes.mean()), round(deals * branches.mean()))


def groups(game: Game, dealer: int) -> npt.NDArray[np.int64]:
    """For each place in the pack, the seat that holds its card before the first play, int64 (cards,); -1 for the rest.

    Swapping two cards within a group changes nothing else; a game in which it would has no groups.
    """
    state = game.new_state(seed=0, dealer=dealer).record
    size = game.pack.size
    known = [game.views(state, seat)["deck"][0, :size] != BLANK for seat in range(game.num_players)]
    alone = np.sum(known, axis=0) == 1
    places = np.where(alone, np.argmax(known, axis=0), -1).astype(np.int64)
    for seat in range(game.num_players):
        own = np.flatnonzero(places == seat)
        for one, other in pairwise(own):
            if not _can_change(game, state, int(one), int(other)):
                places[own] = -1
    return places


def _can_change(game: Game, state: Array, one: int, other: int) -> bool:
    """Whether swapping two cards of the pack changes nothing in a fresh deal except the pack."""
    changed = batches.copy(state)
    deck = state["deck"][0].copy()
    cards = deck[: game.pack.size].tolist()
    cards[one], cards[other] = cards[other], cards[one]
    game.lay_out(changed, cards)
    changed["deck"][0] = deck
    return changed.tobytes() == state.tobytes()


def packs(game: Game, dealer: int) -> npt.NDArray[np.uint8]:
    """All packs, uint8 (N, cards), in lexicographic order, with the cards of each of ``groups`` ascending."""
    size = game.pack.size
    group_of = groups(game, dealer)
    rows = np.zeros((1, 0), np.uint8)
    free = np.ones((1, size), bool)
    for place in range(size):
        allowed = free.copy()
        earlier = np.flatnonzero(group_of[:place] == group_of[place])
        if group_of[place] >= 0 and len(earlier):
            allowed &= np.arange(size) > rows[:, earlier[-1:]]
        parents, cards = np.nonzero(allowed)
        rows = np.concatenate([rows[parents], cards[:, None].astype(np.uint8)], axis=1)
        free = free[parents]
        free[np.arange(len(free)), cards] = False
    return rows


@dataclass(frozen=True)
class Tree:
    """The game tree for one dealer.

    Information sets are numbered from 0 in the order of a walk through all deals, so each comes after those before it
    on its seat's path; M of them. Sequences 0 and 1 are the empty sequences of the two seats; the sequences of an
    information set are contiguous. Leaves with payoff 0 are left out.

    parent: int32 (M,), the sequence of its seat that leads to each information set. first: int32 (M + 1,), the
    sequences of information set i are ``first[i]`` to ``first[i + 1]``. seat: int8 (M,), who decides. action: int16
    (sequences,), -1 for the empty sequences. leaves: int32 (2, L), the sequences of seat 0 and seat 1 that lead to each
    leaf. payoff: int8 (L,), in points, to seat 0. deals, nodes: how many there are. packs: uint8 (deals, cards).
    groups: see ``groups``. keys,
    ids: the hash table of information sets.
    """

    game: Game
    dealer: int
    packs: npt.NDArray[np.uint8]
    groups: npt.NDArray[np.int64]
    deals: int
    nodes: int
    parent: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]
    seat: npt.NDArray[np.int8]
    action: npt.NDArray[np.int16]
    leaves: npt.NDArray[np.int32]
    payoff: npt.NDArray[np.int8]
    keys: npt.NDArray[np.uint64]
    ids: npt.NDArray[np.int32]

    @property
    def sets(self) -> int:
        """Number of information sets where there is a choice."""
        return len(self.parent)

    @property
    def sequences(self) -> int:
        """Number of sequences of both seats."""
        return len(self.action)

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def views(self) -> Iterator[tuple[slice, Array]]:
        """Yield the views of all information sets in the order of their numbers, in chunks, from a second walk."""
        workspace = _workspace(self.game, self.dealer)
        counts = np.zeros(6, np.int64)
        views_out = np.empty((CHUNK, self.game.dtype.itemsize), np.uint8)
        kept = (self.keys, self.ids, self.parent, self.first, self.seat, self.action)
        none = np.empty((2, 0), np.int32), np.empty(0, np.int8)
        pack, begin = 0, 0
        while begin < self.sets:
            arrays = TreeArrays(counts, *kept, *none)
            pack = _walk(self.game).walk(self.packs, pack, workspace, arrays, self.game.constants, views_out)
            end = int(counts[VIEWED])
            yield slice(begin, end), views_out[: end - begin].copy().reshape(-1).view(self.game.dtype)
            begin = end

    def lookup(self, views: Array) -> npt.NDArray[np.int64]:
        """Numbers of the information sets of these views, int64 (N,); -1 for a view that is not in the tree."""
        views = np.ascontiguousarray(views)
        octets = views.view(np.uint8).reshape(len(views), self.game.dtype.itemsize)
        out = np.empty(len(views), np.int64)
        workspace = _workspace(self.game, self.dealer)
        _walk(self.game).lookup(octets, workspace, self.groups, self.keys, self.ids, out)
        return out

    def mirrors(self, other: Tree) -> bool:
        """Whether this is the other tree with the seats swapped, array by array."""
        return (
            self.deals == other.deals
            and np.array_equal(self.first, other.first)
            and np.array_equal(self.seat, 1 - other.seat)
            and np.array_equal(_exchanged(self.parent), other.parent)
            and np.array_equal(self.action, other.action)
            and np.array_equal(self.payoff, -other.payoff)
            and np.array_equal(_exchanged(self.leaves[0]), other.leaves[1])
            and np.array_equal(_exchanged(self.leaves[1]), other.leaves[0])
        )


def _exchanged(sequences: Array) -> Array:
    """The same sequences after the seats are swapped: only the numbers of the two empty sequences change."""
    return np.where(sequences < ROOTS, 1 - sequences, sequences)


def build_tree(game: Game, dealer: int = 0, *, memory: int = MEMORY) -> Tree:
    """Build the game tree for one dealer, if it is small enough.

    memory: most bytes to use. Raises ``ValueError``, with the size of the game, if it is too large.
    """
    size = measure(game)
    if size.deals > MOST_DEALS or size.nodes > MOST_NODES:
        raise ValueError(
            f"{game.describe()} is too large for exact solving: {size}; the most are {MOST_DEALS:,} deals and "
            f"{MOST_NODES:,} nodes. Take a smaller pack or fewer cards in hand."
        )
    if max(abs(game.min_return), game.max_return) > np.iinfo(np.int8).max:
        raise ValueError(
            f"{game.describe()} pays more than {np.iinfo(np.int8).max} points, more than a game tree can store."
        )
    return _build(game, dealer, packs(game, dealer), size, memory)


def empty_tree(game: Game, dealer: int = 0) -> Tree:
    """A tree without deals. Building it compiles all the code that builds others."""
    tree = _build(game, dealer, np.empty((0, game.pack.size), np.uint8), Size(0, 0, 0), MEMORY)
    walking.rehash(tree.keys, tree.ids, np.zeros_like(tree.keys), np.zeros_like(tree.ids))
    return tree


def _build(game: Game, dealer: int, all_packs: Array, size: Size, memory: int) -> Tree:
    workspace = _workspace(game, dealer)
    arrays = _empty_arrays()
    begin = 0
    while True:
        begin = _walk(game).walk(all_packs, begin, workspace, arrays, game.constants, np.empty((0, 0), np.uint8))
        if begin == len(all_packs):
            break
        arrays = _enlarged(arrays)
        used = sum(array.nbytes for array in arrays)
        if used > memory:
            raise ValueError(
                f"The game tree of {game.describe()} is too large for {memory / 2**30:.1f} GiB: {size}, and "
                f"{arrays.counts[SETS]:,} information sets after {begin / len(all_packs):.0%} of the deals. "
                "Take a smaller pack or fewer cards in hand."
            )
    counts = arrays.counts
    sets, sequences, leaves = (int(counts[which]) for which in (SETS, SEQUENCES, LEAVES))
    return Tree(
        game,
        dealer,
        all_packs,
        groups(game, dealer),
        int(counts[walking.DEALS]),
        int(counts[NODES]),
        arrays.parent[:sets].copy(),
        arrays.first[: sets + 1].copy(),
        arrays.seat[:sets].copy(),
        arrays.action[:sequences].copy(),
        np.ascontiguousarray(arrays.leaves[:, :leaves]),
        arrays.payoff[:leaves].copy(),
        arrays.keys,
        arrays.ids,
    )


def _walk(game: Game) -> TreeWalk:
    return walking.build_tree_walk(game.kernel, game.name)


def _workspace(game: Game, dealer: int) -> Workspace:
    size = game.dtype.itemsize
    template = game.new_state(seed=0, dealer=dealer).record.copy()
    template["seed"] = template["choice"] = 0
    stack_bytes = np.zeros((game.max_plays + 1, size), np.uint8)
    view_memory = np.zeros(-(-size // 8) * 8, np.uint8)
    view_bytes = view_memory[:size]
    return Workspace(
        stack_bytes.reshape(-1).view(game.dtype),
        stack_bytes,
        template.view(np.uint8).copy(),
        view_bytes.view(game.dtype),
        view_bytes,
        view_memory.view(np.uint64),
    )


def _empty_arrays() -> TreeArrays:
    counts = np.zeros(6, np.int64)
    counts[SEQUENCES] = ROOTS
    first = np.zeros(_GROWTH, np.int32)
    first[0] = ROOTS
    return TreeArrays(
        counts,
        np.zeros(_GROWTH, np.uint64),
        np.zeros(_GROWTH, np.int32),
        np.zeros(_GROWTH, np.int32),
        first,
        np.zeros(_GROWTH, np.int8),
        np.full(_GROWTH, -1, np.int16),
        np.zeros((2, _GROWTH), np.int32),
        np.zeros(_GROWTH, np.int8),
    )


def _enlarged(arrays: TreeArrays) -> TreeArrays:
    """The same arrays, doubled where more than a third is used."""
    sets, sequences, leaves = (int(arrays.counts[which]) for which in (SETS, SEQUENCES, LEAVES))
    keys, ids = arrays.keys, arrays.ids
    if 3 * sets > len(keys):
        keys, ids = np.zeros(2 * len(keys), np.uint64), np.zeros(2 * len(keys), np.int32)
        walking.rehash(arrays.keys, arrays.ids, keys, ids)

    def larger(array: Any, used: int) -> Any:
        if 3 * used <= array.shape[-1]:
            return array
        fresh = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        fresh[..., : array.shape[-1]] = array
        return fresh

    return TreeArrays(
        arrays.counts,
        keys,
        ids,
        larger(arrays.parent, sets),
        larger(arrays.first, sets),
        larger(arrays.seat, sets),
        larger(arrays.action, sequences),
        larger(arrays.leaves, leaves),
        larger(arrays.payoff, leaves),
    )
