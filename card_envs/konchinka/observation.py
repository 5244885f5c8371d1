"""What a seat sees in Konchinka, as a vector of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, bit, first, lowest, popcount, put, put_count, put_few
from card_envs.jit import inlined, njit
from card_envs.konchinka.dealing import CLUBS, PACK, for_each, next_seat, ranks_of, seat_dealt
from card_envs.konchinka.kernel import capturing
from card_envs.konchinka.rules import KonchinkaRules
from card_envs.record import score

MOST_CARDS = 32
"""Length of a pile's thermometer of cards: with more, a seat has the most of any two players."""

MOST_CLUBS = 8
OVERTIME = 8
"""A score's thermometer goes so far past the target, for matches level at the top (K14)."""


def layout(rules: KonchinkaRules) -> list[tuple[str, int]]:
    """Names and widths of the parts of an observation, in order; ``observe`` writes just these.

    Planes have one bit per card, by number; counts are thermometers (that many ones, then zeros). Seats are
    counted from the observing one: ``pile_0`` is its own, ``pile_1`` that of the seat to its left.
    """
    seats = range(rules.num_players)
    parts = [
        ("hand", 52),
        ("table", 52),
        ("unseen", 52),  # in other hands or in the pack
        ("unseen_ranks", 52),  # at least 1, 2, 3, 4 unseen cards of each rank
        ("capturing", 52),  # cards of the hand that capture something
        ("table_ranks", 13),
        *((f"pile_{seat}", 52) for seat in seats),
    ]
    if rules.num_players < 12:
        parts.append(("known_pack", 52))  # openly put back (K4) and still in the pack
    if rules.dealt_later:
        parts += [(f"known_{seat}", 52) for seat in seats]  # of these, what a seat holds or will be dealt
    parts += [(f"cards_{seat}", MOST_CARDS) for seat in seats]
    parts += [(f"clubs_{seat}", MOST_CLUBS) for seat in seats]
    parts += [(f"hand_size_{seat}", 4) for seat in seats]
    parts += [(f"dealer_{seat}", 1) for seat in seats]
    parts += [(f"last_capturer_{seat}", 1) for seat in seats]
    parts.append(("dealt_later", rules.dealt_later))  # cards that each player is still to be dealt
    if rules.obligation == "hand":
        parts += [(f"denied_{seat}", 13) for seat in seats]  # ranks a seat has shown it does not hold
    if rules.match:
        parts += [(f"score_{seat}", rules.target + OVERTIME) for seat in seats]
    return parts


@inlined
def unseen_cards(s: Any, g: Any, seat: int) -> np.uint64:
    """Cards that a seat has not seen played or captured and does not hold."""
    seen = s.hand[seat] | s.table
    for other in range(g.num_players):
        seen |= s.pile[other]
    return first(52) & ~seen


@inlined
def ranks_at_least(cards: np.uint64) -> np.uint64:
    """Of each rank, whether there are at least 1, 2, 3, 4 cards: four sets of ranks, one after the other."""
    c = cards & CLUBS
    d = (cards >> np.uint64(13)) & CLUBS
    h = (cards >> np.uint64(26)) & CLUBS
    p = cards >> np.uint64(39)
    some_cd, some_hp, both_cd, both_hp = c | d, h | p, c & d, h & p
    two = both_cd | both_hp | (some_cd & some_hp)
    three = (both_cd & some_hp) | (both_hp & some_cd)
    return (
        (some_cd | some_hp) | (two << np.uint64(13)) | (three << np.uint64(26)) | ((both_cd & both_hp) << np.uint64(39))
    )


@inlined
def hand_size(s: Any, g: Any, seat: int) -> int:
    """Cards in a hand, from public information: hands are played down in turn, from the eldest (K6)."""
    turn = seat - np.int64(s.dealer) - 1
    if turn < 0:
        turn += g.num_players
    return for_each(g, np.int64(s.in_hands) + turn)


@inlined
def seat_from(g: Any, seat: int, observer: int) -> int:
    """A seat counted from the observer's."""
    return seat - observer if seat >= observer else seat - observer + g.num_players


@inlined
def one_seat(g: Any, seat: int, observer: int) -> np.uint64:
    """The set of one seat, counted from the observer; empty for no seat (-1)."""
    return ZERO if seat < 0 else bit(seat_from(g, seat, observer))


@inlined
def put_known(s: Any, g: Any, seat: int, unplayed: np.uint64, out: Any, at: int) -> int:
    """Write where the openly known cards (K4) are: a plane for the pack, then (if any is dealt later) one for each
    seat, with those of ``unplayed`` that it holds or will be dealt. Return the end.

    Empty planes, and then a byte for each card: the cards are few, and a loop over each plane would be mispredicted.
    """
    of_seats = put(out, at, 52, ZERO)
    end = of_seats
    if g.dealt_later > 0:
        for _ in range(g.num_players):
            end = put(out, end, 52, ZERO)
    rest = s.open & PACK
    while rest != ZERO:
        place = lowest(rest)
        rest ^= bit(place)
        card = np.int64(s.deck[place]) & 63
        out[at + card] = place >= np.int64(s.dealt)
        if g.dealt_later > 0:
            owner = seat_dealt(s, g, place)
            plane = 0 if owner < 0 else seat_from(g, owner, seat)
            out[of_seats + 52 * plane + card] = owner >= 0 and unplayed & bit(card) != ZERO
    return end


@njit
def observe(s: Any, g: Any, seat: int, out: Any, at: int) -> None:
    """Write the observation of a seat from ``out[at]`` on: public fields and its own hand, nothing else."""
    hand = s.hand[seat]
    unseen = unseen_cards(s, g, seat)
    at = put(out, at, 52, hand)
    at = put(out, at, 52, s.table)
    at = put(out, at, 52, unseen)
    at = put(out, at, 52, ranks_at_least(unseen))
    at = put(out, at, 52, capturing(g, s.table, hand))
    at = put(out, at, 13, ranks_of(s.table))
    other = seat
    for _ in range(g.num_players):
        at = put(out, at, 52, s.pile[other])
        other = next_seat(g, other)
    if g.num_players < 12:
        at = put_known(s, g, seat, unseen | hand, out, at)
    for _ in range(g.num_players):
        at = put(out, at, MOST_CARDS, first(min(popcount(s.pile[other]), MOST_CARDS)))
        other = next_seat(g, other)
    for _ in range(g.num_players):
        at = put_few(out, at, MOST_CLUBS, first(min(popcount(s.pile[other] & CLUBS), MOST_CLUBS)))
        other = next_seat(g, other)
    held = ZERO
    for k in range(g.num_players):
        held |= first(hand_size(s, g, other)) << np.uint64(4 * k)
        other = next_seat(g, other)
    at = put(out, at, 4 * g.num_players, held)
    at = put(out, at, g.num_players, one_seat(g, np.int64(s.dealer), seat))
    at = put(out, at, g.num_players, one_seat(g, np.int64(s.last_capturer), seat))
    at = put(out, at, g.dealt_later, first(for_each(g, 52 - np.int64(s.dealt))))
    if g.must_capture != 0:
        for _ in range(g.num_players):
            at = put(out, at, 13, np.uint64(s.denied[other]))
            other = next_seat(g, other)
    if g.match != 0:
        for _ in range(g.num_players):
            at = put_count(out, at, g.target + OVERTIME, score(s, other))
            other = next_seat(g, other)
