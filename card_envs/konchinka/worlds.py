"""Full states of Konchinka that a seat holds possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ZERO, below, bit, draw, nth, popcount
from card_envs.jit import njit
from card_envs.konchinka.dealing import seat_dealt
from card_envs.konchinka.kernel import card_and_move
from card_envs.konchinka.observation import unseen_cards
from card_envs.record import BLANK


@njit
def imagine(s: Any, g: Any) -> None:
    """Fill what is blank in a view, uniform over the packs that its seat holds possible; the dice are ``s.choice``."""
    viewer = np.int64(s.viewer)
    unseen = unseen_cards(s, g, viewer)
    placed = ZERO
    for place in range(52):
        if s.deck[place] != BLANK:
            placed |= bit(np.int64(s.deck[place]))
    for k in range(np.int64(s.plays)):
        seat = np.int64(s.history[k]) // g.num_actions
        card, _ = card_and_move(g, np.int64(s.history[k]) % g.num_actions)
        if placed & bit(card) == ZERO:
            place = 0
            while s.deck[place] != BLANK or seat_dealt(s, g, place) != seat:
                place += 1
            s.deck[place] = card
    hidden = unseen & ~placed
    for place in range(52):
        if s.deck[place] == BLANK:
            card = nth(hidden, below(draw(s), popcount(hidden)))
            hidden &= ~bit(card)
            s.deck[place] = card
        card = np.int64(s.deck[place])
        if place < np.int64(s.dealt) and unseen & bit(card) != ZERO:
            s.hand[seat_dealt(s, g, place)] |= bit(card)
