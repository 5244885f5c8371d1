"""What the single environment refuses, and that nothing has then changed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import card_envs
from card_envs import IllegalAction
from card_envs.envs.single import CardEnv
from tests.environments import (
    PLAYED,
    FirstLegal,
    card_env,
    each_game,
    each_reward,
    last_legal,
    make,
    play_through,
    same,
)
from tests.variants import ANY, Variant

# Bad input


@pytest.mark.parametrize("action", [0.0, np.float32(1), True, np.bool_(True), "Kh", None, np.array([1]), [1], 1 + 0j])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = make(PLAYED[0])
    env.reset(seed=1)
    before = card_env(env).full_state
    with pytest.raises(IllegalAction, match="is no action: give a whole number from 0 to 31"):
        env.step(action)
    assert card_env(env).full_state == before


@pytest.mark.parametrize("illegal", ["raise", "lose"])
@pytest.mark.parametrize("action", [-1, 32, 10**30, np.int64(-5)])
def test_an_action_out_of_range_is_refused(action: Any, illegal: str) -> None:
    env = make(PLAYED[0], illegal=illegal)
    env.reset(seed=1)
    before = card_env(env).full_state
    with pytest.raises(IllegalAction, match="may play"):
        env.step(action)
    assert card_env(env).full_state == before


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.array])
def test_integers_of_every_kind_are_actions(kind: Any) -> None:
    env = make(PLAYED[0])
    _, info = env.reset(seed=1)
    env.step(kind(last_legal(info["action_mask"])))


@each_game
def test_an_illegal_action_is_named_and_changes_nothing(variant: Variant) -> None:
    env = make(variant)
    _, info = env.reset(seed=8)
    before = card_env(env).full_state
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    with pytest.raises(IllegalAction) as caught:
        env.step(wrong)
    game = variant.make()
    for part in (game.action_name(wrong), f"Seat {info['seat']}", game.action_name(last_legal(info["action_mask"]))):
        assert part in str(caught.value)
    assert card_env(env).full_state == before
    env.step(last_legal(info["action_mask"]))


@each_reward
def test_an_illegal_action_loses_where_that_was_asked_for(variant: Variant, reward: str) -> None:
    env = make(variant, reward=reward, illegal="lose", opponents="greedy")
    _, info = env.reset(seed=8)
    total = 0.0
    for _ in range(2):
        _, gained, over, _, info = env.step(last_legal(info["action_mask"]))
        total += gained
        assert not over
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    observation, gained, over, truncated, info = env.step(wrong)
    assert over
    assert not truncated
    assert observation in env.observation_space
    assert info["returns"].sum() == pytest.approx(0.0, abs=1e-9)
    assert total + gained == pytest.approx(info["returns"][info["seat"]], abs=1e-4)
    least = variant.make().min_returns[reward]
    assert info["returns"][info["seat"]] == pytest.approx(least)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_stepping_without_an_episode_is_refused() -> None:
    env = make(PLAYED[0])
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(0)
    for look in ("seat", "view", "full_state"):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            getattr(card_env(env), look)
    list(play_through(env, 1, seed=1))
    _, info = env.reset()
    over = False
    while not over:
        _, _, over, _, info = env.step(last_legal(info["action_mask"]))
    before = card_env(env).full_state
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(0)
    assert card_env(env).full_state == before


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"opponents": "clever"},
            r"'clever' is not an opponent. There is no player 'clever': choose one of 'random', 'greedy'",
        ),
        ({"opponents": FirstLegal}, r"is not an opponent"),
        ({"opponents": 7}, r"7 is not an opponent"),
        ({"opponents": None}, r"None is not an opponent"),
        ({"opponents": ["random", "greedy"]}, r"names 2 players, but there are 1 other seats"),
        ({"opponents": []}, r"names 0 players"),
        ({"opponents": ["clever"]}, r"'clever' is not an opponent"),
        ({"seat": 2}, r"seat=2 is out of range: give a whole number from 0 to 1"),
        ({"seat": -1}, r"seat=-1 is out of range"),
        ({"seat": 0.0}, r"seat=0.0 is not a whole number"),
        ({"reward": "money"}, r"reward='money' is unknown: choose one of 'points', 'win', 'share', 'settlement'"),
        ({"reward": "settlement"}, r"reward='settlement' is never paid by .* choose one of 'points', 'win', 'share'"),
        ({"reward": None}, r"reward=None is unknown"),
        ({"illegal": "ignore"}, r"illegal='ignore' is unknown: choose one of 'raise', 'lose'"),
        ({"trumps": "h"}, r"no rule 'trumps': its rules are"),
        ({"hand_size": 20}, r"hand_size=20"),
    ],
)
def test_bad_settings_are_refused_naming_the_choices(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make(ANY, **settings)


def test_bad_render_modes_games_and_doubled_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="render_mode='video' is unknown: choose one of 'ansi', 'rgb_array', 'human'"):
        CardEnv(ANY.game, render_mode="video")
    with pytest.raises(ValueError, match="'whist' is not a game here"):
        CardEnv("whist")
    with pytest.raises(ValueError, match="has its rules already: leave out match"):
        CardEnv(card_envs.make_game(ANY.game), match=True)


def test_a_game_may_be_given_as_it_is() -> None:
    game = card_envs.make_game(ANY.game, suits=2)
    env = CardEnv(game)
    assert env.game is game
    assert env.action_space == gymnasium.spaces.Discrete(16)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"pack": "Ah"}, r"options='pack' is unknown: choose one of 'deck', 'dealer', 'seat', 'deal'"),
        ({"seat": 5}, r"options\['seat'\]=5 is out of range"),
        ({"dealer": 2}, r"dealer=2 is out of range"),
        ({"dealer": "0"}, r"dealer='0' is not a whole number"),
        ({"deal": -1}, r"deal=-1 is out of range"),
        ({"deck": "Ah Kd"}, r"Ah|Kd|cards"),
        ({"deck": " ".join(["Ah"] * 32)}, r"Ah|twice"),
    ],
)
def test_bad_options_are_refused_and_the_episode_goes_on(options: dict[str, Any], sentence: str) -> None:
    env = make(ANY)
    _, info = env.reset(seed=1)
    before = card_env(env).full_state
    with pytest.raises(ValueError, match=sentence):
        env.reset(options=options)
    assert card_env(env).full_state == before
    env.step(last_legal(info["action_mask"]))


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_bad_seeds_are_refused(seed: Any) -> None:
    env = make(PLAYED[0])
    with pytest.raises(ValueError, match=r"seed=.* (is not a whole number|is out of range)"):
        env.reset(seed=seed)
    assert same(env.reset(seed=np.int64(3)), env.reset(seed=3))
