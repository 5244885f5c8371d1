"""Actions chosen in each row: uniform ones and the greedy player's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from card_envs.bits import draw, prefetch, take_back
from card_envs.jit import inlined, njit
from card_envs.kernel import FINE, UNFIT, Kernel
from card_envs.loops.faults import AHEAD, Faults
from card_envs.threads import UNDO, WORK, linger, next_chunk, wait_for_all


@dataclass(frozen=True)
class Choosing:
    """The compiled loops that choose; the first one is for a single row."""

    sampled: Callable[..., Any]
    sample: Callable[..., Any]
    greedy: Callable[..., Any]


def build_choosing(kernel: Kernel, faults: Faults, owner: str) -> Choosing:
    """Compile them for one game; ``owner`` is its name."""
    compiled, inline = partial(njit, owner=owner), partial(inlined, owner=owner)
    pick, greedy_action = kernel.pick, kernel.greedy
    fault_of = faults.fault_of

    @inline
    def sampled(s: Any, g: Any) -> int:
        """A uniform legal action, or -1 when the episode is over."""
        return pick(s, g, draw(s)) if s.over == 0 else -1

    @compiled
    def sample_rows(states: Any, constants: Any, out: Any) -> int:
        """Uniform legal actions, from each table's stream; return the worst fault found."""
        g = constants[0]
        found = FINE
        for i in range(len(states)):
            prefetch(states, i + AHEAD)
            s = states[i]
            fault = fault_of(s, g)
            if fault == FINE:
                out[i] = sampled(s, g)
            else:
                found = max(found, fault)
        return found

    @compiled
    def undo_samples(states: Any, constants: Any) -> None:
        """Put the streams back to where they were before ``sample_rows``."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            if fault_of(s, g) == FINE and s.over == 0:
                take_back(s)

    @compiled
    def sample(states: Any, constants: Any, out: Any, crew: Any) -> int:
        """Uniform legal actions, from each table's stream, if no row has a fault; return the worst fault found."""
        if len(out) != len(states):
            return UNFIT
        size, found = len(states), FINE
        start, end = next_chunk(crew, WORK, size, 0, found)
        while start < end:
            found = max(found, sample_rows(states[start:end], constants, out[start:end]))
            start, end = next_chunk(crew, WORK, size, end - start, found)
        found = wait_for_all(crew, WORK, size, found)
        if found != FINE:
            start, end = next_chunk(crew, UNDO, size, 0, found)
            while start < end:
                undo_samples(states[start:end], constants)
                start, end = next_chunk(crew, UNDO, size, end - start, found)
            found = wait_for_all(crew, UNDO, size, found)
        linger(crew)
        return found

    @compiled
    def greedy_rows(states: Any, constants: Any, out: Any) -> None:
        """Actions of the greedy player, -1 where the episode is over."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            out[i] = greedy_action(s, g) if s.to_play >= 0 else -1

    @compiled
    def greedy(states: Any, constants: Any, out: Any, crew: Any) -> int:
        """Actions of the greedy player, -1 where the episode is over."""
        size = len(states)
        start, end = next_chunk(crew, WORK, size, 0, FINE)
        while start < end:
            greedy_rows(states[start:end], constants, out[start:end])
            start, end = next_chunk(crew, WORK, size, end - start, FINE)
        found = wait_for_all(crew, WORK, size, FINE)
        linger(crew)
        return found

    return Choosing(sampled, sample, greedy)
