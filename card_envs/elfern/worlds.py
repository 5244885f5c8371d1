"""Full states of Elfern that a seat holds possible: packs drawn uniformly from those that agree with its view.

A seat knows which places of the pack were dealt to whom and when, but not which card lay at which of the other seat's
places. A pack agrees with the view if every card the other seat played lay at a place dealt to it before, and if no
card of a suit that it once did not follow (E6) lay in its hand just then. So a card of that suit, played later or
held now, was dealt later: each card has a first place it can lie at, ``since``, and a played one a last place. The
first places that matter, ``cuts``, part the other seat's places into segments; free places of a segment that have
been dealt by now are all alike.

The packs are counted by how many cards of each segment are in the hand (``counts``) and drawn by these counts: sampling
is exact under all rules. Without cuts nothing is counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import ONE, ZERO, bit, draw, draw_from, first, lowest, nth, popcount
from card_envs.elfern.counts import allowed, count_ways, drawn_at, gained, part, segment_of, whole_suit
from card_envs.elfern.kernel import places_of, shows_void
from card_envs.elfern.observation import unseen_cards
from card_envs.hidden import lay_anyhow
from card_envs.jit import inlined, njit

SUITS = 4
MOST_TRICKS = 16
EVERY_OTHER = np.uint64(0x5555555555555555)


@njit
def imagine(s: Any, g: Any) -> None:
    """Fill what is blank in a view, uniform over the packs that its seat holds possible, drawn from the stream of
    ``s``."""
    if not hangs_together(s, g):
        return
    viewer = np.int64(s.viewer)
    unseen = unseen_cards(s, g, viewer)
    cards = np.empty(MOST_TRICKS, np.int64)  # that the other seat played, in order
    earliest = np.zeros(MOST_TRICKS, np.int64)  # first place that each of them can lie at
    since = np.zeros(SUITS, np.int64)  # by suit: first place that a card held now can lie at
    plays = read_plays(s, g, 1 - viewer, cards, earliest, since)
    cuts = ZERO
    for k in range(plays):
        cuts |= bit(earliest[k])
    for suit in range(g.suits):
        if unseen & whole_suit(g, suit) != ZERO:
            cuts |= bit(since[suit])
    cuts &= ~ONE  # any place will do: no cut
    free = places_of(s, 1 - viewer)
    if cuts == ZERO:
        for k in range(plays):
            free = lay(s, cards[k], draw_from(s, free & first(drawn_at(s, g, k))), free)
    else:
        free = lay_by_counts(s, g, cards[:plays], earliest, since, cuts, free, unseen)
    s.hand[1 - viewer] = 0
    while free != ZERO:  # the first place has the least choice, and takes it from no later one in particular
        place = lowest(free)
        card = draw_from(s, allowed(g, unseen, since, place))
        free = lay(s, card, place, free)
        s.hand[1 - viewer] = np.uint64(s.hand[1 - viewer]) | bit(card)
        unseen &= ~bit(card)
    lay_anyhow(s, first(g.pack_size) & ~first(np.int64(s.drawn)), unseen)


@njit
def hangs_together(s: Any, g: Any) -> bool:
    """Whether the seats play and draw in turn, as in every genuine view: the counts rely on it."""
    plays, drawn = np.int64(s.plays), np.int64(s.drawn)
    if plays > g.pack_size or drawn != min(2 * (g.hand_size + (plays >> 1)), g.pack_size):
        return False
    for k in range(1, plays, 2):
        if player_of(s, g, k - 1) == player_of(s, g, k):
            return False
    pairs = EVERY_OTHER & first(drawn)
    return (np.uint64(s.owner) ^ (np.uint64(s.owner) >> ONE)) & pairs == pairs


@inlined
def player_of(s: Any, g: Any, play: int) -> int:
    """The seat that made a play."""
    return np.int64(np.int64(s.history[play]) >= g.num_actions)


@inlined
def lay(s: Any, card: int, place: int, free: np.uint64) -> np.uint64:
    """Put a card at a free place of the pack; return the places still free."""
    s.deck[place] = card
    return free & ~bit(place)


@njit
def read_plays(s: Any, g: Any, seat: int, cards: Any, earliest: Any, since: Any) -> int:
    """Fill in what a seat's plays show; return their number. Its play k was made in trick k: both play once in each."""
    plays = 0
    lead = 0
    for k in range(np.int64(s.plays)):
        trick, follows = k >> 1, k & 1
        player = player_of(s, g, k)
        card = (np.int64(s.history[k]) - player * g.num_actions) & 31
        if player == seat:
            cards[plays] = card
            earliest[plays] = since[g.suit_of[card]]
            plays += 1
            drawn = drawn_at(s, g, trick)
            if follows == 1 and shows_void(g, drawn, lead, card):
                since[g.suit_of[lead]] = drawn
        lead = card
    return plays


@njit
def lay_by_counts(
    s: Any, g: Any, cards: Any, earliest: Any, since: Any, cuts: np.uint64, places: np.uint64, unseen: np.uint64
) -> np.uint64:
    """Put the cards played at places of their seat, each way in proportion to its packs; return the rest."""
    plays, last = len(cards), popcount(cuts)
    segments = np.empty(last + 1, np.uint64)
    weights = np.zeros(last + 1, np.int64)
    codes = part(g, cuts, places, segments, weights)
    free = places
    begin = 0  # the first play with more than one segment to choose from
    while begin < plays and segment_of(cuts, drawn_at(s, g, begin) - 1) == 0:
        free = lay(s, cards[begin], draw_from(s, free & first(drawn_at(s, g, begin))), free)
        begin += 1
    ways = count_ways(s, g, begin, earliest, since, cuts, places, unseen, segments, weights, codes, plays)
    code = 0
    for i in range(last + 1):
        code += popcount(free & first(drawn_at(s, g, begin)) & segments[i]) * weights[i]
    for k in range(begin, plays):
        gain = gained(s, g, k, places, cuts, weights)
        if ways[k, code] <= 0:  # the plays contradict each other
            return free
        index = np.int64(draw(s) >> ONE) % ways[k, code]
        i = segment_of(cuts, earliest[k])
        inside, each = ZERO, 0
        while True:
            inside = free & first(drawn_at(s, g, k)) & segments[i]
            each = ways[k + 1, code - weights[i] + gain] if inside != ZERO else 0
            if index < popcount(inside) * each:
                break
            index -= popcount(inside) * each
            i += 1
        free = lay(s, cards[k], nth(inside, index // each), free)
        code += gain - weights[i]
    return free
