"""The greedy player of Briscola: it looks at the trick in hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from briscola.kernel import card_points, trumps, turn_of, winners
from card_envs.bits import ZERO, bit, lowest
from card_envs.jit import njit

POINT, TRUMP = 10, 50
"""What a card point and a trump are worth to each other; a step of rank is 1."""


@njit
def greedy(s: Any, g: Any) -> int:
    """Win tricks that are worth their price, and give away as little as can be; the lower card if level."""
    best, best_value = -1, 0
    rest = s.hand[turn_of(s)]
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        value = gain(s, g, np.int64(s.lead), card)
        if best < 0 or value > best_value:
            best, best_value = card, value
    return best


@njit
def gain(s: Any, g: Any, lead: int, card: int) -> int:
    """What a card brings in the trick in hand; a card that leads counts as lost, a trump's own points as half won."""
    own = POINT * card_points(g, bit(card))
    is_trump = trumps(s, g) & bit(card) != ZERO
    price = card % g.ranks + (TRUMP + own // 2 if is_trump else 0)
    if lead < 0:
        return -own - price
    trick = POINT * card_points(g, bit(lead))
    if winners(s, g, lead) & bit(card) == ZERO:
        return -trick - own - price
    return trick - price if is_trump else trick + own - price
