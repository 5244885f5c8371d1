"""Konchinka with open cards: exact values for two players once the pack is used up, estimates everywhere else.

A value is the lead in points of the deal that the seat to play will have over the mean of the others.

Exact values come from a search of what is left, at most eight plays. Estimates look ahead to the end of the round and
evaluate the piles and the table there. The seat to play tries all its plays of the round; the others play like the
greedy player, which does not see its hand. That is too optimistic, as a search against best replies with open cards is
too pessimistic; so with two players, where that search is cheap, the estimate is the mean of both: over sampled worlds
it makes a stronger player than either alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs import record
from card_envs.bits import ONE, ZERO, bit, lowest, popcount
from card_envs.jit import inlined, njit
from card_envs.konchinka.dealing import CLUBS, EVERY_SUIT, KONCHINKI, STATE, for_each, next_seat, rank_of, suit_of
from card_envs.konchinka.greedy import greedy, worth
from card_envs.konchinka.kernel import captured, early_goal, early_points, options, play, playable, points_of, reaches
from card_envs.open_cards import Solver
from card_envs.record import NOTHING

POINT = 1000
"""Values are searched in thousandths of a point."""

MOST_POINTS = 5 * POINT
PLAIN = np.uint64((1 << 52) - 1) & ~CLUBS & ~KONCHINKI
"""Cards that differ in their rank alone."""

PLIES = 9
MOST_PLAYS = 96
"""More than the ways to play a card of a hand of four."""

NODE = np.dtype(
    (
        np.record,
        [
            ("own", "u8"),  # hand of the seat to play
            ("other", "u8"),
            ("table", "u8"),
            ("own_pile", "u8"),
            ("other_pile", "u8"),
            ("last", "i8"),  # who captured last: 1 the seat to play, -1 the other, 0 nobody
            ("own_goal", "i8"),  # kernel.early_goal
            ("other_goal", "i8"),
            ("undealt", "i8"),  # cards of the pack to be dealt in later rounds
            ("enough", "i8"),  # beta: with at least this value the other seat avoids the position
            ("best", "i8"),  # best value found, at first alpha
            ("count", "i8"),
            ("tried", "i8"),
            ("card", "u1", (MOST_PLAYS,)),  # plays to try, best first
            ("move", "u1", (MOST_PLAYS,)),
            ("promise", "i4", (MOST_PLAYS,)),
        ],
    )
)
"""A frame of the search: a position, with the values of its seat to play."""

OPEN = 1 << 20
"""No value: the position must be searched."""


def memory(game: Any) -> Any:
    """The workspace of one thread: the frames of a search, states to play on, and a value for each action."""
    return np.zeros(PLIES, NODE), np.zeros(5, STATE), np.zeros(game.num_actions)


CHANCES = np.round(POINT * np.tanh(np.arange(128) / 32)).astype(np.int64)
"""Chance to win a point less chance to lose it, by the lead, in steps of 1/32 of a usual lead."""

CARDS_COUNT = np.round(3277 / np.sqrt(50 + 24 * np.arange(6))).astype(np.int64)
CLUBS_COUNT = np.round(3277 / np.sqrt(3.5 + 3.2 * np.arange(6))).astype(np.int64)
"""What a lead of a tenth of a card, or of a club, is in 1024ths of such a step, by rounds to come (two players).

These, and the numbers in ``judged`` and ``judged_among``, were fitted to the results of half-played deals.
"""


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
    search_round(s, g, memory[0], out)


@njit
def estimates(s: Any, g: Any, memory: Any, out: Any) -> None:
    """Values of the legal actions with open cards, for any number of players: the exact ones where ``exact``."""
    nodes, worlds, best = memory
    if exact(s, g):
        search_round(s, g, nodes, out)
        return
    play_round(s, g, nodes, worlds, out)
    if g.num_players == 2:
        search_round(s, g, nodes, best)
        for k in range(nodes[0].count):
            action = play_to_try(g, nodes[0], k)
            out[action] = (out[action] + best[action]) / 2


@njit
def search_round(s: Any, g: Any, nodes: Any, out: Any) -> None:
    """Two players: search the rest of the round behind each action."""
    root, after = nodes[0], nodes[1]
    take_up(s, g, root)
    gather(g, root, False)
    for k in range(root.count):
        card, move = np.int64(root.card[k]), np.int64(root.move[k])
        root.best, root.enough = -MOST_POINTS - 1, MOST_POINTS + 1
        value = follow(g, root, after, card, move)
        if value == OPEN:
            value = -search(g, nodes)
        out[play_to_try(g, root, k)] = value / POINT


@njit
def take_up(s: Any, g: Any, root: Any) -> None:
    """Fill a node with the position of a table."""
    seat = np.int64(s.to_play)
    root.own, root.other = s.hand[seat], s.hand[1 - seat]
    root.own_pile, root.other_pile = s.pile[seat], s.pile[1 - seat]
    root.table = s.table
    root.last = 0 if s.last_capturer < 0 else 1 if np.int64(s.last_capturer) == seat else -1
    root.own_goal = early_goal(s, g, seat) if g.match != 0 else 0
    root.other_goal = early_goal(s, g, 1 - seat) if g.match != 0 else 0
    root.undealt = 52 - np.int64(s.dealt)


@njit
def search(g: Any, nodes: Any) -> int:
    """Value of the second node, whose plays are laid out: alpha-beta, fail-soft.

    A loop, not a recursion: numba cannot cache recursive functions.
    """
    depth = 1
    while True:
        node = nodes[depth]
        if node.tried < node.count and node.best < node.enough:
            k = node.tried
            node.tried = k + 1
            value = follow(g, node, nodes[depth + 1], np.int64(node.card[k]), np.int64(node.move[k]))
            if value == OPEN:
                depth += 1
            else:
                node.best = max(node.best, value)
        elif depth == 1:
            return node.best
        else:
            depth -= 1
            above = nodes[depth]
            above.best = max(above.best, -node.best)


@njit
def follow(g: Any, node: Any, after: Any, card: int, move: int) -> int:
    """Play a card: its value if that is known, or OPEN, and then the plays after it are laid out."""
    taken = captured(g, node.table, move)
    own = node.own & ~bit(card)
    pile = node.own_pile
    table = node.table | bit(card)
    last = node.last
    if taken != ZERO:
        table = node.table & ~taken
        pile |= taken | bit(card)
        last = 1
        if reaches(node.own_goal, pile):
            return (early_points(pile) - early_points(node.other_pile)) * POINT
    if node.other == ZERO:
        return lead_at_end(node, table, pile, last)
    low, high = bounds(node, pile)
    if low == high or low >= node.enough:
        return low
    if high <= node.best:
        return high
    after.own, after.other = node.other, own
    after.own_pile, after.other_pile = node.other_pile, pile
    after.own_goal, after.other_goal = node.other_goal, node.own_goal
    after.table, after.last, after.undealt = table, -last, node.undealt
    after.best, after.enough = max(-node.enough, -high - 1), min(-node.best, -low)
    gather(g, after, True)
    return OPEN


@inlined
def first_like(hand: np.uint64, card: int) -> int:
    """The first card of a hand that plays just as this one does."""
    if PLAIN & bit(card) == ZERO:
        return card
    return lowest(hand & PLAIN & (bit(rank_of(card)) * EVERY_SUIT))


@njit
def gather(g: Any, node: Any, unlike: bool) -> None:
    """Lay out the plays of a hand, those that take most first; of cards that play alike only one if ``unlike``."""
    count = 0
    cards = playable(g, node.table, node.own)
    while cards != ZERO:
        card = lowest(cards)
        cards ^= bit(card)
        if unlike and first_like(node.own, card) != card:
            continue
        rank = rank_of(card)
        moves = np.uint64(options(g, node.table, rank))
        while moves != ZERO:
            move = g.first_move[rank] + lowest(moves)
            moves &= moves - ONE
            taken = captured(g, node.table, move)
            promise = -worth(bit(card)) if taken == ZERO else worth(taken | bit(card))
            at = count
            while at > 0 and np.int64(node.promise[at - 1]) < promise:
                node.card[at], node.move[at] = node.card[at - 1], node.move[at - 1]
                node.promise[at] = node.promise[at - 1]
                at -= 1
            node.card[at], node.move[at], node.promise[at] = card, move, promise
            count += 1
    node.count, node.tried = count, 0


@inlined
def play_to_try(g: Any, node: Any, k: int) -> int:
    """The action of a play that was laid out."""
    return suit_of(np.int64(node.card[k])) * g.num_moves + np.int64(node.move[k])


@inlined
def bounds(node: Any, pile: np.uint64) -> tuple[int, int]:
    """Least and greatest lead that can come from this pile of the seat that played and the other's."""
    lead = popcount(pile & KONCHINKI) - popcount(node.other_pile & KONCHINKI)
    free = 2 - popcount((pile | node.other_pile) & KONCHINKI)
    low, high = lead - free, lead + free
    low += 1 if popcount(pile & CLUBS) >= 7 else -1
    high -= 1 if popcount(node.other_pile & CLUBS) >= 7 else -1
    cards, other_cards = popcount(pile), popcount(node.other_pile)
    # Having most of the cards is worth nothing if the match ends first (K15).
    sure = 2 if node.own_goal == 0 and node.other_goal == 0 else 0
    if cards < 26:
        low -= 2
    elif cards > 26:
        low += sure
    if other_cards < 26:
        high += 2
    elif other_cards > 26:
        high -= sure
    return low * POINT, high * POINT


@inlined
def lead_at_end(node: Any, table: np.uint64, pile: np.uint64, last: int) -> int:
    """Lead of the seat that plays the last card of a round: the deal is counted, or the other leads to the next."""
    other_pile = node.other_pile
    if node.undealt > 0:
        low, high = bounds(node, pile)
        return max(low, min(high, judged(node, table, pile)))
    if last > 0:  # K12
        pile |= table
    else:
        other_pile |= table
    own = points_of(pile, popcount(other_pile), popcount(other_pile & CLUBS))
    return (own - points_of(other_pile, popcount(pile), popcount(pile & CLUBS))) * POINT


@inlined
def judged(node: Any, table: np.uint64, pile: np.uint64) -> int:
    """Lead to be expected at the end of a round with more to come, by the seat that played last.

    Leading to a round costs about three cards, less what lies there to be taken.
    """
    ahead = popcount(pile) - popcount(node.other_pile)
    ahead_clubs = popcount(pile & CLUBS) - popcount(node.other_pile & CLUBS)
    free = KONCHINKI & ~(pile | node.other_pile)
    rounds = node.undealt >> 3
    laid = popcount(table)
    lead = 2 * chance((33 + 10 * ahead - 4 * laid) * CARDS_COUNT[rounds])
    lead += chance((9 + 10 * ahead_clubs - laid - 2 * popcount(table & CLUBS)) * CLUBS_COUNT[rounds])
    lead += POINT * (popcount(pile & KONCHINKI) - popcount(node.other_pile & KONCHINKI))
    return lead + 100 * popcount(free) - 500 * popcount(free & table)


@inlined
def chance(ahead: int) -> int:
    """Chance to win a point less chance to lose it."""
    steps = min(abs(ahead) >> 10, len(CHANCES) - 1)
    return CHANCES[steps] if ahead >= 0 else -CHANCES[steps]


@njit
def play_round(s: Any, g: Any, nodes: Any, worlds: Any, out: Any) -> None:
    """Any number of players: the seat to play tries all its plays of this round, the others play like the greedy
    player."""
    seat = np.int64(s.to_play)
    worlds[0] = s
    lay_out_plays(s, g, nodes[0], False)
    depth = 0
    while True:
        node = nodes[depth]
        if node.tried < node.count:
            action = play_to_try(g, node, node.tried)
            node.tried += 1
            worlds[depth + 1] = worlds[depth]
            value = play_until_turn(worlds[depth + 1], g, seat, action)
            if value == OPEN:
                depth += 1
                lay_out_plays(worlds[depth], g, nodes[depth], True)
                continue
        elif depth == 0:
            return
        else:
            value = node.best
            depth -= 1
            node = nodes[depth]
        if depth == 0:
            out[play_to_try(g, node, node.tried - 1)] = value / POINT
        else:
            node.best = max(node.best, value)


@njit
def lay_out_plays(s: Any, g: Any, node: Any, unlike: bool) -> None:
    """Fill a node with the plays of the seat to play."""
    node.own, node.table = s.hand[np.int64(s.to_play)], s.table
    node.best = -MOST_POINTS - 1
    gather(g, node, unlike)


@njit
def play_until_turn(s: Any, g: Any, seat: int, action: int) -> int:
    """Play an action and then like the greedy player until the turn comes round: OPEN, or the lead if the round is
    over."""
    undealt = 52 - np.int64(s.dealt)
    result = play(s, g, action)
    while result == NOTHING and 52 - np.int64(s.dealt) == undealt and np.int64(s.to_play) != seat:
        result = play(s, g, greedy(s, g))
    if result != NOTHING:
        return np.int64(np.round(POINT * record.lead_in(s.points, g, seat)))
    return OPEN if 52 - np.int64(s.dealt) == undealt else judged_among(s, g, seat, undealt)


@njit
def judged_among(s: Any, g: Any, seat: int, undealt: int) -> int:
    """Lead to be expected by a seat between two rounds, with so many cards dealt after the first of them."""
    eldest = next_seat(g, np.int64(s.dealer))
    steep = np.sqrt(4.0 * g.num_players / (70.0 + 22.0 * undealt / g.num_players))
    everyone, everyone_clubs, own, own_clubs, konchinki = 0.0, 0.0, 0.0, 0.0, 0.0
    free = KONCHINKI
    for other in range(g.num_players):
        pile = s.pile[other]
        free &= ~pile
        cards, clubs = float(popcount(pile)), float(popcount(pile & CLUBS))
        if other == eldest:
            cards += 0.5 * popcount(s.table) - 3
            clubs += 0.5 * popcount(s.table & CLUBS) - 0.5
        weight, weight_clubs = np.exp(steep * cards), np.exp(3 * steep * clubs)
        everyone += weight
        everyone_clubs += weight_clubs
        if other == seat:
            own, own_clubs = weight, weight_clubs
            konchinki += popcount(pile & KONCHINKI)
    points = 2 * own / everyone + own_clubs / everyone_clubs + konchinki + popcount(free) / g.num_players
    if seat == eldest:
        points += 0.4 * popcount(free & s.table)
    return np.int64(np.round(POINT * record.above_others(points, 5.0, g.num_players)))


def value_bounds(game: Any) -> tuple[float, float]:
    """All points of a deal to the other seat, and all to the seat itself."""
    return -5.0, 5.0


SOLVER = Solver("points", value_bounds, memory, exact, exact, values, estimates, worth_of)
