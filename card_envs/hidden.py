"""What a seat does not know of the pack: blanked in its views, filled by determinization."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, bit, draw_from, first, lowest
from card_envs.jit import inlined, njit
from card_envs.record import BLANK, card_at


@njit
def blank_all_but(s: Any, g: Any, places: np.uint64) -> None:
    """Blank the pack, except for the places that a seat knows."""
    for place in range(g.pack_size):
        if places & bit(place) == ZERO:
            s.deck[place] = BLANK


@njit
def unknown(s: Any, g: Any) -> tuple[np.uint64, np.uint64]:
    """The places of the pack that are blank in a view, and the cards that lie there in some order."""
    places, cards = ZERO, first(g.pack_size)
    for place in range(g.pack_size):
        if s.deck[place] == BLANK:
            places |= bit(place)
        else:
            cards &= ~bit(card_at(s, place))
    return places, cards


@inlined
def lay_anyhow(s: Any, places: np.uint64, cards: np.uint64) -> None:
    """Put cards at as many places of the pack, every order equally likely, drawn from the stream of ``s``."""
    while places != ZERO:
        card = draw_from(s, cards)
        s.deck[lowest(places)] = card
        cards &= ~bit(card)
        places &= places - ONE
