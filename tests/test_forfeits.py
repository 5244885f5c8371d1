"""A seat that loses by an illegal action: what each reward pays then, in whatever deal, and that nothing is settled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.record import REWARDS
from tests.environments import make, make_vec
from tests.variants import Variant, drawn, every

MATCHES = [
    Variant("elfern", {"match": True, "target": 5}),
    Variant("elfern", {"match": True, "target": 100, "suits": 2, "ranks": 5, "hand_size": 2}),
    Variant("konchinka", {"num_players": 2, "match": True, "target": 9}),
    Variant("konchinka", {"num_players": 3, "match": True, "settlement": "stakes", "stake": 7}),
    Variant("konchinka", {"num_players": 11, "match": True, "figures": True, "obligation": "hand", "chip": 4}),
]
ALL = [*MATCHES, *drawn("elfern", 6, seed=2), *drawn("konchinka", 8, seed=2)]


def in_play(game, tables=40):
    """Tables in all deals of an episode, with at least one in a later deal of a match, and what they have counted."""
    states = game.new_states(np.arange(tables, dtype=np.uint64))
    for step in range(2 * game.max_plays + 1):
        moving = (np.arange(tables) * (2 * game.max_plays + 1) // tables >= step) & ~game.is_over(states)
        actions = np.where(moving, game.sample_actions(states), -1).astype(np.int32)
        some = states[moving]
        game.step(some, actions[moving], auto_reset=False)
        states[moving] = some
    return states[~game.is_over(states)]


def least_of(game, states, reward):
    """What the offender gets: the least return of an episode; of the share, that of taking nothing in any deal."""
    least = game.min_returns[reward]
    return least * (states["deals"].astype(np.float64) + 1) if reward == "share" else np.full(len(states), least)


@every(ALL)
def test_the_offender_gets_the_least_of_every_reward_and_the_others_share_it(game):
    states = in_play(game)
    assert len(states) > 3
    assert game.rules.match is False or states["deals"].max() > 0 or game.rules.target < 6
    turns = game.to_play(states).astype(int)
    before = {reward: game.returns(states, reward) for reward in REWARDS}
    lost = states.copy()
    game.forfeit(lost, np.arange(len(lost)))
    assert game.is_over(lost).all()
    assert (game.to_play(lost) == -1).all()
    rows = np.arange(len(lost))
    for reward in REWARDS:
        least = least_of(game, states, reward)
        returns = game.returns(lost, reward)
        assert np.allclose(returns[rows, turns], least)
        assert np.allclose(returns.sum(axis=1), 0, atol=1e-6 * max(1, abs(least).max()))
        for seat in range(game.num_players):
            others = turns != seat
            assert np.allclose(returns[others, seat], -least[others] / (game.num_players - 1))
        if reward == "share":  # nobody can have made less by playing
            assert (before[reward] >= least[:, None] - 1e-9).all()


@every(ALL)
def test_a_forfeited_match_is_not_settled(game):
    """K16 settles a match that is won; one lost by an illegal action is not, whatever the scores were."""
    states = in_play(game)
    lost = states.copy()
    game.forfeit(lost, np.arange(len(lost)))
    assert not game.settlement(lost).any()
    assert game.scores(lost).tolist() == game.scores(states).tolist()
    assert game.points(lost).tolist() == game.points(states).tolist()
    for i in range(0, len(lost), 7):
        assert not game.state(lost, i).settlement().any()


def test_k16_beside_forfeited_matches_the_others_are_settled():
    game = card_envs.make_game("konchinka", num_players=3, match=True, target=3)
    states = game.new_states(np.arange(30, dtype=np.uint64))
    game.forfeit(states, np.arange(0, 30, 3))
    while not game.is_over(states).all():
        game.step(states, game.sample_actions(states), auto_reset=False)
    paid = game.settlement(states)
    assert not paid[::3].any()
    kept = np.arange(30) % 3 != 0
    assert paid[kept].any()
    assert paid.sum(axis=1).tolist() == [0] * 30
    scores = game.scores(states)[kept]
    winner = scores.argmax(axis=1)
    owed = np.maximum(3 - scores, 0)
    owed[np.arange(len(owed)), winner] = 0
    wanted = -owed
    wanted[np.arange(len(owed)), winner] = owed.sum(axis=1)
    assert paid[kept].tolist() == wanted.tolist()


@pytest.mark.parametrize("variant", MATCHES, ids=lambda variant: variant.id)
@pytest.mark.parametrize("reward", REWARDS)
def test_an_environment_pays_the_offender_the_least_in_any_deal_of_a_match(variant: Variant, reward: str) -> None:
    game = variant.make()
    if game.min_returns[reward] == 0:
        pytest.skip("this reward is never paid")
    env: Any = make(variant, reward=reward, illegal="lose", opponents="random")
    later = 0
    for seed in range(6):
        _, info = env.reset(seed=seed)
        total, over = 0.0, False
        for _ in range(game.max_plays + 3):
            if over:
                break
            _, gained, over, _, info = env.step(env.unwrapped.sample_action())
            total += gained
        if over:
            continue
        deals = int(env.unwrapped.full_state.record["deals"][0]) + 1
        later += deals > 1
        seat = info["seat"]
        _, gained, over, _, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
        assert over
        least = game.min_returns[reward] * (deals if reward == "share" else 1)
        assert total + gained == pytest.approx(least, rel=1e-5)
        assert info["returns"][seat] == pytest.approx(least)
        assert info["settlement"].tolist() == [0] * game.num_players
    assert later > 0 or game.rules.target < 6


def test_in_a_batch_a_forfeit_settles_nothing_and_its_row_goes_on() -> None:
    variant = MATCHES[3]
    envs = make_vec(variant, 5, reward="settlement", illegal="lose", opponents="greedy")
    _, infos = envs.reset(seed=4)
    actions = np.array([int(np.flatnonzero(mask)[0]) for mask in infos["action_mask"]])
    actions[2] = int(np.flatnonzero(infos["action_mask"][2] == 0)[0])
    _, rewards, over, _, infos = envs.step(actions)
    assert over.tolist() == [False, False, True, False, False]
    assert rewards.tolist() == [0, 0, -7, 0, 0]
    assert infos["final_info"]["settlement"][2].tolist() == [0, 0, 0]
    assert infos["final_info"]["returns"][2].tolist() == [
        -7 if seat == infos["final_info"]["seat"][2] else 3.5 for seat in range(3)
    ]
    assert infos["action_mask"][2].any()
    assert (envs.unwrapped.full_states["forfeit"] == -1).all()
