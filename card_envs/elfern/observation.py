"""What a seat sees in Elfern, as a vector of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import bit, few, first, popcount, put, put_count, put_few, put_pair
from card_envs.elfern.kernel import must_follow
from card_envs.elfern.rules import ElfernRules
from card_envs.jit import inlined
from card_envs.record import score
from card_envs.tricks import has_stock, led_card


def layout(rules: ElfernRules) -> list[tuple[str, int]]:
    """Names and widths of the parts of an observation, in order; ``observe`` writes just these.

    Planes have one bit per card, by number; counts are thermometers (that many ones, then zeros).
    "Own" is the observing seat, "other" its opponent.
    """
    cards = rules.pack_size
    match = [("own_score", rules.target), ("other_score", rules.target), ("doubled", 1)] if rules.match else []
    return [
        ("hand", cards),
        ("lead", cards),  # the card led to this trick
        ("beating", cards),  # cards of the hand that beat the lead
        ("masters", cards),  # cards of the hand that no unseen card beats
        ("own_won", cards),
        ("other_won", cards),
        ("unseen", cards),  # in the other hand or in the stock
        ("other_room", 4 * rules.hand_size),  # by suit: how many cards of the other hand can be of it
        ("own_honours", rules.all_honours),
        ("other_honours", rules.all_honours),
        ("other_hand_size", rules.hand_size),
        ("stock_pairs", rules.pack_size // 2 - rules.hand_size),  # draws left to each
        ("own_deal", 1),  # this seat is the dealer
        ("stock_lasts", 1),
        ("bound", 1),  # a second player must follow suit now
        *match,
    ]


@inlined
def unseen_cards(s: Any, g: Any, seat: int) -> np.uint64:
    """Cards that a seat has not seen: those in the other hand and in the stock."""
    seen = np.uint64(s.hand[seat]) | np.uint64(s.won[0]) | np.uint64(s.won[1]) | bit(led_card(s))
    return first(g.pack_size) & ~seen


@inlined
def masters(g: Any, cards: np.uint64, against: np.uint64) -> np.uint64:
    """Those of ``cards`` that no card of ``against`` beats."""
    under = against
    for k, step in enumerate((1, 2, 4)):  # all that lie under a card of ``against`` in its suit
        under |= (under >> np.uint64(step)) & g.lower[k]
    return cards & ~under


@inlined
def hand_size(s: Any, g: Any, seat: int) -> int:
    """Cards in a hand, from public information: every play and draw is seen."""
    both = np.int64(s.drawn) - np.int64(s.plays)  # odd when one has led: the other has a card more
    return (both + np.int64(np.int64(s.to_play) == seat)) >> 1


@inlined
def observe(s: Any, g: Any, seat: int, out: Any, at: int) -> None:
    """Write the observation of a seat from ``out[at]`` on: public fields and its own hand, nothing else.

    Two planes, or several small parts, go into one ``put``: they fit in a word.
    """
    seat &= 1  # shows the compiler that the index is not negative
    other = 1 - seat
    size = g.pack_size
    second = np.uint64(size)
    hand, own_won, other_won = np.uint64(s.hand[seat]), np.uint64(s.won[seat]), np.uint64(s.won[other])
    led = bit(led_card(s)) & first(size)
    beating = hand & g.higher[led_card(s)]
    unseen = unseen_cards(s, g, seat)
    at = put(out, at, 2 * size, hand | (led << second))
    at = put(out, at, 2 * size, beating | (masters(g, hand, unseen) << second))
    at = put(out, at, 2 * size, own_won | (other_won << second))
    held = hand_size(s, g, other)
    at = put_pair(out, at, size, unseen, 4 * g.hand_size, s.room[other] & (few(held) * g.one_each))
    honours = few(popcount(own_won & g.honours)) | (few(popcount(other_won & g.honours)) << np.uint64(g.all_taken))
    stock = (size >> 1) - g.hand_size
    facts = few(held) | (few((size - np.int64(s.drawn)) >> 1) << np.uint64(g.hand_size))
    flags = np.int64(np.int64(s.dealer) == seat) + 2 * np.int64(has_stock(s, g)) + 4 * np.int64(must_follow(s, g))
    facts |= np.uint64(flags) << np.uint64(g.hand_size + stock)
    at = put_pair(out, at, 2 * g.all_taken, honours, g.hand_size + stock + 3, facts)
    if g.match != 0:
        at = put_count(out, at, g.target, score(s, seat))
        at = put_count(out, at, g.target, score(s, other))
        put_few(out, at, 1, np.uint64(s.doubled))
