"""Full states of Konchinka that a seat holds possible: packs drawn uniformly from those that agree with its view.

What a seat played in a round are the cards it was dealt in that round, in any order, but for the places openly known
(K4). Nobody draws within a round, so where a trail has shown what a hand does not hold (K8, ``obligation="hand"``),
the cards left in that hand avoid all ranks denied since the round began. Everything else unseen may lie anywhere.

What is exact: all of it under ``obligation="card"``, where nothing is shown. Under ``"hand"`` the hands that have
denied something are proposed one after the other, and rejected with such probabilities that all ways to fill them are
equally likely (``propose``): exact as well. If ``TRIES`` proposals in a row fail, a Markov chain of swaps takes over,
whose worlds are uniform only in the limit of many swaps (``swap_about``). That has not been seen in random and greedy
play of 2 to 12 players: it bounds the time that contrived positions can take.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, below, bit, draw, draw_from, first, popcount
from card_envs.hidden import lay_anyhow, unknown
from card_envs.jit import inlined, njit
from card_envs.konchinka.dealing import EVERY_SUIT, SEATS, seat_dealt
from card_envs.konchinka.kernel import card_and_move
from card_envs.konchinka.observation import unseen_cards

TRIES = 20_000
"""Proposals before the chain of swaps takes over."""

SWAPS = 50
"""Swaps in that chain for each place."""

MOST_SWAPS = 1 << 20
"""Swaps after which a view is taken to contradict itself: something has written into it."""


@njit
def imagine(s: Any, g: Any) -> None:
    """Fill what is blank in a view, uniform over the packs that its seat holds possible, drawn from the stream of
    ``s``."""
    unseen = unseen_cards(s, g, np.int64(s.viewer))
    blank, hidden = unknown(s, g)
    dealt: int = min(np.int64(s.dealt), 52)
    places = np.zeros(SEATS, np.uint64)  # by seat: those dealt to it
    for place in range(dealt):
        seat = seat_dealt(s, g, place)
        if seat >= 0:
            places[seat] |= bit(place)
    blank, hidden = lay_plays(s, g, places, blank, hidden)
    held = np.empty(SEATS, np.uint64)
    can_hold = np.empty(SEATS, np.uint64)
    hands = read_denials(s, g, places, blank, hidden, held, can_hold)
    given = np.empty(hands, np.uint64)
    if not propose(s, held, can_hold, hidden, given):
        swap_about(s, held, can_hold, hidden, given)
    for i in range(hands):
        lay_anyhow(s, held[i], given[i])
        blank &= ~held[i]
        hidden &= ~given[i]
    lay_anyhow(s, blank, hidden)
    for place in range(dealt):
        card = np.int64(s.deck[place])
        if unseen & bit(card) != ZERO:
            s.hand[seat_dealt(s, g, place)] |= bit(card)


@njit
def lay_plays(s: Any, g: Any, places: Any, blank: np.uint64, hidden: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Put the cards played at places of their seat and round; return the places still blank and the cards still hidden.

    The cards of a finished round fill its places, so a seat's blank ones among those dealt by then are of this round.
    """
    in_round = 4 * g.num_players
    dealt = in_round + 4  # by the end of the round, with the table's; the last round may be shorter (K5)
    plays: int = min(np.int64(s.plays), len(s.history))
    for k in range(plays):
        if k == dealt - 4:
            dealt += in_round
        seat = np.int64(s.history[k]) // g.num_actions
        if seat >= g.num_players:
            break
        card, _ = card_and_move(g, np.int64(s.history[k]) - seat * g.num_actions)
        if hidden & bit(card) != ZERO:
            place = draw_from(s, blank & places[seat] & first(dealt))
            s.deck[place] = card
            blank &= ~bit(place)
            hidden &= ~bit(card)
    return blank, hidden


@njit
def read_denials(s: Any, g: Any, places: Any, blank: np.uint64, hidden: np.uint64, held: Any, can_hold: Any) -> int:
    """Fill in the blank places of the hands that cannot hold every hidden card, and what they can; return their number.

    The hands with the least choice come first.
    """
    hands = 0
    for seat in range(g.num_players):
        possible = hidden & ~(np.uint64(s.denied[seat]) * EVERY_SUIT)
        if blank & places[seat] == ZERO or possible == hidden:
            continue
        i = hands
        while i > 0 and popcount(can_hold[i - 1]) > popcount(possible):
            held[i], can_hold[i] = held[i - 1], can_hold[i - 1]
            i -= 1
        held[i], can_hold[i] = blank & places[seat], possible
        hands += 1
    return hands


@njit
def propose(s: Any, held: Any, can_hold: Any, hidden: np.uint64, given: Any) -> bool:
    """Give each hand a set of cards that it can hold, all ways equally likely; False if ``TRIES`` proposals were
    rejected.

    A hand takes n of the c cards that it can hold and no hand before it took: any such set, with the chance of one
    in C(c, n). It is kept with the chance C(c, n) / C(most, n), where c is never above ``most``. So all ways to fill
    the hands are proposed and kept equally often.
    """
    hands = len(given)
    most = np.empty(hands, np.int64)
    for i in range(hands):
        most[i] = popcount(can_hold[i]) - least_taken(held, can_hold, i)
    for _ in range(TRIES):
        rest = hidden
        i = 0
        while i < hands:
            choice = can_hold[i] & rest
            kept, of = 1, 1
            for k in range(popcount(held[i])):
                kept *= max(popcount(choice) - k, 0)
                of *= most[i] - k
            if kept < of and below(draw(s), of) >= kept:
                break
            given[i] = ZERO
            for _ in range(popcount(held[i])):
                given[i] |= bit(draw_from(s, choice & ~given[i]))
            rest &= ~given[i]
            i += 1
        if i == hands:
            return True
    return False


@njit
def least_taken(held: Any, can_hold: Any, hand: int) -> int:
    """Cards that the hands before this one take, at the least, from those that it can hold."""
    each, together, elsewhere = 0, 0, ZERO
    for i in range(hand):
        others = can_hold[i] & ~can_hold[hand]
        each += max(popcount(held[i]) - popcount(others), 0)
        together += popcount(held[i])
        elsewhere |= others
    return max(each, together - popcount(elsewhere))


@njit
def swap_about(s: Any, held: Any, can_hold: Any, hidden: np.uint64, given: Any) -> None:
    """Give each hand a set of cards that it can hold, nearly uniformly: a chain of swaps between any two cards.

    On the way hands may hold cards that they cannot have, each of which makes the state 16 times less likely, so that
    every way to deal the cards can be reached. After ``SWAPS`` swaps per card the chain ends as soon as all hands are
    possible.
    """
    given[:] = ZERO
    size, hands = popcount(hidden), len(given)
    most = 0
    for i in range(hands):
        most += popcount(held[i])
    if most > size:
        return
    cards = np.empty(size, np.int64)
    holder = np.full(size, -1, np.int64)
    rest = hidden
    for k in range(size):
        cards[k] = draw_from(s, rest)
        rest &= ~bit(cards[k])
    k = wrong = 0
    for i in range(hands):
        for _ in range(popcount(held[i])):
            holder[k] = i
            wrong += is_wrong(can_hold, i, cards[k])
            k += 1
    swaps = 0
    while (swaps < SWAPS * size or wrong > 0) and swaps < MOST_SWAPS:
        swaps += 1
        word = draw(s)
        a, b = below(word, size), below(word << np.uint64(32), size)
        now = is_wrong(can_hold, holder[a], cards[a]) + is_wrong(can_hold, holder[b], cards[b])
        after = is_wrong(can_hold, holder[a], cards[b]) + is_wrong(can_hold, holder[b], cards[a])
        if after <= now or below(draw(s), 1 << (4 * (after - now))) == 0:
            cards[a], cards[b] = cards[b], cards[a]
            wrong += after - now
    for k in range(size):
        if holder[k] >= 0:
            given[holder[k]] |= bit(cards[k])


@inlined
def is_wrong(can_hold: Any, holder: int, card: int) -> int:
    """1 for a card in a hand that cannot hold it."""
    return 1 if holder >= 0 and can_hold[holder] & bit(card) == ZERO else 0
