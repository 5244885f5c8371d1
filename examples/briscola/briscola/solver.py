"""Briscola with open cards, in card points: searched to the end where the stock is short, or some tricks ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from briscola.game import Briscola
from briscola.kernel import has_stock
from card_envs.jit import njit
from card_envs.plain_solver import plain_solver


@njit
def settled(s: Any, g: Any) -> bool:
    """Whether the stock is used up: the cards a seat has not seen are then the other's hand."""
    return not has_stock(s, g)


@njit
def worth(s: Any, g: Any, value: float) -> float:
    """The "points" return of the deal (B7) to a seat that wins ``value`` card points in it."""
    return np.float64(np.sign(2.0 * value - g.all_taken))


SOLVER = plain_solver(Briscola.kernel, "briscola", unit="card points", settled=settled, worth=worth)
