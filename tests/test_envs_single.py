"""One table as an environment: its contract, credit, seeds, memory and wrappers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, FrameStackObservation, OrderEnforcing, TimeLimit

from tests.environments import (
    PLAYED,
    Answer,
    Dicer,
    FirstLegal,
    card_env,
    each_game,
    each_reward,
    last_legal,
    make,
    play_through,
    rewards_of,
    same,
    some_legal,
)
from tests.variants import ANY, Variant


@each_reward
def test_passes_gymnasiums_checks(variant: Variant, reward: str) -> None:
    env = make(variant, reward=reward, illegal="lose", render_mode="ansi")
    check_env(env.unwrapped)


@each_game
def test_every_observation_is_inside_its_space_and_some_action_legal_until_the_end(variant: Variant) -> None:
    env = make(variant)
    for answer in play_through(env, 6, seed=5):
        observation, info = (answer[0], answer[1]) if len(answer) == 2 else (answer[1], answer[5])
        over = len(answer) == 6 and answer[3]
        assert observation in env.observation_space
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].any() != over
        assert np.array_equal(info["action_mask"].astype(bool), env.get_wrapper_attr("action_masks")()) or over
        assert len(answer) == 2 or answer[4] is False  # never truncated


@each_game
def test_the_mask_is_that_of_the_position_and_fits_the_action_space(variant: Variant) -> None:
    env = make(variant)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        state = card_env(env).full_state
        assert state.to_play == info["seat"] == card_env(env).seat
        assert np.array_equal(np.flatnonzero(info["action_mask"]), state.legal_actions())
        action = env.action_space.sample(info["action_mask"])
        observation, _, over, _, info = env.step(action)
        assert np.array_equal(observation, card_env(env).full_state.observation(info["seat"]))
    assert env.get_wrapper_attr("action_masks")().dtype == np.bool_
    assert not env.get_wrapper_attr("action_masks")().any()


@each_reward
def test_the_learner_is_credited_with_its_whole_return_from_every_seat(variant: Variant, reward: str) -> None:
    game = variant.make()
    for seat in range(game.num_players):
        env = make(variant, opponents=FirstLegal(), seat=seat, reward=reward)
        _, info = env.reset(seed=11)
        assert info["seat"] == seat
        total, over = 0.0, False
        while not over:
            _, gained, over, _, info = env.step(last_legal(info["action_mask"]))
            total += gained
        state = game.new_state(seed=11)
        while not state.is_over:
            legal = state.legal_actions()
            state.play(int(legal[-1] if state.to_play == seat else legal[0]))
        assert total == pytest.approx(state.returns(reward)[seat], abs=1e-5)
        assert state.returns(reward).sum() == pytest.approx(0.0, abs=1e-9)
        for name, result in (
            ("points", state.points()),
            ("returns", state.returns(reward)),
            ("scores", state.scores()),
            ("settlement", state.settlement()),
        ):
            assert np.array_equal(info[name], result), name


@each_game
def test_rewards_are_credited_when_they_fall(variant: Variant) -> None:
    env = make(variant, opponents="greedy", reward="share")
    _, info = env.reset(seed=2)
    total, over = 0.0, False
    while not over:
        _, reward, over, _, info = env.step(last_legal(info["action_mask"]))
        total += reward
        assert total == pytest.approx(card_env(env).full_state.returns("share")[info["seat"]], abs=1e-5)


@each_game
def test_a_seed_decides_this_episode_and_all_later_ones(variant: Variant) -> None:
    for opponents in ("random", "greedy", Dicer()):
        one = list(play_through(make(variant, opponents=opponents), 3, seed=21))
        two = list(play_through(make(variant, opponents=opponents), 3, seed=21))
        other = list(play_through(make(variant, opponents=opponents), 3, seed=22))
        assert same(one, two)
        assert not same(one, other)


def test_a_seed_is_taken_mod_2_to_the_64() -> None:
    env = make(PLAYED[0])
    env.reset(seed=5)
    first = card_env(env).full_state
    env.reset(seed=5 + 2**64)
    assert card_env(env).full_state == first


def test_unseeded_environments_differ() -> None:
    states = set()
    for _ in range(4):
        env = make(PLAYED[0])
        env.reset()
        states.add(card_env(env).full_state.record.tobytes())
    assert len(states) == 4


def test_without_a_seed_the_tables_next_episode_begins() -> None:
    env = make(PLAYED[0], seat=0)
    env.reset(seed=9)
    env.reset()
    table = card_env(env).full_state.record
    assert (table["seed"][0], table["deal"][0]) == (9, 1)


@each_game
def test_reset_plays_a_given_deal_pack_dealer_and_seat(variant: Variant) -> None:
    game = variant.make()
    env = make(variant, opponents=FirstLegal())
    pack = game.pack_of(1234)
    for dealer in range(game.num_players):
        seat = (dealer + 1) % game.num_players
        try:
            wanted = game.new_state(deck=pack, dealer=dealer, seed=1)
        except ValueError:  # void
            continue
        _, info = env.reset(seed=1, options={"deck": " ".join(pack), "dealer": dealer, "seat": seat})
        assert info["seat"] == seat == card_env(env).seat
        assert card_env(env).full_state.history == []
        assert card_env(env).full_state.hand(seat) == wanted.hand(seat)
        assert card_env(env).full_state.dealer == dealer
    env.reset(seed=4, options={"deal": 3, "seat": 0})
    third = card_env(env).full_state.record
    env.reset(seed=4, options={"seat": 0})
    for _ in range(2):
        env.reset(options={"seat": 0})
    env.reset(options={"deal": 3, "seat": 0})
    assert card_env(env).full_state.record["deck"].tobytes() == third["deck"].tobytes()


def test_a_given_deal_goes_on_with_the_tables_choices_unless_a_seed_is_given() -> None:
    env = make(PLAYED[0], seat=0)
    env.reset(seed=1, options={"deal": 2})
    fresh = card_env(env).full_state
    env.step(card_env(env).sample_action())
    env.reset(options={"deal": 2})
    assert card_env(env).full_state != fresh
    assert card_env(env).full_state.hand(0) == fresh.hand(0)
    env.reset(seed=1, options={"deal": 2})
    assert card_env(env).full_state == fresh


def test_options_hold_for_one_episode() -> None:
    env = make(PLAYED[0], seat=0)
    _, info = env.reset(seed=1, options={"seat": 1})
    assert info["seat"] == 1
    _, info = env.reset()
    assert info["seat"] == 0


@each_game
def test_the_learners_seat_is_drawn_fairly(variant: Variant) -> None:
    env = make(variant, opponents="random")
    players = variant.make().num_players
    env.reset(seed=0)
    count = 3000
    seats = np.bincount([env.reset()[1]["seat"] for _ in range(count)], minlength=players)
    assert abs(seats / count - 1 / players).max() < 4 * np.sqrt(1 / players / count)


@each_game
def test_settings_survive_any_reset_and_are_echoed_by_the_spec(variant: Variant) -> None:
    env = make(variant, reward="win", illegal="lose", seat=1, opponents="greedy")
    for arguments in ({}, {"seed": 3}, {"options": {"seat": 0}}, {"seed": 1, "options": {"deal": 2}}):
        env.reset(**arguments)
        table = card_env(env)
        assert table.game == variant.make()
        assert (table.reward, table.illegal, table.opponents) == ("win", "lose", "greedy")
        assert table.seat == arguments.get("options", {}).get("seat", 1)
    assert env.spec is not None
    expected = {"game": variant.game, "reward": "win", "illegal": "lose", "seat": 1, "opponents": "greedy"}
    assert env.spec.kwargs == expected | variant.rules


# Memory


@each_game
def test_what_is_handed_out_is_the_callers_own(variant: Variant) -> None:
    quiet, spoiled = make(variant, opponents=FirstLegal()), make(variant, opponents=FirstLegal())
    answers = [quiet.reset(seed=6), spoiled.reset(seed=6)]
    arrays: list[np.ndarray] = []
    over = False
    while not over:
        one, two = answers
        assert same(one, two)
        action = last_legal(one[-1]["action_mask"])
        handed = [two[0], *(value for value in two[-1].values() if isinstance(value, np.ndarray))]
        handed.append(spoiled.get_wrapper_attr("action_masks")())
        for array in handed:
            assert not any(np.shares_memory(array, known) for known in arrays)
            arrays.append(array)
            array.fill(1)
        table = card_env(spoiled)
        inner = [table._tables.states, table._masks, table._tables.rewards, table._tables.seats]
        assert not any(np.shares_memory(a, b) for a in handed for b in inner)
        answers = [quiet.step(action), spoiled.step(action)]
        over = answers[0][2]
    assert same(*answers)


def _pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


def _wrapped(env: Any) -> Any:
    return TimeLimit(OrderEnforcing(env), 10_000)


@pytest.mark.parametrize("wrap", [lambda env: env, _wrapped], ids=["bare", "wrapped"])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, _pickled], ids=["deepcopy", "pickle"])
@each_game
def test_a_copy_made_in_mid_game_goes_on_identically(variant: Variant, duplicate: Any, wrap: Any) -> None:
    env = wrap(make(variant, opponents=["random"] * (variant.make().num_players - 2) + [Dicer()], render_mode="ansi"))
    _, info = env.reset(seed=4)
    for _ in range(2):
        _, _, _, _, info = env.step(last_legal(info["action_mask"]))
    untouched = card_env(env).full_state
    twin = duplicate(env)
    dice = np.random.default_rng(0)
    actions, answers = [], []
    answer: Any = (None, info)
    for _ in range(100):
        over = len(answer) == 5 and answer[2]
        actions.append(None if over else int(some_legal([answer[-1]["action_mask"]], dice)[0]))
        answer = twin.reset() if over else twin.step(actions[-1])
        answers.append((answer, twin.render()))
    assert card_env(env).full_state == untouched
    for action, (answer, page) in zip(actions, answers, strict=True):
        assert same(env.reset() if action is None else env.step(action), answer)
        assert env.render() == page


# Looking


@each_game
def test_render_shows_what_the_learner_may_see(variant: Variant) -> None:
    env = make(variant, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.render()
    env.reset(seed=3)
    table = card_env(env)
    assert env.render() == table.view.text() == table.full_state.text(table.seat)


@pytest.mark.filterwarnings("ignore:.*Without a render mode")
def test_render_without_a_mode_gives_nothing() -> None:
    env = make(PLAYED[0])
    env.reset(seed=1)
    assert env.render() is None


@each_game
def test_the_view_is_the_learners_and_hides_the_rest(variant: Variant) -> None:
    env = make(variant)
    _, info = env.reset(seed=3)
    view = card_env(env).view
    assert view.viewer == info["seat"]
    assert view.record["seed"][0] == 0
    with pytest.raises(ValueError, match="view"):
        view.play(last_legal(info["action_mask"]))
    assert set(info) == {"action_mask", "seat"}  # and nothing else leaves the table


def test_looking_at_the_state_does_not_change_it() -> None:
    env = make(PLAYED[0])
    env.reset(seed=1)
    state = card_env(env).full_state
    state.play(int(state.legal_actions()[0]))
    assert card_env(env).full_state != state


# Wrappers


@each_game
def test_works_with_flatten_frame_stack_and_time_limit(variant: Variant) -> None:
    size = variant.make().observation_size
    for wrap, shape in (
        (FlattenObservation, (size,)),
        (lambda env: FrameStackObservation(env, 3), (3, size)),
        (lambda env: TimeLimit(env, 2), (size,)),
    ):
        env = wrap(make(variant))
        observation, info = env.reset(seed=1)
        assert observation.shape == shape
        over = truncated = False
        while not (over or truncated):
            assert env.get_wrapper_attr("action_masks")().any()
            observation, _, over, truncated, info = env.step(last_legal(info["action_mask"]))
            assert observation in env.observation_space
        env.reset()


def test_the_least_reward_is_paid_for_every_reward() -> None:
    assert rewards_of(ANY) == ["points", "win", "share"]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda masks: masks.argmax(axis=1).astype(float), "must be whole numbers"),
        (lambda masks: masks.argmax(axis=1)[:, None], "must be whole numbers of shape"),
        (lambda masks: masks.argmax(axis=1) > 0, "must be whole numbers"),
        (lambda masks: None, "must be whole numbers"),
        (lambda masks: np.full(len(masks), 99), "illegal"),
        (lambda masks: np.full(len(masks), -1), "illegal"),
        (lambda masks: masks.argmin(axis=1), "cannot play"),
    ],
)
@each_game
def test_an_opponent_that_answers_badly_is_named_and_nothing_changes(
    variant: Variant, answer: Any, sentence: str
) -> None:
    opponent = Answer(lambda masks: masks.argmax(axis=1))
    env = make(variant, opponents=opponent)
    # The learner is the first to play, so its first step asks an opponent.
    _, info = env.reset(seed=1, options={"dealer": variant.make().num_players - 1, "seat": 0})
    table = card_env(env)
    before = table.full_state
    opponent.answer = answer
    with pytest.raises(ValueError, match=f"(?s)The opponent Answer of a test answered badly.*{sentence}"):
        env.step(last_legal(info["action_mask"]))
    assert table.full_state == before
    opponent.answer = lambda masks: masks.argmax(axis=1)
    assert np.array_equal(table.action_masks(), info["action_mask"] != 0)
    env.step(last_legal(info["action_mask"]))
