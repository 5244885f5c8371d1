"""Many tables as an environment: the same play as single ones, in the three autoreset modes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from card_envs.envs.vector import CardVectorEnv
from tests.environments import (
    PLAYED,
    Answer,
    Dicer,
    FirstLegal,
    each_game,
    make,
    make_vec,
    rewards_of,
    same,
    some_legal,
)
from tests.variants import ANY, Variant

each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
each_opponent = pytest.mark.parametrize("opponent", ["random", "greedy", Dicer()], ids=["random", "greedy", "act"])


def episodes_of_row(variant: Variant, seed: int, opponent: Any, steps: int) -> list[Any]:
    """What the single environment hands out in so many steps, going on to the next episodes."""
    env = make(variant, opponents=opponent)
    observation, info = env.reset(seed=seed)
    answers = [(observation, 0.0, False, info["action_mask"], info["seat"], None, None)]
    for _ in range(steps):
        action = env.unwrapped.sample_action()
        observation, reward, over, _, info = env.step(action)
        last, end = None, None
        if over:
            last, end = observation, info
            observation, info = env.reset()
        answers.append((observation, reward, over, info["action_mask"], info["seat"], last, end))
    return answers


@each_opponent
@pytest.mark.parametrize("width", [1, 7, 1024])
@each_game
def test_row_i_plays_what_the_single_environment_plays_with_its_seed(
    variant: Variant, width: int, opponent: Any
) -> None:
    steps = 60
    envs = make_vec(variant, width, opponents=opponent)
    rows = range(width) if width < 100 else (0, 517, 1023)
    singles = {row: episodes_of_row(variant, 40 + row, opponent, steps) for row in rows}
    observations, infos = envs.reset(seed=40)
    rewards, over = np.zeros(width), np.zeros(width, bool)
    ended = 0
    for step in range(steps + 1):
        for row in rows:
            observation, reward, done, mask, seat, last, end = singles[row][step]
            assert np.array_equal(observations[row], observation)
            assert (rewards[row], over[row]) == (reward, done)
            assert np.array_equal(infos["action_mask"][row], mask)
            assert infos["seat"][row] == seat
            if done:
                ended += 1
                assert infos["final_obs"][row].tobytes() == last.tobytes()
                for name, value in end.items():
                    assert np.array_equal(infos["final_info"][name][row], value)
        observations, rewards, over, truncations, infos = envs.step(envs.sample_actions())
        assert not truncations.any()
    assert ended >= len(rows) or variant.rules.get("match")


def matches(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether infos say the same where their masks say that they say anything."""
    extra = set(ours) - set(theirs) - {"autoreset", "_autoreset"}
    if extra or set(theirs) - set(ours):
        return False
    for name in theirs:
        if name.startswith("_"):
            if not same(ours[name], theirs[name]):
                return False
        elif isinstance(theirs[name], dict):
            if not matches(ours[name], theirs[name]):
                return False
        else:
            told = theirs[f"_{name}"]
            if ours[name].dtype != theirs[name].dtype or ours[name].shape != theirs[name].shape:
                return False
            if not same(ours[name][told], theirs[name][told]):
                return False
    return True


@each_game
def test_a_row_that_was_reset_is_a_fresh_table_and_what_was_played_since(variant: Variant) -> None:
    game = variant.make()
    envs = make_vec(variant, 3, opponents="greedy")
    envs.reset(seed=70)
    over = np.zeros(3, bool)
    deals = envs.full_states["deal"]
    while not over.any():
        deals = envs.full_states["deal"]
        _, _, over, _, _ = envs.step(envs.sample_actions())
    for row in np.flatnonzero(over):
        table = game.state(envs.full_states, row)
        fresh = game.new_state(seed=70 + row, deal=int(deals[row]) + 1)
        for _, play in table.history:
            fresh.play(play)
        for field in game.dtype.names:
            assert field == "choice" or np.array_equal(table.record[field], fresh.record[field]), field


@each_mode
@each_game
def test_hands_out_what_sync_vector_env_hands_out(variant: Variant, mode: AutoresetMode) -> None:
    size, dice = 5, np.random.default_rng(0)
    envs = make_vec(variant, size, opponents="random", autoreset_mode=mode)
    sync = SyncVectorEnv([lambda: make(variant, opponents="random")] * size, autoreset_mode=mode)
    assert envs.observation_space == sync.observation_space
    assert envs.action_space == sync.action_space
    assert envs.metadata["autoreset_mode"] is mode
    ours, theirs = envs.reset(seed=3), sync.reset(seed=3)
    assert same(ours[0], theirs[0])
    assert matches(ours[1], theirs[1])
    ended = 0
    for _ in range(150):
        masks = envs.action_masks()
        if mode is AutoresetMode.DISABLED and not masks.any(axis=1).all():
            over = ~masks.any(axis=1)
            options = {"reset_mask": over}
            ours, theirs = envs.reset(options=options), sync.reset(options={"reset_mask": over.copy()})
            assert list(options) == ["reset_mask"]
            assert same(ours[0], theirs[0])
            assert matches(ours[1], theirs[1])
            masks = envs.action_masks()
        actions = some_legal(masks, dice)
        ours, theirs = envs.step(actions), sync.step(actions)
        assert same(ours[:4], theirs[:4])
        assert matches(ours[4], theirs[4])
        ended += ours[2].sum()
    assert ended or variant.rules.get("match")


def test_next_step_ignores_the_action_of_the_step_that_resets_and_says_so() -> None:
    size, dice = 6, np.random.default_rng(1)
    envs = make_vec(ANY, size, autoreset_mode="NextStep")
    single = [make(ANY) for _ in range(size)]
    envs.reset(seed=8)
    infos = [env.reset(seed=8 + i)[1] for i, env in enumerate(single)]
    resetting = np.zeros(size, bool)
    for _ in range(70):
        actions = some_legal([info["action_mask"] for info in infos], dice)
        actions[resetting] = -12345
        observations, rewards, over, _, told = envs.step(actions)
        assert np.array_equal(told["autoreset"], resetting)
        assert told["autoreset"].dtype == np.bool_
        for i, env in enumerate(single):
            if resetting[i]:
                observation, infos[i] = env.reset()
                reward, done = 0.0, False
            else:
                observation, reward, done, _, infos[i] = env.step(actions[i])
            assert np.array_equal(observations[i], observation)
            assert (rewards[i], over[i]) == (reward, done)
            assert np.array_equal(told["action_mask"][i], infos[i]["action_mask"])
        resetting = over


def test_disabled_refuses_to_step_a_finished_row_and_resets_only_those_asked_for() -> None:
    envs = make_vec(ANY, 4, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    for _ in range(16):
        _, _, over, _, infos = envs.step(envs.sample_actions())
    assert over.all()
    assert not infos["action_mask"].any()
    before = envs.full_states
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"rows \[0, 1, 2, 3\] are over"):
        envs.step(np.zeros(4, int))
    assert envs.full_states.tobytes() == before.tobytes()
    some = np.array([True, False, True, False])
    options = {"reset_mask": some}
    _, infos = envs.reset(options=options)
    assert options == {"reset_mask": some}
    assert np.array_equal(infos["_action_mask"], some)
    assert np.array_equal(infos["action_mask"].any(axis=1), some)
    assert np.array_equal(envs.full_states["deal"], [1, 0, 1, 0])
    assert envs.full_states[[1, 3]].tobytes() == before[[1, 3]].tobytes()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"rows \[1, 3\] are over"):
        envs.step(np.zeros(4, int))


@pytest.mark.parametrize(
    ("mask", "sentence"),
    [
        (np.array([1, 0]), "array of bool and shape"),
        ([True, False], "not list"),
        (np.array([True]), r"shape \(2,\)"),
        (np.zeros(2, bool), "marks no row"),
    ],
)
def test_bad_reset_masks_are_refused(mask: Any, sentence: str) -> None:
    envs = make_vec(ANY, 2, autoreset_mode="Disabled")
    envs.reset(seed=1)
    before = envs.full_states.tobytes()
    with pytest.raises(ValueError, match=sentence):
        envs.reset(options={"reset_mask": mask})
    assert envs.full_states.tobytes() == before


def test_the_mode_belongs_to_each_instance() -> None:
    modes = [make_vec(ANY, 2, autoreset_mode=mode.value).metadata["autoreset_mode"] for mode in AutoresetMode]
    assert modes == list(AutoresetMode)
    assert make_vec(ANY, 2).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert CardVectorEnv.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(ValueError, match="autoreset_mode='Later' is unknown: choose one of 'NextStep', 'SameStep'"):
        make_vec(ANY, 2, autoreset_mode="Later")


def test_seeds_may_be_a_list_and_large() -> None:
    envs = make_vec(ANY, 3)
    envs.reset(seed=[7, 2**64 + 1, 9])
    assert envs.full_states["seed"].tolist() == [7, 1, 9]
    envs.reset(seed=[None, 5, None])
    assert envs.full_states["seed"].tolist() == [7, 5, 9]
    assert envs.full_states["deal"].tolist() == [1, 0, 1]
    envs.reset(seed=2**64 - 1)
    assert envs.full_states["seed"].tolist() == [2**64 - 1, 0, 1]
    for seed in (-1, 1.5, "abc", [1, 2], True):
        with pytest.raises((ValueError, TypeError)):
            envs.reset(seed=seed)


def test_unseeded_rows_differ_from_each_other_and_each_time() -> None:
    seeds = set()
    for _ in range(3):
        envs = make_vec(ANY, 8)
        envs.reset()
        seeds |= set(envs.full_states["seed"].tolist())
    assert len(seeds) == 24


@each_game
def test_options_hold_for_all_rows(variant: Variant) -> None:
    game = variant.make()
    envs = make_vec(variant, 3)
    _, infos = envs.reset(seed=1, options={"seat": 1, "deal": 4})
    assert infos["seat"].tolist() == [1, 1, 1]
    env = make(variant)
    env.reset(seed=2, options={"seat": 1, "deal": 4})
    assert envs.full_states[1:2].tobytes() == env.unwrapped.full_state.record.tobytes()
    with pytest.raises(ValueError, match="options='decks' is unknown"):
        envs.reset(options={"decks": game.pack_of(1)})


@each_game
def test_the_learners_seat_is_drawn_fairly(variant: Variant) -> None:
    envs = make_vec(variant, 6000)
    players = variant.make().num_players
    _, infos = envs.reset(seed=17)
    assert abs(np.bincount(infos["seat"], minlength=players) / 6000 - 1 / players).max() < 0.02
    _, again = envs.reset()
    assert (infos["seat"] != again["seat"]).any()


@pytest.mark.parametrize("variant", [v for v in PLAYED if not v.rules.get("match")], ids=lambda v: v.id)
def test_rewards_add_up_to_the_return_of_every_episode_for_every_reward(variant: Variant) -> None:
    for reward in rewards_of(variant):
        envs = RecordEpisodeStatistics(make_vec(variant, 64, reward=reward, opponents="greedy"))
        envs.reset(seed=0)
        ended = 0
        while ended < 200:
            _, _, over, _, infos = envs.step(envs.unwrapped.sample_actions())
            for row in np.flatnonzero(over):
                end = infos["final_info"]
                ended += 1
                assert end["returns"][row].sum() == pytest.approx(0.0, abs=1e-9)
                assert infos["episode"]["r"][row] == pytest.approx(end["returns"][row, end["seat"][row]], abs=1e-5)


@each_mode
def test_works_with_record_episode_statistics(mode: AutoresetMode) -> None:
    envs = RecordEpisodeStatistics(make_vec(ANY, 8, autoreset_mode=mode))
    envs.reset(seed=0)
    over = np.zeros(8, bool)
    ended = 0
    for _ in range(60):
        if mode is AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over})
        _, _, over, _, infos = envs.step(envs.unwrapped.sample_actions())
        if over.any():
            end = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
            seat = (end if mode is AutoresetMode.SAME_STEP else infos)["seat"]
            own = end["returns"][np.arange(8), seat]
            assert np.array_equal(infos["episode"]["r"][over], own[over])
            assert (infos["episode"]["l"][over] == 16).all()
            ended += over.sum()
    assert ended >= 24


@each_game
def test_what_is_handed_out_is_the_callers_own(variant: Variant) -> None:
    quiet, spoiled = (make_vec(variant, 6, opponents="greedy") for _ in range(2))
    one, two = quiet.reset(seed=5), spoiled.reset(seed=5)
    known: list[np.ndarray] = []
    for _ in range(40):
        assert same(one, two)
        actions = quiet.sample_actions()
        assert np.array_equal(actions, spoiled.sample_actions())
        handed = [*arrays_in(two), spoiled.action_masks(), spoiled.seats, spoiled.full_states]
        tables = spoiled._tables
        inner = [tables.states, spoiled._masks, tables.rewards, tables.seats, tables.over, tables.players]
        for array in handed:
            assert not any(np.shares_memory(array, other) for other in [*inner, *known])
            if not array.flags.writeable:  # the full states, which are for looking at
                continue
            array.view(np.uint8).reshape(-1).fill(1)
        known = handed
        one, two = quiet.step(actions), spoiled.step(actions)


def arrays_in(answer: Any) -> list[np.ndarray]:
    """All arrays of an answer, however deep."""
    if isinstance(answer, dict):
        return [array for value in answer.values() for array in arrays_in(value)]
    if isinstance(answer, tuple):
        return [array for value in answer for array in arrays_in(value)]
    if isinstance(answer, np.ndarray):
        if answer.dtype == object:
            return [array for array in answer if array is not None]
        return [answer]
    return []


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@each_game
def test_a_copy_made_in_mid_game_goes_on_identically(variant: Variant, duplicate: Any) -> None:
    envs = make_vec(variant, 5, opponents=Dicer())
    envs.reset(seed=1)
    envs.step(envs.sample_actions())
    untouched = envs.full_states.tobytes()
    twin = duplicate(envs)
    answers = [twin.step(twin.sample_actions()) for _ in range(60)]
    assert envs.full_states.tobytes() == untouched
    for answer in answers:
        assert same(envs.step(envs.sample_actions()), answer)


def test_settings_are_echoed_by_the_spec() -> None:
    envs = make_vec(Variant(ANY.game, {"match": True}), 3, opponents="greedy")
    assert envs.spec.kwargs["match"] is True
    assert envs.spec.kwargs["opponents"] == "greedy"
    assert envs.spec.kwargs["num_envs"] == 3


@each_game
def test_views_are_the_learners(variant: Variant) -> None:
    envs = make_vec(variant, 4, render_mode="ansi")
    envs.reset(seed=1)
    views = envs.views
    assert np.array_equal(views["viewer"], envs.seats)
    game = variant.make()
    assert envs.render() == tuple(game.state(views, i).text() for i in range(4))


def test_a_failing_opponent_leaves_all_rows_as_they_were() -> None:
    opponent = Answer(lambda masks: masks.argmax(axis=1))
    envs = make_vec(ANY, 6, opponents=opponent)
    envs.reset(seed=1)
    for _ in range(15):
        envs.step(envs.sample_actions())
    actions, before, masks = envs.sample_actions(), envs.full_states.tobytes(), envs.action_masks()

    def fail(masks: Any) -> Any:
        raise KeyError("lost")

    opponent.answer = fail
    with pytest.raises(KeyError, match="lost"):
        envs.step(actions)
    assert envs.full_states.tobytes() == before
    assert np.array_equal(envs.action_masks(), masks)
    opponent.answer = lambda masks: masks.argmax(axis=1)
    twin = make_vec(ANY, 6, opponents=FirstLegal())
    twin.reset(seed=1)
    for _ in range(15):
        twin.step(twin.sample_actions())
    assert np.array_equal(actions, twin.sample_actions())
    assert same(envs.step(actions), twin.step(actions))
