"""Standard forms of kernel functions, for games that do not write their own, and what is the same in every game
(``kernel.Kernel.of``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, below, bit, nth, popcount, shuffle
from card_envs.jit import inlined, njit
from card_envs.record import COUNTED, NOTHING, OVER, add_points, clear, clear_plays, finish, score

Functions = dict[str, Callable[..., Any]]


@njit
def is_won(s: Any, g: Any) -> bool:
    """Whether a match is over: somebody has reached the target."""
    for seat in range(g.num_players):
        if score(s, seat) >= g.target:
            return True
    return False


@njit
def carry(s: Any, g: Any) -> None:
    """What a match carries into a deal besides its scores: nothing."""


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


def by_deals(game: Functions, owner: str) -> Functions:
    """How deals follow one another in every game, from how one of this game is laid out, played and counted.

    game: its functions. owner: the game's folder.
    """
    own_lay_out, own_play, taken = game["lay_out"], game["play"], game["taken"]
    is_won, carry = game["is_won"], game["carry"]
    compiled, inline = partial(njit, owner=owner), partial(inlined, owner=owner)

    @compiled
    def lay_out(s: Any, g: Any) -> bool:
        """Deal the pack as it lies, with nothing played; False if that deal is void."""
        clear_plays(s)
        return own_lay_out(s, g)

    @compiled
    def deal(s: Any, g: Any) -> None:
        """Shuffle and deal, again if the deal is void: the same dealer, the next pack."""
        shuffle(s.deck, g.pack_size, s.seed, s.deal)
        while not lay_out(s, g):
            s.deal += ONE
            shuffle(s.deck, g.pack_size, s.seed, s.deal)

    @compiled
    def begin(s: Any, g: Any) -> None:
        """First deal of an episode."""
        clear(s, g)
        carry(s, g)
        deal(s, g)

    @compiled
    def close(s: Any, g: Any, came: int) -> int:
        """The deal is over: end the episode, or go on to the next deal of the match."""
        add_points(s, g)
        if came == OVER or g.match == 0 or is_won(s, g):
            return finish(s)
        for seat in range(g.num_players):
            s.taken_before[seat] = np.int64(s.taken_before[seat]) + taken(s, g, seat)
        carry(s, g)
        s.dealer = (np.int64(s.dealer) + 1) % g.num_players
        s.deal += ONE
        deal(s, g)
        return COUNTED

    @inline
    def play(s: Any, g: Any, action: int) -> int:
        """Play a legal action and do what follows from it; return the outcome."""
        came = own_play(s, g, action)
        return NOTHING if came == NOTHING else close(s, g, came)

    return {"lay_out": lay_out, "deal": deal, "begin": begin, "play": play}
