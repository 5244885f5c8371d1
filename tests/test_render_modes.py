"""Pixels, windows and films of the environments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers import HumanRendering, RecordVideo
from gymnasium.wrappers.vector import HumanRendering as VectorHumanRendering
from gymnasium.wrappers.vector import RecordVideo as VectorRecordVideo
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecVideoRecorder

from card_envs import Game
from card_envs.envs.rendering import RENDER_FPS
from card_envs.envs.sb3 import CardVecEnv
from card_envs.envs.settings import SHEET
from card_envs.envs.single import CardEnv
from card_envs.envs.vector import CardVectorEnv
from card_envs.errors import MissingExtra, NoDisplay, UnknownArgument
from card_envs.render import pixels as drawing
from card_envs.render.pixels import pixels, sheet
from card_envs.render.window import Window
from tests.variants import ANY, FEW, GAMES, every

each_game = pytest.mark.parametrize("name", GAMES)
films = pytest.mark.skipif(find_spec("moviepy") is None, reason="films need moviepy: pip install 'gymnasium[other]'")
# what moviepy and the libraries under it say of themselves
films_are_heard = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def env_id(name: str) -> str:
    return f"card_envs/{name.capitalize()}-v0"


def is_picture(frame: Any) -> bool:
    return isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3


# Pixels


@each_game
def test_pixels_of_an_episode_are_of_one_size_and_show_what_the_learner_sees(name: str) -> None:
    env = gymnasium.make(env_id(name), render_mode="rgb_array", opponents="greedy")
    env.reset(seed=3)
    frames, over = [env.render()], False
    while not over:
        assert np.array_equal(frames[-1], pixels(env.unwrapped.view.to_svg()))  # type: ignore[attr-defined]
        over = env.step(env.unwrapped.sample_action())[2]  # type: ignore[attr-defined]
        frames.append(env.render())
    assert all(map(is_picture, frames))
    assert len({frame.shape for frame in frames}) == 1  # type: ignore[union-attr]
    assert len({frame.tobytes() for frame in frames}) == len(frames)  # type: ignore[union-attr]
    height, width, _ = frames[0].shape  # type: ignore[union-attr]
    assert height % 2 == width % 2 == 0


@every(FEW)
def test_pixels_show_every_play_at_every_size(game: Game) -> None:
    state = game.new_state(seed=3)
    for width in (300, 1440):
        frame = pixels(state.to_svg(0, width=width))
        assert frame.shape[1] == width
        assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 50
        state.play(state.greedy_action())
        assert not np.array_equal(frame, pixels(state.to_svg(0, width=width)))


def test_lists_of_pixels_are_collected_by_gymnasium() -> None:
    env = gymnasium.make(env_id(ANY.game), render_mode="rgb_array_list")
    env.reset(seed=1)
    env.step(env.unwrapped.sample_action())  # type: ignore[attr-defined]
    assert all(map(is_picture, env.render()))  # type: ignore[arg-type]


def test_a_sheet_has_its_pictures_side_by_side() -> None:
    frames = [np.full((20, 30, 3), k, np.uint8) for k in range(5)]
    whole = sheet(frames)
    assert whole.shape == (60, 60, 3)
    assert whole[:20, :30].max() == 0
    assert (whole[20:40, 30:] == 3).all()
    assert (whole[40:, 30:] == 255).all()


def test_the_vector_environment_draws_a_picture_a_row_and_its_first_rows_as_a_sheet() -> None:
    envs = gymnasium.make_vec(
        env_id(ANY.game), num_envs=20, vectorization_mode="vector_entry_point", render_mode="rgb_array"
    )
    envs.reset(seed=5)
    frames = envs.render()
    assert isinstance(frames, tuple)
    assert len(frames) == 20
    single = CardEnv(ANY.game, render_mode="rgb_array")
    single.reset(seed=8)
    assert np.array_equal(frames[3], single.render())  # type: ignore[arg-type]
    whole = envs.sheet()  # type: ignore[attr-defined]
    assert is_picture(whole)
    assert whole.shape[1] == 3 * 360 or whole.shape[1] % 360 == 0
    assert envs.sheet(1).shape == frames[0].shape  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="tables=0 is out of range"):
        envs.sheet(0)  # type: ignore[attr-defined]


# Windows, on a screen that is none


@each_game
def test_a_window_shows_every_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(Window, "show", lambda self, picture: shown.append(picture))
    env = gymnasium.make(env_id(name), render_mode="human")
    env.reset(seed=1)
    env.step(env.unwrapped.sample_action())  # type: ignore[attr-defined]
    assert len(shown) == 2
    assert env.render() is None
    assert len(shown) == 3
    assert all(map(is_picture, shown))
    env.close()


@pytest.mark.parametrize("make", [CardEnv, CardVectorEnv])
def test_windows_open_close_and_open_again(make: Any) -> None:
    env = make(ANY.game, render_mode="human")
    for _ in range(2):
        env.reset(seed=1)
        assert env.render() is None
        env.close()
        env.closed = False


def test_gymnasiums_own_windows_show_the_pixels() -> None:
    env = HumanRendering(gymnasium.make(env_id(GAMES[-1]), render_mode="rgb_array"))
    env.reset(seed=1)
    env.step(env.unwrapped.sample_action())  # type: ignore[attr-defined]
    env.close()


@pytest.mark.skipif(find_spec("cv2") is None, reason="Gymnasium's window for batches needs opencv")
def test_gymnasiums_own_windows_show_batches() -> None:
    envs: Any = VectorHumanRendering(CardVectorEnv(ANY.game, 3, render_mode="rgb_array"))  # type: ignore[arg-type]
    envs.reset(seed=1)
    envs.step(envs.unwrapped.sample_actions())
    envs.close()


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    }
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**kept, **environment}
    )


def test_without_a_screen_a_sentence_says_so() -> None:
    make = f"from card_envs.envs.single import CardEnv\nCardEnv({ANY.game!r}, render_mode='human').reset(seed=1)"
    refused = run(make, SDL_VIDEODRIVER="no_such_driver")
    assert refused.returncode != 0
    assert NoDisplay.__name__ in refused.stderr
    assert "no screen to open a window on" in refused.stderr
    assert 'take render_mode="rgb_array"' in refused.stderr
    warned = run(make)
    assert "no screen" in warned.stderr
    assert run(make, SDL_VIDEODRIVER="dummy").stderr.count("screen") == 0


# Films


@films
@films_are_heard
@each_game
def test_an_episode_makes_a_film(name: str, tmp_path: Any) -> None:
    env = RecordVideo(
        gymnasium.make(env_id(name), render_mode="rgb_array"), str(tmp_path / "films"), episode_trigger=lambda _: True
    )
    env.reset(seed=1)
    steps, over = 0, False
    while not over:
        over = env.step(env.unwrapped.sample_action())[2]  # type: ignore[attr-defined]
        steps += 1
    env.close()
    assert frames_of(tmp_path / "films" / "rl-video-episode-0.mp4") == steps + 1


def frames_of(film: Any) -> int:
    import imageio_ffmpeg

    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(film))
    assert seconds == pytest.approx(count / RENDER_FPS, rel=0.2)
    return int(count)


@films
@films_are_heard
def test_batches_make_films(tmp_path: Any) -> None:
    envs: Any = VectorRecordVideo(
        CardVectorEnv(ANY.game, 2, render_mode="rgb_array", autoreset_mode="NextStep"),
        str(tmp_path / "films"),
        video_length=3,
    )
    envs.reset(seed=1)
    for _ in range(5):
        envs.step(envs.unwrapped.sample_actions())
    envs.close()
    assert frames_of(next((tmp_path / "films").glob("*.mp4"))) == 4


@films
@films_are_heard
@pytest.mark.parametrize("own", [True, False])
def test_stable_baselines_makes_films(own: bool, tmp_path: Any) -> None:
    tables: Any
    if own:
        tables = CardVecEnv(ANY.game, 3, illegal="lose", render_mode="rgb_array")
    else:
        tables = make_vec_env(env_id(ANY.game), n_envs=2, env_kwargs={"illegal": "lose"})
    film = VecVideoRecorder(tables, str(tmp_path), record_video_trigger=lambda step: step == 0, video_length=3)
    film.reset()
    for _ in range(5):
        film.step(np.zeros(film.num_envs, np.int64))
    film.close()
    assert frames_of(next(tmp_path.glob("*.mp4"))) == 4


# Stable-Baselines3


def test_stable_baselines_takes_the_pixels_without_a_warning() -> None:
    """The suite turns warnings into errors."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    envs = make_vec_env(env_id(ANY.game), n_envs=2, env_kwargs={"illegal": "lose"})
    assert envs.render_mode == "rgb_array"
    model = PPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, device="cpu", policy_kwargs={"net_arch": [8]})
    model.learn(32)
    assert is_picture(envs.render())
    torch.set_num_threads(before)


def test_tables_of_stable_baselines_draw_when_asked_to() -> None:
    envs = CardVecEnv(ANY.game, SHEET + 3, seed=1, render_mode="rgb_array")
    envs.reset()
    assert envs.metadata["render_fps"] == RENDER_FPS  # type: ignore[comparison-overlap]
    assert len(envs.get_images()) == SHEET
    assert is_picture(envs.render())
    assert all(map(is_picture, envs.env_method("render", indices=[0, 18])))


# What is not there


@pytest.mark.parametrize(
    ("make", "mode", "gone", "sentence"),
    [
        (lambda **how: CardEnv(ANY.game, **how), "rgb_array", {"resvg_py"}, "needs resvg-py, which is not installed"),
        (
            lambda **how: CardVectorEnv(ANY.game, 2, **how),
            "rgb_array",
            {"resvg_py", "PIL"},
            "resvg-py and pillow, which are",
        ),
        (lambda **how: CardVecEnv(ANY.game, 2, **how), "rgb_array", {"PIL"}, "needs pillow, which is not"),
        (lambda **how: CardEnv(ANY.game, **how), "human", {"pygame"}, "needs pygame-ce, which is not"),
    ],
)
def test_a_missing_package_is_named_before_anything_is_dealt(
    make: Any, mode: str, gone: set[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "find_spec", lambda module: None if module in gone else find_spec(module))
    for error in (MissingExtra, UnknownArgument, ImportError, ValueError, TypeError):
        with pytest.raises(error, match=rf"{sentence}.*pip install \"card_envs\[pictures\]\""):
            make(render_mode=mode)
    env = make()
    with pytest.raises(MissingExtra):
        env.render_mode = mode
    assert env.render_mode is None


def test_without_the_packages_libraries_go_on_without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "find_spec", lambda module: None)
    envs = make_vec_env(env_id(ANY.game), n_envs=2)
    assert envs.render_mode is None
    envs.reset()


def test_nothing_that_draws_is_loaded_before_something_is_drawn() -> None:
    loaded = run(
        "import sys, json, gymnasium, card_envs\n"
        f"env = gymnasium.make('{env_id(ANY.game)}', render_mode='rgb_array'); env.reset(seed=1)\n"
        "env.unwrapped.view.to_svg()\n"
        "names = {'resvg_py', 'PIL', 'pygame', 'moviepy'}\n"
        "before = sorted(names & {name.partition('.')[0] for name in sys.modules})\n"
        "env.render()\n"
        "print(json.dumps([before, 'resvg_py' in sys.modules, 'pygame' in sys.modules]))",
    )
    assert json.loads(loaded.stdout) == [[], True, False], loaded.stderr
