"""What a game does at each of many tables, one after the other: the loops that ``loops`` shares out to threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs import record
from card_envs.bits import ONE, SLACK, ZERO, borrow, draw, first, keep, prefetch, put_words, take_back
from card_envs.jit import inlined, njit
from card_envs.kernel import BROKEN, FINE, FINISHED, FOREIGN, ILLEGAL, IS_VIEW, Kernel
from card_envs.record import FULL, NOTHING, OVER

AHEAD = 12
"""Rows from the one in hand to the one that is fetched from memory."""


@dataclass(frozen=True)
class Rows:
    """The compiled loops of a game over rows of states; the first three are for a single one."""

    sampled: Callable[..., Any]
    is_legal: Callable[..., Any]
    fault_of_action: Callable[..., Any]
    check: Callable[..., Any]
    check_actions: Callable[..., Any]
    play: Callable[..., Any]
    look: Callable[..., Any]
    sample: Callable[..., Any]
    take_back_samples: Callable[..., Any]
    greedy: Callable[..., Any]
    retrace: Callable[..., Any]


def build_rows(kernel: Kernel, owner: str) -> Rows:
    """Compile the loops of one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    inline = partial(inlined, owner=owner)
    begin, lay_out, legal, allows, pick = kernel.begin, kernel.lay_out, kernel.legal, kernel.allows, kernel.pick
    play_action, observe, greedy_action = kernel.play, kernel.observe, kernel.greedy
    size_of_sets = kernel.words  # known when compiling, so that loops over a set's words unroll

    @inline
    def sampled(s: Any, g: Any) -> int:
        """A uniform legal action, or -1 when the episode is over."""
        return pick(s, g, draw(s)) if s.over == 0 else -1

    @inline
    def is_legal(s: Any, g: Any, action: int) -> bool:
        is_action = np.uint64(np.int64(action)) < np.uint64(g.num_actions)  # and so not negative
        return bool(s.over == 0 and is_action and allows(s, g, action))

    @inline
    def fault_of(s: Any, g: Any) -> int:
        """Whether a row is a state of this game: FOREIGN if it is not, BROKEN if it names seats there are not, IS_VIEW
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
        """The same, and whether the action is legal there; -1 may pass over a finished row."""
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
        """The same, and whether each action is legal in its row."""
        g = constants[0]
        found = FINE
        for i in range(len(states)):
            prefetch(states, i + AHEAD)
            fault = fault_of_action(states[i], g, np.int64(actions[i]), pass_over)
            if fault != FINE:
                found = max(found, fault)
        return found

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
    def play_rows(
        states: Any,
        constants: Any,
        actions: Any,
        auto_reset: bool,
        rewards: Any,
        over: Any,
        observations: Any,
        masks: Any,
    ) -> None:
        """Play one checked action in each row and look at what came of it."""
        g = constants[0]
        own_words = np.empty(size_of_sets, np.uint64)
        words = borrow(own_words)
        seen = borrow(observations.reshape(observations.size))
        allowed = borrow(masks.reshape(masks.size))
        rewards[:] = np.float32(0.0)  # all at once: row by row it would be a call for each
        for i in range(len(states)):
            prefetch(states, i + AHEAD)
            s = states[i]
            over[i] = s.over != 0
            if actions[i] >= 0:
                result = play_action(s, g, np.int64(actions[i]))
                if result != NOTHING:
                    for seat in range(g.num_players):
                        rewards[i, seat] = record.lead_in(s.points, g, seat)
                    over[i] = result == OVER
            if over[i] and auto_reset:
                s.deal += np.uint64(1)
                begin(s, g)
            if len(observations) > 0:
                write_observation(s, g, max(np.int64(s.to_play), 0), seen, i)
            if len(masks) > 0:
                write_mask(s, g, allowed, i, words)
        keep(own_words)

    @compiled
    def look_rows(states: Any, constants: Any, seats: Any, observations: Any, masks: Any) -> int:
        """Write observations and masks; return FOREIGN or BROKEN if a row is, else FINE."""
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
    def sample_rows(states: Any, constants: Any, out: Any) -> int:
        """Uniform legal actions, from each row's own choices; return the worst fault found."""
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
    def take_back_samples(states: Any, constants: Any) -> None:
        """Nobody has chosen anything."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            if fault_of(s, g) == FINE and s.over == 0:
                take_back(s)

    @compiled
    def greedy_rows(states: Any, constants: Any, out: Any) -> None:
        """Actions of the greedy player, -1 where the episode is over."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            out[i] = greedy_action(s, g) if s.to_play >= 0 else -1

    @compiled
    def retrace(states: Any, constants: Any, pack_size: int, out: Any) -> None:
        """Deal the packs of full states again and make their plays, in place; note whether all of it could be done.

        A row that play leads to comes out as it was, but for the fields that its game carries beside the plays.
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

    return Rows(
        sampled,
        is_legal,
        fault_of_action,
        check,
        check_actions,
        play_rows,
        look_rows,
        sample_rows,
        take_back_samples,
        greedy_rows,
        retrace,
    )
