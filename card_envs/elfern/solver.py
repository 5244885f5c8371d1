"""Elfern with open cards: what each card is worth, in honours, to those who see both hands and the stock."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, bit, first, lowest, popcount
from card_envs.elfern.kernel import has_stock, led_card, legal_cards, taken
from card_envs.elfern.open_search import HALF, TABLE_BITS, different, memory, search
from card_envs.jit import njit
from card_envs.open_cards import Solver
from card_envs.record import FULL


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
def know_stock(s: Any, g: Any, m: Any) -> None:
    """Make the entries of the table those of this stock; they go on holding as long as it is the same one."""
    size = g.pack_size
    drawn = np.int64(s.drawn)
    m.narrow = np.uint64(64 - min(TABLE_BITS, 12 + (g.pack_size - drawn) * 9 // 16))
    same = m.stamp != ZERO
    for place in range(drawn, size):
        same = same and m.deck[place] == np.int64(s.deck[place])
    if same:
        return
    m.stamp += np.uint64(1)
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
def values(s: Any, g: Any, memory: Any, out: Any) -> None:
    """Exact honours of the deal for the seat to play, by action."""
    m = memory[0]
    know_stock(s, g, m)
    seat = np.int64(s.to_play)
    drawn = np.int64(s.drawn)
    won = np.uint64(s.won[0]) | np.uint64(s.won[1])
    own, other = np.uint64(s.hand[seat]), np.uint64(s.hand[1 - seat])
    led = bit(led_card(s)) & first(g.pack_size)
    leading = led == ZERO
    stock = closed_up(g, m, won, first(g.pack_size) & ~(won | own | other | led))
    low_half, high_half = closed_up(g, m, won, own), closed_up(g, m, won, other | led)
    legal = legal_cards(s, g)
    choices = different(m, closed_up(g, m, won, legal))
    left = popcount((low_half | high_half | stock) & g.honours)
    hands = low_half | (high_half << HALF) if leading else high_half | (low_half << HALF)
    led = closed_up(g, m, won, led)
    found = np.full(64, -1, np.int64)
    guess = left // 2
    rest = choices
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        low, high = 0, left
        while low < high:
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
        guess = low
        found[card] = low
    have = taken(s, g, seat)
    while legal != ZERO:
        action = lowest(legal)
        legal ^= bit(action)
        card = closed_place(g, m, won, action)
        while found[card] < 0:
            card -= 1
        out[action] = np.float64(have + found[card])


@njit
def estimates(s: Any, g: Any, memory: Any, out: Any) -> None:
    """The same."""
    values(s, g, memory, out)


SOLVER = Solver(
    unit="honours",
    memory=memory,
    exact=exact,
    settled=settled,
    values=values,
    estimates=estimates,
    worth=worth,
)
