"""Full states of Briscola that a seat holds possible: packs drawn uniformly from those that agree with its view.

Nobody need follow suit, so nothing that is played says what a hand does not hold. A card that the other seat played
lay at any of the places that it had been given by then. A later play has one place more for each card drawn and one
less for each card laid, whichever these were: all packs come out alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from briscola.kernel import card_at, place_drawn
from briscola.observation import led_card
from card_envs.bits import ZERO, bit, draw_from
from card_envs.hidden import lay_anyhow, unknown
from card_envs.jit import njit


@njit
def imagine(s: Any, g: Any) -> None:
    """Fill what is blank in a view, uniform over the packs that its seat holds possible; the dice are ``s.choice``."""
    other = 1 - np.int64(s.viewer)
    blank, hidden = unknown(s, g)
    given, drawn = ZERO, 0  # places that were dealt or drawn before a play
    for k in range(min(np.int64(s.plays), g.pack_size)):
        while drawn < min(2 * g.hand_size + k - k % 2, g.pack_size):
            given |= bit(place_drawn(g, drawn))
            drawn += 1
        card = np.int64(s.history[k]) % g.num_actions
        if hidden & bit(card) != ZERO:
            free = blank & s.places[other] & given
            if free == ZERO:
                return  # a row that something else has written into
            place = draw_from(s, free)
            s.deck[place] = card
            blank ^= bit(place)
            hidden ^= bit(card)
    lay_anyhow(s, blank, hidden)
    for place in range(g.pack_size):
        if s.places[other] & bit(place) != ZERO:
            s.hand[other] |= bit(card_at(s, place))
    s.hand[other] &= ~(s.won[0] | s.won[1] | led_card(s))
