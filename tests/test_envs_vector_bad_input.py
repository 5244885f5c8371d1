"""What the batch environment refuses, and that nothing has then changed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from card_envs import IllegalAction
from card_envs.envs.vector import CardVectorEnv
from tests.environments import Dicer, each_game, make_vec
from tests.variants import ANY, Variant

each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
each_opponent = pytest.mark.parametrize("opponent", ["random", "greedy", Dicer()], ids=["random", "greedy", "act"])


# Bad input


@each_game
def test_illegal_actions_are_named_by_row_and_change_nothing(variant: Variant) -> None:
    envs = make_vec(variant, 5)
    _, infos = envs.reset(seed=1)
    actions = envs.sample_actions()
    actions[3] = np.flatnonzero(infos["action_mask"][3] == 0)[0]
    before = envs.full_states.tobytes()
    with pytest.raises(IllegalAction, match=r"1 of 5 actions are illegal, in rows \[3\]; row 3: Seat \d+ cannot play"):
        envs.step(actions)
    assert envs.full_states.tobytes() == before
    assert np.array_equal(envs.action_masks(), infos["action_mask"] != 0)


def test_illegal_actions_lose_where_that_was_asked_for() -> None:
    envs = make_vec(ANY, 3, illegal="lose", reward="win")
    _, infos = envs.reset(seed=1)
    actions = envs.sample_actions()
    actions[1] = np.flatnonzero(infos["action_mask"][1] == 0)[0]
    _, rewards, over, _, infos = envs.step(actions)
    assert over.tolist() == [False, True, False]
    assert rewards.tolist() == [0.0, -1.0, 0.0]
    with pytest.raises(IllegalAction, match="Action 32 in row 2 is out of range"):
        envs.step(np.array([0, 0, 32]))


@pytest.mark.parametrize(
    "actions",
    [np.zeros(4), np.zeros(4, bool), np.zeros(3, int), np.zeros((4, 1), int), 0, None, [0.0] * 4, [2**40] * 4],
)
def test_actions_of_another_shape_or_kind_are_refused(actions: Any) -> None:
    envs = make_vec(ANY, 4)
    envs.reset(seed=1)
    before = envs.full_states.tobytes()
    with pytest.raises(ValueError, match=r"actions must be whole numbers of shape|out of range"):
        envs.step(actions)
    assert envs.full_states.tobytes() == before


@pytest.mark.parametrize("kind", [list, tuple, np.int8, np.uint8, np.int32, np.uint64])
def test_whole_numbers_of_every_kind_are_actions(kind: Any) -> None:
    envs = make_vec(ANY, 4)
    envs.reset(seed=1)
    actions = envs.sample_actions()
    envs.step(actions.astype(kind) if isinstance(kind, type) and issubclass(kind, np.number) else kind(actions))


def test_stepping_before_the_first_reset_is_refused() -> None:
    envs = make_vec(ANY, 2, autoreset_mode="Disabled")
    for act in (lambda: envs.step([0, 0]), envs.sample_actions, lambda: envs.views, lambda: envs.full_states):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            act()
    with pytest.raises(gymnasium.error.ResetNeeded, match="must be of all rows"):
        envs.reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize("num_envs", [0, -1, 1.5, True, "4"])
def test_bad_widths_are_refused(num_envs: Any) -> None:
    with pytest.raises(ValueError, match="num_envs="):
        CardVectorEnv(ANY.game, num_envs)
