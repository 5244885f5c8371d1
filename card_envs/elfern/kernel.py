"""The rules of Elfern as scalar functions over one record (docs/rules.md, E1 to E12).

A card is ``suit * ranks + rank`` with the ranks ascending, so of two cards of a suit the greater number is
the higher card. Sets of cards are bit sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, bit, first, popcount
from card_envs.hidden import blank_all_but
from card_envs.jit import inlined, njit
from card_envs.record import COUNTED, NOTHING, constants_dtype, state_dtype, write_down
from card_envs.tricks import has_stock, led_card, turn_of

STATE = state_dtype(
    2,
    [
        ("lead", "i1"),  # card led to the trick, or -1
        ("drawn", "u1"),  # cards dealt and drawn from the pack
        ("doubled", "u1"),  # the deal in play counts double (E11)
        ("hand", "u4", (2,)),
        ("won", "u4", (2,)),  # cards in the tricks won
        ("room", "u8", (2,)),  # by suit: most cards of it that a hand can hold, as all have seen (thermometers)
        ("owner", "u4"),  # pack positions that were dealt to seat 1
        ("deck", "u1", (32,)),  # the pack, top card first
        ("history", "u1", (32,)),  # plays in order: seat * num_actions + card
    ],
)

CONSTANTS = constants_dtype(
    [
        ("suits", "i8"),
        ("ranks", "i8"),
        ("hand_size", "i8"),
        ("bound_with_stock", "i8"),  # must the second player follow suit while the stock lasts,
        ("bound_without", "i8"),  # and once it is used up
        ("honours", "u8"),  # the cards that count (E2)
        ("one_each", "u8"),  # four thermometers of hand_size bits, one for each suit, each of them at one
        ("whole_room", "u8"),  # and each of them at hand_size
        ("suit_of", "i8", (32,)),
        ("same_suit", "u8", (64,)),  # all cards of a card's suit; empty for no card
        ("higher", "u8", (64,)),  # the cards that beat it; empty for no card
        ("lower", "u8", (3,)),  # the cards that have a card of their suit 1, 2, 4 places above them
        ("scale", "i8", (33,)),  # points for a number of honours (E10)
    ],
)


@njit
def lay_out(s: Any, g: Any) -> bool:
    """Deal the pack as it lies (E4): one card at a time, opponent first; the rest is the stock. Never void."""
    dealer = np.int64(s.dealer)
    for seat in range(2):
        s.hand[seat] = 0
        s.won[seat] = 0
        s.room[seat] = g.whole_room
    s.owner = 0
    s.drawn = 0
    s.lead = -1
    for _ in range(g.hand_size):
        take_top(s, 1 - dealer)
        take_top(s, dealer)
    s.to_play = 1 - dealer  # E5
    return True


@inlined
def take_top(s: Any, seat: int) -> None:
    """The top card of the pack goes to a hand."""
    place = np.int64(s.drawn)
    s.hand[seat] = np.uint64(s.hand[seat]) | bit(np.int64(s.deck[place]))
    s.owner = np.uint64(s.owner) | (np.uint64(seat) << np.uint64(place))
    s.drawn = place + 1


@inlined
def is_bound(g: Any, drawn: int) -> bool:
    """Whether a second player must follow suit after ``drawn`` cards are drawn (E6, E8 or ``follow_suit``)."""
    return (g.bound_with_stock if drawn < g.pack_size else g.bound_without) != 0


@inlined
def must_follow(s: Any, g: Any) -> bool:
    """Whether a second player is bound to follow suit now."""
    return is_bound(g, np.int64(s.drawn))


@inlined
def following(g: Any, hand: np.uint64, lead: int, bound: bool) -> np.uint64:
    """The cards of a hand that may be played to a lead: of the suit led if bound and able, else any (E6, E8)."""
    of_the_suit = hand & g.same_suit[lead] & (ZERO - np.uint64(bound))
    return of_the_suit if of_the_suit != ZERO else hand


@inlined
def shows_void(g: Any, drawn: int, lead: int, card: int) -> bool:
    """Whether a card played to a lead, with ``drawn`` cards drawn, shows a hand without the suit led (E6)."""
    return is_bound(g, drawn) and g.suit_of[card] != g.suit_of[lead]


@inlined
def beats(g: Any, lead: int, card: int) -> bool:
    """Whether a card played to a lead wins the trick: a higher one of the suit led (E6, E8)."""
    return g.higher[lead] & bit(card) != ZERO


@inlined
def legal_cards(s: Any, g: Any) -> np.uint64:
    """The cards that may be played: any one to lead (E5), else those that may follow; 63 has no suit to follow."""
    return following(g, np.uint64(s.hand[turn_of(s)]), led_card(s), must_follow(s, g))


@inlined
def play(s: Any, g: Any, card: int) -> int:
    """Play a legal card; return ``record.NOTHING``, or ``COUNTED`` if the deal is over."""
    seat = turn_of(s)
    lead = np.int64(s.lead)
    s.hand[seat] = np.uint64(s.hand[seat]) & ~bit(card)
    write_down(s, g, seat, card)
    if lead < 0:
        s.lead = card
        s.to_play = 1 - seat
        return NOTHING
    lead &= 63
    if shows_void(g, np.int64(s.drawn), lead, card):
        s.room[seat] &= ~(first(g.hand_size) << np.uint64(g.suit_of[lead] * g.hand_size))
    winner = seat if beats(g, lead, card) else 1 - seat
    win_trick(s, g, winner, bit(lead) | bit(card))
    return NOTHING if s.hand[winner] != 0 else count(s, g)


@inlined
def win_trick(s: Any, g: Any, winner: int, trick: np.uint64) -> None:
    """The trick goes to its winner, who draws first (E7) and leads next (E5)."""
    s.won[winner] = np.uint64(s.won[winner]) | trick
    s.lead = -1
    s.to_play = winner
    if has_stock(s, g):
        place = np.int64(s.drawn)  # both cards at once: the second alone would wait for the first to be written
        s.hand[winner] = np.uint64(s.hand[winner]) | bit(np.int64(s.deck[place]))
        s.hand[1 - winner] = np.uint64(s.hand[1 - winner]) | bit(np.int64(s.deck[place + 1]))
        s.owner = np.uint64(s.owner) | (np.uint64(2 - winner) << np.uint64(place))
        s.drawn = place + 2
        for seat in range(2):  # the card drawn can be of any suit: a step up for all four thermometers at once
            s.room[seat] = ((s.room[seat] << ONE) | g.one_each) & g.whole_room


@inlined
def taken(s: Any, g: Any, seat: int) -> int:
    """Honours a seat has won in this deal (E9)."""
    return popcount(np.uint64(s.won[seat]) & g.honours)


@njit
def count(s: Any, g: Any) -> int:
    """Count the deal (E9 to E11)."""
    for seat in range(2):
        s.points[seat] = g.scale[taken(s, g, seat)] * (1 + np.int64(s.doubled))
    return COUNTED


@njit
def carry(s: Any, g: Any) -> None:
    """The deal after one that nobody won counts double (E11)."""
    nobody_won = np.int64(s.points[0]) == 0 and np.int64(s.points[1]) == 0
    s.doubled = 1 if nobody_won and np.int64(s.deals) > 0 else 0


@njit
def hide(s: Any, g: Any, seat: int) -> None:
    """Blank what a seat cannot know: the other hand, and every card of the pack that was not dealt to it."""
    s.hand[1 - seat] = 0
    blank_all_but(s, g, places_of(s, seat))


@inlined
def places_of(s: Any, seat: int) -> np.uint64:
    """The places of the pack whose cards a seat was dealt or drew."""
    dealt = first(np.int64(s.drawn))
    return dealt & np.uint64(s.owner) if seat == 1 else dealt & ~np.uint64(s.owner)
