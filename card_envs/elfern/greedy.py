"""The greedy player of Elfern."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, lowest
from card_envs.elfern.kernel import legal_cards
from card_envs.elfern.observation import masters, unseen_cards
from card_envs.jit import njit


@njit
def greedy(s: Any, g: Any) -> int:
    legal = legal_cards(s, g)
    return lead(s, g, legal) if np.int64(s.lead) < 0 else follow(s, g, legal)


@njit
def lead(s: Any, g: Any, legal: np.uint64) -> int:
    sure = masters(g, legal, unseen_cards(s, g, np.int64(s.to_play))) & g.honours
    if sure != ZERO:
        return lowest(sure)
    return cheapest(g, legal)


@njit
def follow(s: Any, g: Any, legal: np.uint64) -> int:
    winning = legal & g.higher[np.int64(s.lead)]
    if winning & g.honours != ZERO:
        return lowest(winning & g.honours)
    return cheapest(g, legal)


@njit
def cheapest(g: Any, cards: np.uint64) -> int:
    best, best_rank = 0, 100
    rest = cards
    while rest != ZERO:
        card = lowest(rest)
        rest &= rest - np.uint64(1)
        rank = card - g.suit_of[card] * g.ranks
        if rank < best_rank:
            best, best_rank = card, rank
    return best
