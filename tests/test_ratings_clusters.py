"""Intervals of ratings are over deals: what happens together in one deal is one observation, with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from agents.tournament.ratings import SCALE, rate

DEALS = 4000


def results(seed, share=0.6):
    """Won (2) or lost (0) in both games of a deal, by the luck of the deal alone."""
    return 2.0 * (np.random.default_rng(seed).random(DEALS) < share)


def half_width(rating):
    return (rating.high - rating.low) / 2


@pytest.mark.parametrize("times", [2, 5, 40])
def test_games_repeated_in_their_deals_tell_nothing_new(times):
    row = results(1)
    once = rate(row[None], [(1, 0)], 2, 0, 2)[1]
    again = rate(times * row[None], [(1, 0)], 2, 0, 2 * times)[1]
    assert again.rating == pytest.approx(once.rating, abs=0.1)
    assert half_width(again) == pytest.approx(half_width(once), rel=1e-3)


def test_deals_repeated_shrink_the_interval_by_the_root_of_their_number():
    row = results(1)
    once = rate(row[None], [(1, 0)], 2, 0, 2)[1]
    four = rate(np.tile(row, 4)[None], [(1, 0)], 2, 0, 2)[1]
    assert half_width(four) == pytest.approx(half_width(once) / 2, rel=2e-3)


def test_the_half_width_is_that_of_the_share_of_deals():
    """All games of a deal go one way: the odds have the error of so many deals, not of twice as many games."""
    row = results(2)
    share = row.mean() / 2
    found = half_width(rate(row[None], [(1, 0)], 2, 0, 2)[1])
    assert found == pytest.approx(1.9605 * SCALE / np.sqrt(DEALS * share * (1 - share)), rel=2e-3)


def test_agents_that_do_the_same_in_every_deal_are_known_no_better_than_one():
    """The second and the third win and lose against the first in the same deals, and draw with each other."""
    row = results(3)
    alone = rate(row[None], [(1, 0)], 2, 0, 2)[1]
    pairs = [(1, 0), (2, 0), (1, 2)]
    ratings = rate(np.array([row, row, np.ones(DEALS)]), pairs, 3, 0, 2)
    for twin in ratings[1:]:
        assert twin.rating == pytest.approx(alone.rating, abs=0.1)
        assert half_width(twin) == pytest.approx(half_width(alone), rel=2e-3)


def test_luck_that_both_opponents_have_in_one_deal_cancels_between_them():
    """Two who always do the same against the first are level to each other for certain, whatever the luck."""
    row = results(4)
    ratings = rate(np.array([row, row, np.ones(DEALS)]), [(1, 0), (2, 0), (1, 2)], 3, 1, 2)
    assert ratings[2].rating == pytest.approx(0, abs=1e-6)
    assert half_width(ratings[2]) == pytest.approx(0, abs=1e-6)
    assert half_width(ratings[0]) > 5
