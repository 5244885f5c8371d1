"""The search behind ``solver``: how many honours a leader can win when all cards lie open.

Between two tricks a position is two hands, what is left of the stock, and who leads; who won what before has no say
in what is best. The search keeps it *closed up*: in each suit the honours still in play stand together from the ace
down, and so do the other cards from the highest of them down. Which cards they once were makes no difference to the
play (only their order and what counts do), so that positions that differ in nothing else become one, and two cards
of a hand that stand side by side are as good as each other.

``hands`` is one word: the leader's hand in the low half, the other hand in the high half.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, bit, lowest, popcount
from card_envs.elfern.kernel import beats, following, is_bound
from card_envs.elfern.observation import masters
from card_envs.jit import inlined, njit

HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
SIX = np.uint64(63)
SPREAD = np.uint64(0x9E3779B97F4A7C15)

TABLE_BITS = 21
"""The table of positions has so many bits of places, of 16 bytes: 32 MiB, of which only what is used is touched."""

ROOM = np.dtype(
    (
        np.record,
        [
            ("stamp", "u8"),  # of the stock that entries belong to
            ("deck", "u1", (32,)),  # the pack that stock belongs to
            ("fellows", "u8", (32,)),  # the cards of a card's suit that count as it does
            ("shifted", "u8", (32,)),  # in both hands: the fellows below it, which close up when it is gone
            ("closed", "u8"),  # cards whose lower neighbour is a fellow
            ("drawn_rank", "i8", (32,)),  # of the pack's card at a place: fellows below it that lie deeper
            ("table", "u8", (1 << TABLE_BITS, 2)),  # position, and what is known of it
        ],
    )
)
"""The room a search works in. An entry is lower bound, upper bound, best lead, cards drawn (6 bits each), stamp."""


def memory(game: Any) -> Any:
    """Room for the searches of one game, a record array (1,)."""
    room = np.zeros(1, ROOM)
    g = game.constants[0]
    honours = int(g.honours)
    for card in range(game.pack.size):
        suit = int(g.same_suit[card])
        fellows = suit & (honours if honours >> card & 1 else ~honours)
        below = fellows & ((1 << card) - 1)
        room["fellows"][0, card] = fellows
        room["shifted"][0, card] = below | below << 32
        if below:
            room["closed"][0] |= np.uint64(1 << card)
    room["deck"][0] = 255
    return room


@inlined
def without(m: Any, cards: np.uint64, card: int) -> np.uint64:
    """Cards closed up when one is gone: its lower fellows move up a place, which is adding them to themselves."""
    gone = bit(card) | (bit(card) << HALF)
    return (cards & ~gone) + (cards & m.shifted[card])


@inlined
def top(m: Any, stock: np.uint64, card: int, rank: int) -> np.uint64:
    """The stock's next card, ``card`` in the pack, where it stands now: ``rank`` of its fellows are below it."""
    fellows = stock & m.fellows[card]
    for _ in range(rank):
        fellows &= fellows - ONE
    return fellows & (~fellows + ONE)


@inlined
def different(m: Any, hand: np.uint64) -> np.uint64:
    """One card of each set of neighbours in a hand that are as good as each other: the lowest."""
    return hand & ~((hand << ONE) & m.closed)


@njit
def search(g: Any, m: Any, hands: np.uint64, stock: np.uint64, drawn: int, goal: int, leads: np.uint64) -> int:
    """Whether the leader can win ``goal`` honours from here on: a number that he can win if at least that, else one
    that he cannot surpass.

    leads: the cards to choose the first lead from; none given: all.
    """
    mine, theirs = hands & LOW, hands >> HALF
    left = popcount((mine | theirs | stock) & g.honours)
    if goal <= 0:
        return 0
    if goal > left:
        return left
    sure = popcount(masters(g, mine, theirs | stock) & g.honours)
    whole = leads == ZERO
    if whole and sure >= goal:
        return sure
    mark = (m.stamp << np.uint64(24)) | (np.uint64(drawn) << np.uint64(18))
    at = 0
    least, most, move = 0, left, np.int64(-1)
    if whole:
        word = (hands ^ (np.uint64(drawn) << np.uint64(58))) * SPREAD
        word = (word ^ (word >> HALF)) * SPREAD
        at = np.int64(word >> np.uint64(64 - TABLE_BITS))
        for way in range(2):
            entry = m.table[at ^ way, 1]
            if m.table[at ^ way, 0] == hands and (entry >> np.uint64(18)) == (mark >> np.uint64(18)):
                least = np.int64(entry & SIX)
                most = np.int64((entry >> np.uint64(6)) & SIX)
                move = np.int64((entry >> np.uint64(12)) & SIX)
                if least >= goal:
                    return least
                if most < goal:
                    return most
                break
    best = -1
    best_lead = np.int64(63)
    rest_of_leads = different(m, mine) if whole else leads
    bound = is_bound(g, drawn)
    first = ZERO
    second = ZERO
    while rest_of_leads != ZERO:
        lead = lowest(rest_of_leads)
        rest_of_leads ^= bit(lead)
        replies = different(m, following(g, theirs, lead, bound))
        worst = left
        while replies != ZERO:
            reply = lowest(replies)
            replies ^= bit(reply)
            trick = popcount((bit(lead) | bit(reply)) & g.honours)
            low, high = min(lead, reply), max(lead, reply)
            rest = without(m, without(m, hands, low), high)
            if drawn < g.pack_size:
                pile = without(m, without(m, stock, low), high)
                first = top(m, pile, np.int64(m.deck[drawn]), m.drawn_rank[drawn])
                pile ^= first
                second = top(m, pile, np.int64(m.deck[drawn + 1]), m.drawn_rank[drawn + 1])
                pile ^= second
            else:
                pile = ZERO
            if beats(g, lead, reply):
                rest = ((rest >> HALF) | (rest << HALF)) | first | (second << HALF)
                value = left - trick - search(g, m, rest, pile, drawn + 2, left - trick - goal + 1, ZERO)
            else:
                rest = rest | first | (second << HALF)
                value = trick + search(g, m, rest, pile, drawn + 2, goal - trick, ZERO)
            worst = min(worst, value)
            if worst < goal:
                break
        if worst > best:
            best = worst
            best_lead = lead
            if best >= goal:
                break
    if whole:
        if best >= goal:
            least = max(least, best)
        else:
            most = min(most, best)
        m.table[at, 0] = hands
        m.table[at, 1] = (
            np.uint64(least) | (np.uint64(most) << np.uint64(6)) | (np.uint64(best_lead) << np.uint64(12)) | mark
        )
    return best
