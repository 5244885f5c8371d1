"""The action mask as a part of the observation."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import FlattenObservation

from card_envs.envs.masks import MaskInObservation, VectorMaskInObservation
from card_envs.envs.single import CardEnv
from tests.environments import each_game, env_id, make, make_vec, play_through, same, some_legal
from tests.variants import ANY, Variant

LIBRARIES: list[tuple[str, dict[str, Any], tuple[str, str], tuple[Any, Any]]] = [
    ("PettingZoo", {}, ("observation", "action_mask"), (np.uint8, np.int8)),
    (
        "RLlib",
        {"observation_key": "observations", "dtype": np.float32, "mask_dtype": np.float32},
        ("observations", "action_mask"),
        (np.float32, np.float32),
    ),
    (
        "Tianshou",
        {"observation_key": "obs", "mask_key": "mask", "mask_dtype": np.bool_},
        ("obs", "mask"),
        (np.uint8, np.bool_),
    ),
]
each_library = pytest.mark.parametrize(
    ("settings", "keys", "dtypes"), [row[1:] for row in LIBRARIES], ids=[row[0] for row in LIBRARIES]
)
each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
each_batch = pytest.mark.parametrize("way", ["vector_entry_point", "sync"])


# blind samplers need illegal="lose"; the checker says of every wrapper that it is one
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
@each_library
@each_game
def test_gymnasiums_checker_finds_no_fault(variant: Variant, settings: Any, keys: Any, dtypes: Any) -> None:
    env = MaskInObservation(make(variant, illegal="lose"), **settings)
    check_env(env, skip_render_check=True)
    assert isinstance(env.observation_space, spaces.Dict)
    assert {key: space.dtype for key, space in env.observation_space.items()} == dict(zip(keys, dtypes, strict=True))


@each_library
@each_game
def test_each_observation_stands_beside_its_own_mask(variant: Variant, settings: Any, keys: Any, dtypes: Any) -> None:
    env, bare = MaskInObservation(make(variant), **settings), make(variant)
    ends = 0
    for wrapped, plain in zip(play_through(env, 3, seed=7), play_through(bare, 3, seed=7), strict=True):
        *_, info = plain
        observation = plain[0] if isinstance(plain[0], np.ndarray) else plain[1]
        both = wrapped[0] if isinstance(wrapped[0], dict) else wrapped[1]
        assert both in env.observation_space
        assert [both[key].dtype for key in keys] == list(dtypes)
        assert np.array_equal(both[keys[0]], observation)
        assert np.array_equal(both[keys[1]], info["action_mask"])
        ends += not info["action_mask"].any()
    assert ends == 3


def batch(variant: Variant, way: str, mode: AutoresetMode, size: int = 3) -> Any:
    """The tables of a batch, by our environment or by Gymnasium's."""
    if way == "sync":
        return gymnasium.make_vec(
            env_id(variant), size, way, vector_kwargs={"autoreset_mode": mode}, seat=None, **variant.rules
        )
    return make_vec(variant, size, autoreset_mode=mode)


@each_mode
@each_batch
@each_game
def test_masks_belong_to_their_observations_in_every_mode(variant: Variant, way: str, mode: AutoresetMode) -> None:
    """What stands in row i is what a wrapped table of its own would show, the ends of episodes too."""
    envs = VectorMaskInObservation(batch(variant, way, mode), "obs", "mask", np.float32, np.float32)
    tables = [MaskInObservation(CardEnv(variant.make()), "obs", "mask", np.float32, np.float32) for _ in range(3)]
    observations, _ = envs.reset(seed=5)
    shown = [table.reset(seed=5 + i)[0] for i, table in enumerate(tables)]
    over, ends = np.zeros(3, np.bool_), 0
    dice = np.random.default_rng(1)
    for _ in range(70):
        assert observations in envs.observation_space
        for i in range(3):
            assert same({key: observations[key][i] for key in observations}, shown[i])
        if mode is AutoresetMode.DISABLED and over.any():
            observations, _ = envs.reset(options={"reset_mask": over.copy()})
            shown = [tables[i].reset()[0] if over[i] else shown[i] for i in range(3)]
            over[:] = False
            continue
        actions = some_legal(observations["mask"], dice)
        before = over.copy()
        observations, _, over, _, infos = envs.step(actions)
        for i, table in enumerate(tables):
            if before[i] and mode is AutoresetMode.NEXT_STEP:
                shown[i] = table.reset()[0]
                continue
            shown[i], _, ended, _, _ = table.step(int(actions[i]))
            assert ended == over[i]
            ends += ended
            if ended and mode is AutoresetMode.SAME_STEP:
                assert same(infos["final_obs"][i], shown[i])
                assert not shown[i]["mask"].any()
                shown[i] = table.reset()[0]
            elif mode is AutoresetMode.SAME_STEP and "final_obs" in infos:
                assert infos["final_obs"][i] is None
    assert ends >= 3
    envs.close()


def test_what_is_handed_out_is_the_callers_own() -> None:
    envs = VectorMaskInObservation(make_vec(ANY, 2))
    first, _ = envs.reset(seed=3)
    kept = copy.deepcopy(first)
    second = envs.step(envs.unwrapped.sample_actions())[0]  # type: ignore[attr-defined]
    assert same(first, kept)
    for key in first:
        second[key][:] = 1
    assert not envs.unwrapped.action_masks().all()  # type: ignore[attr-defined]
    assert not envs.step(envs.unwrapped.sample_actions())[0]["action_mask"].all()  # type: ignore[attr-defined]


def test_a_spec_a_pickle_and_other_wrappers_go_around_it() -> None:
    env = MaskInObservation(make(ANY), "obs", "mask", mask_dtype=np.float32)
    assert env.spec is not None
    assert same(env.spec.make().reset(seed=3)[0], env.reset(seed=3)[0])
    again = pickle.loads(pickle.dumps(env))
    action = env.unwrapped.sample_action()  # type: ignore[attr-defined]
    assert same(env.step(action)[0], again.step(action)[0])
    flat = FlattenObservation(env)
    assert flat.reset(seed=3)[0].shape == (ANY.make().observation_size + ANY.make().num_actions,)


class Bare(gymnasium.Env[Any, Any]):
    """An environment that knows no masks."""

    observation_space = spaces.Box(0, 1, (2,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, **kwargs: Any) -> Any:
        return np.zeros(2, np.float32), {"step": 0}


def test_what_cannot_be_wrapped_is_refused() -> None:
    with pytest.raises(ValueError, match="two different names"):
        MaskInObservation(make(ANY), "obs", "obs")
    with pytest.raises(ValueError, match="put other wrappers around this one"):
        MaskInObservation(MaskInObservation(make(ANY)))
    with pytest.raises(ValueError, match="dtype=bool cannot hold"):
        MaskInObservation(gymnasium.make("CartPole-v1"), dtype=np.bool_)
    with pytest.raises(ValueError, match="says which actions are legal"):
        MaskInObservation(Bare()).reset()
