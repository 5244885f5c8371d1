"""The single environment: what it hands out, credits, refuses and remembers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, FrameStackObservation, OrderEnforcing, TimeLimit

import card_envs
from card_envs import IllegalAction
from card_envs.envs.single import CardEnv
from tests.environments import (
    PLAYED,
    REWARDED,
    Answer,
    Dicer,
    FirstLegal,
    card_env,
    last_legal,
    make,
    play_through,
    rewards_of,
    same,
    some_legal,
)
from tests.variants import Variant

each_game = pytest.mark.parametrize("variant", PLAYED, ids=lambda variant: variant.id)
each_reward = pytest.mark.parametrize(("variant", "reward"), REWARDED, ids=lambda x: getattr(x, "id", x))


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
        assert (table.reward, table.loses, table._tables.seat) == ("win", True, 1)
        assert (table._tables.opponents.coming == 2).all()
    assert env.spec is not None
    expected = {"game": variant.game, "reward": "win", "illegal": "lose", "seat": 1, "opponents": "greedy"}
    assert env.spec.kwargs == expected | variant.rules


# Bad input


@pytest.mark.parametrize("action", [0.0, np.float32(1), True, np.bool_(True), "Kh", None, np.array([1]), [1], 1 + 0j])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = make(PLAYED[0])
    env.reset(seed=1)
    before = card_env(env).full_state
    with pytest.raises(IllegalAction, match="is no action: give a whole number from 0 to 31"):
        env.step(action)
    assert card_env(env).full_state == before


@pytest.mark.parametrize("illegal", ["raise", "lose"])
@pytest.mark.parametrize("action", [-1, 32, 10**30, np.int64(-5)])
def test_an_action_out_of_range_is_refused(action: Any, illegal: str) -> None:
    env = make(PLAYED[0], illegal=illegal)
    env.reset(seed=1)
    before = card_env(env).full_state
    with pytest.raises(IllegalAction, match="may play"):
        env.step(action)
    assert card_env(env).full_state == before


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.array])
def test_integers_of_every_kind_are_actions(kind: Any) -> None:
    env = make(PLAYED[0])
    _, info = env.reset(seed=1)
    env.step(kind(last_legal(info["action_mask"])))


@each_game
def test_an_illegal_action_is_named_and_changes_nothing(variant: Variant) -> None:
    env = make(variant)
    _, info = env.reset(seed=8)
    before = card_env(env).full_state
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    with pytest.raises(IllegalAction) as caught:
        env.step(wrong)
    game = variant.make()
    for part in (game.action_name(wrong), f"Seat {info['seat']}", game.action_name(last_legal(info["action_mask"]))):
        assert part in str(caught.value)
    assert card_env(env).full_state == before
    env.step(last_legal(info["action_mask"]))


@each_reward
def test_an_illegal_action_loses_where_that_was_asked_for(variant: Variant, reward: str) -> None:
    env = make(variant, reward=reward, illegal="lose", opponents="greedy")
    _, info = env.reset(seed=8)
    total = 0.0
    for _ in range(2):
        _, gained, over, _, info = env.step(last_legal(info["action_mask"]))
        total += gained
        assert not over
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    observation, gained, over, truncated, info = env.step(wrong)
    assert over
    assert not truncated
    assert observation in env.observation_space
    assert info["returns"].sum() == pytest.approx(0.0, abs=1e-9)
    assert total + gained == pytest.approx(info["returns"][info["seat"]], abs=1e-4)
    least = variant.make().min_returns[reward]
    assert info["returns"][info["seat"]] == pytest.approx(least)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_stepping_without_an_episode_is_refused() -> None:
    env = make(PLAYED[0])
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(0)
    for look in ("seat", "view", "full_state"):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            getattr(card_env(env), look)
    list(play_through(env, 1, seed=1))
    _, info = env.reset()
    over = False
    while not over:
        _, _, over, _, info = env.step(last_legal(info["action_mask"]))
    before = card_env(env).full_state
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(0)
    assert card_env(env).full_state == before


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"opponents": "clever"}, r"'clever' is not an opponent: choose one of 'random', 'greedy' or give an object"),
        ({"opponents": FirstLegal}, r"is not an opponent"),
        ({"opponents": 7}, r"7 is not an opponent"),
        ({"opponents": None}, r"None is not an opponent"),
        ({"opponents": ["random", "greedy"]}, r"names 2 players, but there are 1 other seats"),
        ({"opponents": []}, r"names 0 players"),
        ({"opponents": ["clever"]}, r"'clever' is not an opponent"),
        ({"seat": 2}, r"seat=2 is out of range: give a whole number from 0 to 1"),
        ({"seat": -1}, r"seat=-1 is out of range"),
        ({"seat": 0.0}, r"seat=0.0 is not a whole number"),
        ({"reward": "money"}, r"reward='money' is unknown: choose one of 'points', 'win', 'share', 'settlement'"),
        ({"reward": "settlement"}, r"reward='settlement' is never paid by .* choose one of 'points', 'win', 'share'"),
        ({"reward": None}, r"reward=None is unknown"),
        ({"illegal": "ignore"}, r"illegal='ignore' is unknown: choose one of 'raise', 'lose'"),
        ({"trumps": "h"}, r"no rule 'trumps': its rules are"),
        ({"hand_size": 20}, r"hand_size=20"),
    ],
)
def test_bad_settings_are_refused_naming_the_choices(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make(Variant("elfern"), **settings)


def test_bad_render_modes_games_and_doubled_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="render_mode='human' is unknown: choose one of 'ansi'"):
        CardEnv("elfern", render_mode="human")
    with pytest.raises(ValueError, match="'whist' is not a game here"):
        CardEnv("whist")
    with pytest.raises(ValueError, match="has its rules already: leave out match"):
        CardEnv(card_envs.make_game("elfern"), match=True)


def test_a_game_may_be_given_as_it_is() -> None:
    game = card_envs.make_game("elfern", suits=2)
    env = CardEnv(game)
    assert env.game is game
    assert env.action_space == gymnasium.spaces.Discrete(16)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"pack": "Ah"}, r"options='pack' is unknown: choose one of 'deck', 'dealer', 'seat', 'deal'"),
        ({"seat": 5}, r"options\['seat'\]=5 is out of range"),
        ({"dealer": 2}, r"dealer=2 is out of range"),
        ({"dealer": "0"}, r"dealer='0' is not a whole number"),
        ({"deal": -1}, r"deal=-1 is out of range"),
        ({"deck": "Ah Kd"}, r"Ah|Kd|cards"),
        ({"deck": " ".join(["Ah"] * 32)}, r"Ah|twice"),
    ],
)
def test_bad_options_are_refused_and_the_episode_goes_on(options: dict[str, Any], sentence: str) -> None:
    env = make(Variant("elfern"))
    _, info = env.reset(seed=1)
    before = card_env(env).full_state
    with pytest.raises(ValueError, match=sentence):
        env.reset(options=options)
    assert card_env(env).full_state == before
    env.step(last_legal(info["action_mask"]))


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_bad_seeds_are_refused(seed: Any) -> None:
    env = make(PLAYED[0])
    with pytest.raises(ValueError, match=r"seed=.* (is not a whole number|is out of range)"):
        env.reset(seed=seed)
    assert same(env.reset(seed=np.int64(3)), env.reset(seed=3))


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
    assert rewards_of(Variant("elfern")) == ["points", "win", "share"]


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
