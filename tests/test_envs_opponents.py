"""Opponents: who sits where, what they are handed, and when a change takes effect."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from card_agents import make_agent
from card_envs.envs.opponents import Opponents
from card_envs.envs.sb3 import CardVecEnv
from tests.bots import program
from tests.environments import FirstLegal, each_game, last_legal, make, make_vec, some_legal
from tests.test_tournament_bots import none_left
from tests.variants import ANY, Variant


class Witness:
    """Writes down whom it plays for, and plays its lowest legal action."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def act(self, views: Any, observations: Any, masks: Any, random: Any) -> Any:
        self.seen.append((views.copy(), observations.copy(), masks.copy(), random.copy()))
        return masks.argmax(axis=1)

    @property
    def seats(self) -> set[int]:
        return {int(seat) for views, *_ in self.seen for seat in views["viewer"]}


@each_game
def test_opponents_are_handed_views_of_their_own_seat_and_nothing_else(variant: Variant) -> None:
    game = variant.make()
    witness = Witness()
    envs = make_vec(variant, 6, opponents=witness)
    envs.reset(seed=3)
    inner = envs._tables
    for _ in range(8):
        envs.step(envs.sample_actions())
    assert len(witness.seen) > 4
    for views, observations, masks, random in witness.seen:
        assert views.dtype == game.dtype
        assert np.array_equal(views["viewer"], views["to_play"])
        assert not views["seed"].any()
        assert not views["choice"].any()
        assert not np.shares_memory(views, inner.states)
        assert np.array_equal(observations, game.observations(views))
        assert observations.dtype == masks.dtype == np.uint8
        assert np.array_equal(masks, game.masks(views))
        assert masks.any(axis=1).all()
        assert random.dtype == np.uint64
        assert random.shape == (len(views),)
    words = np.concatenate([random for *_, random in witness.seen])
    assert len(np.unique(words)) == len(words)


@each_game
def test_an_opponent_meets_the_true_position_as_its_seat_sees_it(variant: Variant) -> None:
    game = variant.make()
    witness = Witness()
    env = make(variant, opponents=witness, seat=0)
    _, info = env.reset(seed=5)
    state = game.new_state(seed=5)
    over = False
    while not over:
        _, _, over, _, info = env.step(last_legal(info["action_mask"]))
    views = iter(witness.seen)
    while not state.is_over:
        if state.to_play:
            view, observation, mask, _ = next(views)
            assert observation[0].tobytes() == state.observation().tobytes()
            assert mask[0].tobytes() == state.action_mask().tobytes()
            shown = state.view().record
            assert view.tobytes() == shown.tobytes()
        legal = state.legal_actions()
        state.play(int(legal[0] if state.to_play else legal[-1]))
    assert next(views, None) is None


@each_game
def test_a_list_seats_opponents_in_turn_order_after_the_learner(variant: Variant) -> None:
    players = variant.make().num_players
    for seat in sorted({0, players // 2, players - 1}):
        witnesses = [Witness() for _ in range(players - 1)]
        env = make(variant, opponents=witnesses, seat=seat)
        over = False
        _, info = env.reset(seed=1)
        while not over:
            _, _, over, _, info = env.step(last_legal(info["action_mask"]))
        assert [witness.seats for witness in witnesses] == [
            {(seat + 1 + place) % players} for place in range(players - 1)
        ]


@each_game
def test_built_in_opponents_are_the_players_of_the_game(variant: Variant) -> None:
    game = variant.make()
    env = make(variant, opponents="greedy", seat=0)
    _, info = env.reset(seed=5)
    state = game.new_state(seed=5)
    over = False
    while not over:
        action = last_legal(info["action_mask"])
        while state.to_play != 0:
            state.play(int(game.greedy_actions(state.record)[0]))
        state.play(action)
        _, _, over, _, info = env.step(action)
    while not state.is_over:
        state.play(int(game.greedy_actions(state.record)[0]))
    assert state.history == env.unwrapped.full_state.history


@each_game
def test_a_change_of_opponents_takes_effect_with_the_next_episode(variant: Variant) -> None:
    old, new = Witness(), Witness()
    env = make(variant, opponents=old)
    _, info = env.reset(seed=2)
    env.unwrapped.set_opponents(new)
    over = False
    while not over:
        _, _, over, _, info = env.step(last_legal(info["action_mask"]))
    assert old.seen
    assert not new.seen
    asked = len(old.seen)
    _, info = env.reset()
    over = False
    while not over:
        _, _, over, _, info = env.step(last_legal(info["action_mask"]))
    assert new.seen
    assert len(old.seen) == asked


def test_a_change_can_be_for_some_tables_only() -> None:
    variant = ANY
    envs = make_vec(variant, 4, opponents=FirstLegal(), autoreset_mode="Disabled")
    envs.reset(seed=0)
    witness = Witness()
    envs.set_opponents(witness, where=np.array([False, True, False, True]))
    dice = np.random.default_rng(0)
    for _ in range(16):
        envs.step(some_legal(envs.action_masks(), dice))
    assert not witness.seen
    envs.reset()
    for _ in range(16):
        envs.step(some_legal(envs.action_masks(), dice))
    assert max(len(views) for views, *_ in witness.seen) == 2
    asked = len(witness.seen)
    envs.set_opponents("random")
    envs.reset()
    for _ in range(16):
        envs.step(envs.sample_actions())
    assert len(witness.seen) == asked


@pytest.mark.parametrize(
    ("where", "sentence"),
    [(np.array([1, 0]), "array of bool"), (np.array([True]), r"shape \(2,\)"), (1, "array of bool")],
)
def test_a_bad_choice_of_tables_is_refused(where: Any, sentence: str) -> None:
    envs = make_vec(ANY, 2)
    before = envs._tables.opponents.coming.copy()
    with pytest.raises(ValueError, match=sentence):
        envs.set_opponents("greedy", where)
    with pytest.raises(ValueError, match="'clever' is not an opponent"):
        envs.set_opponents("clever")
    assert np.array_equal(envs._tables.opponents.coming, before)


def test_opponents_no_longer_in_play_are_forgotten() -> None:
    opponents = Opponents(2, ANY.make(), FirstLegal())
    for _ in range(50):
        opponents.choose(FirstLegal(), None)
    assert len(opponents.outside) <= 3
    held = FirstLegal()
    opponents.choose([held], np.array([True, False]))
    code = int(opponents.coming[0, 0])
    assert opponents.outside[code] is held
    assert int(opponents.coming[1, 0]) != code


@each_game
def test_a_player_by_name_plays_as_the_player_of_that_name(variant: Variant) -> None:
    """Whatever its words are: the same as an object made by the same name."""
    game = variant.make()
    for name in ("exact+greedy", "ismcts:3"):
        played = []
        for opponents in (name, make_agent(name, game)):
            env = make(variant, opponents=opponents)
            _, info = env.reset(seed=11)
            over = False
            while not over:
                _, _, over, _, info = env.step(last_legal(info["action_mask"]))
            played.append(env.unwrapped.full_state.history)
        assert played[0] == played[1]


def test_a_player_by_name_is_read_as_it_was_given_and_made_once() -> None:
    game = ANY.make()
    for env in (make_vec(ANY, 3, opponents="pimc:2"), CardVecEnv(game, 3, opponents="pimc:2")):
        assert env.opponents == "pimc:2"
        env.set_opponents("ismcts:2", np.array([True, False, False]))
        assert env.opponents == ["ismcts:2", "pimc:2", "pimc:2"]
        inner = env._tables.opponents
        assert inner.seated("pimc:2") == inner.seated("pimc:2")
        env.set_opponents("greedy")
        assert env.opponents == "greedy"
    assert make(ANY, opponents="pimc:2").spec.kwargs["opponents"] == "pimc:2"


def test_an_environment_with_players_by_name_can_be_copied() -> None:
    env = make(ANY, opponents="ismcts:2").unwrapped
    _, info = env.reset(seed=2)
    other = pickle.loads(pickle.dumps(env))
    over = False
    while not over:
        action = last_legal(info["action_mask"])
        observation, _, over, _, info = env.step(action)
        again, *_ = other.step(action)
        assert observation.tobytes() == again.tobytes()


def test_a_bot_by_name_ends_with_the_environment(tmp_path) -> None:
    bot = program(tmp_path, "good")
    env = make(ANY, opponents=bot)
    _, info = env.reset(seed=2)
    over = False
    while not over:
        _, _, over, _, info = env.step(last_legal(info["action_mask"]))
    env.close()
    assert none_left(tmp_path)[1]
    with pytest.raises(ValueError, match="cannot be at 2 tables"):
        make_vec(ANY, 2, opponents=bot)
