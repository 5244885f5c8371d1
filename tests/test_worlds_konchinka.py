"""Worlds of Konchinka are uniform over the hands that agree with the view, counted one by one late in deals."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from card_envs.batches import copy
from card_envs.konchinka import worlds as kernel
from card_envs.konchinka.dealing import seat_dealt
from tests.konchinka_deals import all_hands, deals, game_of, start
from tests.walks import walk
from tests.worlds import deviation

MOST = 3000
EACH = 20  # samples for each way to deal the hands


def hands_of(states):
    return [hands.tobytes() for hands in states["hand"]]


def cases(game, wanted, seed=0):
    """Views from random play in which others have shown what they do not hold; all ways to deal the hidden cards."""
    found = tried = 0
    stages = 16 if game.num_players == 2 else 3 * game.num_players
    while found < wanted:
        tried += 1
        assert tried < 4000, "nothing to test"
        seed += 1
        state = walk(game, seed, game.max_plays - 1 - seed % stages)
        view = state.view(seed % game.num_players)
        others = np.arange(game.num_players) != view.viewer
        if not view.record["denied"][0, : game.num_players][others].any() or view.is_over:
            continue
        states = all_hands(game, view, MOST)
        if states is not None and len(states) > 3:
            found += 1
            yield view, states


@pytest.mark.parametrize("players", [2, 3, 4, 6, 7, 12])
def test_worlds_are_uniform_over_the_hands(players):
    """K8, obligation="hand": each hand avoids what it has shown, and all ways to do so are alike."""
    game = game_of(num_players=players, obligation="hand")
    for view, states in cases(game, 4):
        possible = hands_of(states)
        worlds = game.sample_worlds(view, max(EACH * len(possible), 2000), 5)
        assert abs(deviation(hands_of(worlds), possible)) < 4, view.history


def test_hands_that_are_filled_one_after_the_other_would_be_found_out():
    """The test above can fail: without rejection some deals come out too often."""
    game = game_of(num_players=4, obligation="hand")
    dice = np.random.default_rng(1)
    deviations = []
    for _, states in cases(game, 12, seed=100):
        possible = [tuple(hands) for hands in states["hand"].tolist()]
        deviations.append(deviation([one_by_one(possible, dice) for _ in range(EACH * len(possible))], possible))
    assert max(deviations) > 10


def one_by_one(possible, dice):
    """One of the deals: each seat's hand uniform among those that go with the hands before it."""
    for seat in range(4):
        hands = sorted({deal[seat] for deal in possible})
        hand = hands[dice.integers(len(hands))]
        possible = [deal for deal in possible if deal[seat] == hand]
    return possible[0]


def test_with_the_obligation_of_the_card_nothing_is_shown():
    """K8: a player may hold back a card that captures."""
    game = game_of(num_players=3)
    state = walk(game, 3, 38)
    view = state.view(0)
    assert not view.record["denied"].any()
    states = all_hands(game, view, MOST)
    worlds = game.sample_worlds(view, EACH * len(states), 5)
    assert len(states) > 10
    assert abs(deviation(hands_of(worlds), hands_of(states))) < 4


def test_a_denial_ends_with_the_round():
    """K5, K8: in the next round the other seat may hold any rank again."""
    rules = {"obligation": "hand"}
    state = start(["Ac 3c 5c 7c", "2d 4d 6d 6c"], table="Kc Qd 9h 8s", **rules)
    for turn in range(8):
        view = state.view(0)
        worlds = state.game.sample_worlds(view, 300, 1)
        denied = int(view.record["denied"][0, 1])
        held = {card % 13 for hand in worlds["hand"][:, 1].tolist() for card in range(52) if hand >> card & 1}
        assert not any(denied >> rank & 1 for rank in held)
        assert bool(denied) == (turn > 0)  # seat 1 trails first
        state.play(int(state.legal_actions()[0]))
    assert not state.record["denied"].any()
    worlds = state.game.sample_worlds(state.view(0), 300, 1)
    assert len({card % 13 for hand in worlds["hand"][:, 1].tolist() for card in range(52) if hand >> card & 1}) == 13


def places_of(game, view, seat, dealt):
    return [place for place in range(dealt) if int(seat_dealt(view.record[0], game.constants[0], place)) == seat]


def test_cards_played_lie_in_any_order_at_the_places_of_their_round():
    game = game_of()
    state = walk(game, 2, 13)
    view = state.view(state.dealer)
    other = 1 - state.dealer
    places = places_of(game, view, other, 20)
    worlds = game.sample_worlds(view, 6000, 1)
    first, second = worlds["deck"][:, places[:4]], worlds["deck"][:, places[4:8]]
    played = [game.pack.card(name[:2]) for seat, name in state.history if seat == other]
    orders = [bytes(order) for order in permutations(played[:4])]
    assert abs(deviation([row.tobytes() for row in first], orders)) < 4
    assert (np.isin(second, played[4:]).sum(axis=1) == len(played) - 4).all()
    where = (second == played[4]).argmax(axis=1)
    assert abs(deviation([bytes([place]) for place in where], [bytes([place]) for place in range(4)])) < 4


def test_cards_openly_known_stay_in_their_places_and_go_to_their_seats():
    """K4: which cards were put back, and where they lie, is public."""
    game = game_of(num_players=2)
    seed = next(seed for seed in range(500) if game.new_state(seed=seed).record["open"][0].bit_count() == 2)
    state = game.new_state(seed=seed)
    known = [place for place in range(52) if int(state.record["open"][0]) >> place & 1]
    met = Counter()
    while not state.is_over:
        for seat in (0, 1):
            view = state.view(seat)
            worlds = game.sample_worlds(view, 50, 1)
            assert (worlds["deck"][:, known] == state.record["deck"][0, known]).all()
            for place in known:
                card = 1 << int(state.record["deck"][0, place])
                owner = int(seat_dealt(view.record[0], game.constants[0], place))
                if owner != seat and int(state.record["hand"][0, owner]) & card:
                    assert (worlds["hand"][:, owner] & np.uint64(card) != 0).all()
                    met[place] += 1
        state.play(int(state.legal_actions()[0]))
    assert met


def test_cards_never_dealt_are_still_in_any_order_when_all_is_counted():
    """K5, K12: they go to the last capturer unseen, as a set."""
    game = game_of(num_players=5)
    state = walk(game, 1, 100)
    assert state.is_over
    worlds = game.sample_worlds(state.view(2), 3000, 1)
    left = state.record["deck"][0, 49:]
    orders = [bytes(order) for order in permutations(left.tolist())]
    assert abs(deviation([row.tobytes() for row in worlds["deck"][:, 49:]], orders)) < 4


# The chain of swaps, which random play hardly ever calls for


def chain(held, can_hold, hidden, count):
    """What the chain gives the hands, so many times; all sets as lists of numbers."""

    def bits(sets):
        return np.array([sum(1 << member for member in each) for each in sets], np.uint64)

    table = copy(game_of().new_states(np.arange(1, dtype=np.uint64)))
    given = np.empty(len(held), np.uint64)
    for _ in range(count):
        kernel.swap_about(table[0], bits(held), bits(can_hold), bits([hidden])[0], given)
        yield given.tobytes()


@pytest.mark.parametrize(
    ("sizes", "can_hold", "cards"),
    [
        ([1, 1, 1], [{0, 1}, {1, 2}, {2, 0}], 3),  # no swap leads from one of its two ways to the other
        ([2, 1, 2], [{0, 1, 2, 3}, {2, 3, 4}, {0, 4, 5, 6}], 7),
        ([1, 2], [{0, 1}, {0, 1, 2, 3, 4}], 5),
    ],
)
def test_the_chain_of_swaps_is_uniform_in_small_positions(sizes, can_hold, cards):
    ways = [
        np.array([sum(1 << card for card in hand) for hand in dealt[:-1]], np.uint64).tobytes()
        for dealt in deals(list(range(cards)), sizes)
        if all(set(hand) <= allowed for hand, allowed in zip(dealt, can_hold, strict=False))
    ]
    held = [range(10 * number, 10 * number + size) for number, size in enumerate(sizes)]
    samples = list(chain(held, can_hold, range(cards), 3000))
    assert abs(deviation(samples, ways)) < 4
