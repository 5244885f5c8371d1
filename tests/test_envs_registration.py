"""The ids, and what importing the package brings along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

import card_envs
from tests.environments import PLAYED, env_id
from tests.variants import ANY, Variant

PACKAGE = Path(card_envs.__file__).parent


def run(program: str) -> str:
    program = program.replace("ANY_ID", env_id(ANY)).replace("ANY_GAME", ANY.game)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, cwd=PACKAGE.parent, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_game_is_registered_on_import() -> None:
    for name in card_envs.GAMES:
        assert f"card_envs/{name.capitalize()}-v0" in gymnasium.registry


def test_the_id_alone_imports_the_package() -> None:
    assert run("import gymnasium; print(gymnasium.make('card_envs:ANY_ID').reset(seed=1)[1]['seat'])")


def test_importing_again_neither_warns_nor_fails() -> None:
    run(
        "import sys, card_envs, gymnasium\n"
        "for name in [name for name in sys.modules if name.startswith('card_envs')]: del sys.modules[name]\n"
        "import card_envs\n"
        "from card_envs.envs.registration import register_all; register_all()"
    )


def test_importing_and_playing_loads_no_training_drawing_or_window_library() -> None:
    heavy = {
        "torch",
        "stable_baselines3",
        "sb3_contrib",
        "matplotlib",
        "PIL",
        "pygame",
        "resvg_py",
        "pandas",
        "tensorboard",
        "pettingzoo",
    }
    loaded = run(
        "import sys, json, gymnasium, card_envs\n"
        "env = gymnasium.make('ANY_ID', render_mode='ansi'); env.reset(seed=1); env.render()\n"
        "envs = gymnasium.make_vec('ANY_ID', num_envs=2); envs.reset(seed=1)\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    assert not (heavy | {"card_agents"}) & set(json.loads(loaded))


def test_playing_leaves_the_global_generators_alone() -> None:
    run(
        "import random, numpy as np, gymnasium, card_envs\n"
        "def state(): return (random.getstate(), repr(np.random.get_state()))\n"
        "before = state()\n"
        "env = gymnasium.make('ANY_ID'); env.reset(); env.reset(seed=3)\n"
        "over = False\n"
        "while not over: _, _, over, _, info = env.step(env.unwrapped.sample_action())\n"
        "envs = gymnasium.make_vec('ANY_ID', num_envs=3); envs.reset()\n"
        "for _ in range(40): envs.step(envs.sample_actions())\n"
        "assert state() == before"
    )


def test_the_batch_environment_leaves_the_global_generators_alone() -> None:
    run(
        "import warnings; warnings.simplefilter('ignore')\n"
        "import random, numpy as np\n"
        "from card_envs.envs.sb3 import CardVecEnv\n"
        "before = (random.getstate(), repr(np.random.get_state()))\n"
        "envs = CardVecEnv('ANY_GAME', 3); envs.reset(); envs.seed(); envs.reset()\n"
        "for _ in range(40): envs.step(envs.sample_actions())\n"
        "assert (random.getstate(), repr(np.random.get_state())) == before"
    )


@pytest.mark.parametrize("variant", PLAYED, ids=lambda variant: variant.id)
def test_a_spec_makes_the_same_environment_again(variant: Variant) -> None:
    env = gymnasium.make(env_id(variant), **variant.rules, opponents="greedy", seat=1)
    assert env.spec is not None
    again = env.spec.make()
    assert again.unwrapped.game == env.unwrapped.game == variant.make()
    assert again.reset(seed=3)[0].tobytes() == env.reset(seed=3)[0].tobytes()


def test_no_game_is_named_in_the_environments() -> None:
    for path in (PACKAGE / "envs").glob("*.py"):
        text = path.read_text().lower()
        for name in card_envs.GAMES:
            assert name not in text, path


def test_the_environments_do_not_wrap_what_costs_more_than_a_step() -> None:
    env = gymnasium.make(env_id(ANY))
    assert env is env.unwrapped
    checked = gymnasium.make(env_id(ANY), disable_env_checker=False)
    assert isinstance(checked, gymnasium.wrappers.PassiveEnvChecker)
