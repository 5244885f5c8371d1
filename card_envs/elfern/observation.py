"""What a seat sees in Elfern, as a vector of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, bit, first, lowest, popcount, put, put_count, put_few
from card_envs.elfern.kernel import has_stock, must_follow
from card_envs.elfern.rules import ElfernRules
from card_envs.jit import inlined
from card_envs.record import score


def layout(rules: ElfernRules) -> list[tuple[str, int]]:
    """Names and widths of the parts of an observation, in order; ``observe`` writes just these.

    Planes have one bit a card, by number; counts are thermometers (so many ones, then zeros).
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
        ("other_hand_size", rules.hand_size),
        ("stock_pairs", rules.pack_size // 2 - rules.hand_size),  # draws left to each
        ("own_honours", rules.all_honours),
        ("other_honours", rules.all_honours),
        ("own_deal", 1),  # this seat is the dealer
        ("stock_lasts", 1),
        ("bound", 1),  # a second player must follow suit now
        *match,
    ]


@inlined
def unseen_cards(s: Any, g: Any, seat: int) -> np.uint64:
    """Cards that a seat has not seen: those in the other hand and in the stock."""
    seen = np.uint64(s.hand[seat]) | np.uint64(s.won[0]) | np.uint64(s.won[1])
    if s.lead >= 0:
        seen |= bit(np.int64(s.lead))
    return first(g.pack_size) & ~seen


@inlined
def masters(g: Any, cards: np.uint64, against: np.uint64) -> np.uint64:
    """Those of ``cards`` that no card of ``against`` beats."""
    found = ZERO
    rest = cards
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        if g.higher[card] & against == ZERO:
            found |= bit(card)
    return found


@inlined
def hand_size(s: Any, g: Any, seat: int) -> int:
    """Cards in a hand, counted from public things: every play and draw is seen."""
    has_led = np.int64(s.lead) >= 0 and np.int64(s.to_play) != seat
    tricks = np.int64(s.plays) >> 1
    draws = min(tricks, (g.pack_size >> 1) - g.hand_size)
    return g.hand_size - tricks + draws - (1 if has_led else 0)


@inlined
def observe(s: Any, g: Any, seat: int, out: Any, at: int) -> None:
    """Write the observation of a seat from ``out[at]`` on: public fields and its own hand, nothing else."""
    other = 1 - seat
    size = g.pack_size
    hand = np.uint64(s.hand[seat])
    lead = np.int64(s.lead)
    led = lead >= 0
    unseen = unseen_cards(s, g, seat)
    at = put(out, at, size, hand)
    at = put(out, at, size, bit(lead) if led else ZERO)
    at = put(out, at, size, hand & g.higher[lead] if led else ZERO)
    at = put(out, at, size, masters(g, hand, unseen))
    at = put(out, at, size, np.uint64(s.won[seat]))
    at = put(out, at, size, np.uint64(s.won[other]))
    at = put(out, at, size, unseen)
    held = hand_size(s, g, other)
    for suit in range(4):
        at = put(out, at, g.hand_size, first(min(np.int64(s.room[other, suit]), held)))
    at = put(out, at, g.hand_size, first(held))
    at = put(out, at, (size >> 1) - g.hand_size, first((size - np.int64(s.drawn)) >> 1))
    at = put(out, at, g.all_taken, first(popcount(np.uint64(s.won[seat]) & g.honours)))
    at = put(out, at, g.all_taken, first(popcount(np.uint64(s.won[other]) & g.honours)))
    at = put_few(out, at, 1, np.uint64(np.int64(s.dealer) == seat))
    at = put_few(out, at, 1, np.uint64(has_stock(s, g)))
    at = put_few(out, at, 1, np.uint64(must_follow(s, g)))
    if g.match != 0:
        at = put_count(out, at, g.target, score(s, seat))
        at = put_count(out, at, g.target, score(s, other))
        put_few(out, at, 1, np.uint64(s.doubled))
