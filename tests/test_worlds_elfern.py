"""Worlds of Elfern are uniform over the packs that agree with the view, counted one by one in small games."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import card_envs
from card_envs.batches import copy
from card_envs.elfern.rules import FOLLOW_SUIT
from tests.variants import positions
from tests.walks import walk
from tests.worlds import all_packs, deviation

SMALL = (
    {"suits": 2, "ranks": 4, "honours": 2, "hand_size": 2},
    {"suits": 3, "ranks": 4, "hand_size": 2},
    {"suits": 4, "ranks": 3, "hand_size": 3},
    {"suits": 2, "ranks": 6, "hand_size": 3},
    {"suits": 4, "ranks": 3, "hand_size": 1},
)
EACH = 20  # samples for each pack


def voids(game, view):
    """Tricks in which the other seat did not follow suit while the stock lasted."""
    tricks = view.history[: len(view.history) // 2 * 2]
    pairs = zip(tricks[::2], tricks[1::2], strict=True)
    before = (game.pack.size - 2 * game.rules.hand_size) // 2
    return [
        trick
        for trick, ((_, lead), (seat, card)) in enumerate(pairs)
        if seat != view.viewer and lead[1] != card[1] and trick < before
    ]


def packs_of(states, game):
    return [deck.tobytes() for deck in states["deck"][:, : game.pack.size]]


def cases(game, wanted, least_voids, seed=0):
    """Views from random play, at all stages, in which the other seat has shown that many voids; their packs."""
    found = 0
    while found < wanted:
        seed += 1
        state = walk(game, seed, 3 + seed % (game.pack.size - 3))
        view = state.view(seed % 2)
        own = game.pack.size - int((view.record["deck"] == 255).sum())
        if game.pack.size - own > 7 or len(voids(game, view)) < least_voids:
            continue
        states = all_packs(game, view)
        if 3 <= len(states) <= 3000:
            found += 1
            yield view, states


@pytest.mark.parametrize("follow_suit", FOLLOW_SUIT)
@pytest.mark.parametrize("size", SMALL, ids=lambda size: "-".join(map(str, size.values())))
def test_worlds_are_uniform_over_the_packs(size, follow_suit):
    game = card_envs.make_game("elfern", follow_suit=follow_suit, **size)
    for least_voids in (0, 1, 2):
        if least_voids == 2 and size["hand_size"] > 1 and size["suits"] == 2:
            continue
        for view, states in cases(game, 2, least_voids):
            worlds = game.sample_worlds(view, max(EACH * len(states), 2000), 5)
            assert abs(deviation(packs_of(worlds, game), packs_of(states, game))) < 4, view.history


def naive(states, other, count):
    """Packs drawn by another law: hands uniform, and then a pack that holds them."""
    dice = np.random.default_rng(3)
    by_hand = {}
    for number, hand in enumerate(states["hand"][:, other].tolist()):
        by_hand.setdefault(hand, []).append(number)
    hands = list(by_hand.values())
    return [dice.choice(hands[chosen]) for chosen in dice.integers(len(hands), size=count)]


def test_a_sampler_uniform_over_hands_would_be_found_out():
    """The test above can fail: after a void hands come of more or fewer packs."""
    game = card_envs.make_game("elfern", **SMALL[2])
    deviations = []
    for view, states in cases(game, 3, 1, seed=50):
        packs = packs_of(states, game)
        chosen = naive(states, 1 - view.viewer, EACH * len(packs))
        deviations.append(deviation([packs[number] for number in chosen], packs))
    assert max(deviations) > 10


def test_a_shown_void_counts_only_until_a_card_is_drawn():
    """E6, E7. The other seat did not follow diamonds, then drew one card: it may hold one diamond, not two."""
    game = card_envs.make_game("elfern", suits=3, ranks=4, hand_size=2)
    deck = "Qd Ac Ah Kc Qc Ad Kd Jd Kh Qh Jh Jc"  # to seat 1: Qd Ah and, drawing first, Qc
    state = game.new_state(deck=deck, dealer=0)
    state.play("Qd")
    state.play("Kc")
    worlds = game.sample_worlds(state.view(1), 4000, 1)
    diamonds = sum(1 << game.action_id(name) for name in ("Ad", "Kd", "Qd", "Jd"))
    held = Counter((int(hand) & diamonds).bit_count() for hand in worlds["hand"][:, 0])
    assert set(held) == {0, 1}
    # First one of five cards that are no diamonds, then one of seven, three of them diamonds.
    assert abs(held[1] / 4000 - 3 / 7) < 0.03


def test_with_many_voids_shown_worlds_are_still_uniform():
    """Hands of few cards and many suits: voids in most tricks, several segments of places."""
    game = card_envs.make_game("elfern", suits=4, ranks=3, hand_size=2, follow_suit="always")
    for view, states in cases(game, 4, 3):
        worlds = game.sample_worlds(view, max(EACH * len(states), 2000), 8)
        assert abs(deviation(packs_of(worlds, game), packs_of(states, game))) < 4, view.history


@pytest.mark.parametrize("rules", [{}, {"follow_suit": "never"}], ids=["stock", "never"])
def test_once_all_cards_are_known_every_world_has_the_true_hands(rules):
    game = card_envs.make_game("elfern", **rules)
    found = 0
    for states in positions(game, 20, game.max_plays - 1, auto_reset=False):
        for i in np.flatnonzero(states["drawn"] == game.pack.size)[::5]:
            worlds = game.sample_worlds(game.state(copy(states), int(i)).view(), 3, int(i))
            assert (worlds["hand"] == states["hand"][i]).all()
            found += 1
    assert found > 20
