"""The sequential test: its error rates hold, also where deals are skewed, and it stops early."""

from __future__ import annotations

import math

import numpy as np
import pytest

from card_agents.evaluation.tournament.sequential import BETTER, NOT_BETTER, UNDECIDED, Sprt
from tests.refusals import refused

RUNS, MOST = 600, 4000


def mixed(generator, mean):
    """Half points from a wide law, as deals of Elfern in both seats have them."""
    values = np.array([-2.5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5])
    chances = np.array([1, 3, 8, 12, 30, 12, 8, 3, 1]) / 78
    shift = mean / (values**2 @ chances)
    return generator.choice(values, (RUNS, MOST), p=chances * (1 + shift * values))


def rare(generator, mean):
    """Nearly always nothing, and now and then five points: two players that hardly differ."""
    return 5.0 * (generator.random((RUNS, MOST)) < mean / 5)


def rare_loss(generator, mean):
    """Nearly always a little, and now and then a great loss."""
    return np.where(generator.random((RUNS, MOST)) < (0.25 - mean) / 5.25, -5.0, 0.25)


def normal(generator, mean):
    return generator.normal(mean, 1.5, (RUNS, MOST))


def shares(test, observations):
    """Share of runs that end in each verdict, and the mean number of deals."""
    ratios = test.ratios(observations)
    low, high = test.bounds
    outside = (ratios <= low) | (ratios >= high)
    ended = outside.any(axis=1)
    first = np.where(ended, outside.argmax(axis=1), MOST - 1)
    last = ratios[np.arange(len(ratios)), first]
    return (last >= high).mean(), (last <= low).mean(), (first + 1).mean()


@pytest.mark.parametrize("law", [mixed, rare, rare_loss, normal])
def test_error_rates_hold(law):
    test = Sprt(margin=0.0, better=0.1, alpha=0.05, beta=0.1, spread=5.0)
    generator = np.random.default_rng(8)
    slack = 3 * math.sqrt(0.05 * 0.95 / RUNS)
    wrong, right, _ = shares(test, law(generator, 0.0))
    assert wrong <= (0.05 if law is not rare_loss else 0.1) + slack
    if law is not normal:
        assert right > 0.8
    right, wrong, deals = shares(test, law(generator, 0.1))
    assert wrong <= 0.1 + slack * 1.4
    if law is not normal:
        assert right > 0.8
        assert deals < MOST / 2
    # far from both hypotheses it is surer, and sooner
    right, wrong, fewer = shares(test, law(generator, 0.2))
    assert wrong <= 0.02
    assert fewer < deals


def test_the_verdict_is_the_first_crossing():
    test = Sprt(0.0, 0.1, 0.05, 0.05, 5.0)
    generator = np.random.default_rng(3)
    observations = generator.normal(0.3, 1.0, 4000)
    said, deals = test.verdict(observations)
    assert said == BETTER
    assert 10 < deals < 1500
    ratios = test.ratios(observations)
    low, high = test.bounds
    assert ((ratios[: deals - 1] < high) & (ratios[: deals - 1] > low)).all()
    assert ratios[deals - 1] >= high == pytest.approx(math.log(19))
    assert test.verdict(observations[:deals]) == (BETTER, deals)
    assert test.verdict(observations[: deals - 1]) == (UNDECIDED, deals - 1)
    assert test.verdict(-observations)[0] == NOT_BETTER
    assert test.verdict(np.zeros(3)) == (UNDECIDED, 3)


def test_the_ratio_is_that_of_two_normal_laws():
    test = Sprt(0.1, 0.4, 0.05, 0.05, 2.0)
    values = np.random.default_rng(4).normal(0, 1, 50)
    variance = (((values - values.mean()) ** 2).sum() + 4 * 2.0**2) / 54
    expected = (((values - 0.1) ** 2).sum() - ((values - 0.4) ** 2).sum()) / (2 * variance)
    assert test.ratios(values)[-1] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("margin", "better", "alpha", "beta", "word"),
    [
        (0.1, 0.1, 0.05, 0.05, "above margin"),
        (0.2, 0.1, 0.05, 0.05, "above margin"),
        (0.0, math.nan, 0.05, 0.05, "better=nan"),
        (math.nan, 0.1, 0.05, 0.05, "margin=nan"),
        (0.0, math.inf, 0.05, 0.05, "better=inf"),
        (-math.inf, 0.1, 0.05, 0.05, "margin=-inf"),
        (0.0, 5.1, 0.05, 0.05, "better=5.1"),
        (-1e300, 1.0, 0.05, 0.05, "margin=-1e+300"),
        (0.0, 0.1, math.nan, 0.05, "alpha=nan"),
        (0.0, 0.1, 1.0, 0.05, "alpha=1"),
        (0.0, 0.1, 0.05, -1.0, "beta=-1"),
        (0.0, 0.1, 0.0, 0.05, "alpha=0"),
        (0.0, 0.1, 0.05, 0.5, "beta=0.5"),
    ],
)
def test_impossible_tests_are_refused(margin, better, alpha, beta, word):
    refused(lambda: Sprt(margin, better, alpha, beta, 5.0), word)


def test_bounds_are_finite_whatever_the_error_rates():
    for rate in (5e-324, 1e-300, 0.4999999):
        low, high = Sprt(-5.0, 5.0, rate, rate, 5.0).bounds
        assert -math.inf < low < 0 < high < math.inf
