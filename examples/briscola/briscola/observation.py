"""What a seat sees in Briscola, as a vector of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from briscola.kernel import card_at, has_stock, turned_place, winners
from briscola.rules import BriscolaRules
from card_envs.bits import ZERO, bit, first, put, put_count
from card_envs.jit import inlined
from card_envs.record import score


def layout(rules: BriscolaRules) -> list[tuple[str, int]]:
    """Names and widths of the parts of an observation, in order; ``observe`` writes just these.

    Planes have one bit a card, by number; counts are thermometers. "Own" is the observing seat.
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
def turned_card(s: Any, g: Any) -> np.uint64:
    """The turned card as long as it lies under the stock, a set of one card or none."""
    return bit(card_at(s, turned_place(g))) if has_stock(s, g) else ZERO


@inlined
def led_card(s: Any) -> np.uint64:
    """The card led to the trick, a set of one card or none."""
    return bit(np.int64(s.lead) & 63) if np.int64(s.lead) >= 0 else ZERO


@inlined
def unseen_cards(s: Any, g: Any, seat: int) -> np.uint64:
    """Cards that a seat does not see and has not seen played: the other hand and the stock face down."""
    return first(g.pack_size) & ~(s.hand[seat] | s.won[0] | s.won[1] | led_card(s) | turned_card(s, g))


@inlined
def observe(s: Any, g: Any, seat: int, out: Any, at: int) -> None:
    """Write the observation of a seat from ``out[at]`` on: public fields and its own hand, nothing else."""
    hand, size = s.hand[seat], g.pack_size
    at = put(out, at, size, hand)
    at = put(out, at, size, led_card(s))
    at = put(out, at, size, hand & winners(s, g, np.int64(s.lead)) if np.int64(s.lead) >= 0 else ZERO)
    at = put(out, at, size, s.won[seat])
    at = put(out, at, size, s.won[1 - seat])
    at = put(out, at, size, unseen_cards(s, g, seat))
    at = put(out, at, size, turned_card(s, g))
    at = put(out, at, size // g.ranks, bit(card_at(s, turned_place(g)) // g.ranks))
    at = put(out, at, (size >> 1) - g.hand_size, first(max(size - np.int64(s.drawn), 0) >> 1))
    at = put(out, at, 1, np.uint64(np.int64(s.dealer) == seat))
    if g.match != 0:
        at = put_count(out, at, g.target, score(s, seat))
        put_count(out, at, g.target, score(s, 1 - seat))
