"""What the records of all games have in common: their first fields, and the returns of an episode.

The state of a table is one record of a structured dtype; the constants of a game (rules and lookup tables)
are another record, which every kernel gets as ``g``. Kernels call a state ``s``.

Of a game's own fields, code that knows no game relies on these (``definition`` checks that they are there):

* ``deck``, u1, at least as long as the pack: the cards by number, top card first, from ``shuffle`` or as a user gave
  them; ``lay_out`` deals from it, and what a seat cannot know of it is ``BLANK`` in a view and filled by ``imagine``.
  A card that has been dealt stays at its place, so that the deal can be written down and dealt again.
* ``history``, unsigned, as long as the longest deal: the plays of the deal in order (``write_down``), and ``plays``
  says how many.
* ``hand``, one bit set of cards for each seat, unless the game says otherwise in ``hand_cards``.
* the fields named in ``carried``: what neither the deck nor the plays determine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import choice_stream, lot
from card_envs.jit import inlined, njit

FULL = -1
"""``viewer`` of a full state; a view holds the seat it belongs to."""

BLANK = 255
"""What a hidden card is set to in a view."""

POINTS, WIN, SHARE, SETTLEMENT = 0, 1, 2, 3
REWARDS = ("points", "win", "share", "settlement")
"""Names of the rewards, by number: all are zero-sum."""

NOTHING, COUNTED, OVER = 0, 1, 2
"""What a play led to: nothing to count, a deal was counted and the next one dealt, the episode is over."""


def _record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """A record whose fields read the same compiled and not: attributes of numpy's own would hide some names."""
    for name, *_ in fields:
        if hasattr(np.record, name):
            raise ValueError(f"A field called {name!r} cannot be read from a numpy record: give it another name.")
    return np.dtype((np.record, fields))


def state_dtype(seats: int, fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Record of a table for up to ``seats`` players: common fields and a game's own, without padding.

    What every play reads comes first, in one or two cache lines; what is read only at the end of a deal comes after the
    game's own fields, which should be in such an order too.
    """
    front: list[tuple[Any, ...]] = [
        ("choice", "u8"),  # state of the table's stream
        ("rules_id", "u4"),  # fingerprint of game, rules and layout
        ("viewer", "i1"),
        ("to_play", "i1"),
        ("over", "u1"),
        ("plays", "u1"),  # plays in this deal
        ("dealer", "i1"),
        ("forfeit", "i1"),  # seat that lost the episode by an illegal action, or -1
    ]
    back: list[tuple[Any, ...]] = [
        ("seed", "u8"),  # with deal, all that decides the order of the pack
        ("deal", "u8"),  # number of the deal in play at this table, from 0
        ("deals", "u2"),  # deals counted in this episode
        ("taken_before", "u2", (seats,)),  # honours or cards won in the episode's earlier deals
        ("total", "i2", (seats,)),  # points made in this episode
        ("start", "u1", (seats,)),  # match scores it began with
        ("points", "i1", (seats,)),  # points of the last deal counted
    ]
    return _record(front + fields + back)


def constants_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Record of a game's rules and tables: the common fields, then its own."""
    common: list[tuple[Any, ...]] = [
        ("rules_id", "u4"),
        ("num_players", "i8"),
        ("num_actions", "i8"),
        ("pack_size", "i8"),
        ("max_plays", "i8"),
        ("observation_size", "i8"),
        ("match", "i8"),
        ("target", "i8"),
        ("all_taken", "i8"),  # honours or cards in a deal
        ("least", "f8", (len(REWARDS),)),  # least possible return, by reward
    ]
    return _record(common + fields)


@njit
def set_up(s: Any, g: Any, seed: np.uint64) -> None:
    """Make a row of zeros a table, with its seed and stream at their beginning."""
    s.rules_id = g.rules_id
    s.viewer = FULL
    s.seed = seed
    s.choice = choice_stream(seed)


@njit
def clear(s: Any, g: Any) -> None:
    """Begin an episode: nothing scored, the first dealer drawn by lot."""
    for seat in range(g.num_players):
        s.start[seat] = 0
        s.total[seat] = 0
        s.points[seat] = 0
        s.taken_before[seat] = 0
    s.deals = 0
    s.over = 0
    s.forfeit = -1
    s.dealer = lot(s.seed, s.deal, g.num_players)


@njit
def clear_plays(s: Any) -> None:
    """Nothing has been played in the deal."""
    s.plays = 0
    for k in range(len(s.history)):
        s.history[k] = 0


@inlined
def write_down(s: Any, g: Any, seat: int, action: int) -> None:
    """Add a play to the history of the deal."""
    s.history[min(np.int64(s.plays), len(s.history) - 1)] = seat * g.num_actions + action  # edited rows may say more
    s.plays = np.int64(s.plays) + 1


@inlined
def card_at(s: Any, place: int) -> int:
    """The card at a place of the pack; below 64 whatever was written there, so that tables have an entry for it."""
    return np.int64(s.deck[place]) & 63


@njit
def add_points(s: Any, g: Any) -> None:
    """Points of a counted deal go to the totals."""
    for seat in range(g.num_players):
        s.total[seat] = np.int64(s.total[seat]) + np.int64(s.points[seat])
    s.deals = np.int64(s.deals) + 1


@njit
def finish(s: Any) -> int:
    """End the episode: nobody is on turn."""
    s.over = 1
    s.to_play = -1
    return OVER


@njit
def forfeit(s: Any) -> int:
    """End the episode by an illegal action of the seat on turn, which loses it (``returned_forfeit``)."""
    s.forfeit = s.to_play
    return finish(s)


@njit
def above_others(own: float, everyone: float, players: int) -> float:
    """``own`` minus the mean of the others, where all together have ``everyone``: sums to zero over the seats."""
    return own - (everyone - own) / (players - 1)


@njit
def lead_in(values: Any, g: Any, seat: int) -> float:
    """How far a seat is above the mean of the others in a field with a number for each seat."""
    everyone = 0
    for other in range(g.num_players):
        everyone += np.int64(values[other])
    return above_others(np.float64(np.int64(values[seat])), np.float64(everyone), g.num_players)


@njit
def score(s: Any, seat: int) -> int:
    """Points a seat stands at: those it began with and those made since."""
    return np.int64(s.start[seat]) + np.int64(s.total[seat])


@njit
def returned_win(s: Any, g: Any, seat: int) -> float:
    """The "win" reward: +1/k for each of k level at the top, -1/(n-k) for the others, 0 if all are level."""
    players = g.num_players
    best = score(s, 0)
    for other in range(1, players):
        best = max(best, score(s, other))
    level = 0
    for other in range(players):
        if score(s, other) == best:
            level += 1
    if level == players:
        return 0.0
    return 1.0 / level if score(s, seat) == best else -1.0 / (players - level)


@njit
def returned_forfeit(s: Any, g: Any, reward: int, seat: int) -> float:
    """After an illegal action: the least possible return for the offender, shared by the others.

    The least share is that of taking nothing in all the deals begun.
    """
    least = g.least[reward]
    if reward == SHARE:
        least *= np.float64(np.int64(s.deals) + 1)
    return least if seat == np.int64(s.forfeit) else -least / (g.num_players - 1)
