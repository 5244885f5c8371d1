"""The rules of playing and counting Konchinka as scalar functions over one record (docs/rules.md, K6 to K17)."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, below, bit, first, lowest, nth, popcount
from card_envs.jit import inlined, njit
from card_envs.konchinka.dealing import (
    CLUBS,
    EVERY_SUIT,
    KONCHINKI,
    PACK,
    for_each,
    give,
    left_over,
    next_seat,
    rank_of,
    ranks_of,
    suit_of,
)
from card_envs.record import COUNTED, NOTHING, OVER, score, write_down


@inlined
def options(g: Any, table: np.uint64, rank: int) -> int:
    """The moves of a rank that a table allows, as a bit set of its moves (K7, K8, K9)."""
    return np.int64(g.options[np.int64(ranks_of(table)), rank])


@inlined
def capturing(g: Any, table: np.uint64, cards: np.uint64) -> np.uint64:
    """Those of ``cards`` that capture something on a table."""
    return cards & (np.uint64(g.captors[np.int64(ranks_of(table))]) * EVERY_SUIT)


@inlined
def playable(g: Any, table: np.uint64, hand: np.uint64) -> np.uint64:
    """The cards of a hand that may be played: any (K6), or a capturing one if bound to capture and able (K8)."""
    hand &= PACK
    if g.must_capture != 0:
        captors = capturing(g, table, hand)
        if captors != ZERO:
            return captors
    return hand


@inlined
def legal(s: Any, g: Any, words: Any) -> None:
    """Write the set of legal actions of the seat to play (K6 to K9, K17)."""
    hand = s.hand[np.int64(s.to_play)]
    rest = playable(g, s.table, hand)
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        rank = rank_of(card)
        moves = np.uint64(options(g, s.table, rank))
        start = suit_of(card) * g.num_moves + g.first_move[rank]
        word, shift = start >> 6, np.uint64(start & 63)
        words[word] |= moves << shift
        words[word + 1] |= (moves >> ONE) >> (np.uint64(63) - shift)  # the bits past the end, branch-free


@inlined
def allows(s: Any, g: Any, action: int) -> bool:
    """Whether one action is legal."""
    card, move = card_and_move(g, action)
    if playable(g, s.table, s.hand[np.int64(s.to_play)]) & bit(card) == ZERO:
        return False
    rank = g.rank_of[move]
    return (options(g, s.table, rank) >> (move - g.first_move[rank])) & 1 != 0


@inlined
def pick(s: Any, g: Any, word: np.uint64) -> int:
    """A uniform legal action, chosen by a random word."""
    cards = playable(g, s.table, s.hand[np.int64(s.to_play)])
    count = 0
    rest = cards
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        count += popcount(np.uint64(options(g, s.table, rank_of(card))))
    index = below(word, count)
    chosen, chosen_moves, chosen_index = 0, ZERO, 0
    while cards != ZERO:  # through all of them: an early exit would be mispredicted
        card = lowest(cards)
        cards ^= bit(card)
        moves = np.uint64(options(g, s.table, rank_of(card)))
        if index >= 0:
            chosen, chosen_moves, chosen_index = card, moves, index
        index -= popcount(moves)
    return suit_of(chosen) * g.num_moves + g.first_move[rank_of(chosen)] + nth(chosen_moves, chosen_index)


@inlined
def card_and_move(g: Any, action: int) -> tuple[int, int]:
    """The card an action plays, and its move."""
    suit = 0
    for first_of_suit in (g.num_moves, 2 * g.num_moves, 3 * g.num_moves):
        if action >= first_of_suit:
            suit += 1
    move = action - suit * g.num_moves
    return 13 * suit + g.rank_of[move], move


@inlined
def captured(g: Any, table: np.uint64, move: int) -> np.uint64:
    """The cards of a table that a move takes; none if it trails."""
    return table & (g.pattern[move] * EVERY_SUIT)


@njit
def play(s: Any, g: Any, action: int) -> int:
    """Play a legal action; return ``record.NOTHING``, ``COUNTED`` or ``OVER``."""
    seat = np.int64(s.to_play)
    card, move = card_and_move(g, action)
    s.hand[seat] &= ~bit(card)
    write_down(s, g, seat, action)
    s.in_hands = np.int64(s.in_hands) - 1
    if g.pattern[move] == ZERO:
        trail(s, g, seat, card)
    else:
        capture(s, seat, card, captured(g, s.table, move))
        if g.match != 0 and reaches(early_goal(s, g, seat), s.pile[seat]):
            return end_early(s, g)
    s.to_play = next_seat(g, seat)
    return NOTHING if np.int64(s.in_hands) > 0 else next_round(s, g)


@njit
def trail(s: Any, g: Any, seat: int, card: int) -> None:
    """Lay a card that captures nothing (K8). Bound to capture, the seat shows that it holds no captor."""
    if g.must_capture != 0:
        captors = np.uint64(g.captors[np.int64(ranks_of(s.table))])
        s.denied[seat] = np.uint64(s.denied[seat]) | captors
    s.table |= bit(card)


@njit
def capture(s: Any, seat: int, card: int, cards: np.uint64) -> None:
    """Captured cards and their captor go to the pile (K10)."""
    s.pile[seat] |= cards | bit(card)
    s.table &= ~cards
    s.last_capturer = seat


@njit
def next_round(s: Any, g: Any) -> int:
    """All hands are empty: deal again, as many to each as there are for everyone, or count (K5)."""
    cards = min(for_each(g, 52 - np.int64(s.dealt)), 4)
    if cards == 0:
        return count(s, g)
    give(s, g, cards)
    return NOTHING


@inlined
def early_points(pile: np.uint64) -> int:
    """What counts of a pile in an unfinished deal: konchinki, and seven clubs (K15)."""
    return popcount(pile & KONCHINKI) + (1 if popcount(pile & CLUBS) >= 7 else 0)


@njit
def early_goal(s: Any, g: Any, seat: int) -> int:
    """Points with which a seat ends the match during play, 1 or 2; 0 if it cannot (K15).

    It cannot if it needs more, nor while anyone stands at the target.
    """
    for other in range(g.num_players):
        if score(s, other) >= g.target:
            return 0
    needed = g.target - score(s, seat)
    return needed if needed <= 2 else 0


@inlined
def reaches(goal: int, pile: np.uint64) -> bool:
    """Whether a seat with this goal has made it with its pile, and the match is over (K15)."""
    return goal > 0 and early_points(pile) >= goal


@njit
def end_early(s: Any, g: Any) -> int:
    """The match is over at once; of the deal only konchinki and seven clubs count, for everyone alike (K15)."""
    for seat in range(g.num_players):
        s.points[seat] = early_points(s.pile[seat])
    return OVER


@njit
def count(s: Any, g: Any) -> int:
    """Count the deal (K12, K13)."""
    last = np.int64(s.last_capturer)
    if last >= 0 and last < g.num_players:
        s.pile[last] |= s.table | left_over(s)
    s.table = ZERO
    cards, clubs = second_most(s, g, first(52)), second_most(s, g, CLUBS)
    for seat in range(g.num_players):
        s.points[seat] = points_of(s.pile[seat], cards, clubs)
    return COUNTED


@njit
def second_most(s: Any, g: Any, cards: np.uint64) -> int:
    """How many of these cards lie in the pile with the second most of them: the same as in the first if level."""
    most, second = 0, 0
    for seat in range(g.num_players):
        own = popcount(s.pile[seat] & cards)
        second = max(second, min(own, most))
        most = max(most, own)
    return second


@inlined
def points_of(pile: np.uint64, cards: int, clubs: int) -> int:
    """Points of a pile at the end of a deal: two for more cards than ``cards``, one for more clubs than ``clubs``,
    the most of any other or the second most of all; one for each konchinka (K13)."""
    most_cards = 2 if popcount(pile) > cards else 0
    most_clubs = 1 if popcount(pile & CLUBS) > clubs else 0
    return most_cards + most_clubs + popcount(pile & KONCHINKI)


@njit
def is_won(s: Any, g: Any) -> bool:
    """Whether exactly one seat has the highest total, and it has reached the target (K14)."""
    best, level = 0, 0
    for seat in range(g.num_players):
        points = score(s, seat)
        if points > best:
            best, level = points, 0
        if points == best:
            level += 1
    return best >= g.target and level == 1


@inlined
def taken(s: Any, g: Any, seat: int) -> int:
    """Cards a seat has captured in this deal."""
    return popcount(s.pile[seat])


@njit
def settlement(s: Any, g: Any, seat: int) -> int:
    """What a match pays a seat when it is over (K16)."""
    if g.match == 0:
        return 0
    best, winner, paid = -1, 0, 0
    for other in range(g.num_players):
        if score(s, other) > best:
            best, winner = score(s, other), other
    for other in range(g.num_players):
        if other != winner:
            price = g.stake if g.by_stakes != 0 else g.chip * max(g.target - score(s, other), 0)
            if seat == other:
                return -price
            paid += price
    return paid
