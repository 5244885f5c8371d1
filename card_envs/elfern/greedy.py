"""The greedy player of Elfern: what a club player does without counting far ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, bit, lowest, popcount
from card_envs.elfern.kernel import legal_cards
from card_envs.elfern.observation import masters, unseen_cards
from card_envs.jit import njit

NEVER = 1000
"""Cost of giving an honour away while there is another card to play."""


@njit
def greedy(s: Any, g: Any) -> int:
    """Bank honours when it is safe, take tricks with the cheapest honour, and give away as little as possible.

    Leading, it banks an honour that no unseen card beats; else it leads a low card of a suit in which the
    other player has few honours to bank and itself few to protect. Following, it wins with its lowest winning
    honour, which is then safe; where it cannot bank an honour, it plays the lowest card of a long suit that the unseen
    honours dominate. It knows only its hand and what has been played.
    """
    unseen = unseen_cards(s, g, np.int64(s.to_play))
    legal = legal_cards(s, g)
    lead = np.int64(s.lead)
    banked = masters(g, legal, unseen) if lead < 0 else legal & g.higher[lead & 63]
    if banked & g.honours != ZERO:
        return lowest(banked & g.honours)
    return cheapest(g, legal, unseen, lead < 0)


@njit
def cheapest(g: Any, cards: np.uint64, unseen: np.uint64, leading: bool) -> int:
    """The card whose loss costs least; the lower one of two that cost the same.

    A lead into unseen higher honours gives them away, a card thrown under them is no loss.
    """
    best, best_cost = -1, 0
    rest = cards
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        suit = g.same_suit[card]
        rulers = popcount(unseen & g.higher[card] & g.honours)
        cost = card - g.suit_of[card] * g.ranks
        if leading:
            cost += 10 * rulers + 5 * popcount(cards & suit & g.honours)
        else:
            cost -= 10 * rulers + 5 * popcount(cards & suit)
        if g.honours & bit(card) != ZERO:
            cost += NEVER
        if best < 0 or cost < best_cost:
            best, best_cost = card, cost
    return best
