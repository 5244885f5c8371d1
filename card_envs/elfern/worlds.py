"""Full states of Elfern that a seat holds possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, below, bit, draw, nth, popcount
from card_envs.elfern.observation import unseen_cards
from card_envs.jit import njit
from card_envs.record import BLANK


@njit
def imagine(s: Any, g: Any) -> None:
    """Fill what is blank in a view, uniform over the packs that its seat holds possible; the dice are ``s.choice``."""
    seat = np.int64(s.viewer)
    other = 1 - seat
    unseen = unseen_cards(s, g, seat)
    place = 0
    for k in range(np.int64(s.plays)):  # the other seat's plays fill the places first dealt to it
        if np.int64(s.history[k]) // g.num_actions == other:
            while np.int64((np.uint64(s.owner) >> np.uint64(place)) & ONE) != other:
                place += 1
            s.deck[place] = np.int64(s.history[k]) % g.num_actions
            place += 1
    hand = ZERO
    for place in range(g.pack_size):
        if s.deck[place] == BLANK:
            card = nth(unseen, below(draw(s), popcount(unseen)))
            unseen &= ~bit(card)
            s.deck[place] = card
            if place < np.int64(s.drawn):
                hand |= bit(card)
    s.hand[other] = hand
