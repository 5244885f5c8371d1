"""Elfern double-dummy: what each card is worth, in honours, when both hands and the stock lie open."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, bit, first, lowest, popcount
from card_envs.elfern.kernel import legal_cards, taken
from card_envs.elfern.open_search import HALF, TABLE_BITS, memory, representatives, search
from card_envs.jit import njit
from card_envs.open_cards import Solver
from card_envs.record import FULL
from card_envs.tricks import has_stock, led_card

NO_HORIZON = 99
"""More cards than a search can draw."""

SEARCHED = 20
"""Tricks plus cards in a hand up to which ``estimates`` search to the end: in the full game, 16 cards in the stock."""

AHEAD = 7
"""Tricks that ``estimates`` search where more are left."""


@njit
def exact(s: Any, g: Any) -> bool:
    """Whether all cards can be seen: a whole deal can be searched."""
    return np.int64(s.viewer) == FULL


@njit
def settled(s: Any, g: Any) -> bool:
    """Whether the stock is used up: the cards a seat has not seen are then the other's hand."""
    return not has_stock(s, g)


@njit
def worth(s: Any, g: Any, value: float) -> float:
    """The "points" return of the deal (E10, E11) to a seat that wins ``value`` honours in it."""
    won = np.int64(value)
    return np.float64((g.scale[won] - g.scale[g.all_taken - won]) * (1 + np.int64(s.doubled)))


@njit
def prepare(s: Any, g: Any, m: Any, horizon: int) -> None:
    """Make the table that of this stock and horizon; its entries stay valid as long as these do not change.

    A search of few cards uses a small part of the table, which stays in the processor's cache.
    """
    size = g.pack_size
    drawn = np.int64(s.drawn)
    m.narrow = np.uint64(64 - min(TABLE_BITS, TABLE_BITS - 9 + (size - drawn) * 9 // 16))
    same = m.stamp != ZERO and m.horizon == horizon
    for place in range(drawn, size):
        same = same and m.deck[place] == np.int64(s.deck[place])
    if same:
        return
    m.stamp += np.uint64(1)
    m.horizon = horizon
    deeper = ZERO
    for place in range(size - 1, -1, -1):
        card = np.int64(s.deck[place])
        m.deck[place] = card
        m.drawn_rank[place] = popcount(deeper & m.fellows[card] & first(card))
        deeper |= bit(card)


@njit
def closed_place(g: Any, m: Any, gone: np.uint64, card: int) -> int:
    """Where a card stands when the cards in play have closed up."""
    return card + popcount(gone & m.fellows[card] & g.higher[card])


@njit
def closed_up(g: Any, m: Any, gone: np.uint64, cards: np.uint64) -> np.uint64:
    """A set of cards in play, closed up."""
    places = ZERO
    while cards != ZERO:
        card = lowest(cards)
        cards ^= bit(card)
        places |= bit(closed_place(g, m, gone, card))
    return places


@njit
def solve(s: Any, g: Any, m: Any, horizon: int, out: Any) -> None:
    """Write the honours of the deal for the seat to play, by action, searching up to a horizon."""
    prepare(s, g, m, horizon)
    seat = np.int64(s.to_play)
    drawn = np.int64(s.drawn)
    gone = np.uint64(s.won[0]) | np.uint64(s.won[1])
    own, other = np.uint64(s.hand[seat]), np.uint64(s.hand[1 - seat])
    led = bit(led_card(s)) & first(g.pack_size)
    leading = led == ZERO
    legal = legal_cards(s, g)
    stock = closed_up(g, m, gone, first(g.pack_size) & ~(gone | own | other | led))
    leader = closed_up(g, m, gone, own if leading else other | led)
    follower = closed_up(g, m, gone, other if leading else own)
    led = closed_up(g, m, gone, led)
    hands = leader | (follower << HALF)
    left = popcount((leader | follower | stock) & g.honours)
    found = np.full(32, -1, np.int64)
    guess = left // 2
    rest = representatives(m, closed_up(g, m, gone, legal))
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        low, high = 0, left
        while low < high:  # the cards of a hand are often worth the same: begin with the last one's value
            goal = min(max(guess, low + 1), high)
            if leading:
                value = search(g, m, hands, stock, drawn, goal, bit(card), ZERO)
            else:
                value = left - search(g, m, hands, stock, drawn, left - goal + 1, led, bit(card))
            if value >= goal:
                low = value
                guess = value + 1
            else:
                high = value
                guess = value
        found[card] = guess = low
    have = taken(s, g, seat)
    while legal != ZERO:
        action = lowest(legal)
        legal ^= bit(action)
        card = closed_place(g, m, gone, action)
        while found[card] < 0:  # as good as its neighbour below
            card -= 1
        out[action] = np.float64(have + found[card])


@njit
def values(s: Any, g: Any, memory: Any, out: Any) -> None:
    """Exact honours of the deal for the seat to play, by action."""
    solve(s, g, memory[0], NO_HORIZON, out)


@njit
def estimates(s: Any, g: Any, memory: Any, out: Any) -> None:
    """The same, but where much is left to play the search ends after ``AHEAD`` tricks with an estimate."""
    held = popcount(np.uint64(s.hand[0]) | np.uint64(s.hand[1]))
    drawn = np.int64(s.drawn)
    tricks = (held + g.pack_size - drawn + 1) // 2
    most_held = (held + 1) // 2
    solve(s, g, memory[0], NO_HORIZON if tricks + most_held <= SEARCHED else drawn + 2 * AHEAD, out)


def value_bounds(game: Any) -> tuple[float, float]:
    """No honours, and all there are."""
    return 0.0, float(game.rules.all_honours)


SOLVER = Solver(
    unit="honours",
    bounds=value_bounds,
    memory=memory,
    exact=exact,
    settled=settled,
    values=values,
    estimates=estimates,
    worth=worth,
)
