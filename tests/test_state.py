"""One table in the hand: its record is a copy for looking at, and it chooses by its own dice."""

from __future__ import annotations

import numpy as np

from card_envs.envs.single import CardEnv
from card_envs.envs.vector import CardVectorEnv
from tests.refusals import refused
from tests.variants import ANY, every


@every()
def test_a_state_chooses_what_its_row_in_a_batch_would_choose(game):
    state, rows = game.new_state(seed=11), game.new_states([11])
    for _ in range(2 * game.max_plays):
        if state.is_over:
            break
        action = state.sample_action()
        assert action == game.sample_actions(rows)[0]
        assert state.greedy_action() == game.greedy_actions(rows)[0]
        state.play(action)
        game.step(rows, np.array([action]), auto_reset=False)
        assert state.record.tobytes() == rows.tobytes()
    if state.is_over:
        assert state.sample_action() == state.greedy_action() == -1


def test_two_choices_of_a_state_are_two_throws_of_its_dice():
    game = ANY.make()
    state = game.new_state(seed=1)
    before = state.record
    chosen = {state.sample_action() for _ in range(60)}
    assert chosen == set(state.legal_actions().tolist())
    assert state.record["choice"] != before["choice"]
    assert state.history == []
    assert state.clone().sample_action() == state.sample_action()


def test_a_view_has_no_dice():
    view = ANY.make().new_state(seed=1).view()
    refused(view.sample_action, "view", "sampled")
    assert view.greedy_action() in view.legal_actions()


@every()
def test_verbs_that_move_something_on_refuse_a_copy_that_nobody_keeps(game):
    state = game.new_state(seed=11)
    content = state.record.tobytes()
    action = np.array([state.legal_actions()[0]], np.int32)
    envs = CardVectorEnv(game, 1)
    envs.reset(seed=1)
    for again in range(2):  # before and after the verbs were first used with an array that they take
        for record in (state.record, envs.full_states):
            for verb in (
                game.sample_actions,
                game.draws,
                game.reset,
                lambda record: game.step(record, action),
                lambda record: game.forfeit(record, np.arange(1)),
            ):
                refused(lambda verb=verb, record=record: verb(record), "read-only", "sample_action", "copy")
        own = state.record.copy()
        game.sample_actions(own)
        game.step(own, action)
        game.draws(own)
        assert own.tobytes() != content, again
    assert state.record.tobytes() == content


@every()
def test_verbs_that_look_take_the_record_of_a_state(game):
    state, rows = game.new_state(seed=11), game.new_states([11])
    for verb in (
        game.masks, game.observations, game.views, game.history, game.points, game.scores, game.returns,
        game.settlement, game.to_play, game.is_over, game.greedy_actions, game.is_exact,
    ):  # fmt: skip
        assert verb(state.record).tobytes() == verb(rows).tobytes()
    assert game.state(state.record, 0) == state


def test_random_players_draw_as_often_by_either_way_of_play():
    """The same word at every move made draws of random against random too frequent by a seventh."""
    game = ANY.make()
    rows = game.new_states(range(300))
    while not game.is_over(rows).all():
        game.step(rows, game.sample_actions(rows), auto_reset=False)
    for seed in range(300):
        state = game.new_state(seed=seed)
        while not state.is_over:
            state.play(state.sample_action())
        assert state.points().tolist() == game.points(rows)[seed].tolist()


def test_an_environments_position_is_a_copy():
    env = CardEnv(ANY.make())
    env.reset(seed=1)
    before = env.full_state
    env.full_state.play(env.full_state.sample_action())
    assert env.full_state == before
    refused(lambda: env.game.sample_actions(env.full_state.record), "read-only")
    refused(lambda: env.game.sample_actions(env.view.record), "read-only")
