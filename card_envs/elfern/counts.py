"""The number of packs for each way to fill a hand of Elfern: ``worlds`` samples in proportion to it.

A hand is known by how many of its cards lie in each segment but the last: the digits of a ``code``, in which segment i
has the weight ``weights[i]``. The counts are whole numbers, made from the last play back to the first. With 32 cards
they stay below 2**48 and take at most 4 MiB (with hands of one card and all suits shown void at every turn); in the
full game they rarely take 10 KiB.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, first, lowest, popcount
from card_envs.jit import inlined, njit


@inlined
def whole_suit(g: Any, suit: int) -> np.uint64:
    """All cards of a suit."""
    return g.same_suit[suit * g.ranks]


@inlined
def drawn_at(s: Any, g: Any, trick: int) -> int:
    """Cards drawn from the pack before a trick (E4, E7); so far, before one that has not begun."""
    return min(2 * (g.hand_size + trick), np.int64(s.drawn))


@inlined
def allowed(g: Any, cards: np.uint64, since: Any, place: int) -> np.uint64:
    """Those of the cards held now that can lie at a place."""
    for suit in range(g.suits):
        if since[suit] > place:
            cards &= ~whole_suit(g, suit)
    return cards


@inlined
def segment_of(cuts: np.uint64, place: int) -> int:
    """The segment that a place belongs to."""
    return popcount(cuts & first(place + 1))


@njit
def part(g: Any, cuts: np.uint64, places: np.uint64, segments: Any, weights: Any) -> int:
    """Divide places into segments at the cuts; return the number of codes."""
    last = len(segments) - 1
    codes = 1
    for i in range(last):
        segments[i] = places & first(lowest(cuts))
        places &= ~segments[i]
        cuts &= cuts - ONE
        weights[i] = codes
        codes *= most_in_hand(g, segments[i]) + 1
    segments[last] = places
    return codes


@inlined
def most_in_hand(g: Any, segment: np.uint64) -> int:
    """The largest digit of a segment."""
    return min(popcount(segment), g.hand_size)


@inlined
def gained(s: Any, g: Any, play: int, places: np.uint64, cuts: np.uint64, weights: Any) -> int:
    """Weight of the place that was dealt to a seat after one of its plays (E7); 0 for none."""
    new = places & first(drawn_at(s, g, play + 1)) & ~first(drawn_at(s, g, play))
    return weights[segment_of(cuts, lowest(new))] if new != ZERO else 0


@njit
def count_ways(
    s: Any,
    g: Any,
    begin: int,
    earliest: Any,
    since: Any,
    cuts: np.uint64,
    places: np.uint64,
    unseen: np.uint64,
    segments: Any,
    weights: Any,
    codes: int,
    plays: int,
) -> Any:
    """Ways to go on from each hand, by play (from ``begin`` on; the last row is of the hand now) and by code.

    Some codes stand for no possible hand; they reach up to one weight past the end.
    """
    ways = np.zeros((plays + 1, codes + weights[len(weights) - 2]), np.int64)
    count_ends(g, since, unseen, popcount(places) - plays, segments, ways[plays, :codes])
    for k in range(plays - 1, begin - 1, -1):
        held = popcount(places & first(drawn_at(s, g, k))) - k
        gain = gained(s, g, k, places, cuts, weights)
        count_before(g, held, segment_of(cuts, earliest[k]), gain, segments, weights, ways[k, :codes], ways[k + 1])
    return ways


@njit
def count_ends(g: Any, since: Any, unseen: np.uint64, held: int, segments: Any, ways: Any) -> None:
    """Ways to fill the hand as it is now with unseen cards, by its code."""
    digits = np.zeros(len(segments), np.int64)
    choices = np.empty(len(segments), np.int64)
    for i in range(len(segments)):
        choices[i] = popcount(allowed(g, unseen, since, lowest(segments[i])))
    for code in range(len(ways)):
        count = np.int64(settle_last(digits, held))
        taken = 0
        for i in range(len(segments)):
            for _ in range(digits[i]):
                count *= max(choices[i] - taken, 0)
                taken += 1
        ways[code] = count
        advance(g, digits, segments)


@njit
def count_before(
    g: Any, held: int, lowest_segment: int, gain: int, segments: Any, weights: Any, ways: Any, ways_after: Any
) -> None:
    """Ways to go on from a hand of so many cards, by its code, from those of the hands that a play leads to."""
    digits = np.zeros(len(segments), np.int64)
    for code in range(len(ways)):
        count = 0
        if settle_last(digits, held):
            for i in range(lowest_segment, len(segments)):
                if digits[i] > 0:
                    count += digits[i] * ways_after[code - weights[i] + gain]
        ways[code] = count
        advance(g, digits, segments)


@inlined
def settle_last(digits: Any, held: int) -> bool:
    """Give the last segment what is left of a hand; False if the others hold too many."""
    last = len(digits) - 1
    for i in range(last):
        held -= digits[i]
    digits[last] = held
    return held >= 0


@inlined
def advance(g: Any, digits: Any, segments: Any) -> None:
    """From the digits of a code to those of the next one."""
    i = 0
    while i < len(segments) - 1 and digits[i] == most_in_hand(g, segments[i]):
        digits[i] = 0
        i += 1
    digits[i] += 1
