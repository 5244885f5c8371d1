"""What a seat sees in Briscola, the worlds it holds possible, and the greedy player."""

from __future__ import annotations

from typing import Any

import numpy as np

from briscola.kernel import card_points, place_drawn, trumps, turned_place, winners
from briscola.rules import BriscolaRules
from card_envs.bits import ZERO, bit, draw_from, first, lowest, put, put_count
from card_envs.hidden import lay_anyhow, unknown
from card_envs.jit import inlined, njit
from card_envs.record import card_at, score
from card_envs.tricks import has_stock, led_card, turn_of

POINT, TRUMP = 10, 50
"""What a card point and a trump are worth to the greedy player; a step of rank is 1."""


def layout(rules: BriscolaRules) -> list[tuple[str, int]]:
    """Names and widths of the parts of an observation, in order; ``observe`` writes just these.

    Planes have one bit per card, by number; counts are thermometers. "Own" is the observing seat.
    """
    cards = rules.pack_size
    match = [("own_score", rules.target), ("other_score", rules.target)] if rules.match else []
    return [
        ("hand", cards),
        ("lead", cards),  # the card led to this trick
        ("winning", cards),  # cards of the hand that win this trick
        ("own_won", cards),
        ("other_won", cards),
        ("unseen", cards),  # in the other hand or face down in the stock
        ("turned", cards),  # the turned card, as long as it lies there
        ("trumps", rules.suits),
        ("stock_pairs", rules.pack_size // 2 - rules.hand_size),  # draws left to each
        ("own_deal", 1),  # this seat is the dealer
        *match,
    ]


@inlined
def observe(s: Any, g: Any, seat: int, out: Any, at: int) -> None:
    """Write the observation of a seat from ``out[at]`` on: public fields and its own hand, nothing else."""
    hand, size = s.hand[seat], g.pack_size
    led = bit(led_card(s)) if np.int64(s.lead) >= 0 else ZERO
    turned = bit(card_at(s, turned_place(g))) if has_stock(s, g) else ZERO
    at = put(out, at, size, hand)
    at = put(out, at, size, led)
    at = put(out, at, size, hand & winners(s, g) if np.int64(s.lead) >= 0 else ZERO)
    at = put(out, at, size, s.won[seat])
    at = put(out, at, size, s.won[1 - seat])
    at = put(out, at, size, first(size) & ~(hand | s.won[0] | s.won[1] | led | turned))
    at = put(out, at, size, turned)
    at = put(out, at, size // g.ranks, bit(card_at(s, turned_place(g)) // g.ranks))
    at = put(out, at, (size >> 1) - g.hand_size, first(max(size - np.int64(s.drawn), 0) >> 1))
    at = put(out, at, 1, np.uint64(np.int64(s.dealer) == seat))
    if g.match != 0:
        at = put_count(out, at, g.target, score(s, seat))
        put_count(out, at, g.target, score(s, 1 - seat))


@njit
def imagine(s: Any, g: Any) -> None:
    """Fill what is blank in a view, uniform over the packs that its seat holds possible, drawn from the stream of
    ``s``.

    Nobody has to follow suit, so no play shows what a hand does not hold. A card that the other seat played lay at any
    of the places that it had been dealt by then. A later play has one place more for each card drawn and one less for
    each card laid, whichever these were: all packs are equally likely.
    """
    other = 1 - np.int64(s.viewer)
    blank, hidden = unknown(s, g)
    given, drawn = ZERO, 0  # places that were dealt or drawn before a play
    for k in range(min(np.int64(s.plays), g.pack_size)):
        while drawn < min(2 * g.hand_size + k - k % 2, g.pack_size):
            given |= bit(place_drawn(g, drawn))
            drawn += 1
        card = np.int64(s.history[k]) % g.num_actions
        if hidden & bit(card) != ZERO:
            free = blank & s.places[other] & given
            if free == ZERO:
                return  # a row that something else has written into
            place = draw_from(s, free)
            s.deck[place] = card
            blank ^= bit(place)
            hidden ^= bit(card)
    lay_anyhow(s, blank, hidden)
    for place in range(g.pack_size):
        if s.places[other] & bit(place) != ZERO:
            s.hand[other] |= bit(card_at(s, place))
    s.hand[other] &= ~(s.won[0] | s.won[1] | bit(led_card(s)))


@njit
def greedy(s: Any, g: Any) -> int:
    """Win tricks that are worth their price, and give away as little as possible; the lower card in a tie."""
    best, best_value = -1, 0
    rest = s.hand[turn_of(s)]
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        value = gain(s, g, card)
        if best < 0 or value > best_value:
            best, best_value = card, value
    return best


@njit
def gain(s: Any, g: Any, card: int) -> int:
    """What a card brings in the trick in hand; a card that leads counts as lost, a trump's own points as half won."""
    own = POINT * card_points(g, bit(card))
    is_trump = trumps(s, g) & bit(card) != ZERO
    price = card % g.ranks + (TRUMP + own // 2 if is_trump else 0)
    trick = POINT * card_points(g, bit(led_card(s)))
    if np.int64(s.lead) < 0 or winners(s, g) & bit(card) == ZERO:
        return -trick - own - price
    return trick - price if is_trump else trick + own - price
