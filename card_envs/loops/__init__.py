"""The loops over many tables: the only vectorisation there is.

``build_loops`` compiles, for the kernel of a game, every verb that takes an array of states; each module here holds
those of one job. The loops that play, look and choose can share many tables among a ``crew`` of threads (``threads``).

The sentinel ``batches.NO_OUTPUT`` stands for an optional output array left out. Arguments are checked by
``verbs.Verbs``, their shapes in ``step`` and ``sample`` by the loops themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from card_envs import record
from card_envs.bits import below, draw, draw_one_way
from card_envs.jit import njit, not_compiled
from card_envs.kernel import LEARNER, OUTSIDE, OWN_CODES, Kernel
from card_envs.loops.choosing import build_choosing
from card_envs.loops.dealing import build_dealing
from card_envs.loops.faults import build_faults
from card_envs.loops.hidden import build_hidden
from card_envs.loops.looking import build_looking
from card_envs.loops.playing import build_playing
from card_envs.loops.returns import build_returns


@dataclass
class Loops:
    """The compiled verbs of a game over arrays of states.

    ``look_shared`` is ``look`` for several threads. ``sample_fast`` and ``step_fast`` are ``sample`` and ``step`` as
    compiled so far (``jit.frozen``): they can be called with anything, and raise for what they were not compiled for.
    """

    new: Callable[..., Any]
    reset: Callable[..., Any]
    deal: Callable[..., Any]
    retrace: Callable[..., Any]
    check: Callable[..., Any]
    check_actions: Callable[..., Any]
    play: Callable[..., Any]
    step: Callable[..., Any]
    turn: Callable[..., Any]
    look: Callable[..., Any]
    look_shared: Callable[..., Any]
    sample: Callable[..., Any]
    greedy: Callable[..., Any]
    outcomes: Callable[..., Any]
    hide: Callable[..., Any]
    imagine: Callable[..., Any]
    sample_fast: Callable[..., Any] = not_compiled
    step_fast: Callable[..., Any] = not_compiled


def build_loops(kernel: Kernel, owner: str) -> Loops:
    """Compile the verbs of one game; ``owner`` is its name. Each is compiled when it is first called."""
    faults = build_faults(kernel, owner)
    dealing = build_dealing(kernel, faults, owner)
    looking = build_looking(kernel, faults, owner)
    choosing = build_choosing(kernel, faults, owner)
    returns = build_returns(kernel, owner)
    playing = build_playing(kernel, faults, looking, choosing, returns.outcome, owner)
    hidden = build_hidden(kernel, owner)
    return Loops(
        new=dealing.new,
        reset=dealing.reset,
        deal=dealing.deal,
        retrace=dealing.retrace,
        check=faults.check,
        check_actions=faults.check_actions,
        play=playing.play,
        step=playing.step,
        turn=playing.turn,
        look=looking.look,
        look_shared=looking.look_shared,
        sample=choosing.sample,
        greedy=choosing.greedy,
        outcomes=returns.outcomes,
        hide=hidden.hide,
        imagine=hidden.imagine,
    )


@njit
def draws(states: Any, rows: Any, out: Any) -> None:
    """A random word from the stream of each of ``rows``, from which the stream cannot be reconstructed."""
    for k in range(len(rows)):
        out[k] = draw_one_way(states[rows[k]])


@njit
def forfeit(states: Any, rows: Any) -> None:
    """End the episodes of ``rows``: the seats on turn lose them."""
    for k in range(len(rows)):
        record.forfeit(states[rows[k]])


@njit
def take_seats(states: Any, rows: Any, wanted: Any, coming: Any, seats: Any, codes: Any, players: Any) -> None:
    """Seat the learners where ``wanted`` (-1: drawn from the table's stream) and, in turn order, the opponents to
    come."""
    others = coming.shape[1]
    for k in range(len(rows)):
        row = rows[k]
        own = below(draw(states[row]), others + 1) if wanted[k] < 0 else wanted[k]
        seats[row] = own
        codes[row, own] = LEARNER
        players[row, own] = OUTSIDE
        for place in range(others):
            at = (own + 1 + place) % (others + 1)
            codes[row, at] = coming[row, place]
            players[row, at] = coming[row, place] if coming[row, place] < OWN_CODES else OUTSIDE
