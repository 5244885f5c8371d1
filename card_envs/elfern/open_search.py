"""The search behind ``solver``: how many honours a leader can win when all cards lie open (double-dummy).

It is a zero-window alpha-beta search without recursion: ``search`` asks whether a goal can be reached, and keeps the
tricks it is in on a stack of frames (``push``, ``pop``). A transposition table holds bounds and the best lead of
positions, leads that reached their goals elsewhere are tried first (the history heuristic), and a position at the
horizon is estimated.

Between two tricks a position is two hands, what is left of the stock, and who leads; who won what before does not
affect the best play. The search keeps it *closed up*: in each suit the honours still in play stand together from the
ace down, and so do the other cards from the highest of them down. Which cards they once were makes no difference to
the play (only their order and whether they count do), so positions that differ in nothing else become one, and
neighbouring cards of a hand are equivalent.

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

NO_CARD = 63

TABLE_BITS = 21
"""The transposition table has ``2**TABLE_BITS`` entries of 16 bytes: 32 MiB, of which only the part in use is
touched."""

HISTORY_GAIN = 1024
"""What a lead gains in the history heuristic by reaching its goal."""

FRAME = np.dtype(
    (
        np.record,
        [
            ("hands", "u8"),
            ("stock", "u8"),
            ("drawn", "i8"),  # cards; it counts on, two a trick, when the stock is used up
            ("goal", "i8"),
            ("left", "i8"),  # honours in play
            ("least", "i8"),  # what is known of the position
            ("most", "i8"),
            ("move", "i8"),  # the best lead of an earlier search, or no card
            ("place", "i8"),  # in the table; -1 for none
            ("leads", "u8"),  # still to be looked at
            ("replies", "u8"),  # to the lead in hand, still to be looked at
            ("lead", "i8"),
            ("worst", "i8"),  # of the lead in hand, against the replies seen so far
            ("best", "i8"),  # of the leads seen so far
            ("best_lead", "i8"),
            ("trick", "i8"),  # honours in the trick in hand
            ("lost", "i8"),  # the reply wins it
        ],
    )
)
"""A trick that the search is in: one frame of its stack."""

WORKSPACE = np.dtype(
    (
        np.record,
        [
            ("narrow", "u8"),  # bits of a hash that do not choose a place of the table
            ("horizon", "i8"),  # cards drawn at which positions are estimated instead of searched
            ("stamp", "u8"),  # of the stock and the horizon that entries belong to
            ("deck", "i8", (32,)),  # the pack that stock belongs to
            ("fellows", "u8", (32,)),  # the cards of a card's suit that count as it does
            ("shifted", "u8", (32,)),  # in both hands: the fellows below it, which close up when it is gone
            ("closed", "u8"),  # cards whose lower neighbour is a fellow
            ("drawn_rank", "i8", (32,)),  # of the pack's card at a place: fellows below it that lie deeper
            ("history", "i8", (64, 32)),  # of a lead, by cards drawn: how good it has been lately
            ("frame", FRAME, (17,)),
            ("table", "u8", (1 << TABLE_BITS, 2)),  # position, and what is known of it
        ],
    )
)
"""The workspace of a search. An entry of the table is lower bound, upper bound, best lead, cards drawn (6 bits each),
stamp."""


def memory(game: Any) -> Any:
    """The workspace for the searches of one game, a record array (1,)."""
    workspace = np.zeros(1, WORKSPACE)
    g = game.constants[0]
    honours = int(g.honours)
    for card in range(game.pack.size):
        suit = int(g.same_suit[card])
        fellows = suit & (honours if honours >> card & 1 else ~honours)
        below = fellows & ((1 << card) - 1)
        workspace["fellows"][0, card] = fellows
        workspace["shifted"][0, card] = below | below << 32
        if below:
            workspace["closed"][0] |= np.uint64(1 << card)
    return workspace


@inlined
def without(m: Any, cards: np.uint64, card: int) -> np.uint64:
    """Cards closed up when one is gone: its lower fellows move up a place, which is adding them to themselves."""
    gone = bit(card) | (bit(card) << HALF)
    return (cards & ~gone) + (cards & m.shifted[card])


@inlined
def top(m: Any, stock: np.uint64, drawn: int) -> np.uint64:
    """The stock's next card where it stands now."""
    fellows = stock & m.fellows[m.deck[drawn]]
    for _ in range(m.drawn_rank[drawn]):
        fellows &= fellows - ONE
    return fellows & (~fellows + ONE)


@inlined
def representatives(m: Any, hand: np.uint64) -> np.uint64:
    """One card of each set of neighbours in a hand that are as good as each other: the lowest."""
    return hand & ~((hand << ONE) & m.closed)


@inlined
def first_of(cards: np.uint64, better: np.uint64, good: np.uint64) -> np.uint64:
    """Those of the cards that are ``better``, else those that are ``good``, else all of them."""
    chosen = cards & better
    chosen = chosen if chosen != ZERO else cards & good
    return chosen if chosen != ZERO else cards


@inlined
def place_of(m: Any, hands: np.uint64, drawn: int) -> int:
    """The place of a position in the table."""
    word = (hands ^ (np.uint64(drawn) << np.uint64(58))) * SPREAD
    word = (word ^ (word >> HALF)) * SPREAD
    return np.int64(word >> m.narrow)


@inlined
def estimated(g: Any, mine: np.uint64, theirs: np.uint64, left: int) -> int:
    """Honours that a leader can be expected to win with perfect play: fitted to solved positions, off by 1.3 to 1.8
    of them (standard deviation) with 4 to 12 cards in the stock.

    The leader has most of what the other hand cannot beat, and little of its other honours; of the other hand's,
    those that nothing can beat stay there, and most of the others come to the leader.
    """
    over_mine = masters(g, theirs, mine) & g.honours
    own, other = popcount(mine & g.honours), popcount(theirs & g.honours)
    safe = popcount(masters(g, mine, theirs) & g.honours)
    sixteenths = 10 * left + 20 * safe - 10 * own + 4 * other - 6 * popcount(over_mine)
    return (sixteenths + 6) >> 4


@inlined
def push(g: Any, m: Any, f: Any, hands: np.uint64, stock: np.uint64, drawn: int, goal: int) -> int:
    """Enter a position: return its known value if that decides about the goal; else fill its frame and return -1."""
    mine, theirs = hands & LOW, hands >> HALF
    left = popcount((mine | theirs | stock) & g.honours)
    if goal <= 0:
        return 0
    if goal > left:
        return left
    crown = masters(g, mine, theirs | stock)
    least, most, move = popcount(crown & g.honours), left, np.int64(NO_CARD)
    if drawn >= g.pack_size:  # while the leader plays from the top, the other runs out of cards that do not count
        least += max(popcount(crown) - popcount(theirs & ~g.honours), 0)
    if drawn >= m.horizon:
        return max(min(estimated(g, mine, theirs, left), left), least)
    if least >= goal:
        return least
    place = place_of(m, hands, drawn)
    entry = m.table[place, 1]
    if m.table[place, 0] == hands and entry >> np.uint64(18) == (m.stamp << np.uint64(6)) | np.uint64(drawn):
        least = max(least, np.int64(entry & SIX))
        most = min(most, np.int64((entry >> np.uint64(6)) & SIX))
        move = np.int64((entry >> np.uint64(12)) & SIX)
        if least >= goal:
            return least
        if most < goal:
            return most
    f.hands, f.stock, f.drawn, f.goal = hands, stock, drawn, goal
    f.left, f.least, f.most, f.move, f.place = left, least, most, move, place
    f.leads = representatives(m, mine)
    f.best, f.best_lead, f.replies, f.lead = -1, NO_CARD, ZERO, -1
    return -1


@inlined
def next_lead(m: Any, f: Any) -> int:
    """The lead to look at next: the best of an earlier search, then those that were good elsewhere."""
    chosen = f.move
    if f.leads & bit(chosen) == ZERO:
        most = -1
        rest = f.leads
        while rest != ZERO:
            lead = lowest(rest)
            rest &= rest - ONE
            if m.history[f.drawn, lead] > most:
                chosen, most = lead, m.history[f.drawn, lead]
    return chosen


@inlined
def learn(m: Any, f: Any) -> None:
    """A lead has reached the goal: it gains in the history, and those tried before it lose some."""
    rest = representatives(m, f.hands & LOW) & ~f.leads
    while rest != ZERO:
        lead = lowest(rest)
        rest &= rest - ONE
        m.history[f.drawn, lead] -= m.history[f.drawn, lead] >> 2
    m.history[f.drawn, f.best_lead] += HISTORY_GAIN


@inlined
def pop(m: Any, f: Any) -> int:
    """Leave a position that has been searched: write what was found to the transposition table, and return it."""
    f.best = max(f.best, f.least)  # an estimate may be below a proven bound
    reached = f.best >= f.goal
    if reached:
        learn(m, f)
    if f.place >= 0:
        least = max(f.least, f.best) if reached else f.least
        most = f.most if reached else min(f.most, f.best)
        known = np.uint64(least) | (np.uint64(most) << np.uint64(6)) | (np.uint64(f.best_lead) << np.uint64(12))
        m.table[f.place, 0] = f.hands
        m.table[f.place, 1] = known | (((m.stamp << np.uint64(6)) | np.uint64(f.drawn)) << np.uint64(18))
    return f.best


@njit
def search(
    g: Any, m: Any, hands: np.uint64, stock: np.uint64, drawn: int, goal: int, leads: np.uint64, replies: np.uint64
) -> int:
    """Whether the leader can win ``goal`` honours from here on: a result of at least ``goal`` is a lower bound on what
    the leader can win, a smaller one an upper bound.

    leads: the cards to choose the first lead from. replies: if any, it is one card, and these are the replies to it.
    """
    level = 0
    f = m.frame[0]
    f.hands, f.stock, f.drawn, f.goal = hands, stock, drawn, goal
    f.left = popcount((hands | (hands >> HALF) | stock) & g.honours)
    f.least, f.most, f.move, f.place = 0, f.left, NO_CARD, -1
    f.leads, f.best, f.best_lead, f.replies, f.lead = leads, -1, NO_CARD, replies, -1
    if replies != ZERO:
        f.lead, f.leads, f.worst = lowest(leads), ZERO, f.left
    while True:
        f = m.frame[level]
        if f.replies == ZERO:
            if f.lead >= 0 and f.worst > f.best:
                f.best, f.best_lead = f.worst, f.lead
            if f.best >= f.goal or f.leads == ZERO:
                value = pop(m, f)
                if level == 0:
                    return value
                level -= 1
                f = m.frame[level]
                f.worst = min(f.worst, f.left - f.trick - value if f.lost else f.trick + value)
                if f.worst < f.goal:
                    f.replies = ZERO
                continue
            f.lead = next_lead(m, f)
            f.leads ^= bit(f.lead)
            f.replies = representatives(m, following(g, f.hands >> HALF, f.lead, is_bound(g, f.drawn)))
            f.worst = f.left
        lead = f.lead
        reply = lowest(first_of(f.replies, g.higher[lead] & g.honours, ~g.honours))
        f.replies ^= bit(reply)
        trick = popcount((bit(lead) | bit(reply)) & g.honours)
        low, high = min(lead, reply), max(lead, reply)
        rest = without(m, without(m, f.hands, low), high)
        lost = beats(g, lead, reply)
        goal = f.goal - trick
        if lost:
            rest = (rest >> HALF) | (rest << HALF)
            goal = f.left - trick - f.goal + 1
        pile = ZERO
        if f.drawn < g.pack_size:
            pile = without(m, without(m, f.stock, low), high)
            winners_card = top(m, pile, f.drawn)
            pile ^= winners_card
            losers_card = top(m, pile, f.drawn + 1)
            pile ^= losers_card
            rest |= winners_card | (losers_card << HALF)
        value = push(g, m, m.frame[level + 1], rest, pile, f.drawn + 2, goal)
        if value < 0:
            f.trick, f.lost = trick, lost
            level += 1
            continue
        f.worst = min(f.worst, f.left - trick - value if lost else trick + value)
        if f.worst < f.goal:
            f.replies = ZERO
