"""Plays: one action in each row, or one after the other until a seat of the caller's is on turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs import record
from card_envs.batches import SENTINEL_WIDTH
from card_envs.bits import borrow, keep, prefetch
from card_envs.jit import njit
from card_envs.kernel import FINE, OUTSIDE, RANDOM, UNFIT, Kernel
from card_envs.loops.choosing import Choosing
from card_envs.loops.faults import AHEAD, Faults
from card_envs.loops.looking import Looking
from card_envs.record import NOTHING, OVER
from card_envs.threads import CHECK, WORK, linger, next_chunk, wait_for_all


@dataclass(frozen=True)
class Playing:
    """The compiled loops that play."""

    play: Callable[..., Any]
    step: Callable[..., Any]
    turn: Callable[..., Any]


@njit
def is_output(array: Any, rows: int, width: int) -> bool:
    """Whether an array has so many rows of this width, or is left out."""
    return (len(array) == rows and array.shape[1] == width) or array.shape[1] == SENTINEL_WIDTH


def build_playing(
    kernel: Kernel, faults: Faults, looking: Looking, choosing: Choosing, outcome: Callable[..., Any], owner: str
) -> Playing:
    """Compile them for one game; ``owner`` is its name, ``outcome`` its function in ``returns``."""
    play, step = _build_steps(kernel, faults, looking, owner)
    return Playing(play, step, _build_turn(kernel, faults, choosing, outcome, owner))


def _build_steps(
    kernel: Kernel, faults: Faults, looking: Looking, owner: str
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``play`` and ``step``: one action in a row, one in each."""
    compiled = partial(njit, owner=owner)
    begin, play_action = kernel.begin, kernel.play
    fault_of_action, check_actions = faults.fault_of_action, faults.check_actions
    write_observation, write_mask = looking.write_observation, looking.write_mask
    size_of_sets = kernel.words  # known when compiling, so that loops over a set's words unroll

    @compiled
    def play(states: Any, constants: Any, action: int) -> int:
        """Play an action in the first row: FINE, or what was wrong with it, and then nothing changes."""
        g = constants[0]
        s = states[0]
        fault = fault_of_action(s, g, action, False)
        if fault == FINE:
            play_action(s, g, action)
        return fault

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
        """Play one checked action in each row and write the results."""
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
    def step(
        states: Any,
        constants: Any,
        actions: Any,
        auto_reset: bool,
        rewards: Any,
        over: Any,
        observations: Any,
        masks: Any,
        crew: Any,
    ) -> int:
        """Play one action in each row if all are legal; return the worst fault found."""
        size = len(states)
        g = constants[0]
        fit = len(actions) == size and is_output(observations, size, g.observation_size)
        if not fit or not is_output(masks, size, g.num_actions):
            return UNFIT
        found = FINE
        start, end = next_chunk(crew, CHECK, size, 0, found)
        while start < end:
            found = max(found, check_actions(states[start:end], constants, actions[start:end], not auto_reset))
            start, end = next_chunk(crew, CHECK, size, end - start, found)
        found = wait_for_all(crew, CHECK, size, found)
        if found == FINE:
            start, end = next_chunk(crew, WORK, size, 0, FINE)
            while start < end:
                play_rows(
                    states[start:end],
                    constants,
                    actions[start:end],
                    auto_reset,
                    rewards[start:end],
                    over[start:end],
                    observations[start:end],
                    masks[start:end],
                )
                start, end = next_chunk(crew, WORK, size, end - start, FINE)
            found = wait_for_all(crew, WORK, size, FINE)
        linger(crew)
        return found

    return play, step


def _build_turn(
    kernel: Kernel, faults: Faults, choosing: Choosing, outcome: Callable[..., Any], owner: str
) -> Callable[..., Any]:
    """``turn``: an action and what the built-in players play after it."""
    play_action, greedy_action = kernel.play, kernel.greedy
    is_legal, sampled = faults.is_legal, choosing.sampled

    @partial(njit, owner=owner)
    def turn(
        states: Any,
        constants: Any,
        rows: Any,
        actions: Any,
        players: Any,
        seats: Any,
        reward: int,
        credited: Any,
        rewards: Any,
        over: Any,
    ) -> None:
        """In each of ``rows`` play an action, then the built-in players' until a seat of the caller's is on turn.

        An action of -1 plays nothing; an illegal one forfeits the episode. ``players`` (N, seats) says who
        plays; the learner of ``seats`` is credited with everything that happened since the last call.
        """
        g = constants[0]
        for k in range(len(rows)):
            i = np.int64(rows[k])
            s = states[i]
            action = np.int64(actions[k])
            if action != -1:
                if is_legal(s, g, action):
                    play_action(s, g, action)
                else:
                    record.forfeit(s)
            while s.over == 0 and players[i, np.int64(s.to_play)] != OUTSIDE:
                if players[i, np.int64(s.to_play)] == RANDOM:
                    play_action(s, g, sampled(s, g))
                else:
                    play_action(s, g, greedy_action(s, g))
            total = outcome(s, g, reward, np.int64(seats[i]))
            rewards[i] += total - credited[i]
            credited[i] = total
            over[i] = s.over != 0

    return turn
