"""Stable-Baselines3: its checks, our VecEnv beside DummyVecEnv, and training by MaskablePPO everywhere."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor, VecNormalize

from card_envs import IllegalAction
from card_envs.envs.sb3 import CardVecEnv
from tests.environments import PLAYED, Dicer, FirstLegal, each_game, each_reward, make, some_legal
from tests.variants import ANY, Variant

pytestmark = pytest.mark.usefixtures("one_thread")


def venv(variant: Variant, num_envs: int, **settings: Any) -> CardVecEnv:
    return CardVecEnv(variant.game, num_envs, **settings, **variant.rules)


@each_reward
def test_passes_the_checks_of_stable_baselines(variant: Variant, reward: str) -> None:
    check_env(make(variant, reward=reward, illegal="lose"))


@pytest.mark.parametrize("opponents", ["random", "greedy", Dicer()], ids=["random", "greedy", "act"])
@each_game
def test_hands_out_what_dummy_vec_env_hands_out(variant: Variant, opponents: Any) -> None:
    size, dice = 4, np.random.default_rng(0)
    ours = venv(variant, size, opponents=opponents, seed=12)
    dummy = DummyVecEnv([lambda: make(variant, opponents=opponents)] * size)
    dummy.seed(12)
    assert ours.observation_space == dummy.observation_space
    assert ours.action_space == dummy.action_space
    assert np.array_equal(ours.reset(), dummy.reset())
    for _ in range(70):
        masks = get_action_masks(ours)
        assert np.array_equal(masks, get_action_masks(dummy))
        assert masks.dtype == np.bool_
        actions = some_legal(masks, dice)
        (observations, rewards, dones, infos), theirs = ours.step(actions), dummy.step(actions)
        for one, other in zip((observations, rewards, dones), theirs[:3], strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
        for row in range(size):
            for name, value in infos[row].items():
                assert name == "episode" or np.array_equal(value, theirs[3][row][name]), name
            assert infos[row]["TimeLimit.truncated"] is False
            assert ("terminal_observation" in infos[row]) == ("episode" in infos[row]) == dones[row]
            assert np.array_equal(ours.reset_infos[row]["action_mask"], dummy.reset_infos[row]["action_mask"])
            assert ours.reset_infos[row]["seat"] == dummy.reset_infos[row]["seat"] == ours.seats[row]


@each_game
def test_episodes_are_reported_as_vec_monitor_reports_them(variant: Variant) -> None:
    ours = venv(variant, 8, seed=1, opponents="greedy", reward="share")
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitored = VecMonitor(venv(variant, 8, seed=1, opponents="greedy", reward="share"))
    ours.reset()
    monitored.reset()
    for _ in range(100):
        actions = ours.sample_actions()
        assert np.array_equal(actions, monitored.venv.sample_actions())
        _, _, dones, infos = ours.step(actions)
        theirs = monitored.step(actions)[3]
        for row in np.flatnonzero(dones):
            assert infos[row]["episode"]["r"] == pytest.approx(theirs[row]["episode"]["r"], abs=1e-4)
            assert infos[row]["episode"]["l"] == theirs[row]["episode"]["l"]


def test_masks_are_found_by_has_attr_and_env_method() -> None:
    envs = venv(ANY, 5, seed=1)
    envs.reset()
    assert is_masking_supported(envs)
    masks = get_action_masks(envs)
    assert masks.shape == (5, 32)
    assert np.array_equal(masks, envs.action_masks())
    some = envs.env_method("action_masks", indices=[1, -1])
    assert np.array_equal(some, masks[[1, 4]])
    for mask in envs.env_method("action_masks"):
        mask.fill(True)
    assert np.array_equal(masks, envs.action_masks())


def test_attributes_and_methods_of_the_tables() -> None:
    envs = venv(Variant(ANY.game, {"match": True}), 3, seed=1, opponents="random")
    envs.reset()
    assert envs.get_attr("seat") == envs.seats.tolist()
    assert envs.get_attr("seat", 1) == [envs.seats[1]]
    assert envs.get_attr("game", [0, 2]) == [envs.game] * 2
    assert envs.get_attr("render_mode") == [None] * 3
    assert not envs.has_attr("no_such_thing")
    with pytest.raises(AttributeError, match="no_such_thing"):
        envs.get_attr("no_such_thing")
    with pytest.raises(AttributeError, match="have no method 'step_back': they have 'action_masks'"):
        envs.env_method("step_back")
    with pytest.raises(IndexError, match="no table 3: there are 3"):
        envs.get_attr("seat", 3)
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(gymnasium.wrappers.TimeLimit, [0]) == [False]
    assert len(envs.env_method("render")) == 3
    assert envs.get_images() == [None] * 3
    envs.note = 1
    envs.set_attr("note", 2)
    assert envs.get_attr("note", 0) == [2]
    with pytest.raises(ValueError, match="is the same for all tables"):
        envs.set_attr("note", 3, indices=[0])


@pytest.mark.parametrize("way", ["method", "env_method", "set_attr"])
def test_opponents_are_changed_everywhere_or_at_some_tables(way: str) -> None:
    envs = venv(ANY, 3)
    if way == "method":
        envs.set_opponents("greedy", np.array([True, False, False]))
    elif way == "env_method":
        assert envs.env_method("set_opponents", "greedy", indices=[0]) == [None]
    else:
        envs.set_attr("opponents", "greedy", indices=[0])
    assert envs._tables.opponents.coming[:, 0].tolist() == [2, 1, 1]
    with pytest.raises(ValueError, match="'clever' is not an opponent"):
        envs.env_method("set_opponents", "clever")


def test_seeds_and_options_hold_for_the_next_reset_alone() -> None:
    envs = venv(ANY, 3)
    assert envs.seed(5) == [5, 6, 7]
    envs.set_options({"seat": 1, "deal": 2})
    envs.reset()
    assert envs._tables.states["seed"].tolist() == [5, 6, 7]
    assert envs._tables.states["deal"].tolist() == [2, 2, 2]
    assert envs.seats.tolist() == [1, 1, 1]
    envs.reset()
    assert envs._tables.states["deal"].tolist() == [3, 3, 3]
    envs.seed()
    envs.reset()
    assert envs._tables.states["seed"].tolist() != [5, 6, 7]
    with pytest.raises(ValueError, match="seed=-1 is out of range"):
        envs.seed(-1)


def test_bad_input_is_refused_and_changes_nothing() -> None:
    envs = venv(ANY, 3, seed=1)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        envs.step(np.zeros(3, int))
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        envs.sample_actions()
    envs.reset()
    with pytest.raises(ValueError, match="step_async"):
        envs.step_wait()
    before = envs._tables.states.tobytes()
    wrong = envs.action_masks().argmin(axis=1)
    with pytest.raises(IllegalAction, match=r"3 of 3 actions are illegal"):
        envs.step(wrong)
    with pytest.raises(ValueError, match="whole numbers of shape"):
        envs.step(np.zeros(3))
    with pytest.raises(ValueError, match="whole numbers of shape"):
        envs.step(np.zeros(2, int))
    assert envs._tables.states.tobytes() == before
    with pytest.raises(ValueError, match="num_envs=0"):
        venv(ANY, 0)
    lenient = venv(ANY, 3, seed=1, illegal="lose", reward="win")
    lenient.reset()
    _, rewards, dones, _ = lenient.step(wrong)
    assert dones.all()
    assert (rewards == -1).all()
    with pytest.raises(IllegalAction, match="from 0 to 31"):
        lenient.step(np.full(3, 32))


def test_what_is_handed_out_is_the_callers_own() -> None:
    quiet, spoiled = venv(ANY, 4, seed=2), venv(ANY, 4, seed=2)
    one, two = quiet.reset(), spoiled.reset()
    for _ in range(40):
        assert np.array_equal(one, two)
        actions = quiet.sample_actions()
        spoiled.sample_actions()
        two.fill(9)
        spoiled.action_masks().fill(True)
        one, _, _, _ = quiet.step(actions)
        two, rewards, dones, infos = spoiled.step(actions)
        for array in (rewards, dones, *(info.get("terminal_observation", rewards) for info in infos)):
            assert not np.shares_memory(array, spoiled._tables.rewards)
            assert not np.shares_memory(array, spoiled._tables.over)
            array.fill(0)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_a_copy_made_in_mid_game_goes_on_identically(duplicate: Any) -> None:
    envs = venv(ANY, 4, seed=2, opponents=Dicer())
    envs.reset()
    envs.step(envs.sample_actions())
    twin = duplicate(envs)
    answers = [twin.step(twin.sample_actions())[:3] for _ in range(40)]
    for answer in answers:
        for one, other in zip(answer, envs.step(envs.sample_actions())[:3], strict=True):
            assert np.array_equal(one, other)


def test_works_with_vec_normalize() -> None:
    envs = VecNormalize(venv(ANY, 4, seed=2))
    observations = envs.reset()
    assert is_masking_supported(envs)
    for _ in range(20):
        observations, rewards, _, _ = envs.step(some_legal(get_action_masks(envs), np.random.default_rng(0)))
        assert np.isfinite(observations).all()
        assert np.isfinite(rewards).all()


def train(env: Any, steps: int = 128) -> MaskablePPO:
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, policy_kwargs={"net_arch": [8]}, device="cpu", seed=0
    )
    return model.learn(steps)


def test_trains_on_gym_make_and_monitor() -> None:
    model = train(Monitor(make(ANY, opponents="greedy")))
    assert [episode["l"] for episode in model.ep_info_buffer] == [16] * len(model.ep_info_buffer)
    assert len(model.ep_info_buffer) == 8


def test_trains_on_dummy_vec_env() -> None:
    train(DummyVecEnv([lambda: Monitor(make(ANY)), lambda: Monitor(make(ANY))]))


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.slow
def test_trains_on_subproc_vec_env(start: str) -> None:
    envs = SubprocVecEnv([make_any, make_any], start_method=start)
    try:
        model = train(envs)
        assert model.num_timesteps == 128
        envs.env_method("set_opponents", FirstLegal())
    finally:
        envs.close()


def make_any() -> Any:
    return Monitor(make(ANY, opponents="greedy"))


@each_game
def test_trains_on_the_batch_and_reports_episodes(variant: Variant) -> None:
    model = train(venv(variant, 16, opponents="greedy", seed=0), steps=2 * 16 * 32)
    assert model.ep_info_buffer
    assert all(np.isfinite(episode["r"]) for episode in model.ep_info_buffer)


@each_game
def test_the_greedy_players_actions_are_those_of_the_learners_views(variant: Variant) -> None:
    envs = venv(variant, 32, seed=5)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        envs.greedy_actions()
    envs.reset()
    singles = [make(variant) for _ in range(32)]
    for row, env in enumerate(singles):
        env.reset(seed=5 + row)
    expected = [int(env.unwrapped.game.greedy_actions(env.unwrapped.view.record)[0]) for env in singles]
    assert envs.greedy_actions().tolist() == expected


def test_a_trained_net_never_plays_an_illegal_action_even_untrained() -> None:
    envs = venv(ANY, 64, seed=3)
    model = MaskablePPO("MlpPolicy", envs, policy_kwargs={"net_arch": [8]}, device="cpu", seed=0)
    observations = envs.reset()
    ended = 0
    for step in range(64):
        actions, _ = model.predict(observations, action_masks=envs.action_masks(), deterministic=step % 2 == 0)
        observations, _, dones, _ = envs.step(actions)  # raises if one is illegal
        ended += dones.sum()
    assert ended == 256


def test_masking_again_and_again_on_the_largest_action_space_raises_nothing() -> None:
    size = max(variant.make().num_actions for variant in PLAYED)
    dice = np.random.default_rng(0)
    for scale in (1.0, 1e3, 1e6):
        logits = torch.as_tensor(dice.normal(size=(64, size)) * scale, dtype=torch.float32)
        distribution = MaskableCategorical(logits=logits)
        for _ in range(3):
            masks = dice.random((64, size)) < 0.05
            masks[:, 0] = True
            distribution.apply_masking(masks)
            actions = distribution.sample().numpy()
            assert masks[np.arange(64), actions].all()
