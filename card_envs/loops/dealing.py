"""Deals: fresh tables, next episodes, packs laid out, and deals played again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs import record
from card_envs.bits import ONE, ZERO, first
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.loops.faults import Faults


@dataclass(frozen=True)
class Dealing:
    """The compiled loops that deal."""

    new: Callable[..., Any]
    reset: Callable[..., Any]
    deal: Callable[..., Any]
    retrace: Callable[..., Any]


def build_dealing(kernel: Kernel, faults: Faults, owner: str) -> Dealing:
    """Compile them for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    begin, deal_out, lay_out, play_action = kernel.begin, kernel.deal, kernel.lay_out, kernel.play
    is_legal = faults.is_legal

    @compiled
    def new(states: Any, constants: Any, seeds: Any) -> None:
        """Make rows of zeros fresh tables."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            record.set_up(s, g, seeds[i])
            begin(s, g)

    @compiled
    def reset(states: Any, constants: Any, rows: Any) -> None:
        """Begin the next episode of these rows."""
        g = constants[0]
        for k in range(len(rows)):
            s = states[rows[k]]
            s.deal += np.uint64(1)
            begin(s, g)

    @compiled
    def deal(states: Any, constants: Any, shuffled: bool) -> bool:
        """Deal the first row again, with a shuffled pack or as its ``deck`` lies; False if void."""
        g = constants[0]
        if shuffled:
            deal_out(states[0], g)
            return True
        return lay_out(states[0], g)

    @compiled
    def retrace(states: Any, constants: Any, pack_size: int, out: Any) -> None:
        """Deal the packs of full states again and make their plays, in place; note whether all of it could be done.

        A position that can arise in play comes out as it was, except for what its game carries besides the plays.
        """
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            deck = ZERO
            for place in range(pack_size):
                if np.int64(s.deck[place]) < pack_size:
                    deck |= ONE << np.uint64(s.deck[place])
            codes, plays = s.history.copy(), np.int64(s.plays)
            deal, forfeit, is_over = s.deal, np.int64(s.forfeit), s.over != 0
            if is_over and forfeit < 0:  # as it stood before this deal was counted
                for seat in range(g.num_players):
                    s.total[seat] = np.int64(s.total[seat]) - np.int64(s.points[seat])
                s.deals = np.int64(s.deals) - 1
            s.over, s.forfeit = 0, -1
            good = deck == first(pack_size) and plays <= len(codes) and lay_out(s, g)
            for k in range(plays):
                if not good:
                    break
                seat = np.int64(codes[k]) // g.num_actions
                action = np.int64(codes[k]) - seat * g.num_actions
                good = s.deal == deal and np.int64(s.to_play) == seat and is_legal(s, g, action)
                if good:
                    play_action(s, g, action)
            if forfeit >= 0:
                good = good and s.over == 0 and np.int64(s.to_play) == forfeit
                record.forfeit(s)
            out[i] = good

    return Dealing(new, reset, deal, retrace)
