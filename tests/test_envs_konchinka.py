"""Environments of Konchinka: many players, episodes over before the learner's first turn, settlements in money."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.envs.sb3 import CardVecEnv
from card_envs.envs.single import CardEnv
from card_envs.envs.tables import Tables
from card_envs.envs.vector import CardVectorEnv
from tests.environments import last_legal, make, make_vec
from tests.test_envs_opponents import Witness
from tests.test_envs_settings import episode
from tests.variants import Variant


def test_built_in_and_outside_opponents_mix() -> None:
    variant = Variant("konchinka", {"num_players": 4})
    witness = Witness()
    env = make(variant, opponents=("random", witness, "greedy"), seat=1)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(last_legal(info["action_mask"]))
    assert witness.seats == {3}


def test_an_episode_that_ends_before_the_learners_first_turn_is_passed_over() -> None:
    # With one point to win, a konchinka taken by an earlier player ends the match (K15).
    variant = Variant("konchinka", {"num_players": 7, "match": True, "target": 1})
    rules = variant.make()
    tables = Tables(rules, 400, "greedy", 6, "points")
    rows = np.arange(400)
    tables.reset(rows, list(range(400)), {"dealer": 6}, np.random.default_rng)
    passed = tables.states["deal"] > 0
    assert passed.any()
    assert not tables.over.any()
    assert (tables.states["to_play"] == 6).all()
    assert not tables.credited.any()


def test_what_opponents_win_before_the_learners_first_turn_is_credited_with_its_first_step() -> None:
    variant = Variant("konchinka", {"num_players": 4})
    envs = make_vec(variant, 256, opponents="greedy", seat=2, reward="share")
    envs.reset(seed=0)
    before = envs.unwrapped.game.returns(envs.full_states, "share")[:, 2]
    assert before.any()
    total = np.zeros(256)
    for _ in range(12):
        _, rewards, over, _, infos = envs.step(envs.sample_actions())
        total += rewards
    assert over.all()
    assert np.allclose(total, infos["final_info"]["returns"][:, 2], atol=1e-5)
    ahead = envs.unwrapped.game.returns(envs.full_states, "share")[:, 2]
    assert ahead.any()
    total = np.zeros(256)
    for _ in range(12):
        _, rewards, over, _, infos = envs.step(envs.sample_actions())
        total += rewards
    assert np.allclose(total, infos["final_info"]["returns"][:, 2], atol=1e-5)


@pytest.mark.parametrize(("settlement", "price"), [("points", "chip"), ("stakes", "stake")])
def test_a_large_settlement_adds_up_exactly(settlement: str, price: str) -> None:
    rules = {"num_players": 3, "match": True, "target": 100 if settlement == "points" else 5, "settlement": settlement}
    env = CardEnv("konchinka", reward="settlement", **rules, **{price: 999_999})
    rewards, info = episode(env, seed=1)
    assert info["settlement"].sum() == 0
    assert np.abs(info["settlement"]).max() > 2**24 or settlement == "stakes"
    assert sum(rewards) == info["settlement"][info["seat"]] == info["returns"][info["seat"]]
    envs = CardVectorEnv("konchinka", 4, reward="settlement", **rules, **{price: 999_999})
    envs.reset(seed=1)
    total = np.zeros(4)
    seen = np.zeros(4, np.bool_)
    while not seen.all():
        _, rewards, over, _, infos = envs.step(envs.action_masks().argmax(axis=1))
        total[~seen] += rewards[~seen]
        for row in np.flatnonzero(over & ~seen):
            assert total[row] == infos["final_info"]["settlement"][row][infos["final_info"]["seat"][row]]
        seen |= over


def test_a_settlement_that_float32_cannot_hold_is_refused_where_rewards_are_float32() -> None:
    rules = {"match": True, "target": 100, "reward": "settlement"}
    with pytest.raises(ValueError, match=r"settlement' may be 99999900 .* float32, which is exact up to 16777216"):
        CardVecEnv("konchinka", 2, chip=999_999, **rules)
    envs = CardVecEnv("konchinka", 2, chip=167_772, **rules)
    assert envs.reward == "settlement"
    large = CardVecEnv("konchinka", 2, chip=999_999, match=True, target=100)
    with pytest.raises(ValueError, match="float32"):
        large.set_attr("reward", "settlement")
    assert large.reward == "points"
