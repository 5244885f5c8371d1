"""Regret: what players give away against exact play, and that it is measured rightly."""

from __future__ import annotations

import json

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent
from card_agents.cli.evaluate import main
from card_agents.evaluation.arena import deal_seeds
from card_agents.evaluation.intervals import estimate
from card_agents.evaluation.regret import (
    AgentRegret,
    can_be_judged,
    measure,
    ratio_estimate,
    refuse_unless_solved,
    regret_of,
)
from tests.walks import walk

SMALL = {"suits": 2, "ranks": 6, "honours": 3, "hand_size": 3}
GAMES = pytest.mark.parametrize(
    "game",
    [card_envs.make_game("elfern", **SMALL), card_envs.make_game("konchinka")],
    ids=["elfern", "konchinka"],
)


class Exact:
    """Plays as the greedy player does, but exactly where its seat can work out all cards."""

    def __init__(self, game):
        self.game = game

    def act(self, views, observations, masks, random):
        actions = self.game.greedy_actions(views)
        for row in np.flatnonzero(self.game.is_settled(views)).tolist():
            world = self.game.sample_worlds(self.game.state(views, row), 1, int(random[row]))
            actions[row] = np.nanargmax(self.game.open_values(world)[0])
        return actions


def players(game):
    return {"random": RandomAgent(game), "greedy": GreedyAgent(game), "exact": Exact(game)}


def measured(game, name, deals, **options):
    return measure(game, (name, players(game)[name]), seeds=deal_seeds(3, deals), **options)


def amounts(regret):
    return [getattr(regret, name).mean for name in ("errors", "per_decision", "per_deal", "points_per_deal")]


@GAMES
def test_exact_play_gives_nothing_away_where_all_is_settled(game):
    regret = measured(game, "exact", 40)
    assert regret.decisions > 100
    assert amounts(regret) == [0, 0, 0, 0]


@GAMES
def test_random_play_gives_more_away_than_greedy_play(game):
    random, greedy = (measured(game, name, 300) for name in ("random", "greedy"))
    for name in ("errors", "per_decision", "per_deal", "points_per_decision", "points_per_deal"):
        assert getattr(random, name).low > getattr(greedy, name).high >= getattr(greedy, name).low > 0, name
    assert random.deals == greedy.deals == 300


@GAMES
@pytest.mark.parametrize("kind", ["settled", "open"])
def test_the_regret_is_the_same_for_any_batch_size(game, kind):
    whole = measured(game, "random", 20, kind=kind)
    assert measured(game, "random", 20, kind=kind, batch=7) == whole
    assert measured(game, "random", 20, kind=kind, batch=1) == whole


def best_of(state, seat):
    """The most honours a seat can win with open cards: every way to play, one by one."""
    if state.is_over:
        return (int(state.record["won"][0, seat]) & int(state.game.constants["honours"][0])).bit_count()
    values = [best_of(after(state, action), seat) for action in state.legal_actions()]
    return max(values) if state.to_play == seat else min(values)


def after(state, action):
    after = state.clone()
    after.play(int(action))
    return after


@pytest.mark.parametrize("follow_suit", ["stock", "always"])
def test_the_regret_of_a_decision_is_what_plain_search_finds(follow_suit):
    game = card_envs.make_game("elfern", suits=2, ranks=4, honours=2, hand_size=2, follow_suit=follow_suit)
    judged = lost_points = 0
    for seed in range(30):
        state = walk(game, seed, seed % 6)
        states = state.record
        if not can_be_judged(game, states, "open")[0]:
            continue
        best = best_of(state, state.to_play)
        for action in state.legal_actions():
            chosen = best_of(after(state, action), state.to_play)
            lost, points = regret_of(game, states, np.array([action]))
            assert lost[0] == best - chosen
            assert points[0] == game.open_worth(states, [best])[0] - game.open_worth(states, [chosen])[0]
            judged += 1
            lost_points += points[0]
    assert judged > 30
    assert lost_points > 0


@GAMES
def test_open_cards_judge_more_decisions_than_settled_ones(game):
    settled, seen = (measured(game, "greedy", 20, kind=kind) for kind in ("settled", "open"))
    assert seen.decisions >= settled.decisions
    assert (seen.decisions > 2 * settled.decisions) == (game.name == "elfern")
    assert seen.per_deal.mean >= settled.per_deal.mean


@GAMES
def test_only_the_decisions_of_the_agent_are_judged_whoever_the_opponent_is(game):
    named = players(game).items()
    random, _, exact = named
    seeds = deal_seeds(1, 30)
    assert amounts(measure(game, exact, random, seeds=seeds)) == [0, 0, 0, 0]
    assert amounts(measure(game, random, exact, seeds=seeds))[0] > 0
    alone, other = measure(game, random, seeds=seeds), measure(game, random, random, seeds=seeds)
    assert amounts(alone) == pytest.approx(amounts(other))  # in turn from both seats of the same deals
    assert alone.decisions == other.decisions


def test_in_a_match_every_deal_counts():
    game = card_envs.make_game("elfern", **SMALL, match=True, target=3)
    regret = measured(game, "random", 20)
    seat_deals = regret.per_decision.mean * regret.decisions / regret.per_deal.mean
    assert seat_deals == pytest.approx(round(seat_deals))
    assert seat_deals >= 2 * 3 * 20


def test_a_ratio_has_the_interval_of_its_tables():
    dice = np.random.default_rng(1)
    lost, made = dice.random(50), np.full(50, 4)
    plain, ratio = estimate(lost / 4), ratio_estimate(lost, made)
    assert [ratio.mean, ratio.low, ratio.high] == pytest.approx([plain.mean, plain.low, plain.high])
    made = dice.integers(1, 9, 50)
    assert ratio_estimate(3.0 * made, made).high == pytest.approx(3)
    assert ratio_estimate(lost, made).mean == pytest.approx(lost.sum() / made.sum())


def test_intervals_cover_the_regret_of_many_deals():
    game = card_envs.make_game("elfern", **SMALL)
    everything = measured(game, "random", 3000).per_decision.mean
    covered = 0
    for seed in range(40):
        found = measure(game, ("random", RandomAgent(game)), seeds=deal_seeds(100 + seed, 50)).per_decision
        covered += found.low <= everything <= found.high
    assert covered >= 34


def test_a_game_without_exact_play_is_refused():
    game = card_envs.make_game("konchinka", num_players=3)
    with pytest.raises(ValueError, match="no regret to measure in konchinka"):
        refuse_unless_solved(game)
    with pytest.raises(ValueError, match="no decision to judge at 5 tables"):
        measure(game, ("random", RandomAgent(game)), seeds=deal_seeds(0, 5))
    with pytest.raises(ValueError, match="kind='all' is unknown"):
        measure(game, ("random", RandomAgent(game)), seeds=deal_seeds(0, 5), kind="all")
    refuse_unless_solved(card_envs.make_game("konchinka"))


def test_values_of_another_length_are_refused():
    game = card_envs.make_game("elfern", **SMALL)
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        game.open_worth(game.new_states(np.arange(2, dtype=np.uint64)), [1.0])


def test_the_command_prints_and_writes_the_regret(tmp_path, capsys):
    path = tmp_path / "result.json"
    small = ["--suits", "2", "--ranks", "6", "--honours", "3", "--hand-size", "3", "--deals", "20", "--seed", "3"]
    options = ["--regret", "--regret-deals", "40", "--open-deals", "10", "--json", str(path)]
    assert main(["elfern", "--agents", "random", "greedy", *small, *options]) == 0
    printed = capsys.readouterr().out
    assert "regret of one seat in honours" in printed
    assert printed.count("settled") == 3  # with the caption
    result = json.loads(path.read_text())["regret"]
    game = card_envs.make_game("elfern", **SMALL)
    wanted = AgentRegret(
        "greedy", "greedy", measured(game, "greedy", 40), measured(game, "greedy", 10, kind="open")
    ).to_dict()
    assert result["unit"] == "honours"
    assert result["agents"][1] == json.loads(json.dumps(wanted))
    assert (
        main(["elfern", "--agents", "random", "greedy", *small, *options[:-4], "--open-deals", "0", *options[-2:]]) == 0
    )
    assert json.loads(path.read_text())["regret"]["agents"][0]["open"] is None
    assert main(["elfern", "--agents", "random", "greedy", *small, "--json", str(path)]) == 0
    assert "regret" not in json.loads(path.read_text())


def test_the_command_refuses_a_game_without_exact_play(capsys):
    with pytest.raises(SystemExit):
        main(["konchinka", "--num-players", "4", "--agents", "random", "greedy", "--regret"])
    assert "no regret to measure" in capsys.readouterr().err
