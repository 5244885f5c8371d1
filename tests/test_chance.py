"""What is left to chance: fair, from the table's own generators, and bit sets."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_envs.bits import first, lowest, nth, popcount, shuffle
from tests.variants import DEFAULTS, FEW, every

# Chance


@every()
def test_play_leaves_the_global_generators_alone(game):
    numpy_before = np.random.get_state()  # noqa: NPY002
    python_before = random.getstate()
    states = game.new_states(np.arange(10, dtype=np.uint64))
    for _ in range(game.max_plays):
        game.step(states, game.sample_actions(states))
        game.greedy_actions(states)
    game.new_state().clone().view(0)
    game.reset(states)
    numpy_after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(left, right) for left, right in zip(numpy_before, numpy_after, strict=True))
    assert python_before == random.getstate()


def packs(size, count, by_deal):
    out = np.zeros((count, size), np.uint8)
    for k in range(count):
        seed, deal = (7, k) if by_deal else (k, 0)
        shuffle(out[k], size, np.uint64(seed), np.uint64(deal))
    return out


def deviation(counts, expected, freedom):
    """How many standard deviations chi-square lies from its mean."""
    chi = ((counts - expected) ** 2 / expected).sum()
    return (chi - freedom) / np.sqrt(2 * freedom)


@pytest.mark.parametrize("by_deal", [False, True], ids=["seeds in a row", "deals of one seed"])
@pytest.mark.parametrize("size", [4, 12, 32, 52])
def test_packs_are_shuffled_fairly(size, by_deal):
    count = 20_000
    decks = packs(size, count, by_deal)
    assert (np.sort(decks, axis=1) == np.arange(size)).all()
    places = np.stack([np.bincount(decks[:, place], minlength=size) for place in range(size)])
    assert abs(deviation(places, count / size, (size - 1) ** 2)) < 4
    # neighbours: each ordered pair of cards at places 0-1, and at the last two
    for left in (0, size - 2):
        pairs = np.bincount(decks[:, left].astype(int) * size + decks[:, left + 1], minlength=size * size)
        pairs = pairs.reshape(size, size)[~np.eye(size, dtype=bool)]
        assert abs(deviation(pairs, count / (size * (size - 1)), size * (size - 1) - 1)) < 4
    # and one deal says nothing of the next
    tops = np.bincount(decks[:-1, 0].astype(int) * size + decks[1:, 0], minlength=size * size)
    assert abs(deviation(tops, (count - 1) / size**2, size**2 - 1)) < 4


def test_all_orders_of_a_small_pack_come_up_alike():
    decks = packs(5, 24_000, False)
    orders = decks.astype(int) @ 5 ** np.arange(5)
    counts = np.unique(orders, return_counts=True)[1]
    assert len(counts) == 120
    assert abs(deviation(counts, 200, 119)) < 4


@every(FEW)
def test_the_first_dealer_is_drawn_fairly_and_apart_from_the_pack(game):
    players, size = game.num_players, game.pack.size
    states = game.new_states(np.arange(30_000, dtype=np.uint64))
    dealers = states["dealer"].astype(int)
    assert abs(deviation(np.bincount(dealers, minlength=players), 30_000 / players, players - 1)) < 4
    if not states["deal"].any():  # void deals would leave some packs out
        both = np.bincount(dealers * size + states["deck"][:, 0], minlength=size * players)
        assert abs(deviation(both, 30_000 / (size * players), size * players - 1)) < 4
    later = [int(game.new_state(seed=3, deal=deal).dealer) for deal in range(3000)]
    assert abs(deviation(np.bincount(later, minlength=players), 3000 / players, players - 1)) < 4


@every(DEFAULTS)
def test_choices_are_uniform_and_of_another_stream_than_the_deals(game):
    states = game.new_states(np.arange(24_000, dtype=np.uint64))
    masks = game.masks(states)
    choices = np.bincount(masks.sum(axis=1)).argmax()  # how many actions most of the tables have to choose from
    states, masks = states[masks.sum(axis=1) == choices], masks[masks.sum(axis=1) == choices]
    actions = game.sample_actions(states)
    ranks = [int(mask[:action].sum()) for mask, action in zip(masks, actions, strict=True)]
    assert abs(deviation(np.bincount(ranks, minlength=choices), len(states) / choices, choices - 1)) < 4
    one = np.full(1, 9, np.uint64)
    left, right = game.new_states(one), game.new_states(one)
    for _ in range(5):
        game.draws(left)  # more choices drawn here
    for _ in range(40):
        action = game.masks(right).argmax(axis=1)
        game.step(left, action)
        game.step(right, action)
    assert left["deck"].tobytes() == right["deck"].tobytes()
    assert left["choice"] != right["choice"]


# Bits


@given(st.integers(1, 2**64 - 1))
def test_sets_of_bits(members):
    word = np.uint64(members)
    listed = [k for k in range(64) if members >> k & 1]
    assert popcount(word) == len(listed)
    assert lowest(word) == listed[0]
    assert [nth(word, k) for k in range(len(listed))] == listed
    assert popcount(np.uint64(0)) == 0
    assert lowest(np.uint64(0)) == 64


def test_first_is_a_thermometer():
    for count in range(65):
        assert int(first(count)) == 2**count - 1
