"""The trained players that come with the library, how they are made, and learners trained against one player."""

from __future__ import annotations

import json

import numpy as np
import pytest

import card_envs
from card_agents import make_agent
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.players.network import Network
from card_agents.players.ppo import WEIGHTS, PPOAgent
from tests.test_agents import positions, some_network

SHIPPED = [("elfern", {}), ("konchinka", {}), ("konchinka", {"num_players": 4})]


def test_a_compact_player_is_half_the_size_and_plays_nearly_the_same(tmp_path):
    game = card_envs.make_game("konchinka", num_players=4)
    network = some_network(game)
    network.save(tmp_path / "whole.npz", game)
    network.compact().save(tmp_path / "compact.npz", game)
    assert (tmp_path / "compact.npz").stat().st_size < 0.55 * (tmp_path / "whole.npz").stat().st_size
    compact = Network.load(tmp_path / "compact.npz", game)
    assert compact.value == []
    assert all(array.dtype == np.float32 for array in compact.arrays().values())
    for name, array in compact.arrays().items():
        assert (array == network.compact().arrays()[name]).all()
    _, observations, _, _ = positions(game)
    whole, near = network.logits(observations), compact.logits(observations)
    assert not (whole == near).all()
    assert abs(whole - near).max() < 0.01 * abs(whole).max()


@pytest.mark.parametrize(("name", "rules"), SHIPPED)
def test_the_players_shipped_are_small_and_better_than_greedy(name, rules):
    game = card_envs.make_game(name, **rules)
    assert (WEIGHTS / f"{name}-{game.num_players}.npz").stat().st_size <= 10**6
    pair = (make_agent("ppo", game), make_agent("greedy", game))
    assert meet(game, ("ppo", "greedy"), pair, deal_seeds(99, 2000)).points_a.low > 0


def test_every_file_of_weights_is_of_a_player_that_can_be_named():
    assert {path.name for path in WEIGHTS.iterdir()} == {
        f"{name}-{rules.get('num_players', 2)}.npz" for name, rules in SHIPPED
    }


def test_no_player_is_passed_off_as_one_for_other_rules():
    for rules, sentence in (
        ({"num_players": 7}, "No trained player ships"),
        ({"figures": True}, "other rules: figures"),
    ):
        with pytest.raises(ValueError, match=sentence):
            make_agent("ppo", card_envs.make_game("konchinka", **rules))


def test_a_learner_trained_against_one_player_meets_nobody_else(tmp_path):
    pytest.importorskip("sb3_contrib")
    from card_agents.training.pool import Pool
    from card_agents.training.settings import Settings

    game = card_envs.make_game("elfern")
    PPOAgent(game, some_network(game)).save(tmp_path / "rival.npz")
    seated = []

    class Tables:
        def set_opponents(self, opponents):
            seated.append(opponents)

    name = f"ppo:{tmp_path / 'rival.npz'}"
    pool = Pool(game, Settings(against=name))
    pool.add(0, some_network(game, seed=5))
    assert pool.seat_opponents(Tables(), np.random.default_rng(0)) == {name: 1.0}
    views, observations, masks, random = positions(game)
    expected = make_agent(name, game).act(views, observations, masks, random)
    assert (seated[0].act(views, observations, masks, random) == expected).all()


def test_making_baselines_leaves_players_and_what_a_best_response_gains(tmp_path):
    pytest.importorskip("sb3_contrib")
    from card_agents.cli.baselines import RESULTS, Baseline, main

    tiny = {"tables": 32, "rollout": 16, "batch": 256, "epochs": 1, "width": 32, "layers": 1, "leg": 2}
    tiny |= {"measure_deals": 20, "evaluate_deals": 40, "points": 2}
    baseline = Baseline("konchinka", {"num_players": 3}, steps=2000, response_steps=1000)
    given = ["--runs", str(tmp_path / "runs"), "--weights", str(tmp_path / "weights"), "--threads", "1"]
    assert main([baseline], tiny, tiny, given) == 0
    player = tmp_path / "weights" / "konchinka-3.npz"
    game = card_envs.make_game("konchinka", num_players=3)
    assert Network.load(player, game).notes["settings"] == tiny
    result = json.loads((tmp_path / "runs" / RESULTS).read_text())["baselines"][0]
    assert result["league"]["decisions"] >= 2000
    met = [(meeting["a"], meeting["b"]) for meeting in result["response"]["meetings"]]
    assert ("learner", f"ppo:{player}") in met
    again = player.read_bytes()
    assert main([baseline], tiny, tiny, given) == 0  # finished runs are not trained again
    assert player.read_bytes() == again
