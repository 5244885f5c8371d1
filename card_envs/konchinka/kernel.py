"""The rules of Konchinka as scalar functions over one record (RULES.md, K1 to K17).

A card is ``suit * 13 + rank``, ranks A 2 ... K from 0. Sets of cards are bit sets of 52; a set of ranks is a
bit set of 13. The pack stays one row of 52: the first hands, the four table cards, then what is dealt later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, below, bit, first, lowest, nth, popcount, shuffle
from card_envs.jit import inlined, njit
from card_envs.konchinka.moves import JACK
from card_envs.record import BLANK, COUNTED, NOTHING, clear, constants_dtype, finish, score, state_dtype

SEATS = 12
MOST_MOVES = 128

STATE = state_dtype(
    SEATS,
    [
        ("hand", "u8", (SEATS,)),
        ("pile", "u8", (SEATS,)),  # cards captured (K10)
        ("table", "u8"),
        ("open", "u8"),  # pack positions whose cards all have seen put back (K4)
        ("history", "u2", (48,)),  # plays in order: seat * num_actions + action
        ("denied", "u2", (SEATS,)),  # ranks a seat has shown it does not hold, until the next round (K8)
        ("deck", "u1", (52,)),  # the pack in the order of dealing
        ("dealt", "u1"),  # cards dealt from it
        ("in_hands", "u1"),  # cards in all hands
        ("last_capturer", "i1"),
    ],
)

CONSTANTS = constants_dtype(
    [
        ("num_moves", "i8"),
        ("reciprocal", "i8"),  # 2**16 / num_players, rounded up
        ("dealt_later", "i8"),  # to each player after the first round
        ("must_capture", "i8"),  # obligation="hand" (K8)
        ("by_stakes", "i8"),
        ("chip", "i8"),
        ("stake", "i8"),
        ("first_move", "i8", (13,)),
        ("rank_of", "i8", (MOST_MOVES,)),  # by move
        ("pattern", "u8", (MOST_MOVES,)),  # by move: ranks captured
        ("options", "u4", (1 << 13, 13)),  # by ranks on the table and rank played: moves.Moves.options
        ("captors", "u2", (1 << 13,)),  # by ranks on the table: the ranks that capture something
    ],
)

CLUBS = np.uint64(0x1FFF)
RANKS = np.uint64(0x1FFF)
EVERY_SUIT = np.uint64(1 | 1 << 13 | 1 << 26 | 1 << 39)
"""A set of ranks times this is the set of all cards of those ranks."""

KONCHINKI = np.uint64(1 << 1 | 1 << 22)
"""The 2 of clubs and the 10 of diamonds (K11)."""

MOST_REPLACEMENTS = 52


@inlined
def ranks_of(cards: np.uint64) -> np.uint64:
    """The set of ranks of a set of cards."""
    pairs = cards | (cards >> np.uint64(26))
    return (pairs | (pairs >> np.uint64(13))) & RANKS


@inlined
def rank_of(card: int) -> int:
    """Rank of a card."""
    return card - 13 * suit_of(card)


@inlined
def suit_of(card: int) -> int:
    """Suit of a card."""
    return (card * 79) >> 10  # card // 13 for 0 <= card < 52


@inlined
def next_seat(g: Any, seat: int) -> int:
    """The seat to the left."""
    return 0 if seat + 1 == g.num_players else seat + 1


@inlined
def for_each(g: Any, cards: int) -> int:
    """``cards // num_players`` for up to 52 cards, without the slow division."""
    return (cards * g.reciprocal) >> 16


@njit
def begin(s: Any, g: Any) -> None:
    """First deal of an episode."""
    clear(s, g)
    deal(s, g)


@njit
def deal(s: Any, g: Any) -> None:
    """Shuffle and deal, again if the deal is void (K4): the same dealer, the next pack."""
    shuffle(s.deck, 52, s.seed, s.deal)
    while not lay_out(s, g):
        s.deal += ONE
        shuffle(s.deck, 52, s.seed, s.deal)


@njit
def lay_out(s: Any, g: Any) -> bool:
    """Deal the pack as it lies: four cards each, four to the table (K3, K4); False if the deal is void."""
    for seat in range(g.num_players):
        s.hand[seat] = ZERO
        s.pile[seat] = ZERO
    for place in range(48):
        s.history[place] = 0
    s.table = ZERO
    s.open = ZERO
    s.dealt = 0
    s.plays = 0
    s.last_capturer = -1
    give(s, g, 4)
    return lay_table(s, g)


@njit
def give(s: Any, g: Any, cards: int) -> None:
    """A round of so many cards each, one at a time, from the eldest hand round to the dealer (K3, K5)."""
    eldest = next_seat(g, np.int64(s.dealer))
    place = np.int64(s.dealt)
    for _ in range(cards):
        seat = eldest
        for _ in range(g.num_players):
            s.hand[seat] |= bit(np.int64(s.deck[place]))
            place += 1
            seat = next_seat(g, seat)
    for seat in range(g.num_players):
        s.denied[seat] = 0
    s.dealt = place
    s.in_hands = cards * g.num_players
    s.to_play = eldest  # K6


@njit
def lay_table(s: Any, g: Any) -> bool:
    """Four cards to the table; none may be a jack or of the rank of an earlier one (K4)."""
    top = np.int64(s.dealt) + 4
    ranks = ZERO
    replacements = 0
    for place in range(top - 4, top):
        rank = rank_of(np.int64(s.deck[place]))
        while rank == JACK or ranks & bit(rank) != ZERO:
            if top == 52 or replacements == MOST_REPLACEMENTS:
                return False
            replace(s, place, top)
            replacements += 1
            rank = rank_of(np.int64(s.deck[place]))
        ranks |= bit(rank)
        s.table |= bit(np.int64(s.deck[place]))
    s.dealt = top
    return True


@njit
def replace(s: Any, place: int, top: int) -> None:
    """The card at ``place`` goes openly into the exact middle of the pack, the top card to its place (K4)."""
    middle = top + (52 - top) // 2 - 1  # where the card lies once the top card is gone
    card = s.deck[place]
    s.deck[place] = s.deck[top]
    for position in range(top, middle):
        s.deck[position] = s.deck[position + 1]
    s.deck[middle] = card
    below_middle = s.open & ~first(middle + 1)
    above = (s.open & first(middle + 1)) & ~first(top + 1)
    s.open = below_middle | (above >> ONE) | bit(middle)


@inlined
def options(s: Any, g: Any, rank: int) -> int:
    """The moves of a rank that the table allows, as a bit set of its moves (K7, K8, K9)."""
    return np.int64(g.options[np.int64(ranks_of(s.table)), rank])


@inlined
def capturing(s: Any, g: Any, cards: np.uint64) -> np.uint64:
    """Those of ``cards`` that capture something on the table."""
    return cards & (np.uint64(g.captors[np.int64(ranks_of(s.table))]) * EVERY_SUIT)


@inlined
def playable(s: Any, g: Any, hand: np.uint64) -> np.uint64:
    """The cards of a hand that may be played: any (K6), or a capturing one if bound to capture and able (K8)."""
    if g.must_capture != 0:
        captors = capturing(s, g, hand)
        if captors != ZERO:
            return captors
    return hand


@inlined
def legal(s: Any, g: Any, words: Any) -> None:
    """Write the set of legal actions of the seat to play (K6 to K9, K17)."""
    hand = s.hand[np.int64(s.to_play)]
    rest = playable(s, g, hand)
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        rank = rank_of(card)
        moves = np.uint64(options(s, g, rank))
        start = suit_of(card) * g.num_moves + g.first_move[rank]
        word, shift = start >> 6, start & 63
        words[word] |= moves << np.uint64(shift)
        if shift > 32:
            words[word + 1] |= moves >> np.uint64(64 - shift)


@inlined
def allows(s: Any, g: Any, action: int) -> bool:
    """Whether one action is legal."""
    card, move = card_and_move(g, action)
    if playable(s, g, s.hand[np.int64(s.to_play)]) & bit(card) == ZERO:
        return False
    rank = g.rank_of[move]
    return (options(s, g, rank) >> (move - g.first_move[rank])) & 1 != 0


@inlined
def pick(s: Any, g: Any, word: np.uint64) -> int:
    """A uniform legal action, chosen by a random word."""
    cards = playable(s, g, s.hand[np.int64(s.to_play)])
    count = 0
    rest = cards
    while rest != ZERO:
        card = lowest(rest)
        rest ^= bit(card)
        count += popcount(np.uint64(options(s, g, rank_of(card))))
    index = below(word, count)
    while True:
        card = lowest(cards)
        cards ^= bit(card)
        moves = np.uint64(options(s, g, rank_of(card)))
        if index < popcount(moves):
            return suit_of(card) * g.num_moves + g.first_move[rank_of(card)] + nth(moves, index)
        index -= popcount(moves)


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
def captured(s: Any, g: Any, move: int) -> np.uint64:
    """The table cards that a move takes."""
    return s.table & (g.pattern[move] * EVERY_SUIT)


@njit
def play(s: Any, g: Any, action: int) -> int:
    """Play a legal action; say what came of it (``record.NOTHING``, ``COUNTED`` or ``OVER``)."""
    seat = np.int64(s.to_play)
    card, move = card_and_move(g, action)
    s.hand[seat] &= ~bit(card)
    s.history[np.int64(s.plays)] = seat * g.num_actions + action
    s.plays = np.int64(s.plays) + 1
    s.in_hands = np.int64(s.in_hands) - 1
    if g.pattern[move] == ZERO:
        trail(s, g, seat, card)
    else:
        capture(s, seat, card, captured(s, g, move))
        if g.match != 0 and ends_early(s, g, seat):
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
def early_points(s: Any, seat: int) -> int:
    """What counts of an unfinished deal: konchinki, and seven clubs (K15)."""
    pile = s.pile[seat]
    return popcount(pile & KONCHINKI) + (1 if popcount(pile & CLUBS) >= 7 else 0)


@njit
def ends_early(s: Any, g: Any, seat: int) -> bool:
    """Whether a seat that needs only 1 or 2 points has them now (K15); not while anyone stands at the target."""
    for other in range(g.num_players):
        if score(s, other) >= g.target:
            return False
    needed = g.target - score(s, seat)
    return needed <= 2 and early_points(s, seat) >= needed


@njit
def end_early(s: Any, g: Any) -> int:
    """The match is over at once; of the deal only konchinki and seven clubs count, for everyone alike (K15)."""
    for seat in range(g.num_players):
        s.points[seat] = early_points(s, seat)
    add_points(s, g)
    return finish(s)


@njit
def add_points(s: Any, g: Any) -> None:
    """Points of a counted deal go to the totals."""
    for seat in range(g.num_players):
        s.total[seat] = np.int64(s.total[seat]) + np.int64(s.points[seat])
    s.deals = np.int64(s.deals) + 1


@njit
def count(s: Any, g: Any) -> int:
    """Count the deal (K12, K13); end the episode or go on to the next deal of the match (K14)."""
    s.pile[np.int64(s.last_capturer)] |= s.table | left_over(s)
    s.table = ZERO
    for seat in range(g.num_players):
        s.points[seat] = popcount(s.pile[seat] & KONCHINKI)
    award_most(s, g, first(52), 2)
    award_most(s, g, CLUBS, 1)
    add_points(s, g)
    if g.match == 0 or is_won(s, g):
        return finish(s)
    for seat in range(g.num_players):
        s.taken_before[seat] = np.int64(s.taken_before[seat]) + taken(s, g, seat)
    s.dealer = next_seat(g, np.int64(s.dealer))  # K2
    s.deal += ONE
    deal(s, g)
    return COUNTED


@njit
def award_most(s: Any, g: Any, cards: np.uint64, points: int) -> None:
    """Points for more of these cards than any other single player; level at the top scores nobody (K13)."""
    most, winner = -1, -1
    for seat in range(g.num_players):
        own = popcount(s.pile[seat] & cards)
        if own > most:
            most, winner = own, seat
        elif own == most:
            winner = -1
    if winner >= 0:
        s.points[winner] = np.int64(s.points[winner]) + points


@njit
def left_over(s: Any) -> np.uint64:
    """Cards of the pack that were not dealt (K5)."""
    cards = ZERO
    for place in range(np.int64(s.dealt), 52):
        cards |= bit(np.int64(s.deck[place]))
    return cards


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


@inlined
def seat_dealt(s: Any, g: Any, place: int) -> int:
    """The seat that a pack position is or will be dealt to; -1 for the table's and those never dealt (K5)."""
    table = 4 * g.num_players
    if place >= table:
        place -= table + 4
        if place < 0 or place >= g.dealt_later * g.num_players:
            return -1
    seat = np.int64(s.dealer) + 1 + place % g.num_players
    return seat if seat < g.num_players else seat - g.num_players


@njit
def hide(s: Any, g: Any, seat: int) -> None:
    """Blank what a seat cannot know: other hands, and pack cards neither dealt to it nor openly known (K4)."""
    for other in range(g.num_players):
        if other != seat:
            s.hand[other] = ZERO
    table = 4 * g.num_players
    for place in range(52):
        own = place < np.int64(s.dealt) and seat_dealt(s, g, place) == seat
        on_table = table <= place and place < table + 4
        if not (own or on_table or s.open & bit(place) != ZERO):
            s.deck[place] = BLANK
