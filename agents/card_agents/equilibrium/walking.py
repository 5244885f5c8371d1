"""The compiled walk through every play of every deal of a small game.

``build_tree_walk`` compiles it from a game's kernel. It reads states and views only through the kernel's functions, so
it walks any two-player game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from card_envs.bits import ONE, ZERO, bit, lowest, popcount, scramble
from card_envs.jit import inlined, njit
from card_envs.kernel import Kernel
from card_envs.record import lead_in

NODES, LEAVES, SETS, SEQUENCES, VIEWED, DEALS = range(6)
"""Indices into ``TreeArrays.counts``."""

ROOTS = 2
"""Empty sequences: number 0 is seat 0's, number 1 is seat 1's."""

FULL = -1
"""Sentinel returned where an array has no space left."""

NO_CHOICE = -1
"""Sentinel in place of a sequence where the play is forced."""

NOT_FOUND = -1
"""Sentinel for a view that is not in the tree."""

_MIX = np.uint64(0x9FB21C651E98DF25)


class Workspace(NamedTuple):
    """Scratch memory of the walk: the states on the path to the current node, and one view.

    Each byte array shares its memory with the records before it. stack: records (plays + 1,). stack_bytes: uint8
    (plays + 1, itemsize). template: uint8 (itemsize,), a state to lay a pack out in. view_record: a view, record (1,).
    view_bytes: uint8 (itemsize,). view_words: the same as uint64, padded with zeros.
    """

    stack: Any
    stack_bytes: Any
    template: Any
    view_record: Any
    view_bytes: Any
    view_words: Any


class TreeArrays(NamedTuple):
    """The growing arrays of a ``tree.Tree``, with spare capacity.

    counts: int64 (6,), how much of each is in use. keys, ids: the hash table of information sets; its length is a power
    of two, and key 0 marks a free slot.
    """

    counts: Any
    keys: Any
    ids: Any
    parent: Any
    first: Any
    seat: Any
    action: Any
    leaves: Any
    payoff: Any


@dataclass(frozen=True)
class TreeWalk:
    """The compiled functions for one game.

    ``walk(packs, begin, workspace, arrays, constants, views_out)`` walks through all plays of ``packs[begin:]``, uint8
    (N, cards). It returns N when done, or the number of the pack at which ``arrays`` or ``views_out`` ran full:
    enlarge them and resume from that pack. ``views_out``, uint8 (M, itemsize), receives the views of the information
    sets in the order of their numbers, from ``counts[VIEWED]`` on; with M = 0 no views are written.

    ``lookup(view_bytes, workspace, groups, keys, ids, out)`` writes the number of the information set of each view,
    uint8 (N, itemsize), to ``out``, int64 (N,): ``NOT_FOUND`` for a view that is not in the tree.
    """

    walk: Callable[..., Any]
    lookup: Callable[..., Any]


@inlined
def slot_of(keys: Any, key: np.uint64) -> int:
    """The slot of a key in the hash table, or the free slot where it belongs (linear probing)."""
    last = np.uint64(len(keys) - 1)
    slot = key & last
    while keys[np.int64(slot)] != ZERO and keys[np.int64(slot)] != key:
        slot = (slot + ONE) & last
    return np.int64(slot)


@njit
def rehash(keys: Any, ids: Any, new_keys: Any, new_ids: Any) -> None:
    """Move a hash table to a larger, empty one."""
    for k in range(len(keys)):
        if keys[k] != ZERO:
            slot = slot_of(new_keys, keys[k])
            new_keys[slot] = keys[k]
            new_ids[slot] = ids[k]


@inlined
def key_of(words: Any) -> np.uint64:
    """A hash of a whole view that is never 0."""
    key = ZERO
    for k in range(len(words)):
        key = (key ^ words[k]) * _MIX
        key ^= key >> np.uint64(29)
    return scramble(key) | ONE


@inlined
def copy_bytes(source: Any, target: Any) -> None:
    """Copy a record."""
    for k in range(len(target)):
        target[k] = source[k]


@inlined
def sort_groups(deck: Any, groups: Any) -> None:
    """Sort the cards of each group of ``deck`` in ascending order, as in the packs that are walked."""
    for place in range(len(groups)):
        for later in range(place + 1, len(groups)):
            together = groups[place] >= 0 and groups[later] == groups[place]
            if together and deck[later] < deck[place]:
                card = deck[place]
                deck[place] = deck[later]
                deck[later] = card


@njit
def add_information_set(
    arrays: Any, slot: int, key: np.uint64, seat: int, parent: int, actions: Any, count: int
) -> int:
    """Add an information set and return its number; ``FULL`` if there is no space."""
    counts = arrays.counts
    number, begin = counts[SETS], counts[SEQUENCES]
    if 2 * (number + 1) > len(arrays.keys) or number + 1 >= len(arrays.first) or begin + count > len(arrays.action):
        return FULL
    arrays.keys[slot] = key
    arrays.ids[slot] = number
    arrays.seat[number] = seat
    arrays.parent[number] = parent
    arrays.first[number] = begin
    arrays.first[number + 1] = begin + count
    for word in range(len(actions)):
        rest = actions[word]
        while rest != ZERO:
            arrays.action[begin] = 64 * word + lowest(rest)
            rest &= rest - ONE
            begin += 1
    counts[SETS] = number + 1
    counts[SEQUENCES] = begin
    return number


@njit
def add_leaf(arrays: Any, payoff: int, sequences: Any) -> bool:
    """Add the end of a deal, unless its payoff is 0; False if there is no space."""
    if payoff == 0:
        return True
    at = arrays.counts[LEAVES]
    if at == len(arrays.payoff):
        return False
    arrays.leaves[0, at] = sequences[0]
    arrays.leaves[1, at] = sequences[1]
    arrays.payoff[at] = payoff
    arrays.counts[LEAVES] = at + 1
    return True


@cache
def build_tree_walk(kernel: Kernel, owner: str) -> TreeWalk:
    """Compile the walk for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    lay_out, legal, play, hide, words_of_a_set = kernel.lay_out, kernel.legal, kernel.play, kernel.hide, kernel.words

    @compiled
    def take_view(workspace: Any, depth: int, seat: int, g: Any) -> None:
        """Make the view of the seat to play, as ``Game.views`` does."""
        copy_bytes(workspace.stack_bytes[depth], workspace.view_bytes)
        v = workspace.view_record[0]
        hide(v, g, seat)
        v.viewer = seat
        v.seed = ZERO
        v.choice = ZERO

    @compiled
    def find_or_add(
        workspace: Any, arrays: Any, g: Any, depth: int, parents: Any, actions: Any, count: int, views_out: Any
    ) -> int:
        """Number of the information set of a node with a choice; ``FULL`` if an array has no space left."""
        seat = np.int64(workspace.stack[depth].to_play)
        take_view(workspace, depth, seat, g)
        key = key_of(workspace.view_words)
        slot = slot_of(arrays.keys, key)
        parent = np.int64(parents[seat])
        if arrays.keys[slot] == ZERO:
            return add_information_set(arrays, slot, key, seat, parent, actions, count)
        number = np.int64(arrays.ids[slot])
        if arrays.parent[number] != parent or arrays.first[number + 1] - arrays.first[number] != count:
            raise ValueError("Two views have the same hash, or a view forgets what its seat has seen.")
        if len(views_out) > 0 and number == arrays.counts[VIEWED]:
            at = number % len(views_out)
            copy_bytes(workspace.view_bytes, views_out[at])
            arrays.counts[VIEWED] = number + 1
            if at == len(views_out) - 1:
                return FULL  # the next view would overwrite the first
        return number

    @compiled
    def walk_deal(workspace: Any, arrays: Any, g: Any, views_out: Any) -> bool:
        """Walk every play of the deal at the bottom of the stack; False if an array has no space left."""
        levels = len(workspace.stack)
        actions = np.zeros((levels, words_of_a_set), np.uint64)  # not yet walked
        sequences = np.zeros((levels, ROOTS), np.int64)
        following = np.full(levels, NO_CHOICE, np.int64)  # the sequence of the next action
        sequences[0, 1] = 1
        depth, entered = 0, True
        while depth >= 0:
            s = workspace.stack[depth]
            if entered:
                arrays.counts[NODES] += 1
                actions[depth] = ZERO
                following[depth] = NO_CHOICE
                count = 0
                if s.over != 0:
                    payoff = np.int64(lead_in(s.points, g, 0)) if len(views_out) == 0 else 0
                    if not add_leaf(arrays, payoff, sequences[depth]):
                        return False
                else:
                    legal(s, g, actions[depth])
                    for word in range(words_of_a_set):
                        count += popcount(actions[depth, word])
                if count > 1:
                    number = find_or_add(
                        workspace, arrays, g, depth, sequences[depth], actions[depth], count, views_out
                    )
                    if number == FULL:
                        return False
                    following[depth] = arrays.first[number]
            word = 0
            while word < words_of_a_set and actions[depth, word] == ZERO:
                word += 1
            entered = word < words_of_a_set
            if not entered:
                depth -= 1
                continue
            action = lowest(actions[depth, word])
            actions[depth, word] ^= bit(action)
            sequences[depth + 1] = sequences[depth]
            if following[depth] != NO_CHOICE:
                sequences[depth + 1, np.int64(s.to_play)] = following[depth]
                following[depth] += 1
            copy_bytes(workspace.stack_bytes[depth], workspace.stack_bytes[depth + 1])
            play(workspace.stack[depth + 1], g, 64 * word + action)
            depth += 1
        return True

    @compiled
    def walk(packs: Any, begin: int, workspace: Any, arrays: Any, constants: Any, views_out: Any) -> int:
        """Walk through all plays of the packs; see ``TreeWalk``."""
        g = constants[0]
        counts = arrays.counts
        for number in range(begin, len(packs)):
            copy_bytes(workspace.template, workspace.stack_bytes[0])
            s = workspace.stack[0]
            for place in range(packs.shape[1]):
                s.deck[place] = packs[number, place]
            if not lay_out(s, g):
                continue  # a void deal is not scored
            nodes, leaves = counts[NODES], counts[LEAVES]
            if not walk_deal(workspace, arrays, g, views_out):
                counts[NODES] = nodes
                counts[LEAVES] = leaves
                return number
            counts[DEALS] += 1
        return len(packs)

    @compiled
    def lookup(view_bytes: Any, workspace: Any, groups: Any, keys: Any, ids: Any, out: Any) -> None:
        """Look up the information sets of views; see ``TreeWalk``."""
        v = workspace.view_record[0]
        for i in range(len(view_bytes)):
            copy_bytes(view_bytes[i], workspace.view_bytes)
            v.deal = ZERO  # which deal of its table it is does not matter
            sort_groups(v.deck, groups)
            key = key_of(workspace.view_words)
            slot = slot_of(keys, key)
            out[i] = ids[slot] if keys[slot] == key else NOT_FOUND

    return TreeWalk(walk, lookup)
