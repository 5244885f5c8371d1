"""The rules of Briscola as scalar functions over one record (B1 to B8 in the README).

A card is ``suit * ranks + rank`` with the ranks ascending, so of two cards of a suit the greater number is the higher
card. Sets of cards are bit sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, bit, popcount
from card_envs.hidden import blank_all_but
from card_envs.jit import inlined, njit
from card_envs.record import COUNTED, NOTHING, card_at, constants_dtype, state_dtype, write_down
from card_envs.tricks import has_stock, led_card, turn_of

STATE = state_dtype(
    2,
    [
        ("lead", "i1"),  # card led to the trick, or -1
        ("drawn", "u1"),  # cards dealt and drawn from the pack
        ("hand", "u8", (2,)),
        ("won", "u8", (2,)),  # cards in the tricks won
        ("places", "u8", (2,)),  # pack positions whose cards a seat was dealt or drew
        ("deck", "u1", (40,)),  # the pack, top card first; the turned card stays at its place
        ("history", "u1", (40,)),  # plays in order: seat * num_actions + card
    ],
)

CONSTANTS = constants_dtype(
    [
        ("ranks", "i8"),
        ("hand_size", "i8"),
        ("same_suit", "u8", (64,)),  # all cards of a card's suit
        ("higher", "u8", (64,)),  # the cards of its suit that beat it
        ("counting", "u8", (5,)),  # sets of cards worth the same,
        ("worth", "i8", (5,)),  # and the card points of each of their cards (B7)
    ]
)


@njit
def lay_out(s: Any, g: Any) -> bool:
    """Deal the pack as it lies: one card at a time, the non-dealer first (B2), who leads (B4). Never void."""
    other = 1 - np.int64(s.dealer)
    for seat in range(2):
        s.hand[seat] = 0
        s.won[seat] = 0
        s.places[seat] = 0
    s.drawn = 0
    s.lead = -1
    for _ in range(g.hand_size):
        take_card(s, g, other)
        take_card(s, g, 1 - other)
    s.to_play = other
    return True


@inlined
def turned_place(g: Any) -> int:
    """Place in the pack of the card that is turned up (B3)."""
    return 2 * g.hand_size


@inlined
def place_drawn(g: Any, drawn: int) -> int:
    """Place in the pack of the card drawn after ``drawn`` others: the turned card lies under the stock (B6)."""
    if drawn < turned_place(g):
        return drawn
    return drawn + 1 if drawn + 1 < g.pack_size else turned_place(g)


@inlined
def take_card(s: Any, g: Any, seat: int) -> None:
    """The next card of the pack goes to a hand."""
    place = place_drawn(g, np.int64(s.drawn))
    s.hand[seat] |= bit(card_at(s, place))
    s.places[seat] |= bit(place)
    s.drawn = np.int64(s.drawn) + 1


@inlined
def trumps(s: Any, g: Any) -> np.uint64:
    """All cards of the suit of the turned card (B3)."""
    return g.same_suit[card_at(s, turned_place(g))]


@inlined
def winners(s: Any, g: Any) -> np.uint64:
    """The cards that win a trick from the card led (B5)."""
    return g.higher[led_card(s)] | (trumps(s, g) & ~g.same_suit[led_card(s)])


@inlined
def legal_cards(s: Any, g: Any) -> np.uint64:
    """The cards that may be played: the whole hand (B4)."""
    return s.hand[turn_of(s)]


@inlined
def play(s: Any, g: Any, card: int) -> int:
    """Play a legal card; return ``record.NOTHING``, or ``COUNTED`` if the deal is over."""
    seat = turn_of(s)
    s.hand[seat] &= ~bit(card)
    write_down(s, g, seat, card)
    if np.int64(s.lead) < 0:
        s.lead = card
        s.to_play = 1 - seat
        return NOTHING
    winner = seat if winners(s, g) & bit(card) != ZERO else 1 - seat
    win_trick(s, g, winner, bit(led_card(s)) | bit(card))
    return NOTHING if s.hand[winner] != ZERO else count(s, g)


@inlined
def win_trick(s: Any, g: Any, winner: int, trick: np.uint64) -> None:
    """The trick goes to its winner, who draws first and leads next (B6)."""
    s.won[winner] |= trick
    s.lead = -1
    s.to_play = winner
    if has_stock(s, g):
        take_card(s, g, winner)
        take_card(s, g, 1 - winner)


@inlined
def card_points(g: Any, cards: np.uint64) -> int:
    """Card points of a set of cards (B7)."""
    points = 0
    for k in range(5):
        points += g.worth[k] * popcount(cards & g.counting[k])
    return points


@inlined
def taken(s: Any, g: Any, seat: int) -> int:
    """Card points a seat has won in this deal."""
    return card_points(g, s.won[seat])


@njit
def count(s: Any, g: Any) -> int:
    """Count the deal (B7)."""
    for seat in range(2):
        s.points[seat] = 2 * taken(s, g, seat) > g.all_taken
    return COUNTED


@njit
def hide(s: Any, g: Any, seat: int) -> None:
    """Blank what a seat cannot know: the other hand, and the pack except for its own cards and the turned one."""
    s.hand[1 - seat] = ZERO
    blank_all_but(s, g, s.places[seat] | bit(turned_place(g)))
