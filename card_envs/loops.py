"""The loops over many tables: the only vectorisation there is.

``build_loops`` compiles, for the kernel of a game, every verb that takes an array of states. What plays, looks and
chooses at great numbers of tables is shared out to a ``crew`` of threads (``threads``).

Optional output arrays are left out by ``batches.NO_ROWS``. Arguments are checked by ``verbs.Verbs``, their shapes in
``step`` and ``sample`` by the loops themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from card_envs import record
from card_envs.batches import NO_WIDTH
from card_envs.bits import draw
from card_envs.jit import njit, unmet
from card_envs.kernel import FINE, FINISHED, ILLEGAL, IS_VIEW, OUTSIDE, RANDOM, UNFIT, Kernel
from card_envs.record import FULL, POINTS, SHARE, WIN
from card_envs.rows import build_rows
from card_envs.threads import CHECK, UNDO, WORK, linger, take


@dataclass
class Loops:
    """The compiled verbs of a game over arrays of states.

    ``sample_at_once`` and ``step_at_once`` are the same as ``sample`` and ``step``, once these are closed: they can be
    handed anything, for what they are not meant for they refuse.
    """

    new: Callable[..., Any]
    reset: Callable[..., Any]
    deal: Callable[..., Any]
    check: Callable[..., Any]
    check_actions: Callable[..., Any]
    step: Callable[..., Any]
    play: Callable[..., Any]
    look: Callable[..., Any]
    sample: Callable[..., Any]
    greedy: Callable[..., Any]
    turn: Callable[..., Any]
    outcomes: Callable[..., Any]
    hide: Callable[..., Any]
    imagine: Callable[..., Any]
    sample_at_once: Callable[..., Any] = unmet
    step_at_once: Callable[..., Any] = unmet


@njit
def draws(states: Any, rows: Any, out: Any) -> None:
    """One random word of the choices of each of ``rows`` (none given: all)."""
    everyone = len(rows) == 0
    for k in range(len(out)):
        out[k] = draw(states[k if everyone else rows[k]])


@njit
def is_room(array: Any, rows: int, width: int) -> bool:
    """Whether an array has so many rows of this width, or is left out."""
    return (len(array) == rows and array.shape[1] == width) or array.shape[1] == NO_WIDTH


@njit
def forfeit(states: Any, rows: Any) -> None:
    """End the episodes of ``rows``: the seats on turn lose them."""
    for k in range(len(rows)):
        record.forfeit(states[rows[k]])


def build_loops(kernel: Kernel, owner: str) -> Loops:
    """Compile the verbs of one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    begin, deal_out, lay_out = kernel.begin, kernel.deal, kernel.lay_out
    play_action, greedy_action = kernel.play, kernel.greedy
    taken, settlement, hide_from, imagine_world = kernel.taken, kernel.settlement, kernel.hide, kernel.imagine
    rows_of = build_rows(kernel, owner)
    sampled, is_legal, check_actions = rows_of.sampled, rows_of.is_legal, rows_of.check_actions
    play_rows, look_rows, greedy_rows = rows_of.play, rows_of.look, rows_of.greedy
    sample_rows, take_back_samples = rows_of.sample, rows_of.take_back_samples

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
        """Deal the first row again, with a pack of the generator or as its ``deck`` lies; False if void."""
        g = constants[0]
        if shuffled:
            deal_out(states[0], g)
            return True
        return lay_out(states[0], g)

    @compiled
    def play(states: Any, constants: Any, action: int) -> int:
        """Play an action in the first row: FINE, or what was wrong with it, and then nothing changes."""
        g = constants[0]
        s = states[0]
        if s.viewer != FULL:
            return IS_VIEW
        if s.over != 0:
            return FINISHED
        if not is_legal(s, g, action):
            return ILLEGAL
        play_action(s, g, action)
        return FINE

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
        fit = len(actions) == size and is_room(observations, size, g.observation_size)
        if not fit or not is_room(masks, size, g.num_actions):
            return UNFIT
        start, end, found = take(crew, CHECK, size, 0, FINE)
        while start < end:
            found = max(found, check_actions(states[start:end], constants, actions[start:end], not auto_reset))
            start, end, found = take(crew, CHECK, size, end - start, found)
        if found == FINE:
            start, end, found = take(crew, WORK, size, 0, FINE)
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
                start, end, found = take(crew, WORK, size, end - start, FINE)
        linger(crew)
        return found

    @compiled
    def look(states: Any, constants: Any, seats: Any, observations: Any, masks: Any, crew: Any) -> int:
        """Observations and masks of the rows, for ``seats``, or (none given) a view's seat or the seat to play.

        Returns the worst fault found; with one, what was written is worth nothing.
        """
        start, end, found = take(crew, WORK, len(states), 0, FINE)
        while start < end:
            seen, allowed = observations[start:end], masks[start:end]
            found = max(found, look_rows(states[start:end], constants, seats[start:end], seen, allowed))
            start, end, found = take(crew, WORK, len(states), end - start, found)
        linger(crew)
        return found

    @compiled
    def sample(states: Any, constants: Any, out: Any, crew: Any) -> int:
        """Uniform legal actions, from each row's own choices, if nothing is wrong with any; return what is."""
        if len(out) != len(states):
            return UNFIT
        start, end, found = take(crew, WORK, len(states), 0, FINE)
        while start < end:
            found = max(found, sample_rows(states[start:end], constants, out[start:end]))
            start, end, found = take(crew, WORK, len(states), end - start, found)
        if found != FINE:
            start, end, found = take(crew, UNDO, len(states), 0, found)
            while start < end:
                take_back_samples(states[start:end], constants)
                start, end, found = take(crew, UNDO, len(states), end - start, found)
        linger(crew)
        return found

    @compiled
    def greedy(states: Any, constants: Any, out: Any, crew: Any) -> int:
        """The same, shared out."""
        start, end, found = take(crew, WORK, len(states), 0, FINE)
        while start < end:
            greedy_rows(states[start:end], constants, out[start:end])
            start, end, found = take(crew, WORK, len(states), end - start, FINE)
        linger(crew)
        return found

    @compiled
    def outcome(s: Any, g: Any, reward: int, seat: int) -> float:
        """The return of this episode so far, by one of the rewards of ``record.REWARDS``."""
        if s.forfeit >= 0:
            return record.returned_forfeit(s, g, reward, seat)
        if reward == POINTS:
            return record.lead_in(s.total, g, seat)
        if reward == SHARE:
            everyone = 0
            own = 0
            for other in range(g.num_players):
                honours = np.int64(s.taken_before[other]) + taken(s, g, other)
                everyone += honours
                if other == seat:
                    own = honours
            share = record.above_others(np.float64(own), np.float64(everyone), g.num_players)
            return share / np.float64(g.all_taken)
        if s.over == 0:
            return 0.0
        return record.returned_win(s, g, seat) if reward == WIN else np.float64(settlement(s, g, seat))

    @compiled
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
        """In each of ``rows`` play an action, then the built-in players' until somebody outside is on turn.

        An action of -1 plays nothing; an illegal one forfeits the episode. ``players`` (N, seats) says who
        plays; the learner of ``seats`` is credited with everything that happened since the last call.
        """
        g = constants[0]
        everyone = len(rows) == 0
        for k in range(len(actions)):
            i = k if everyone else np.int64(rows[k])
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

    @compiled
    def outcomes(states: Any, constants: Any, reward: int, out: Any) -> None:
        """Returns so far of every seat, by one of the rewards."""
        g = constants[0]
        for i in range(len(states)):
            for seat in range(g.num_players):
                out[i, seat] = outcome(states[i], g, reward, seat)

    @compiled
    def hide(states: Any, constants: Any, seats: Any) -> None:
        """Make full states views of ``seats``; views of that seat stay as they are."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            if s.viewer == FULL:
                hide_from(s, g, np.int64(seats[i]))
                s.viewer = seats[i]
                s.seed = np.uint64(0)
                s.choice = np.uint64(0)

    @compiled
    def imagine(states: Any, constants: Any, words: Any) -> None:
        """Make views full states that their seats hold possible, each drawn by the random word of its row."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            s.choice = words[i]
            imagine_world(s, g)
            s.viewer = FULL
            s.seed = draw(s)  # for the deals to come

    return Loops(
        new, reset, deal, rows_of.check, check_actions, step, play, look, sample, greedy, turn, outcomes, hide, imagine
    )
