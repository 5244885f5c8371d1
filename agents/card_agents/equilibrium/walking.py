"""The compiled walk through every play of every deal of a small game.

``build_walks`` makes it of a game's kernel. It knows states and views only through the kernel's functions, so it walks
any game for two players.
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

NODES, LEAVES, SETS, SEQUENCES, SHOWN, DEALS = range(6)
"""What is counted on the way, by place in ``Written.counts``."""

ROOTS = 2
"""Sequences before any action: number 0 is seat 0's, number 1 is seat 1's."""

NOWHERE = -1

_MIX = np.uint64(0x9FB21C651E98DF25)


class Room(NamedTuple):
    """Where the walk keeps the states between the root and the node in hand; the byte arrays are the same memory.

    stack: records (plays + 1,). stack_bytes: uint8 (plays + 1, itemsize). template: uint8 (itemsize,), a state to
    lay a pack out in. seen: a view, record (1,). seen_bytes: uint8 (itemsize,). seen_words: uint64, padded with zeros.
    """

    stack: Any
    stack_bytes: Any
    template: Any
    seen: Any
    seen_bytes: Any
    seen_words: Any


class Written(NamedTuple):
    """What the walk has written down: see ``tree.Tree``, whose arrays these are, with room to spare.

    counts: int64 (6,). keys, ids: the table of information sets, 0 = free, a power of two long.
    """

    counts: Any
    keys: Any
    ids: Any
    parent: Any
    first: Any
    seat: Any
    action: Any
    leaves: Any
    pay: Any


@dataclass(frozen=True)
class Walks:
    """The compiled verbs.

    ``walk(packs, begin, room, written, constants, shown)`` walks through all plays of ``packs[begin:]``, uint8 (N,
    cards), and returns the number of the pack that it could not finish for want of room in ``written`` or ``shown``,
    N if there was none: make room and go on with that one. ``shown``, uint8 (M, itemsize), takes the views of the
    information sets in the order of their numbers, from ``counts[SHOWN]`` on; with no rows there is nothing to show.

    ``find(views, view_bytes, room, groups, keys, ids, out)`` looks up the information sets of views, -1 for none.
    """

    walk: Callable[..., Any]
    find: Callable[..., Any]


@inlined
def slot_of(keys: Any, key: np.uint64) -> int:
    """Where a key stands in the table, or the free place where it belongs."""
    last = np.uint64(len(keys) - 1)
    slot = key & last
    while keys[np.int64(slot)] != ZERO and keys[np.int64(slot)] != key:
        slot = (slot + ONE) & last
    return np.int64(slot)


@njit
def rehash(keys: Any, ids: Any, new_keys: Any, new_ids: Any) -> None:
    """Move a table to a larger, empty one."""
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


@njit
def add(written: Any, slot: int, key: np.uint64, seat: int, parent: int, actions: Any, count: int) -> int:
    """Write a new information set down and return its number; ``NOWHERE`` if there is no room."""
    counts = written.counts
    number, begin = counts[SETS], counts[SEQUENCES]
    if 2 * (number + 1) > len(written.keys) or number + 1 >= len(written.first) or begin + count > len(written.action):
        return NOWHERE
    written.keys[slot] = key
    written.ids[slot] = number
    written.seat[number] = seat
    written.parent[number] = parent
    written.first[number] = begin
    written.first[number + 1] = begin + count
    for word in range(len(actions)):
        rest = actions[word]
        while rest != ZERO:
            written.action[begin] = 64 * word + lowest(rest)
            rest &= rest - ONE
            begin += 1
    counts[SETS] = number + 1
    counts[SEQUENCES] = begin
    return number


@njit
def add_leaf(written: Any, pay: int, sequences: Any) -> bool:
    """Write the end of a deal down, if anybody made points; False if there is no room."""
    if pay == 0:
        return True
    at = written.counts[LEAVES]
    if at == len(written.pay):
        return False
    written.leaves[0, at] = sequences[0]
    written.leaves[1, at] = sequences[1]
    written.pay[at] = pay
    written.counts[LEAVES] = at + 1
    return True


@cache
def build_walks(kernel: Kernel, owner: str) -> Walks:
    """Compile them for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    lay_out, legal, play, hide, words_of_a_set = kernel.lay_out, kernel.legal, kernel.play, kernel.hide, kernel.words

    @compiled
    def look(room: Any, depth: int, seat: int, g: Any) -> None:
        """Make the view of the seat to play, as ``Game.views`` does."""
        copy_bytes(room.stack_bytes[depth], room.seen_bytes)
        v = room.seen[0]
        hide(v, g, seat)
        v.viewer = seat
        v.seed = ZERO
        v.choice = ZERO

    @compiled
    def information_set(
        room: Any, written: Any, g: Any, depth: int, parents: Any, actions: Any, count: int, shown: Any
    ) -> int:
        """Number of the information set of a node where there is a choice, ``NOWHERE`` if there is no room for it."""
        seat = np.int64(room.stack[depth].to_play)
        look(room, depth, seat, g)
        key = key_of(room.seen_words)
        slot = slot_of(written.keys, key)
        parent = np.int64(parents[seat])
        if written.keys[slot] == ZERO:
            return add(written, slot, key, seat, parent, actions, count)
        number = np.int64(written.ids[slot])
        if written.parent[number] != parent or written.first[number + 1] - written.first[number] != count:
            raise ValueError("Two views have one hash, or a view forgets what its seat has seen.")
        if len(shown) > 0 and number == written.counts[SHOWN]:
            at = number % len(shown)
            copy_bytes(room.seen_bytes, shown[at])
            written.counts[SHOWN] = number + 1
            if at == len(shown) - 1:
                return NOWHERE  # full: the next one would begin anew
        return number

    @compiled
    def walk_deal(room: Any, written: Any, g: Any, shown: Any) -> bool:
        """Every play of the deal laid out at the bottom of the stack; False if the room did not suffice."""
        levels = len(room.stack)
        actions = np.zeros((levels, words_of_a_set), np.uint64)  # those not yet walked
        sequences = np.zeros((levels, ROOTS), np.int64)
        following = np.full(levels, NOWHERE, np.int64)  # the next action's sequence; NOWHERE where there is no choice
        sequences[0, 1] = 1
        depth, entered = 0, True
        while depth >= 0:
            s = room.stack[depth]
            if entered:
                written.counts[NODES] += 1
                actions[depth] = ZERO
                following[depth] = NOWHERE
                count = 0
                if s.over != 0:
                    pay = np.int64(lead_in(s.points, g, 0)) if len(shown) == 0 else 0
                    if not add_leaf(written, pay, sequences[depth]):
                        return False
                else:
                    legal(s, g, actions[depth])
                    for word in range(words_of_a_set):
                        count += popcount(actions[depth, word])
                if count > 1:
                    number = information_set(room, written, g, depth, sequences[depth], actions[depth], count, shown)
                    if number == NOWHERE:
                        return False
                    following[depth] = written.first[number]
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
            if following[depth] != NOWHERE:
                sequences[depth + 1, np.int64(s.to_play)] = following[depth]
                following[depth] += 1
            copy_bytes(room.stack_bytes[depth], room.stack_bytes[depth + 1])
            play(room.stack[depth + 1], g, 64 * word + action)
            depth += 1
        return True

    @compiled
    def walk(packs: Any, begin: int, room: Any, written: Any, constants: Any, shown: Any) -> int:
        g = constants[0]
        counts = written.counts
        for number in range(begin, len(packs)):
            copy_bytes(room.template, room.stack_bytes[0])
            s = room.stack[0]
            for place in range(packs.shape[1]):
                s.deck[place] = packs[number, place]
            if not lay_out(s, g):
                continue  # a void deal counts for nothing
            nodes, leaves = counts[NODES], counts[LEAVES]
            if not walk_deal(room, written, g, shown):
                counts[NODES] = nodes
                counts[LEAVES] = leaves
                return number
            counts[DEALS] += 1
        return len(packs)

    @compiled
    def find(views: Any, view_bytes: Any, room: Any, groups: Any, keys: Any, ids: Any, out: Any) -> None:
        for i in range(len(views)):
            copy_bytes(view_bytes[i], room.seen_bytes)
            v = room.seen[0]
            v.deal = ZERO
            for place in range(len(groups)):  # the cards of a group in ascending order, as in the packs walked
                for later in range(place + 1, len(groups)):
                    together = groups[place] >= 0 and groups[later] == groups[place]
                    if together and v.deck[later] < v.deck[place]:
                        card = v.deck[place]
                        v.deck[place] = v.deck[later]
                        v.deck[later] = card
            key = key_of(room.seen_words)
            slot = slot_of(keys, key)
            out[i] = ids[slot] if keys[slot] == key else NOWHERE

    return Walks(walk, find)
