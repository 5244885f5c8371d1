"""What trick games for two with a stock have in common: they keep ``lead`` and ``drawn`` in their record."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.jit import inlined


@inlined
def turn_of(s: Any) -> int:
    """The seat to play, 0 or 1; 1 where the episode is over. An index that is visibly not negative is faster."""
    return np.int64(s.to_play) & 1


@inlined
def led_card(s: Any) -> int:
    """The card led to the trick; 63, which is no card, if there is none. As an index it saves a branch."""
    return np.int64(s.lead) & 63


@inlined
def has_stock(s: Any, g: Any) -> bool:
    """Whether there are cards to draw."""
    return np.int64(s.drawn) < g.pack_size
