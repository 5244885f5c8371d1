"""The arena: rotations, clusters, intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent
from card_agents.evaluation.arena import Clock, Log, deal_seeds, meet, meeting_of, play_out, seat_results
from card_agents.evaluation.evaluating import evaluate
from card_agents.evaluation.intervals import estimate, t_quantile
from card_agents.protocol import Forfeit
from tests.variants import FEW

VARIANTS = [(variant.game, variant.rules) for variant in FEW]


def both(game):
    return RandomAgent(game), GreedyAgent(game)


@pytest.mark.parametrize(("name", "rules"), VARIANTS)
def test_an_agent_against_itself_makes_exactly_nothing(name, rules):
    game = card_envs.make_game(name, **rules)
    for agent in both(game):
        meeting = meet(game, ("a", "a"), (agent, agent), deal_seeds(1, 60))
        assert meeting.points_a.mean == meeting.points_a.low == meeting.points_a.high == 0
        assert meeting.points_b.mean == 0
        if game.num_players == 2:
            assert meeting.outcomes["win"] == meeting.outcomes["loss"]
            assert meeting.win_rate.mean == 0.5


@pytest.mark.parametrize(("name", "rules"), VARIANTS)
def test_greedy_beats_random(name, rules):
    game = card_envs.make_game(name, **rules)
    random, greedy = both(game)
    meeting = meet(game, ("random", "greedy"), (random, greedy), deal_seeds(0, 150))
    assert meeting.points_a.high < 0 < meeting.points_b.low
    if game.num_players == 2:
        back = meet(game, ("greedy", "random"), (greedy, random), deal_seeds(0, 150))
        assert back.points_a.mean == meeting.points_b.mean
        assert back.outcomes["win"] == meeting.outcomes["loss"]


@pytest.mark.parametrize(("name", "rules"), VARIANTS[:4])
def test_a_deal_is_one_observation(name, rules):
    game = card_envs.make_game(name, **rules)
    agents = both(game)
    seeds = deal_seeds(5, 40)
    meeting = meet(game, ("random", "greedy"), agents, seeds)
    points = np.zeros((40, game.num_players))
    outcomes = {"win": 0, "draw": 0, "loss": 0}
    for seat in range(game.num_players):
        for deal, seed in enumerate(seeds.tolist()):
            state = game.new_state(seed=seed).record.copy()
            while not game.is_over(state)[0]:
                view = game.views(state)
                turn = int(game.to_play(state)[0])
                agent = agents[0 if turn == seat else 1]
                action = agent.act(view, game.observations(view), game.masks(view), game.draws(state))
                game.step(state, action, auto_reset=False)
            points[deal, seat] = game.returns(state)[0, seat]
            counted = (game.scores(state) if game.rules.match else game.points(state))[0]
            best = np.flatnonzero(counted == counted.max())
            outcomes["loss" if seat not in best else "win" if len(best) == 1 else "draw"] += 1
    means = points.mean(axis=1)
    half = t_quantile(39) * means.std(ddof=1) / 40**0.5
    assert meeting.points_a.mean == pytest.approx(means.mean())
    assert meeting.points_a.high - meeting.points_a.mean == pytest.approx(half)
    assert [seat.mean for seat in meeting.seat_points] == pytest.approx(points.mean(axis=0).tolist())
    assert meeting.outcomes == outcomes
    assert meeting.points_b.mean == pytest.approx(-means.mean() / (game.num_players - 1))


@pytest.mark.parametrize(("name", "rules"), VARIANTS)
def test_results_do_not_depend_on_the_batch(name, rules):
    game = card_envs.make_game(name, **rules)
    results = [meet(game, ("r", "g"), both(game), deal_seeds(2, 50), batch) for batch in (1, 7, 4096)]
    assert results[0] == results[1] == results[2]


def test_final_states_come_back_in_order():
    game = card_envs.make_game("elfern", match=True, target=4)
    seeds = deal_seeds(3, 30)
    whole = play_out(game, both(game), [0, 1], seeds)
    for k in (0, 11, 29):
        assert play_out(game, both(game), [0, 1], seeds[k : k + 1]).tobytes() == whole[k : k + 1].tobytes()


def test_agents_are_handed_copies_of_views_and_nothing_else():
    game = card_envs.make_game("elfern")

    class Meddler(RandomAgent):
        def act(self, views, observations, masks, random):
            assert (views["viewer"] == views["to_play"]).all()
            assert not views["seed"].any()
            assert not views["choice"].any()
            actions = super().act(views, observations, masks, random)
            for array in (views.view(np.uint8), observations, masks, random):
                array[...] = 1
            return actions

    meddled = play_out(game, [Meddler(game)], [0, 0], deal_seeds(1, 30))
    assert meddled.tobytes() == play_out(game, [RandomAgent(game)], [0, 0], deal_seeds(1, 30)).tobytes()


@pytest.mark.parametrize("answer", [99, -1, "illegal", "illegal, and all allowed", "floats", "short"])
def test_bad_answers_are_refused_by_name(answer):
    game = card_envs.make_game("elfern")

    class Bad:
        def act(self, views, observations, masks, random):
            if answer == "floats":
                return np.zeros(len(views))
            if answer == "short":
                return np.zeros(len(views) - 1, np.int32)
            if isinstance(answer, int):
                return np.full(len(views), answer)
            actions = masks.argmin(axis=1)
            if answer == "illegal, and all allowed":
                masks[:] = 1
            return actions

    with pytest.raises(ValueError, match=r"bad bot"):
        meet(game, ("bad bot", "random"), (Bad(), RandomAgent(game)), deal_seeds(0, 5))


def test_quantiles_are_those_of_the_tables():
    table = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 9: 2.26216, 10: 2.22814, 60: 2.00030, 999: 1.96234}
    for freedom, value in {**table, 2000: 1.96115, 2001: 1.96115, 10**6: 1.95997}.items():
        assert t_quantile(freedom) == pytest.approx(value, abs=1e-5)
    assert t_quantile(10, 0.99) == pytest.approx(3.16927, abs=1e-5)


def test_intervals_of_a_known_case():
    found = estimate(np.array([1, 2, 3, 4]))
    assert found.mean == 2.5
    assert found.high - 2.5 == pytest.approx(3.18245 * (5 / 3) ** 0.5 / 2, abs=1e-5)
    assert found.low + found.high == pytest.approx(5)
    alone = estimate(np.array([1.5]))
    assert alone.mean == 1.5
    assert math.isnan(alone.low)
    assert alone.to_dict() == {"mean": 1.5, "low": None, "high": None}
    with pytest.raises(ValueError, match=r"at least one observation"):
        estimate(np.array([]))


def test_intervals_cover_the_truth_as_often_as_they_say():
    dice = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        found = estimate(dice.normal(3, 2, size=5))
        covered += found.low <= 3 <= found.high
    assert abs(covered / 2000 - 0.95) < 4 * (0.95 * 0.05 / 2000) ** 0.5


def test_deals_of_an_evaluation_can_be_dealt_one_by_one():
    assert deal_seeds(3, 2).tolist() == [3 << 32, (3 << 32) + 1]
    assert not set(deal_seeds(1, 1000).tolist()) & set(deal_seeds(2, 1000).tolist())
    for deals in (0, -1, 2**33):
        with pytest.raises(ValueError, match=r"out of range"):
            deal_seeds(0, deals)


def test_all_pairs_meet():
    two = card_envs.make_game("elfern")
    three = card_envs.make_game("konchinka", num_players=3)
    for game, pairs in (
        (two, [("r", "g"), ("r", "h"), ("g", "h")]),
        (three, [(a, b) for a in "rgh" for b in "rgh" if a != b]),
    ):
        random, greedy = both(game)
        evaluation = evaluate(game, [("r", random), ("g", greedy), ("h", greedy)], deals=10, seed=0)
        assert [(meeting.a, meeting.b) for meeting in evaluation.meetings] == pairs


class Fails(RandomAgent):
    """Plays at random, and fails in every position of some kind."""

    def act(self, views, observations, masks, random):
        actions = super().act(views, observations, masks, random)
        rows = np.flatnonzero((views["plays"] > 8) & (random % np.uint64(60) == 0))
        if len(rows):
            actions[rows] = -1
            raise Forfeit("Fails", actions, {int(row): f"failed after {views['plays'][row]} plays" for row in rows})
        return actions


@pytest.mark.parametrize(("name", "rules"), [variant for variant in VARIANTS if variant[1].get("match")])
def test_a_failure_is_written_down_for_the_table_that_it_was_at(name, rules):
    """Episodes end at different times, and those that go on are moved together: the numbers of tables stay."""
    game = card_envs.make_game(name, **rules)
    log = Log([Clock(), Clock()])
    seeds = deal_seeds(6, 90)
    final = play_out(game, [Fails(game), GreedyAgent(game)], [0] + [1] * (game.num_players - 1), seeds, None, log)
    lost = np.flatnonzero(final["forfeit"] >= 0)
    assert 15 < len(lost) < 90
    assert final["seed"].tolist() == seeds.tolist()
    assert sorted(table for table, *_ in log.forfeits) == lost.tolist()
    for table, seat, agent, reason in log.forfeits:
        assert (seat, agent) == (int(final["forfeit"][table]), 0) == (0, 0)
        assert reason == f"failed after {final['plays'][table]} plays"
        assert game.returns(final)[table, 0] == game.min_return


def test_points_wins_and_level_seats_of_known_states():
    """What ``seat_results`` tells of a deal that has been counted, in its unit."""
    game = card_envs.make_game("konchinka", num_players=4)
    final = game.new_states(np.arange(3, dtype=np.uint64))
    final["over"], final["to_play"] = 1, -1
    final["points"][:, :4] = final["total"][:, :4] = [[3, 1, 0, 1], [0, 2, 2, 1], [1, 1, 1, 1]]
    for seat, points, beaten, level in (
        (0, [21, -15, 0], [3, 0, 0], [0, 0, 3]),
        (1, [-3, 9, 0], [1, 2, 0], [1, 1, 3]),
        (2, [-15, 9, 0], [0, 2, 0], [0, 1, 3]),
        (3, [-3, -3, 0], [1, 1, 0], [1, 0, 3]),
    ):
        found = [each.tolist() for each in seat_results(game, final, seat)]
        assert found == [points, beaten, level], seat


def test_a_meeting_of_known_games():
    """Four players, two deals: mean over rotations first, then over deals; a draw is half a win."""
    points = np.array([[9, 0, -3, 6], [3, -9, 0, 0]])
    beaten = np.array([[3, 1, 0, 2], [3, 0, 1, 1]])
    level = np.array([[0, 2, 1, 1], [0, 0, 2, 1]])
    meeting = meeting_of(("a", "b"), points, beaten, level)
    assert meeting.outcomes == {"win": 2, "draw": 3, "loss": 3}
    assert meeting.points_a.mean == pytest.approx((12 - 6) / 9 / 8)
    assert meeting.points_b.mean == pytest.approx(-meeting.points_a.mean / 3)
    assert meeting.win_rate.mean == pytest.approx((2 + 1.5) / 8)
    per_deal = np.array([12, -6]) / 9 / 4
    half = 12.706205 * per_deal.std(ddof=1) / np.sqrt(2)
    assert meeting.points_a.high - meeting.points_a.mean == pytest.approx(half, rel=1e-5)
    shares = np.array([(1 + 0.5 + 0 + 0.5) / 4, (1 + 0 + 0.5 + 0) / 4])
    assert meeting.win_rate.high - meeting.win_rate.mean == pytest.approx(
        12.706205 * shares.std(ddof=1) / np.sqrt(2), rel=1e-5
    )
    assert [one.mean for one in meeting.seat_points] == pytest.approx([6 / 9, -4.5 / 9, -1.5 / 9, 3 / 9])
    assert meeting.seat_outcomes[1] == {"win": 0, "draw": 1, "loss": 1}
