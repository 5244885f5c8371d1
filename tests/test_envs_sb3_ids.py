"""Stable-Baselines3 by the ids of the environments, and what its wrappers and evaluations report."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_maskable
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecCheckNan,
    VecEnvWrapper,
    VecFrameStack,
    VecNormalize,
)

import card_envs
from card_envs.envs.sb3 import CardVecEnv
from tests.environments import env_id
from tests.variants import ANY, DEFAULTS, SEVERAL

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(card_envs.__file__).parent.parent
each_id = pytest.mark.parametrize("name", [env_id(variant) for variant in DEFAULTS])
SMALL: dict[str, Any] = {"device": "cpu", "seed": 0, "policy_kwargs": {"net_arch": [8]}}


# By id


@each_id
def test_algorithms_are_made_from_an_id_and_learn(name: str) -> None:
    MaskablePPO("MlpPolicy", name, n_steps=32, batch_size=32, n_epochs=1, **SMALL).learn(32)
    for algorithm, more in ((PPO, {"n_steps": 32, "batch_size": 32}), (A2C, {}), (DQN, {"buffer_size": 100})):
        model = algorithm("MlpPolicy", name, **more, **SMALL)
        assert model.get_env() is not None
        with pytest.raises(
            card_envs.IllegalAction, match=r'as MaskablePPO does, or, .* make the environment with illegal="lose"'
        ):
            model.learn(500)
        model.set_env(gymnasium.make(name, illegal="lose"))
        model.learn(32)


@pytest.mark.parametrize("settings", [None, {"opponents": "greedy", "reward": "win"}], ids=["plain", "settings"])
@each_id
def test_batches_are_made_from_an_id(name: str, settings: dict[str, Any] | None) -> None:
    envs = make_vec_env(name, n_envs=2, seed=1, env_kwargs=settings)
    assert isinstance(envs, DummyVecEnv)
    assert envs.get_attr("reward") == [(settings or {}).get("reward", "points")] * 2
    MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, **SMALL).learn(32)
    DummyVecEnv([lambda: gymnasium.make(name, **(settings or {}))]).reset()


def test_batches_of_processes_are_made_from_an_id() -> None:
    for name, start in ((env_id(ANY), "fork"), (f"card_envs:{env_id(SEVERAL)}", "spawn")):
        envs = make_vec_env(name, n_envs=2, vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": start})
        try:
            assert len(envs.reset()) == 2
        finally:
            envs.close()


def test_a_script_that_imports_the_package_needs_no_more_for_processes(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        textwrap.dedent("""\
            import card_envs
            from stable_baselines3.common.env_util import make_vec_env
            from stable_baselines3.common.vec_env import SubprocVecEnv

            if __name__ == "__main__":
                envs = make_vec_env(ANY_ID, n_envs=2, vec_env_cls=SubprocVecEnv)
                print(envs.reset().shape[0])
                envs.close()
            """).replace("ANY_ID", repr(env_id(ANY)))
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "2"


@each_id
def test_a_mode_that_there_is_not_is_refused_so_that_libraries_go_on_without(name: str) -> None:
    with pytest.warns(UserWarning, match="depth_array"), pytest.raises(TypeError, match="render_mode='depth_array'"):
        gymnasium.make(name, render_mode="depth_array")


# Statistics of episodes under wrappers


class Wrapped(VecEnvWrapper):
    """Changes rewards, as a user's own wrapper might."""

    def reset(self) -> Any:
        return self.venv.reset()

    def step_wait(self) -> Any:
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards * 100 + 7, dones, infos


def tables(size: int = 4) -> CardVecEnv:
    return CardVecEnv(ANY.game, size, opponents="greedy", seed=5, reward="win", illegal="lose")


WRAPPERS = {
    "nothing": lambda envs: envs,
    "VecNormalize": VecNormalize,
    "VecCheckNan": lambda envs: VecCheckNan(envs, raise_exception=True),
    "VecFrameStack": lambda envs: VecFrameStack(envs, 2),
    "a wrapper that scales": Wrapped,
    "several": lambda envs: Wrapped(VecNormalize(VecFrameStack(envs, 2))),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS.keys())
def test_evaluations_report_the_rewards_of_the_game_whatever_is_around_the_tables(wrap: Any) -> None:
    envs = wrap(tables())
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, **SMALL)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        masked = evaluate_maskable(model, envs, n_eval_episodes=12, return_episode_rewards=True)
        plain = evaluate_policy(model, envs, n_eval_episodes=12, return_episode_rewards=True)
    for rewards, lengths in (masked, plain):
        assert len(rewards) == 12
        assert set(rewards) <= {-1.0, 0.0, 1.0}
        assert all(1 <= length <= 16 for length in lengths)
    assert set(masked[1]) == {16}


@pytest.mark.parametrize("callback", [EvalCallback, MaskableEvalCallback])
def test_evaluations_while_learning_neither_warn_nor_report_scaled_rewards(callback: Any, tmp_path: Path) -> None:
    train, held_out = VecNormalize(tables()), VecNormalize(tables(), training=False)
    model = MaskablePPO("MlpPolicy", train, n_steps=16, batch_size=32, n_epochs=1, **SMALL)
    watching = callback(held_out, n_eval_episodes=8, eval_freq=16, log_path=str(tmp_path), verbose=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn(128, callback=watching)
    results = np.load(tmp_path / "evaluations.npz")["results"]
    assert results.shape == (2, 8)
    assert set(results.ravel().tolist()) <= {-1.0, 0.0, 1.0}
    assert all(episode["r"] in (-1.0, 0.0, 1.0) for episode in model.ep_info_buffer)
