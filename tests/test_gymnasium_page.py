"""Each row of the tables in docs/gymnasium.md is a test: what it says runs does, and what it says does not does not."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import stable_baselines3
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common import callbacks, vec_env
from stable_baselines3.common.env_checker import check_env as check_env_of_stable_baselines
from stable_baselines3.common.env_util import make_vec_env

from card_envs.envs.masks import MaskInObservation, VectorMaskInObservation
from card_envs.envs.sb3 import CardVecEnv
from tests.environments import env_id, make, make_vec
from tests.variants import ANY, PROBES, Variant

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "gymnasium.md").read_text(encoding="utf-8")
VERSIONS = re.search(r"with Gymnasium (\d+\.\d+) and Stable-Baselines3 (\d+\.\d+):", PAGE)
of_these_versions = pytest.mark.skipif(
    [re.match(r"\d+\.\d+", library.__version__)[0] for library in (gymnasium, stable_baselines3)]  # type: ignore[index]
    != list(VERSIONS.groups() if VERSIONS else ()),
    reason="the page is about other versions of the libraries",
)
SMALL = Variant(ANY.game, PROBES[ANY.game].smallest or {})
WIDTH = SMALL.make().observation_size
SETTINGS = {"yes": {}, "lose": {"illegal": "lose"}, "pixels": {"render_mode": "rgb_array"}}
COLUMNS = {
    "one table": None,
    "SAME_STEP": AutoresetMode.SAME_STEP,
    "NEXT_STEP": AutoresetMode.NEXT_STEP,
    "DISABLED": AutoresetMode.DISABLED,
}

Row = tuple[str, dict[str, str]]


def rows() -> Iterator[Row]:
    """The rows of the page: what it is about, and its cells by the names of their columns."""
    heads: list[str] = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif not cells[0].startswith("---"):
            yield cells[0].strip("`"), dict(zip(heads[1:], cells[1:], strict=True))


ROWS = list(rows())
OF_GYMNASIUM = [row for row in ROWS if "one table" in row[1]]
OF_STABLE_BASELINES = [row for row in ROWS if "CardVecEnv" in row[1]]

# What there is in each row: made of what makes the environment, for one table and for many


def pictures(env: Any) -> Any:
    return wrappers.AddRenderObservation(env, render_only=True)


def films(env: Any, wrapper: Any, folder: Path) -> Any:
    return wrapper(env, str(folder), episode_trigger=lambda episode: episode == 0, video_length=2, disable_logger=True)


ONE: dict[str, Callable[[Any, Path], Any]] = {
    "make": lambda env, _: env,
    "MaskInObservation": lambda env, _: MaskInObservation(env),
    "AddRenderObservation": lambda env, _: wrappers.AddRenderObservation(env),
    "AddWhiteNoise": lambda env, _: wrappers.AddWhiteNoise(pictures(env), probability_of_noise_per_pixel=0.1),
    "AtariPreprocessing": lambda env, _: wrappers.AtariPreprocessing(env),
    "Autoreset": lambda env, _: wrappers.Autoreset(env),
    "ClipAction": lambda env, _: wrappers.ClipAction(env),
    "ClipReward": lambda env, _: wrappers.ClipReward(env, -1, 1),
    "DelayObservation": lambda env, _: wrappers.DelayObservation(env, 1),
    "DiscretizeAction": lambda env, _: wrappers.DiscretizeAction(env, 3),
    "DiscretizeObservation": lambda env, _: wrappers.DiscretizeObservation(env, 2),
    "DtypeObservation": lambda env, _: wrappers.DtypeObservation(env, np.float32),
    "FilterObservation": lambda env, _: wrappers.FilterObservation(MaskInObservation(env), ["observation"]),
    "FlattenObservation": lambda env, _: wrappers.FlattenObservation(env),
    "FrameStackObservation": lambda env, _: wrappers.FrameStackObservation(env, 2),
    "GrayscaleObservation": lambda env, _: wrappers.GrayscaleObservation(pictures(env)),
    "HumanRendering": lambda env, _: wrappers.HumanRendering(env),
    "MaxAndSkipObservation": lambda env, _: wrappers.MaxAndSkipObservation(env, 2),
    "NormalizeObservation": lambda env, _: wrappers.NormalizeObservation(env),
    "NormalizeReward": lambda env, _: wrappers.NormalizeReward(env),
    "NumpyToTorch": lambda env, _: wrappers.NumpyToTorch(env),
    "ObstructView": lambda env, _: wrappers.ObstructView(pictures(env), 0.3, 10),
    "OrderEnforcing": lambda env, _: wrappers.OrderEnforcing(env),
    "PassiveEnvChecker": lambda env, _: wrappers.PassiveEnvChecker(env),
    "RecordEpisodeStatistics": lambda env, _: wrappers.RecordEpisodeStatistics(env),
    "RecordVideo": lambda env, folder: films(env, wrappers.RecordVideo, folder),
    "RenderCollection": lambda env, _: wrappers.RenderCollection(env),
    "RepeatAction": lambda env, _: wrappers.RepeatAction(env, 2),
    "RescaleAction": lambda env, _: wrappers.RescaleAction(env, 0, 1),
    "RescaleObservation": lambda env, _: wrappers.RescaleObservation(env, 0, 1),
    "ReshapeObservation": lambda env, _: wrappers.ReshapeObservation(env, (1, WIDTH)),
    "ResizeObservation": lambda env, _: wrappers.ResizeObservation(pictures(env), (40, 40)),
    "StickyAction": lambda env, _: wrappers.StickyAction(env, 0.9),
    "TimeAwareObservation": lambda env, _: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 1000)),
    "TimeLimit": lambda env, _: wrappers.TimeLimit(env, 2),
    "TransformAction": lambda env, _: wrappers.TransformAction(env, lambda action: action, None),
    "TransformObservation": lambda env, _: wrappers.TransformObservation(env, lambda seen: seen, None),
    "TransformReward": lambda env, _: wrappers.TransformReward(env, lambda reward: 2 * reward),
}
MANY: dict[str, Callable[[Any, Path], Any]] = {
    "make_vec, vector_entry_point": lambda envs, _: envs,
    "MaskInObservation": lambda envs, _: VectorMaskInObservation(envs),
    "ClipAction": lambda envs, _: vector.ClipAction(envs),
    "ClipReward": lambda envs, _: vector.ClipReward(envs, -1, 1),
    "DictInfoToList": lambda envs, _: vector.DictInfoToList(envs),
    "DtypeObservation": lambda envs, _: vector.DtypeObservation(envs, np.float32),
    "FilterObservation": lambda envs, _: vector.FilterObservation(VectorMaskInObservation(envs), ["observation"]),
    "FlattenObservation": lambda envs, _: vector.FlattenObservation(envs),
    "GrayscaleObservation": lambda envs, _: vector.GrayscaleObservation(envs),
    "HumanRendering": lambda envs, _: vector.HumanRendering(envs),
    "NormalizeObservation": lambda envs, _: vector.NormalizeObservation(envs),
    "NormalizeReward": lambda envs, _: vector.NormalizeReward(envs),
    "NumpyToTorch": lambda envs, _: vector.NumpyToTorch(envs),
    "RecordEpisodeStatistics": lambda envs, _: vector.RecordEpisodeStatistics(envs),
    "RecordVideo": lambda envs, folder: films(envs, vector.RecordVideo, folder),
    "RescaleAction": lambda envs, _: vector.RescaleAction(envs, 0, 1),
    "RescaleObservation": lambda envs, _: vector.RescaleObservation(envs, 0, 1),
    "ReshapeObservation": lambda envs, _: vector.ReshapeObservation(envs, (1, WIDTH)),
    "ResizeObservation": lambda envs, _: vector.ResizeObservation(envs, (40, 40)),
    "TransformAction": lambda envs, _: vector.TransformAction(envs, lambda actions: actions),
    "TransformObservation": lambda envs, _: vector.TransformObservation(envs, lambda seen: seen),
    "TransformReward": lambda envs, _: vector.TransformReward(envs, lambda rewards: 2 * rewards),
    "VectorizeTransformAction": lambda envs, _: vector.VectorizeTransformAction(
        envs, wrappers.TransformAction, func=lambda action: action, action_space=None
    ),
    "VectorizeTransformObservation": lambda envs, _: vector.VectorizeTransformObservation(
        envs, wrappers.FlattenObservation
    ),
    "VectorizeTransformReward": lambda envs, _: vector.VectorizeTransformReward(
        envs, wrappers.TransformReward, func=lambda reward: 2 * reward
    ),
}
CHECKS: dict[str, Callable[[Any], None]] = {
    "check_env": lambda env: check_env(env, skip_render_check=True),
    "check_env of Stable-Baselines3": check_env_of_stable_baselines,
}
NOT_IN_TABLES = {"ArrayConversion", "JaxToNumpy", "JaxToTorch"}
"""Wrappers for environments in other arrays than numpy's, which a sentence names."""

NEEDS = {"NumpyToTorch": "array_api_compat", "RecordVideo": "moviepy"}
NEEDS_FOR_MANY = {"HumanRendering": "cv2"}
NEEDS_FOR_ONE = {"ResizeObservation": "cv2"}


def play_one(env: Any) -> None:
    """Two episodes of legal actions, and pictures of them where there are any."""
    for seed in (3, 4):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            action = env.action_space.sample(np.asarray(info["action_mask"], np.int8))
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        if env.render_mode is not None:
            env.render()
    env.close()


def play_many(envs: Any, mode: AutoresetMode) -> None:
    """Legal actions until each row is in its second episode."""
    _, infos = envs.reset(seed=3)
    ends = 0
    for _ in range(2 * SMALL.make().max_plays):
        _, _, over, _, infos = envs.step(np.maximum(envs.unwrapped.sample_actions(), 0))
        over = np.asarray(over)
        ends += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            _, infos = envs.reset(options={"reset_mask": over})
    if envs.render_mode is not None:
        envs.render()
    assert ends >= 3
    assert infos
    envs.close()


def play_by_dice(envs: Any, mode: AutoresetMode) -> None:
    """The same where the tables are Gymnasium's to step."""
    dice = np.random.default_rng(1)
    _, infos = envs.reset(seed=3)
    masks, over = infos["action_mask"], np.zeros(3, np.bool_)
    ends = 0
    for _ in range(2 * SMALL.make().max_plays):
        if mode is AutoresetMode.DISABLED and over.any():
            _, infos = envs.reset(options={"reset_mask": over})
            masks = np.where(infos["_action_mask"][:, None], infos["action_mask"], masks)
        actions = np.array([dice.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        _, _, over, _, infos = envs.step(actions)
        masks = infos["action_mask"]
        ends += over.sum()
    assert ends >= 3
    envs.close()


def run_one(name: str, settings: dict[str, Any], folder: Path) -> None:
    env = make(SMALL, **settings)
    if name in CHECKS:
        CHECKS[name](env)
    else:
        play_one(ONE[name](env, folder))


def run_many(name: str, mode: AutoresetMode, settings: dict[str, Any], folder: Path) -> None:
    if name.startswith("make_vec, ") and name not in MANY:
        way = name.partition(", ")[2]
        vector_kwargs = {"autoreset_mode": mode}
        play_by_dice(
            gymnasium.make_vec(env_id(SMALL), 3, way, vector_kwargs=vector_kwargs, **SMALL.rules, **settings), mode
        )
    else:
        play_many(MANY[name](make_vec(SMALL, 3, autoreset_mode=mode, **settings), folder), mode)


def check(cell: str, run: Callable[[dict[str, Any]], None]) -> None:
    """Whether something runs under the settings that a cell names, and does not run without them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # what moviepy and the libraries under it say of themselves
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.filterwarnings("ignore", "rich is experimental")  # the progress bar
        if cell in SETTINGS:
            run(SETTINGS[cell])
        if cell != "yes":
            assert cell in ("no", *SETTINGS)
            settings = [{}] if cell in SETTINGS else SETTINGS.values()
            for given in settings:
                with pytest.raises(Exception, match=r"\w"):
                    run(given)


@of_these_versions
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("name", "cells"), OF_GYMNASIUM, ids=[row[0] for row in OF_GYMNASIUM])
def test_what_the_page_says_of_gymnasium_is_so(name: str, cells: dict[str, str], tmp_path: Path) -> None:
    tried = 0
    for column, mode in COLUMNS.items():
        missing = NEEDS.get(name) or (NEEDS_FOR_ONE if mode is None else NEEDS_FOR_MANY).get(name)
        if cells[column] == "–" or (missing and find_spec(missing) is None):
            continue
        tried += 1
        folder = tmp_path / column.replace(" ", "_")
        if mode is None:
            check(cells[column], lambda given, folder=folder: run_one(name, given, folder))  # type: ignore[misc]
        else:
            check(
                cells[column],
                lambda given, folder=folder, mode=mode: run_many(name, mode, given, folder),  # type: ignore[misc]
            )
    if not tried:
        pytest.skip(f"{NEEDS.get(name)} is not installed")


@of_these_versions
def test_every_wrapper_of_gymnasium_has_a_row() -> None:
    named = {name for name, _ in OF_GYMNASIUM}
    for there_are, forms, column in ((wrappers, ONE, "one table"), (vector, MANY, "SAME_STEP")):
        names = set(there_are.__all__) - NOT_IN_TABLES - {"vector"}
        assert names <= named
        assert names <= set(forms)
        assert {name for name, cells in OF_GYMNASIUM if cells[column] != "–"} <= set(forms) | set(CHECKS) | {
            "make_vec, sync", "make_vec, async",
        }  # fmt: skip
    for name in NOT_IN_TABLES:
        assert f"`{name}`" in PAGE


# Stable-Baselines3


TINY: dict[str, Any] = {"device": "cpu", "seed": 0, "policy_kwargs": {"net_arch": [4]}}
SHORT: dict[str, Any] = {"n_steps": 16, "batch_size": 32, "n_epochs": 1, **TINY}


def dictionaries(**settings: Any) -> Any:
    """Tables whose observations are dictionaries."""
    return vec_env.DummyVecEnv([lambda: MaskInObservation(make(SMALL, **settings))] * 2)


WRAPPERS: dict[str, Callable[[Any, Path], Any]] = {
    "VecCheckNan": lambda envs, _: vec_env.VecCheckNan(envs, raise_exception=True),
    "VecExtractDictObs": lambda envs, _: vec_env.VecExtractDictObs(envs, "observation"),
    "VecFrameStack": lambda envs, _: vec_env.VecFrameStack(envs, 2),
    "VecMonitor": lambda envs, _: vec_env.VecMonitor(envs),
    "VecNormalize": lambda envs, _: vec_env.VecNormalize(envs),
    "VecTransposeImage": lambda envs, _: vec_env.VecTransposeImage(envs),
    "VecVideoRecorder": lambda envs, folder: vec_env.VecVideoRecorder(envs, str(folder), lambda step: step == 0, 4),
}
ALGORITHMS: dict[str, Callable[[Any], Any]] = {
    "MaskablePPO": lambda envs: MaskablePPO("MlpPolicy", envs, **SHORT),
    "PPO": lambda envs: stable_baselines3.PPO("MlpPolicy", envs, **SHORT),
    "A2C": lambda envs: stable_baselines3.A2C("MlpPolicy", envs, n_steps=16, **TINY),
    "DQN": lambda envs: stable_baselines3.DQN("MlpPolicy", envs, buffer_size=100, learning_starts=10, **TINY),
}


def watching(held_out: Any, **settings: Any) -> MaskableEvalCallback:
    return MaskableEvalCallback(held_out, n_eval_episodes=2, eval_freq=8, verbose=0, **settings)


CALLBACKS: dict[str, Callable[[Any, Path], callbacks.BaseCallback]] = {
    "CallbackList": lambda _, __: callbacks.CallbackList([callbacks.StopTrainingOnMaxEpisodes(100)]),
    "CheckpointCallback": lambda _, folder: callbacks.CheckpointCallback(8, str(folder)),
    "ConvertCallback": lambda _, __: callbacks.ConvertCallback(lambda *_: True),
    "EvalCallback": lambda held_out, _: callbacks.EvalCallback(held_out, n_eval_episodes=9, eval_freq=8, verbose=0),
    "MaskableEvalCallback": lambda held_out, folder: watching(held_out, best_model_save_path=str(folder)),
    "EveryNTimesteps": lambda _, __: callbacks.EveryNTimesteps(8, callbacks.ConvertCallback(lambda *_: True)),
    "LogEveryNTimesteps": lambda _, __: callbacks.LogEveryNTimesteps(8),
    "ProgressBarCallback": lambda _, __: callbacks.ProgressBarCallback(),
    "StopTrainingOnMaxEpisodes": lambda _, __: callbacks.StopTrainingOnMaxEpisodes(3),
    "StopTrainingOnNoModelImprovement": lambda held_out, _: watching(
        held_out, callback_after_eval=callbacks.StopTrainingOnNoModelImprovement(1)
    ),
    "StopTrainingOnRewardThreshold": lambda held_out, _: watching(
        held_out, callback_on_new_best=callbacks.StopTrainingOnRewardThreshold(-1e9)
    ),
}


def batch(column: str, name: str, settings: dict[str, Any]) -> Any:
    if column == "CardVecEnv":
        return CardVecEnv(SMALL.make(), 2, seed=1, **settings)
    if name == "VecExtractDictObs":
        return dictionaries(**settings)
    more = {"vec_env_cls": vec_env.SubprocVecEnv} if name == "SubprocVecEnv" else {}
    return make_vec_env(f"card_envs:{env_id(SMALL)}", 2, seed=1, env_kwargs=SMALL.rules | settings, **more)


def learn(name: str, column: str, settings: dict[str, Any], folder: Path) -> None:
    """Make what a row is about, and learn for some episodes with it."""
    envs = batch(column, name, settings)
    try:
        if name in ALGORITHMS:
            ALGORITHMS[name](envs).learn(200)
        elif name in CALLBACKS:
            held_out = batch(column, name, settings)
            MaskablePPO("MlpPolicy", envs, **SHORT).learn(64, callback=CALLBACKS[name](held_out, folder))
        else:
            MaskablePPO("MlpPolicy", WRAPPERS.get(name, lambda it, _: it)(envs, folder), **SHORT).learn(64)
    finally:
        envs.close()


@of_these_versions
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("name", "cells"), OF_STABLE_BASELINES, ids=[row[0] for row in OF_STABLE_BASELINES])
def test_what_the_page_says_of_stable_baselines_is_so(name: str, cells: dict[str, str], tmp_path: Path) -> None:
    if name == "VecVideoRecorder" and find_spec("moviepy") is None:
        pytest.skip("films need moviepy")
    for column in ("CardVecEnv", "make_vec_env"):
        if cells[column] != "–":
            check(cells[column], lambda given, column=column: learn(name, column, given, tmp_path))  # type: ignore[misc]


@of_these_versions
def test_every_wrapper_and_callback_of_stable_baselines_has_a_row() -> None:
    named = {name for name, _ in OF_STABLE_BASELINES}
    assert named == {*WRAPPERS, *ALGORITHMS, *CALLBACKS, "SubprocVecEnv"}
    bases = (vec_env.VecEnvWrapper, vec_env.VecEnv)
    there_are = [getattr(vec_env, name) for name in vec_env.__all__]
    wrapping = {it.__name__ for it in there_are if isinstance(it, type) and issubclass(it, vec_env.VecEnvWrapper)}
    assert wrapping - {base.__name__ for base in bases} == set(WRAPPERS)
    of_callbacks = {
        it.__name__
        for it in vars(callbacks).values()
        if isinstance(it, type) and issubclass(it, callbacks.BaseCallback)
    }
    assert of_callbacks - {"BaseCallback", "EventCallback"} == set(CALLBACKS) - {"MaskableEvalCallback"}


def test_the_page_is_about_the_versions_that_are_tested() -> None:
    assert VERSIONS
    pinned = dict(re.findall(r"^([\w-]+)==(\d+\.\d+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M))
    assert VERSIONS.groups() == (pinned["gymnasium"], pinned["stable-baselines3"])


def test_the_examples_of_the_page_run() -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2
    names: dict[str, Any] = {"np": np, "env": make(SMALL)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for example in examples:
            exec(example, names)
    assert not names["env"].agents


def test_where_something_does_not_run_the_row_says_what_to_do() -> None:
    for name, cells in ROWS:
        if "no" in cells.values():
            assert cells["remark"], name
