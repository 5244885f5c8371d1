"""The record of a Konchinka table, and how it is dealt (docs/rules.md, K2 to K6).

A card is ``suit * 13 + rank``, ranks A 2 ... K from 0. Sets of cards are bit sets of 52; a set of ranks is a
bit set of 13. The pack stays one row of 52: the first hands, the four table cards, then what is dealt later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, bit, first
from card_envs.hidden import blank_all_but
from card_envs.jit import inlined, njit
from card_envs.konchinka.moves import JACK
from card_envs.record import constants_dtype, state_dtype

SEATS = 12
MOST_MOVES = 128

STATE = state_dtype(
    SEATS,
    [
        ("in_hands", "u1"),  # cards in all hands
        ("dealt", "u1"),  # cards dealt from the pack
        ("last_capturer", "i1"),
        ("table", "u8"),
        ("open", "u8"),  # pack positions whose cards all have seen put back (K4)
        ("hand", "u8", (SEATS,)),
        ("pile", "u8", (SEATS,)),  # cards captured (K10)
        ("denied", "u2", (SEATS,)),  # ranks a seat has shown it does not hold, until the next round (K8)
        ("deck", "u1", (52,)),  # the pack in the order of dealing
        ("history", "u2", (48,)),  # plays in order: seat * num_actions + action
    ],
)

CONSTANTS = constants_dtype(
    [
        ("num_moves", "i8"),
        ("reciprocal", "i8"),  # 2**16 / num_players, rounded up
        ("dealt_later", "i8"),  # to each player after the first round
        ("must_capture", "i8"),  # obligation="hand" (K8)
        ("by_stakes", "i8"),
        ("chip", "i8"),
        ("stake", "i8"),
        ("first_move", "i8", (13,)),
        ("rank_of", "i8", (MOST_MOVES,)),  # by move
        ("pattern", "u8", (MOST_MOVES,)),  # by move: ranks captured
        ("options", "u4", (1 << 13, 13)),  # by ranks on the table and rank played: moves.Moves.options
        ("captors", "u2", (1 << 13,)),  # by ranks on the table: the ranks that capture something
    ],
)

CLUBS = np.uint64(0x1FFF)
RANKS = np.uint64(0x1FFF)
PACK = np.uint64((1 << 52) - 1)
EVERY_SUIT = np.uint64(1 | 1 << 13 | 1 << 26 | 1 << 39)
"""A set of ranks times this is the set of all cards of those ranks."""

KONCHINKI = np.uint64(1 << 1 | 1 << 22)
"""The 2 of clubs and the 10 of diamonds (K11)."""

MOST_REPLACEMENTS = 52


@inlined
def ranks_of(cards: np.uint64) -> np.uint64:
    """The set of ranks of a set of cards."""
    pairs = cards | (cards >> np.uint64(26))
    return (pairs | (pairs >> np.uint64(13))) & RANKS


@inlined
def rank_of(card: int) -> int:
    """Rank of a card."""
    return card - 13 * suit_of(card)


@inlined
def suit_of(card: int) -> int:
    """Suit of a card."""
    return (card * 79) >> 10  # card // 13 for 0 <= card < 52


@inlined
def next_seat(g: Any, seat: int) -> int:
    """The seat to the left."""
    return 0 if seat + 1 == g.num_players else seat + 1


@inlined
def for_each(g: Any, cards: int) -> int:
    """``cards // num_players`` for up to 52 cards, without the slow division."""
    return (cards * g.reciprocal) >> 16


@njit
def lay_out(s: Any, g: Any) -> bool:
    """Deal the pack as it lies: four cards each, four to the table (K3, K4); False if the deal is void."""
    for seat in range(g.num_players):
        s.hand[seat] = ZERO
        s.pile[seat] = ZERO
    s.table = ZERO
    s.open = ZERO
    s.dealt = 0
    s.last_capturer = -1
    give(s, g, 4)
    return lay_table(s, g)


@njit
def give(s: Any, g: Any, cards: int) -> None:
    """A round of ``cards`` cards each, one at a time, from the eldest hand round to the dealer (K3, K5)."""
    eldest = next_seat(g, np.int64(s.dealer))
    place = np.int64(s.dealt)
    for _ in range(cards):
        seat = eldest
        for _ in range(g.num_players):
            s.hand[seat] |= bit(np.int64(s.deck[place]))
            place += 1
            seat = next_seat(g, seat)
    for seat in range(g.num_players):
        s.denied[seat] = 0
    s.dealt = place
    s.in_hands = cards * g.num_players
    s.to_play = eldest  # K6


@njit
def lay_table(s: Any, g: Any) -> bool:
    """Four cards to the table; none may be a jack or of the rank of an earlier one (K4)."""
    top = np.int64(s.dealt) + 4
    ranks = ZERO
    replacements = 0
    for place in range(top - 4, top):
        rank = rank_of(np.int64(s.deck[place]))
        while rank == JACK or ranks & bit(rank) != ZERO:
            if top == 52 or replacements == MOST_REPLACEMENTS:
                return False
            replace(s, place, top)
            replacements += 1
            rank = rank_of(np.int64(s.deck[place]))
        ranks |= bit(rank)
        s.table |= bit(np.int64(s.deck[place]))
    s.dealt = top
    return True


@njit
def replace(s: Any, place: int, top: int) -> None:
    """The card at ``place`` goes openly into the exact middle of the pack, the top card to its place (K4)."""
    middle = top + (52 - top) // 2 - 1  # where the card lies once the top card is gone
    card = s.deck[place]
    s.deck[place] = s.deck[top]
    for position in range(top, middle):
        s.deck[position] = s.deck[position + 1]
    s.deck[middle] = card
    below_middle = s.open & ~first(middle + 1)
    above = (s.open & first(middle + 1)) & ~first(top + 1)
    s.open = below_middle | (above >> ONE) | bit(middle)


@njit
def left_over(s: Any) -> np.uint64:
    """Cards of the pack that were not dealt (K5)."""
    cards = ZERO
    for place in range(np.int64(s.dealt), 52):
        cards |= bit(np.int64(s.deck[place]))
    return cards


@inlined
def seat_dealt(s: Any, g: Any, place: int) -> int:
    """The seat that a pack position is or will be dealt to; -1 for the table's and those never dealt (K5)."""
    table = 4 * g.num_players
    if place >= table:
        place -= table + 4
        if place < 0 or place >= g.dealt_later * g.num_players:
            return -1
    seat = np.int64(s.dealer) + 1 + place - g.num_players * for_each(g, place)
    return seat if seat < g.num_players else seat - g.num_players


@njit
def hide(s: Any, g: Any, seat: int) -> None:
    """Blank what a seat cannot know: other hands, and pack cards neither dealt to it nor openly known (K4)."""
    for other in range(g.num_players):
        if other != seat:
            s.hand[other] = ZERO
    known = s.open | (np.uint64(0b1111) << np.uint64(4 * g.num_players))  # the table's lie after the first hands
    for place in range(min(np.int64(s.dealt), np.int64(52))):
        if seat_dealt(s, g, place) == seat:
            known |= bit(place)
    blank_all_but(s, g, known)
