"""The settings of an environment can be changed afterwards, and then hold, or are refused; unknown ones too."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

import card_envs
from card_envs.envs.sb3 import CardVecEnv
from card_envs.envs.single import CardEnv
from card_envs.envs.vector import CardVectorEnv
from card_envs.errors import FixedSetting, UnknownArgument
from tests.environments import FirstLegal, env_id
from tests.variants import ANY, SEVERAL

MAKERS = {
    "single": CardEnv,
    "vector": lambda game, **settings: CardVectorEnv(game, 3, **settings),
    "sb3": lambda game, **settings: CardVecEnv(game, 3, **settings),
}
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def episode(env: CardEnv, **reset: Any) -> tuple[list[float], dict[str, Any]]:
    """Rewards and last info of an episode of the lowest legal actions."""
    env.reset(**reset)
    rewards, over, info = [], False, {}
    while not over:
        _, reward, over, _, info = env.step(int(env.action_masks().argmax()))
        rewards.append(reward)
    return rewards, info


def reset_with(env: Any, options: Any) -> None:
    if isinstance(env, CardVecEnv):
        env.set_options(options)
        env.reset()
    else:
        env.reset(options=options)


def test_another_reward_is_paid_from_the_next_episode_on() -> None:
    env, points, share = (CardEnv(ANY.game, reward=reward) for reward in ("points", "points", "share"))
    env.reset(seed=3)
    env.reward = "share"
    assert env.reward == "share"
    over, paid, info = False, [], {}
    while not over:
        _, reward, over, _, info = env.step(int(env.action_masks().argmax()))
        paid.append(reward)
    expected, last = episode(points, seed=3)
    assert paid == expected
    assert info["returns"].tolist() == last["returns"].tolist()
    assert episode(env, seed=4)[0] == episode(share, seed=4)[0]


@pytest.mark.parametrize(
    "set_attr",
    [
        lambda env: setattr(env.unwrapped, "reward", "win"),
        lambda env: env.set_wrapper_attr("reward", "win"),
        lambda env: DummyVecEnv([lambda: env]).set_attr("reward", "win"),
    ],
    ids=["unwrapped", "set_wrapper_attr", "DummyVecEnv"],
)
def test_a_reward_can_be_set_in_every_way_there_is(set_attr: Any) -> None:
    env = gymnasium.make(env_id(ANY))
    set_attr(env)
    assert env.get_wrapper_attr("reward") == "win"
    assert set(episode(env.unwrapped, seed=1)[0]) <= {-1.0, 0.0, 1.0}  # type: ignore[arg-type]


def test_settings_reach_the_tables_of_gymnasiums_own_batch_through_wrappers() -> None:
    envs = gymnasium.make_vec(env_id(ANY), num_envs=2, vectorization_mode="sync", wrappers=[
        lambda env: gymnasium.wrappers.TimeLimit(env, 100)
    ])  # fmt: skip
    envs.set_attr("reward", ["win", "share"])
    assert envs.get_attr("reward") == ("win", "share")
    assert [env.unwrapped.reward for env in envs.envs] == ["win", "share"]


def test_tables_of_a_batch_may_pay_different_rewards() -> None:
    envs = CardVectorEnv(ANY.game, 3, opponents=FirstLegal(), reward="points")
    alone = [CardEnv(ANY.game, opponents=FirstLegal(), reward=reward) for reward in ("points", "win", "share")]
    envs.set_attr("reward", ["points", "win", "share"])
    assert envs.get_attr("reward") == ("points", "win", "share")
    assert envs.reward == ["points", "win", "share"]
    envs.reset(seed=5)
    for row, env in enumerate(alone):
        env.reset(seed=5 + row)
    for _ in range(16):
        actions = envs.action_masks().argmax(axis=1)
        _, rewards, over, _, infos = envs.step(actions)
        singles = [env.step(int(action)) for env, action in zip(alone, actions, strict=True)]
        assert rewards.tolist() == [single[1] for single in singles]
    assert over.all()
    for row, single in enumerate(singles):
        assert infos["final_info"]["returns"][row].tolist() == single[4]["returns"].tolist()
    envs.set_attr("reward", "win")
    assert envs.reward == "win"
    for _ in range(16):  # in the episodes that were begun before, each reward goes on
        _, rewards, over, _, _ = envs.step(envs.action_masks().argmax(axis=1))
    assert over.all()
    assert rewards[2] not in (-1.0, 0.0, 1.0)
    for _ in range(16):
        _, rewards, over, _, _ = envs.step(envs.action_masks().argmax(axis=1))
    assert set(rewards.tolist()) <= {-1.0, 0.0, 1.0}


def test_a_reward_can_be_set_for_some_tables_of_stable_baselines() -> None:
    envs = CardVecEnv(ANY.game, 3, seed=1)
    envs.set_attr("reward", "win", indices=[1])
    assert envs.get_attr("reward") == ["points", "win", "points"]
    envs.reset()
    for _ in range(16):
        _, _, dones, infos = envs.step(envs.sample_actions())
    assert dones.all()
    assert abs(infos[1]["episode"]["r"]) <= 1
    assert [info["episode"]["r"] for info in infos] == [info["returns"][info["seat"]] for info in infos]


@each_maker
def test_a_seat_holds_from_the_next_episode_on(make: Any) -> None:
    env = make(ANY.game, seat=0)
    env.reset()
    env.seat = 1
    assert env.seat == 0
    env.reset()
    assert env.seat == 1
    with pytest.raises(ValueError, match="seat=2 is out of range"):
        env.seat = 2
    env.seat = None
    seats = set()
    for _ in range(60):
        env.reset()
        seats.add(str(env.seat))
    assert len(seats) > 1


@each_maker
def test_opponents_are_read_as_they_were_given(make: Any) -> None:
    player = FirstLegal()
    env = make(SEVERAL.game, **SEVERAL.rules, opponents=["greedy", player])
    assert env.opponents == ["greedy", player]
    env.opponents = "random"
    assert env.opponents == "random"
    with pytest.raises(ValueError, match="'clever' is not an opponent"):
        env.opponents = "clever"
    assert env.opponents == "random"


@each_maker
def test_illegal_actions_lose_at_once_after_it_was_so_set(make: Any) -> None:
    env = make(ANY.game)
    env.reset()
    wrong = env.action_masks().argmin(axis=-1)
    with pytest.raises(card_envs.IllegalAction, match=r"action_masks\(\), as MaskablePPO does.*illegal=\"lose\""):
        env.step(wrong)
    env.illegal = "lose"
    assert env.illegal == "lose"
    assert np.all(env.step(wrong)[2])
    with pytest.raises(ValueError, match="illegal='win' is unknown"):
        env.illegal = "win"


@each_maker
@pytest.mark.parametrize("name", ["game", "match", "target", "follow_suit", "suits"])
def test_the_game_and_its_rules_are_fixed(make: Any, name: str) -> None:
    env = make(ANY.game)
    for error in (FixedSetting, ValueError, AttributeError):
        with pytest.raises(error, match=rf"^{name} is fixed when an environment is made.*make another one"):
            setattr(env, name, "always")
    assert env.game == card_envs.make_game(ANY.game)


def test_the_number_of_tables_and_the_mode_of_resetting_are_fixed() -> None:
    for envs in (CardVectorEnv(ANY.game, 3), CardVecEnv(ANY.game, 3)):
        with pytest.raises(FixedSetting, match="num_envs is fixed"):
            envs.num_envs = 4
        envs.num_envs = 3
    with pytest.raises(FixedSetting, match="autoreset_mode is fixed"):
        CardVectorEnv(ANY.game, 3).set_attr("autoreset_mode", "Disabled")


def test_attributes_that_there_are_not_cannot_be_set_at_many_tables() -> None:
    for envs in (CardVectorEnv(ANY.game, 3), CardVecEnv(ANY.game, 3)):
        with pytest.raises(FixedSetting, match="no attribute 'rewrad' to set: try reward, opponents, seat, illegal"):
            envs.set_attr("rewrad", "win")
        with pytest.raises(ValueError, match="reward='money' is unknown"):
            envs.set_attr("reward", "money")
        envs.set_attr("illegal", "lose")
        assert envs.illegal == "lose"
    vector = CardVectorEnv(ANY.game, 3)
    with pytest.raises(ValueError, match="reward='money' is unknown"):
        vector.set_attr("reward", ["win", "money", "win"])
    with pytest.raises(ValueError, match="a list of 3, not of 2"):
        vector.set_attr("reward", ["win", "win"])
    with pytest.raises(ValueError, match="'illegal' is the same for all tables"):
        vector.set_attr("illegal", ["lose", "raise", "lose"])
    assert vector.get_attr("reward") == ("points",) * 3
    vector.reset(seed=1)
    assert vector.get_attr("seat") == tuple(vector.seats.tolist())
    assert np.array_equal(vector.call("action_masks"), vector.action_masks())
    assert len(vector.call("render")) == 3
    vector.call("set_opponents", "greedy")
    assert vector.opponents == "greedy"


def test_render_modes_can_be_set_where_they_can_be_drawn() -> None:
    env = CardEnv(ANY.game)
    env.reset(seed=1)
    env.render_mode = "ansi"
    assert "holds" in str(env.render())
    with pytest.raises(
        UnknownArgument, match="render_mode='video' is unknown: choose one of 'ansi', 'rgb_array', 'human'"
    ):
        env.render_mode = "video"
    assert env.render_mode == "ansi"
    with pytest.raises(UnknownArgument, match="render_mode='ansi' is unknown"):
        CardVecEnv(ANY.game, 2).render_mode = "ansi"


@each_maker
@pytest.mark.parametrize("name", ["frameskip", "oponents", "max_steps"])
def test_an_unknown_argument_is_refused_in_pythons_words_and_ours(make: Any, name: str) -> None:
    for error in (UnknownArgument, ValueError, TypeError):
        with pytest.raises(
            error, match=rf"got an unexpected keyword argument '{name}'.*its rules are.*opponents, seat"
        ):
            make(ANY.game, **{name: 4})
        with pytest.raises(error, match=rf"got an unexpected keyword argument '{name}'.*has its rules already"):
            make(card_envs.make_game(ANY.game), **{name: 4})
    with pytest.raises(TypeError, match=rf"got an unexpected keyword argument '{name}'"):
        gymnasium.make(env_id(ANY), **{name: 4})
    with pytest.raises(ValueError, match=rf"got an unexpected keyword argument '{name}'"):
        gymnasium.make_vec(env_id(ANY), num_envs=2, **{name: 4})


@each_maker
@pytest.mark.parametrize("options", [5, "seat", [("seat", 0)], [], 0, True])
def test_options_that_are_no_dict_are_refused(make: Any, options: Any) -> None:
    env = make(ANY.game)
    env.reset()
    before = env._tables.states.tobytes()
    with pytest.raises(ValueError, match=r"options(=.* must be a dict| must be a dict or a list of 3)"):
        reset_with(env, options)
    assert env._tables.states.tobytes() == before
    with pytest.raises(ValueError, match="options=5 is unknown: choose one of 'deck'"):
        reset_with(env, {5: 1})
    assert env._tables.states.tobytes() == before
    env.reset()


def test_options_that_cannot_be_at_one_table_change_none() -> None:
    envs = CardVecEnv(ANY.game, 3, seed=1)
    envs.reset()
    before = envs._tables.states.tobytes()
    envs.set_options([{"deal": 5}, {"dealer": 1}, {"dealer": 7}])
    with pytest.raises(ValueError, match="dealer=7 is out of range"):
        envs.reset()
    assert envs._tables.states.tobytes() == before
    envs.step(envs.sample_actions())
    envs.reset()  # the options held for the reset that failed


@pytest.mark.parametrize(
    "seed", [1.0, "a", b"abc", True, {1: 2, 3: 4, 5: 6}, {1, 2, 3}, iter([1, 2, 3]), [1, 2], [1, 2, 3.0], [1, 2, -1],
             ["a", "b", "c"], np.zeros(3), np.zeros((3, 1), int), 1j, [[1], [2], [3]]],
    ids=lambda seed: type(seed).__name__,  # not repr: an iterator's is another one in each process
)  # fmt: skip
def test_seeds_of_another_kind_are_refused(seed: Any) -> None:
    envs = CardVectorEnv(ANY.game, 3)
    envs.reset(seed=1)
    before = envs.full_states.tobytes()
    with pytest.raises(ValueError, match=r"seed.* (is not a whole number|is out of range|must be a whole number or 3)"):
        envs.reset(seed=seed)
    assert envs.full_states.tobytes() == before


@pytest.mark.parametrize("seed", [7, np.int64(7), np.uint8(7), np.array(7), [7, 8, 9], (7, 8, 9), np.arange(7, 10)])
def test_seeds_of_every_whole_kind_are_taken(seed: Any) -> None:
    envs = CardVectorEnv(ANY.game, 3)
    envs.reset(seed=seed)
    assert envs.full_states["seed"].tolist() == [7, 8, 9]


def test_a_number_of_a_deal_follows_the_largest_one() -> None:
    env = CardEnv(ANY.game)
    env.reset(seed=1, options={"deal": 2**64 - 1})
    env.reset(options={"dealer": 1})
    assert env.full_state.record["deal"][0] == 0
    with pytest.raises(ValueError, match="deal=18446744073709551616 is out of range"):
        env.reset(options={"deal": 2**64})
