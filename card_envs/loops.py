"""The loops over many tables: the only vectorisation there is.

``build_loops`` compiles, for the kernel of a game, every verb that takes an array of states. A kernel is a
set of scalar functions over one state ``s`` and the game's constants ``g``:

========================  ==========================================================================
``begin(s, g)``           deal the first deal of an episode; ``s.seed`` and ``s.deal`` are set
``deal(s, g)``            shuffle and deal, for the dealer and the deal number in ``s``
``lay_out(s, g)``         deal the pack as it lies in ``s.deck``; False if that deal is void
``legal(s, g, words)``    write the bit set of legal actions of the seat to play into zeroed words
``allows(s, g, action)``  whether one action is among them
``pick(s, g, word)``      a uniform one of them, chosen by a random word
``play(s, g, action)``    play a legal action; ``record.NOTHING``, ``COUNTED`` or ``OVER``
``observe(s, g, seat, out, at)``  write the observation of a seat from ``out[at]`` on, by ``bits.put``
``greedy(s, g)``          the action of the game's greedy player
``taken(s, g, seat)``     honours or cards won in the deal in play
``settlement(s, g, seat)``  what a match pays when it is over
``hide(s, g, seat)``      blank everything a seat cannot know
``imagine(s, g)``         fill what is blank in a view, uniform over the packs that its seat holds possible
========================  ==========================================================================

Optional output arrays are passed with no rows to leave them out. Arguments are checked by ``game.Game``;
nothing else calls these.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from card_envs import record
from card_envs.bits import ONE, SLACK, ZERO, borrow, draw, keep, prefetch, put_words, take_back
from card_envs.jit import inlined, njit
from card_envs.record import FULL, NOTHING, OVER, POINTS, SHARE, WIN
from card_envs.threads import CHECK, UNDO, WORK, linger, take

OUTSIDE, RANDOM, GREEDY = 0, 1, 2
"""Who plays a seat: somebody outside, or a built-in player."""

AHEAD = 12
"""Rows from the one in hand to the one that is fetched from memory."""

FINE, IS_VIEW, FOREIGN, ILLEGAL, FINISHED = 0, 1, 2, 3, 4
"""What a check of the rows found, the worst last."""


@dataclass(frozen=True)
class Kernel:
    """The scalar functions of a game (see the module's table)."""

    begin: Callable[..., Any]
    deal: Callable[..., Any]
    lay_out: Callable[..., Any]
    legal: Callable[..., Any]
    allows: Callable[..., Any]
    pick: Callable[..., Any]
    play: Callable[..., Any]
    observe: Callable[..., Any]
    greedy: Callable[..., Any]
    taken: Callable[..., Any]
    settlement: Callable[..., Any]
    hide: Callable[..., Any]
    imagine: Callable[..., Any]
    words: int
    """Words that hold the largest set of actions."""

    @classmethod
    def of(cls, *modules: ModuleType, words: int) -> Kernel:
        """The functions of a game, found by name in the modules of its folder."""
        functions = ChainMap(*map(vars, modules))
        return cls(**{field.name: functions[field.name] for field in fields(cls) if field.name != "words"}, words=words)


@dataclass(frozen=True)
class Loops:
    """The compiled verbs of a game over arrays of states."""

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


@njit
def draws(states: Any, rows: Any, out: Any) -> None:
    """One random word of the choices of each of ``rows`` (none given: all)."""
    everyone = len(rows) == 0
    for k in range(len(out)):
        out[k] = draw(states[k if everyone else rows[k]])


@njit
def forfeit(states: Any, rows: Any) -> None:
    """End the episodes of ``rows``: the seats on turn lose them."""
    for k in range(len(rows)):
        record.forfeit(states[rows[k]])


def build_loops(kernel: Kernel, owner: str) -> Loops:
    """Compile the verbs of one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    inline = partial(inlined, owner=owner)
    begin, deal_out, lay_out = kernel.begin, kernel.deal, kernel.lay_out
    legal, allows, pick = kernel.legal, kernel.allows, kernel.pick
    play_action, observe, greedy_action = kernel.play, kernel.observe, kernel.greedy
    taken, settlement, hide_from, imagine_world = kernel.taken, kernel.settlement, kernel.hide, kernel.imagine
    size_of_sets = kernel.words  # known when compiling, so that loops over a set's words unroll

    @inline
    def sampled(s: Any, g: Any) -> int:
        """A uniform legal action, or -1 when the episode is over."""
        return pick(s, g, draw(s)) if s.over == 0 else -1

    @inline
    def is_legal(s: Any, g: Any, action: int) -> bool:
        return s.over == 0 and 0 <= action < g.num_actions and allows(s, g, action)

    @inline
    def fault_of(s: Any, g: Any) -> int:
        """Whether a row is a state of this game: FOREIGN if it is not, IS_VIEW if it is a view, or FINE."""
        if s.rules_id != g.rules_id:
            return FOREIGN
        return FINE if s.viewer == FULL else IS_VIEW

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
            found = max(found, fault_of_action(states[i], g, np.int64(actions[i]), pass_over))
        return found

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
        start, end, found = take(crew, CHECK, len(states), 0, FINE)
        while start < end:
            found = max(found, check_actions(states[start:end], constants, actions[start:end], not auto_reset))
            start, end, found = take(crew, CHECK, len(states), end - start, found)
        if found == FINE:
            start, end, found = take(crew, WORK, len(states), 0, FINE)
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
                start, end, found = take(crew, WORK, len(states), end - start, FINE)
        linger(crew)
        return found

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
    def look_rows(states: Any, constants: Any, seats: Any, observations: Any, masks: Any) -> int:
        """Write observations and masks; return FOREIGN if a row is not of this game, else FINE."""
        g = constants[0]
        own_words = np.empty(size_of_sets, np.uint64)
        words = borrow(own_words)
        seen = borrow(observations.reshape(observations.size))
        allowed = borrow(masks.reshape(masks.size))
        found = FINE
        for i in range(len(states)):
            s = states[i]
            if fault_of(s, g) == FOREIGN:
                found = FOREIGN
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
    def sample_rows(states: Any, constants: Any, out: Any) -> int:
        """Uniform legal actions, from each row's own choices; return the worst fault found."""
        g = constants[0]
        found = FINE
        for i in range(len(states)):
            prefetch(states, i + AHEAD)
            s = states[i]
            fault = fault_of(s, g)
            found = max(found, fault)
            out[i] = sampled(s, g) if fault == FINE else -1
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
    def sample(states: Any, constants: Any, out: Any, crew: Any) -> int:
        """Uniform legal actions, from each row's own choices, if nothing is wrong with any; return what is."""
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
    def greedy_rows(states: Any, constants: Any, out: Any) -> None:
        """Actions of the greedy player, -1 where the episode is over."""
        g = constants[0]
        for i in range(len(states)):
            s = states[i]
            out[i] = greedy_action(s, g) if s.to_play >= 0 else -1

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
            rewards[i] = np.float32(np.float64(rewards[i]) + total - credited[i])
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
        new, reset, deal, check, check_actions, step, play, look, sample, greedy, turn, outcomes, hide, imagine
    )
