"""Konchinka with open cards: exact values for two players once the pack is used up, estimates everywhere else.

A value is the lead in points of the deal that the seat to play will have over the mean of the others. For two
players the rest of a round is searched to its end, where the deal is counted or, with cards still to be dealt,
judged by the piles and the table. With more players each action is followed by greedy play to the end of the deal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs import record
from card_envs.bits import ONE, ZERO, bit, first, lowest, popcount
from card_envs.jit import inlined, njit
from card_envs.konchinka.dealing import CLUBS, EVERY_SUIT, KONCHINKI, STATE, for_each, rank_of, suit_of
from card_envs.konchinka.greedy import greedy, worth
from card_envs.konchinka.kernel import captured, early_goal, early_points, options, play, playable, points_of, reaches
from card_envs.open_cards import Solver
from card_envs.record import NOTHING

POINT = 1000
"""Values are searched in thousandths of a point."""

MOST_POINTS = 5 * POINT
PLAIN = first(52) & ~CLUBS & ~KONCHINKI
"""Cards that differ in their rank alone."""

PLIES = 9
MOST_PLAYS = 96
"""More than a hand of four has ways to be played."""

ROOM = np.dtype(
    (
        np.record,
        [
            ("undealt", "i8"),  # cards of the pack to be dealt in later rounds
            ("early", "i8"),  # whether the match may end during play (K15)
            ("card", "u1", (PLIES, MOST_PLAYS)),  # plays that are tried at each depth of the search, best first
            ("move", "u1", (PLIES, MOST_PLAYS)),
            ("promise", "i4", (PLIES, MOST_PLAYS)),
        ],
    )
)


def memory(game: Any) -> Any:
    """Room for one thread: that of the search, and a state to play on."""
    return np.zeros(1, ROOM), np.zeros(1, STATE)


@njit
def exact(s: Any, g: Any) -> bool:
    """Two players, and no cards left to deal."""
    return g.num_players == 2 and for_each(g, 52 - np.int64(s.dealt)) == 0


@njit
def worth_of(s: Any, g: Any, value: float) -> float:
    """Values are points already."""
    return value


@njit
def values(s: Any, g: Any, memory: Any, out: Any) -> None:
    """Exact values of the legal actions, where ``exact``."""
    search_round(s, g, memory[0][0], out)


@njit
def estimates(s: Any, g: Any, memory: Any, out: Any) -> None:
    """Values of the legal actions with open cards, for any number of players; exact where ``exact``."""
    if g.num_players == 2:
        search_round(s, g, memory[0][0], out)
    else:
        play_on(s, g, memory[1], out)


@njit
def search_round(s: Any, g: Any, room: Any, out: Any) -> None:
    """Two players: search the rest of the round behind each action."""
    seat = np.int64(s.to_play)
    own, other = s.hand[seat], s.hand[1 - seat]
    goal, other_goal = 0, 0
    if g.match != 0:
        goal, other_goal = early_goal(s, g, seat), early_goal(s, g, 1 - seat)
    room.undealt = 52 - np.int64(s.dealt)
    room.early = goal > 0 or other_goal > 0
    last = 0 if s.last_capturer < 0 else 1 if np.int64(s.last_capturer) == seat else -1
    cards = playable(g, s.table, own)
    while cards != ZERO:
        card = lowest(cards)
        cards ^= bit(card)
        rank = rank_of(card)
        like = first_like(own, card)
        moves = np.uint64(options(g, s.table, rank))
        while moves != ZERO:
            move = g.first_move[rank] + lowest(moves)
            moves &= moves - ONE
            action = suit_of(card) * g.num_moves + move
            if like != card:
                out[action] = out[suit_of(like) * g.num_moves + move]
                continue
            value = try_play(
                g, room, 0, own, other, s.table, s.pile[seat], s.pile[1 - seat], last, goal, other_goal,
                card, move, -MOST_POINTS - 1, MOST_POINTS + 1,
            )  # fmt: skip
            out[action] = value / POINT


@inlined
def first_like(hand: np.uint64, card: int) -> int:
    """The first card of a hand that plays just as this one does."""
    if PLAIN & bit(card) == ZERO:
        return card
    return lowest(hand & PLAIN & (bit(rank_of(card)) * EVERY_SUIT))


@njit
def try_play(
    g: Any, room: Any, depth: int, own: np.uint64, other: np.uint64, table: np.uint64, own_pile: np.uint64,
    other_pile: np.uint64, last: int, own_goal: int, other_goal: int, card: int, move: int, alpha: int, beta: int,
) -> int:  # fmt: skip
    """Lead that a seat comes to have that plays this card, both playing their best to the end of the round.

    Alpha-beta, fail-soft. last: who captured last, 1 the seat itself, -1 the other, 0 nobody.
    """
    taken = captured(g, table, move)
    own &= ~bit(card)
    if taken == ZERO:
        table |= bit(card)
    else:
        table &= ~taken
        own_pile |= taken | bit(card)
        last = 1
        if reaches(own_goal, own_pile):
            return (early_points(own_pile) - early_points(other_pile)) * POINT
    if other == ZERO:
        return lead_at_end(room, table, own_pile, other_pile, last)
    low, high = bounds(room, own_pile, other_pile)
    if low >= beta or low == high:
        return low
    if high <= alpha:
        return high
    count = gather(g, room, depth, other, table)
    best = -MOST_POINTS - 1
    for k in range(count):
        value = try_play(
            g, room, depth + 1, other, own, table, other_pile, own_pile, -last, other_goal, own_goal,
            np.int64(room.card[depth, k]), np.int64(room.move[depth, k]), max(-beta, best), -alpha,
        )  # fmt: skip
        if value > best:
            best = value
            if best >= -alpha:
                break
    return -best


@inlined
def gather(g: Any, room: Any, depth: int, hand: np.uint64, table: np.uint64) -> int:
    """Lay out the plays of a hand, those that take most first and of like cards only one; how many there are."""
    count = 0
    cards = playable(g, table, hand)
    while cards != ZERO:
        card = lowest(cards)
        cards ^= bit(card)
        if first_like(hand, card) != card:
            continue
        rank = rank_of(card)
        moves = np.uint64(options(g, table, rank))
        while moves != ZERO:
            move = g.first_move[rank] + lowest(moves)
            moves &= moves - ONE
            taken = captured(g, table, move)
            promise = -worth(bit(card)) if taken == ZERO else worth(taken | bit(card))
            at = count
            while at > 0 and np.int64(room.promise[depth, at - 1]) < promise:
                room.card[depth, at] = room.card[depth, at - 1]
                room.move[depth, at] = room.move[depth, at - 1]
                room.promise[depth, at] = room.promise[depth, at - 1]
                at -= 1
            room.card[depth, at], room.move[depth, at], room.promise[depth, at] = card, move, promise
            count += 1
    return count


@inlined
def bounds(room: Any, own_pile: np.uint64, other_pile: np.uint64) -> tuple[int, int]:
    """Least and greatest lead that these piles can still come to have."""
    lead = popcount(own_pile & KONCHINKI) - popcount(other_pile & KONCHINKI)
    free = 2 - popcount((own_pile | other_pile) & KONCHINKI)
    low, high = lead - free, lead + free
    own_clubs, other_clubs = popcount(own_pile & CLUBS), popcount(other_pile & CLUBS)
    low += 1 if own_clubs >= 7 else -1
    high += -1 if other_clubs >= 7 else 1
    own_cards, other_cards = popcount(own_pile), popcount(other_pile)
    # What has the most cards in the end does not count if the match ends before (K15).
    if own_cards < 26:
        low -= 2
    elif own_cards > 26 and room.early == 0:
        low += 2
    if other_cards < 26:
        high += 2
    elif other_cards > 26 and room.early == 0:
        high -= 2
    return low * POINT, high * POINT


@inlined
def lead_at_end(room: Any, table: np.uint64, own_pile: np.uint64, other_pile: np.uint64, last: int) -> int:
    """Lead at the end of a round, when it is the other that leads to the next."""
    if np.int64(room.undealt) > 0:
        return -judged(np.int64(room.undealt), table, other_pile, own_pile)
    if last > 0:  # K12
        own_pile |= table
    else:
        other_pile |= table
    own = points_of(own_pile, popcount(other_pile), popcount(other_pile & CLUBS))
    return (own - points_of(other_pile, popcount(own_pile), popcount(own_pile & CLUBS))) * POINT


@inlined
def judged(undealt: int, table: np.uint64, own_pile: np.uint64, other_pile: np.uint64) -> int:
    """Lead to be expected between rounds by the seat that leads to the next."""
    rest = undealt + popcount(table)
    cards = popcount(own_pile) - popcount(other_pile)
    clubs = popcount(own_pile & CLUBS) - popcount(other_pile & CLUBS)
    free_clubs = 13 - popcount((own_pile | other_pile) & CLUBS)
    lead = POINT * (popcount(own_pile & KONCHINKI) - popcount(other_pile & KONCHINKI))
    lead += max(-2 * POINT, min(2 * POINT, 2 * POINT * cards // rest))
    return lead + max(-POINT, min(POINT, POINT * clubs // max(free_clubs, 1)))


@njit
def play_on(s: Any, g: Any, worlds: Any, out: Any) -> None:
    """Let greedy players play the deal to its end after each action."""
    seat = np.int64(s.to_play)
    hand = s.hand[seat]
    cards = playable(g, s.table, hand)
    while cards != ZERO:
        card = lowest(cards)
        cards ^= bit(card)
        rank = rank_of(card)
        moves = np.uint64(options(g, s.table, rank))
        while moves != ZERO:
            move = g.first_move[rank] + lowest(moves)
            moves &= moves - ONE
            action = suit_of(card) * g.num_moves + move
            worlds[0] = s
            world = worlds[0]
            result = play(world, g, action)
            while result == NOTHING:
                result = play(world, g, greedy(world, g))
            out[action] = record.lead_in(world.points, g, seat)


SOLVER = Solver("points", memory, exact, exact, values, estimates, worth_of)
