"""The greedy player of Konchinka."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, bit, lowest, popcount
from card_envs.jit import njit
from card_envs.konchinka.dealing import CLUBS, EVERY_SUIT, KONCHINKI, next_seat, rank_of, ranks_of, suit_of
from card_envs.konchinka.kernel import options, playable
from card_envs.konchinka.moves import EVERYTHING, JACK
from card_envs.konchinka.observation import hand_size, unseen_cards

CARD, CLUB, KONCHINKA = 4, 6, 40
"""What a card, a club and a konchinka are worth to each other: about their share of the points of a deal."""

PRIVILEGE = 30
"""What a jack that takes everything (K9) must bring to be played; tuned in self-play."""


@njit
def worth(cards: np.uint64) -> int:
    """Value of capturing a set of cards."""
    return CARD * popcount(cards) + CLUB * popcount(cards & CLUBS) + KONCHINKA * popcount(cards & KONCHINKI)


@njit
def best_capture(g: Any, table: np.uint64, rank: int) -> int:
    """Value of the best capture with a rank, its own card counted as a plain one; 0 if it captures nothing."""
    best = 0
    moves = np.uint64(g.options[np.int64(ranks_of(table)), rank]) & ~ONE
    while moves != ZERO:
        move = g.first_move[rank] + lowest(moves)
        moves &= moves - ONE
        best = max(best, worth(table & (g.pattern[move] * EVERY_SUIT)) + CARD)
    return best


@njit
def danger(s: Any, g: Any, seat: int, table: np.uint64, unseen: np.uint64) -> int:
    """What the next player is likely to capture on a table, in the units of ``worth``.

    Each unseen rank counts with its best capture and the chance that the next hand holds one.
    """
    hidden = popcount(unseen)
    held = hand_size(s, g, next_seat(g, seat))
    if hidden == 0 or held == 0:
        return 0
    expected = 0
    for rank in range(13):
        copies = popcount(unseen & (bit(rank) * EVERY_SUIT))
        if copies > 0:
            expected += best_capture(g, table, rank) * copies
    return expected * held // hidden


@njit
def takes_everything(g: Any) -> bool:
    """Whether jacks have their privilege (K9, but not K17): their one capture is of every rank."""
    return g.pattern[g.first_move[JACK] + 1] == np.uint64(EVERYTHING)


@njit
def greedy(s: Any, g: Any) -> int:
    """Take what is worth most, leave little that the next player can take, and save the jacks for a rich table.

    Every legal move is valued by the cards it takes (a card a little, a club more, the konchinki most) less
    what the table it leaves offers the next player, by the cards not seen yet; so it does not leave a konchinka where
    it can be taken. Ties go to the lower action. It reads the hand of the seat to play, and what all see.
    """
    seat = np.int64(s.to_play)
    unseen = unseen_cards(s, g, seat)
    hand = playable(g, s.table, s.hand[seat])
    best, best_value = -1, 0
    while hand != ZERO:
        card = lowest(hand)
        hand ^= bit(card)
        rank = rank_of(card)
        moves = np.uint64(options(g, s.table, rank))
        while moves != ZERO:
            move = g.first_move[rank] + lowest(moves)
            moves &= moves - ONE
            taken = s.table & (g.pattern[move] * EVERY_SUIT)
            table = s.table | bit(card) if taken == ZERO else s.table & ~taken
            value = -danger(s, g, seat, table, unseen)
            if taken != ZERO:
                value += worth(taken | bit(card))
            if rank == JACK and takes_everything(g):
                value -= PRIVILEGE
            if best < 0 or value > best_value:
                best, best_value = suit_of(card) * g.num_moves + move, value
    return best
