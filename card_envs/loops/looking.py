"""What seats see: observations and masks, written to arrays of the caller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs.bits import ONE, SLACK, ZERO, borrow, keep, prefetch, put_words
from card_envs.jit import inlined, njit
from card_envs.kernel import FINE, IS_VIEW, Kernel
from card_envs.loops.faults import AHEAD, Faults
from card_envs.threads import WORK, linger, next_chunk, wait_for_all


@dataclass(frozen=True)
class Looking:
    """The compiled loops that look; the first two are for a single row."""

    write_observation: Callable[..., Any]
    write_mask: Callable[..., Any]
    look: Callable[..., Any]
    look_shared: Callable[..., Any]


def build_looking(kernel: Kernel, faults: Faults, owner: str) -> Looking:
    """Compile them for one game; ``owner`` is its name."""
    compiled, inline = partial(njit, owner=owner), partial(inlined, owner=owner)
    legal, observe = kernel.legal, kernel.observe
    fault_of = faults.fault_of
    size_of_sets = kernel.words  # known when compiling, so that loops over a set's words unroll

    @compiled
    def observe_apart(s: Any, g: Any, seat: int, out: Any, at: int) -> None:
        """Write an observation where ``put`` has no room to write past its end."""
        spare = np.empty(g.observation_size + SLACK, np.uint8)
        observe(s, g, seat, borrow(spare), 0)
        for k in range(g.observation_size):
            out[at + k] = spare[k]

    @inline
    def write_observation(s: Any, g: Any, seat: int, out: Any, i: int) -> None:
        """Fill row ``i`` of ``out``."""
        at = i * g.observation_size
        if at + g.observation_size + SLACK <= len(out):
            observe(s, g, seat, out, at)
        else:
            observe_apart(s, g, seat, out, at)

    @compiled
    def write_bits(words: Any, out: Any, at: int, size: int) -> None:
        """Write a mask where ``put_words`` has no room to write past its end."""
        for k in range(size):
            out[at + k] = (words[k >> 6] >> np.uint64(k & 63)) & ONE

    @inline
    def write_mask(s: Any, g: Any, out: Any, i: int, words: Any) -> None:
        """Fill row ``i`` of ``out`` with the mask of the seat to play."""
        at = i * g.num_actions
        for k in range(size_of_sets):
            words[k] = ZERO
        if s.over == 0:
            legal(s, g, words)
        if at + g.num_actions + SLACK <= len(out):
            put_words(out, at, g.num_actions, words, size_of_sets)
        else:
            write_bits(words, out, at, g.num_actions)

    @compiled
    def look(states: Any, constants: Any, seats: Any, observations: Any, masks: Any) -> int:
        """Observations and masks of the rows, for ``seats``, or (none given) a view's seat or the seat to play.

        Returns FOREIGN or BROKEN if a row is, and what was written is then meaningless; else FINE.
        """
        g = constants[0]
        own_words = np.empty(size_of_sets, np.uint64)
        words = borrow(own_words)
        seen = borrow(observations.reshape(observations.size))
        allowed = borrow(masks.reshape(masks.size))
        found = FINE
        for i in range(len(states)):
            prefetch(states, i + AHEAD)
            s = states[i]
            fault = fault_of(s, g)
            if fault > IS_VIEW:
                found = fault
                break
            to_play = np.int64(s.to_play)
            viewer = np.int64(s.viewer)
            seat = np.int64(seats[i]) if len(seats) > 0 else viewer if viewer >= 0 else max(to_play, 0)
            if len(observations) > 0:
                write_observation(s, g, seat, seen, i)
            if len(masks) > 0:
                if seat == to_play:
                    write_mask(s, g, allowed, i, words)
                else:
                    for action in range(g.num_actions):
                        masks[i, action] = 0
        keep(own_words)
        return found

    @compiled
    def look_shared(states: Any, constants: Any, seats: Any, observations: Any, masks: Any, crew: Any) -> int:
        """``look``, shared among threads."""
        size, found = len(states), FINE
        start, end = next_chunk(crew, WORK, size, 0, found)
        while start < end:
            seen, allowed = observations[start:end], masks[start:end]
            found = max(found, look(states[start:end], constants, seats[start:end], seen, allowed))
            start, end = next_chunk(crew, WORK, size, end - start, found)
        found = wait_for_all(crew, WORK, size, found)
        linger(crew)
        return found

    return Looking(write_observation, write_mask, look, look_shared)
