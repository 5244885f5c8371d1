"""Functions that a kernel gets where the game's folder has none of its own (``kernel.Kernel.of``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from card_envs.bits import ZERO, below, bit, nth, popcount
from card_envs.jit import inlined, njit
from card_envs.record import clear

Functions = dict[str, Callable[..., Any]]


@njit
def settlement(s: Any, g: Any, seat: int) -> int:
    """What a match pays in a game that is not settled in money: nothing."""
    return 0


def by_cards(legal_cards: Callable[..., Any], owner: str) -> Functions:
    """``legal``, ``allows`` and ``pick`` of a game whose actions are its cards, from the set of those to choose from.

    owner: the game's folder.
    """
    inline = partial(inlined, owner=owner)

    @inline
    def legal(s: Any, g: Any, words: Any) -> None:
        """Write the set of legal actions of the seat to play."""
        words[0] = legal_cards(s, g)

    @inline
    def allows(s: Any, g: Any, action: int) -> bool:
        """Whether a card of the pack is legal."""
        return legal_cards(s, g) & bit(action) != ZERO

    @inline
    def pick(s: Any, g: Any, word: np.uint64) -> int:
        """A uniform legal card, chosen by a random word."""
        cards = legal_cards(s, g)
        return nth(cards, below(word, popcount(cards)))

    return {"legal": legal, "allows": allows, "pick": pick}


def by_deals(deal: Callable[..., Any], owner: str) -> Functions:
    """``begin`` of a game that carries nothing into an episode, from what deals."""

    @partial(njit, owner=owner)
    def begin(s: Any, g: Any) -> None:
        """First deal of an episode."""
        clear(s, g)
        deal(s, g)

    return {"begin": begin}
