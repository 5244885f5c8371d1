"""Ratings: known strengths are found, whatever the order; intervals hold; shutouts and strangers to each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import card_envs
from card_agents.evaluation.tournament.plan import Chunk
from card_agents.evaluation.tournament.ratings import ABOVE, APART, BELOW, FITTED, PRIOR, SCALE, rate
from card_agents.evaluation.tournament.results import results_of
from tests.test_tournament import plan_of

ELO = np.array([0.0, 120.0, -80.0, 300.0])
PAIRS = list(combinations(range(4), 2))


def outcomes(generator, elo, pairs, deals, games=2, draws=0.2, luck=0.8):
    """Scores (P, D) of games with these ratings: a share of draws, and luck of the deal common to all its games."""
    scores = np.zeros((len(pairs), deals))
    common = generator.normal(0, luck, deals)
    for row, (a, b) in enumerate(pairs):
        chance = 1 / (1 + 10 ** (-(elo[a] - elo[b]) / 400))
        shift = 0.35 * np.tanh(common) * min(chance, 1 - chance)
        for _ in range(games):
            drawn = generator.random(deals) < draws * 2 * min(chance, 1 - chance)
            won = generator.random(deals) < chance + shift
            scores[row] += np.where(drawn, chance > generator.random(deals), won)
    return scores


def test_two_agents_have_the_difference_of_the_formula():
    scores = np.array([[2.0] * 60 + [1.0] * 20 + [0.0] * 20])
    share = (140 + PRIOR / 2) / (200 + PRIOR)
    ratings = rate(scores, [(1, 0)], 2, anchor=0, games=2)
    assert ratings[0].rating == ratings[0].low == ratings[0].high == 0
    assert ratings[1].rating == pytest.approx(400 * np.log10(share / (1 - share)), abs=1e-6)
    # the delta method for the logarithm of the odds
    half = 1.984217 * scores.std(ddof=1) / 2 / 10 / (share * (1 - share)) * SCALE * 200 / 201
    assert ratings[1].high - ratings[1].rating == pytest.approx(half, rel=1e-4)


def test_draws_are_half_wins():
    drawn = rate(np.full((1, 50), 1.0), [(0, 1)], 2, 0, 2)
    split = rate(np.array([[2.0, 0.0] * 25]), [(0, 1)], 2, 0, 2)
    assert drawn[1].rating == split[1].rating == pytest.approx(0, abs=1e-9)
    assert drawn[1].high == pytest.approx(0, abs=1e-9)
    assert split[1].high > 50


def test_known_strengths_are_found_within_their_intervals():
    generator = np.random.default_rng(1)
    inside = np.zeros(4)
    for _ in range(300):
        ratings = rate(outcomes(generator, ELO, PAIRS, 200), PAIRS, 4, 0, 2)
        inside += [one.low <= true <= one.high for one, true in zip(ratings, ELO, strict=True)]
    assert (inside[1:] >= 300 * 0.95 - 3 * np.sqrt(300 * 0.05 * 0.95)).all()
    assert (inside[1:] < 300).all()


def test_intervals_agree_with_a_bootstrap_over_deals():
    generator = np.random.default_rng(4)
    scores = outcomes(generator, ELO, PAIRS, 300, luck=3.0)
    ratings = rate(scores, PAIRS, 4, 0, 2)
    again = [
        [one.rating for one in rate(scores[:, generator.integers(300, size=300)], PAIRS, 4, 0, 2)] for _ in range(300)
    ]
    widths = 1.968 * np.std(again, axis=0)[1:]
    assert [(one.high - one.low) / 2 for one in ratings[1:]] == pytest.approx(widths, rel=0.2)


def test_the_order_of_agents_and_meetings_does_not_matter():
    generator = np.random.default_rng(2)
    scores = outcomes(generator, ELO, PAIRS, 60)
    plain = rate(scores, PAIRS, 4, 0, 2)
    for _ in range(5):
        place = generator.permutation(4)
        order = generator.permutation(len(PAIRS))
        pairs, rows = [], []
        for number in order:
            a, b = PAIRS[number]
            swap = generator.random() < 0.5
            pairs.append((place[b], place[a]) if swap else (place[a], place[b]))
            rows.append(2 - scores[number] if swap else scores[number])
        other = rate(np.array(rows), pairs, 4, int(place[0]), 2)
        for agent in range(4):
            found, known = other[place[agent]], plain[agent]
            assert found.rating == pytest.approx(known.rating, abs=1e-6)
            assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-6)
            assert found.kind == known.kind


def test_another_anchor_moves_all_by_the_same():
    scores = outcomes(np.random.default_rng(3), ELO, PAIRS, 60)
    first, second = (rate(scores, PAIRS, 4, anchor, 2) for anchor in (0, 2))
    moved = [a.rating - b.rating for a, b in zip(first, second, strict=True)]
    assert moved == pytest.approx([moved[0]] * 4, abs=1e-6)


def test_shutouts_are_bounds():
    generator = np.random.default_rng(5)
    scores = outcomes(generator, ELO, PAIRS, 100)
    for row, pair in enumerate(PAIRS):
        if 3 in pair:
            scores[row] = 0 if pair[1] == 3 else 2
        elif 2 in pair:
            scores[row] = 2 if pair[1] == 2 else 0
    ratings = rate(scores, PAIRS, 4, 0, 2)
    assert [one.kind for one in ratings] == [FITTED, FITTED, BELOW, ABOVE]
    best, worst = ratings[3], ratings[2]
    assert best.high is None
    assert worst.low is None
    assert 0 < best.low < best.rating < 3000
    assert -3000 < worst.rating < worst.high < 0
    assert str(best).startswith("≥ +")
    assert str(worst).startswith("≤ -")
    # the rule of three: against one opponent, three deals of a hundred
    alone = rate(np.full((1, 100), 2.0), [(1, 0)], 2, 0, 2)[1]
    assert alone.low == pytest.approx(400 * np.log10(194.5 / 6.5), abs=1e-6)


def test_agents_that_were_never_compared_have_no_rating():
    scores = outcomes(np.random.default_rng(6), ELO, [(0, 1), (2, 3)], 50)
    ratings = rate(scores, [(0, 1), (2, 3)], 4, 0, 2)
    assert [one.kind for one in ratings] == [FITTED, FITTED, APART, APART]
    assert ratings[2].rating is ratings[2].low is ratings[2].high is None
    assert str(ratings[2]) == "?"
    chain = rate(outcomes(np.random.default_rng(6), ELO, [(0, 1), (1, 3)], 50), [(0, 1), (1, 3)], 4, 0, 2)
    assert [one.kind for one in chain] == [FITTED, FITTED, APART, FITTED]


def test_a_single_deal_has_no_intervals():
    rating = rate(np.array([[1.5]]), [(1, 0)], 2, 0, 2)[1]
    assert rating.rating > 0
    assert rating.low is rating.high is None


def half(ratings, agent):
    return (ratings[agent].high - ratings[agent].low) / 2


def test_the_games_of_a_deal_are_one_observation():
    scores = outcomes(np.random.default_rng(7), ELO, PAIRS, 400, luck=2.0)
    once = rate(scores, PAIRS, 4, 0, 2)
    # each game played twice with the same outcome tells nothing new, as long as it is in the same deal
    twice = rate(2 * scores, PAIRS, 4, 0, 4)
    apart = rate(np.concatenate([scores, scores], axis=1), PAIRS, 4, 0, 2)
    for agent in (1, 2, 3):
        assert half(twice, agent) == pytest.approx(half(once, agent), rel=0.01)
        assert half(apart, agent) == pytest.approx(half(once, agent) / 2**0.5, rel=0.01)


def test_meetings_over_the_same_deals_are_one_observation():
    row = np.random.default_rng(8).integers(0, 5, 300) / 2
    # what 1 and 2 score against 0 is the same in every deal: there is no doubt that they are equal
    together = rate(np.array([row, row]), [(1, 0), (2, 0)], 3, anchor=2, games=2)
    assert together[1].rating == pytest.approx(0, abs=1e-9)
    assert half(together, 1) == pytest.approx(0, abs=1e-6)
    assert half(together, 0) > 10
    # what one gains where the other loses: twice the error of one of them
    against = rate(np.array([row, 2 - row]), [(1, 0), (2, 0)], 3, anchor=2, games=2)
    alone = rate(np.array([row]), [(1, 0)], 2, anchor=0, games=2)
    assert half(against, 1) == pytest.approx(2 * half(alone, 1), rel=0.05)


def test_rotations_that_cancel_leave_no_doubt_in_the_results():
    plan = plan_of(card_envs.make_game("elfern"), ("greedy", "random"), 40, 20)
    won = np.array([[1, 0]] * 10 + [[0, 1]] * 10)
    points, chunks = 6 * won - 3, {}
    for job in plan.jobs:
        chunks[job] = Chunk(points, won, 0 * won, [1, 1], [0.1, 0.1], [])
    results = results_of(plan, chunks)
    for number in (0, 1):
        one = results.ratings[number]
        assert (one.rating, one.low, one.high) == pytest.approx((0, 0, 0), abs=1e-6)
        assert results.points[number].mean == results.points[number].low == results.points[number].high == 0
    # the same games, each pair of a deal with one winner: half as many observations as games
    won = np.array([[1, 1], [0, 0]] * 10)
    chunks = {job: Chunk(6 * won - 3, won, 0 * won, [1, 1], [0.1, 0.1], []) for job in plan.jobs}
    rating = results_of(plan, chunks).ratings[0]
    # 40 deals of share 0 or 1 at even odds: error of the share 0.5 / sqrt(39), of the log odds 4 times that
    expected = 2.0227 * 4 * 0.5 / 39**0.5 * SCALE * 80 / 81
    assert (rating.high - rating.low) / 2 == pytest.approx(expected, rel=1e-3)
    assert results_of(plan, chunks).meetings[0].points_a.high == pytest.approx(2.0227 * 3 / 39**0.5, rel=1e-3)
