"""Konchinka matches that end by an illegal action: nothing is settled (K16), and the others go on."""

from __future__ import annotations

import numpy as np

import card_envs
from tests.environments import make_vec
from tests.variants import Variant


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


def test_in_a_batch_a_forfeit_settles_nothing_and_its_row_goes_on() -> None:
    variant = Variant("konchinka", {"num_players": 3, "match": True, "settlement": "stakes", "stake": 7})
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
