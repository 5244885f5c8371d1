"""What is wrong with rows and with actions in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs.bits import prefetch
from card_envs.jit import inlined, njit
from card_envs.kernel import BROKEN, FINE, FINISHED, FOREIGN, ILLEGAL, IS_VIEW, Kernel
from card_envs.record import FULL

AHEAD = 12
"""How many rows ahead of the current one are prefetched."""


@dataclass(frozen=True)
class Faults:
    """The compiled checks of a game; the first three are of a single row."""

    is_legal: Callable[..., Any]
    fault_of: Callable[..., Any]
    fault_of_action: Callable[..., Any]
    check: Callable[..., Any]
    check_actions: Callable[..., Any]


def build_faults(kernel: Kernel, owner: str) -> Faults:
    """Compile the checks of one game; ``owner`` is its name."""
    compiled, inline = partial(njit, owner=owner), partial(inlined, owner=owner)
    allows = kernel.allows

    @inline
    def is_legal(s: Any, g: Any, action: int) -> bool:
        """Whether a number is a legal action."""
        is_action = np.uint64(np.int64(action)) < np.uint64(g.num_actions)  # and so not negative
        return bool(s.over == 0 and is_action and allows(s, g, action))

    @inline
    def fault_of(s: Any, g: Any) -> int:
        """Whether a row is a state of this game: FOREIGN if it is not, BROKEN if it names nonexistent seats, IS_VIEW
        if it is a view, or FINE."""
        players = np.uint64(g.num_players)
        viewer, to_play, dealer = np.int64(s.viewer), np.int64(s.to_play), np.int64(s.dealer)
        is_broken = np.uint64(dealer) >= players
        is_broken |= np.uint64(to_play + 1) > players
        is_broken |= np.uint64(viewer + 1) > players
        if s.rules_id != g.rules_id or is_broken:
            return FOREIGN if s.rules_id != g.rules_id else BROKEN
        return FINE if viewer == FULL else IS_VIEW

    @inline
    def fault_of_action(s: Any, g: Any, action: int, pass_over: bool) -> int:
        """What is wrong with a row, or with an action there: an illegal one; -1 may pass over a finished row."""
        fault = fault_of(s, g)
        if fault != FINE:
            return fault
        if s.over != 0:
            return FINE if action == -1 and pass_over else FINISHED
        return FINE if is_legal(s, g, action) else ILLEGAL

    @compiled
    def check(states: Any, constants: Any) -> int:
        """The worst that is wrong with the rows."""
        g = constants[0]
        found = FINE
        for i in range(len(states)):
            found = max(found, fault_of(states[i], g))
        return found

    @compiled
    def check_actions(states: Any, constants: Any, actions: Any, pass_over: bool) -> int:
        """The worst that is wrong with the rows, or with an action in its row."""
        g = constants[0]
        found = FINE
        for i in range(len(states)):
            prefetch(states, i + AHEAD)
            fault = fault_of_action(states[i], g, np.int64(actions[i]), pass_over)
            if fault != FINE:
                found = max(found, fault)
        return found

    return Faults(is_legal, fault_of, fault_of_action, check, check_actions)
