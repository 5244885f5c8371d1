"""What any game must survive, on every variant: seeds, copies and batches."""

from __future__ import annotations

import copy
import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from card_envs.batches import copy as copy_states
from tests.variants import DEFAULTS, MATCHES, every, scattered
from tests.walks import SEEDS, VARIANT, same, walk

# Chance


@every()
def test_row_i_is_the_state_of_its_seed(game):
    seeds = np.array([0, 1, 2**63, 2**64 - 1, *range(50, 80)], np.uint64)
    states = game.new_states(seeds)
    for i, seed in enumerate(seeds.tolist()):
        assert same(states[i : i + 1], game.new_state(seed=seed).record)
        assert same(states[i : i + 1], game.new_state(seed=seed - 2**64).record)
        assert same(states[i : i + 1], game.new_state(seed=seed + 2**64).record)


@every()
def test_results_depend_neither_on_width_nor_on_row(game):
    seeds = np.arange(100, 133, dtype=np.uint64)

    def run(some):
        states = game.new_states(some)
        trace = []
        for _ in range(game.max_plays + game.max_plays // 2):
            actions = game.sample_actions(states)
            rewards, over = game.step(states, actions)
            trace.append((actions, rewards, over))
        return states, trace

    wide, wide_trace = run(seeds)
    for order in (seeds[::-1], seeds[5:6], seeds[3:10]):
        states, trace = run(np.ascontiguousarray(order))
        rows = order.astype(np.int64) - 100
        assert same(states, copy_states(wide)[rows])
        for wide_step, step in zip(wide_trace, trace, strict=True):
            assert all(np.array_equal(a[rows], b) for a, b in zip(wide_step, step, strict=True))


@every()
def test_after_its_end_a_row_is_a_fresh_deal_but_for_its_choices(game):
    states = game.new_states(np.arange(40, dtype=np.uint64))
    fresh = 0
    for _ in range(4 * game.max_plays):
        before = states["deal"].copy()
        _, over = game.step(states, game.sample_actions(states))
        for i in np.flatnonzero(over)[:5].tolist():
            wanted = game.new_state(seed=int(states["seed"][i]), deal=int(before[i]) + 1).record.copy()
            wanted["choice"] = states["choice"][i]
            assert same(states[i : i + 1], wanted)
            fresh += 1
    assert fresh or game.rules.match


@every()
def test_reset_begins_the_next_episode_of_the_marked_rows_alone(game):
    states = scattered(game, 30)
    before = copy_states(states)
    where = np.arange(30) % 3 == 0
    game.reset(states, where)
    for i in range(30):
        if where[i]:
            wanted = game.new_state(seed=i, deal=int(before["deal"][i]) + 1).record.copy()
            wanted["choice"] = states["choice"][i]
            assert same(states[i : i + 1], wanted)
        else:
            assert same(states[i : i + 1], before[i : i + 1])
    game.reset(states)
    assert not states["plays"].any()


@every(variant for variant in MATCHES if variant.make().match_goes_on([1]))
def test_scores_that_a_match_began_with_do_not_outlive_it(game):
    states = game.new_state(seed=3, scores=[1, *[0] * (game.num_players - 1)]).record.copy()
    game.reset(states)
    wanted = game.new_state(seed=3, deal=1).record.copy()
    wanted["choice"] = states["choice"]
    assert same(states, wanted)


@every()
def test_a_deal_can_be_played_again_alone(game):
    state = game.new_state(seed=11)
    for _ in range(5 * game.max_plays):
        if state.is_over:
            break
        state.play(state.sample_action())
    number = int(state.record["deal"][0])
    again = game.new_state(seed=11, deal=number)
    assert same(again.record["deck"], state.record["deck"]) or again.dealer != state.dealer
    by_hand = game.new_state(seed=11, deck=game.pack_of(11, number), dealer=again.dealer)
    assert same(by_hand.record["deck"], again.record["deck"])


@every(DEFAULTS)
def test_without_a_seed_the_system_gives_one(game):
    assert game.new_state().record["seed"] != game.new_state().record["seed"]


@given(VARIANT, SEEDS, st.integers(0, 60))
def test_copies_continue_identically_and_alone(variant, seed, plays):
    game = variant.make()
    state = walk(game, seed, plays)
    content = state.record.tobytes()
    copies = [state.clone(), pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)]
    copies.append(game.state(state.record, 0))
    ends = set()
    for other in copies:
        assert other == state
        assert other.game is game
        row = other.record.copy()
        for _ in range(70):
            game.step(row, game.sample_actions(row), auto_reset=False)
            if not other.is_over:
                other.play(int(other.legal_actions()[-1]))
        ends.add((row.tobytes(), other.record.tobytes()))
    assert len(ends) == 1
    assert state.record.tobytes() == content


@given(VARIANT)
def test_games_of_equal_rules_are_one(variant):
    game = variant.make()
    assert variant.make() is game
    assert pickle.loads(pickle.dumps(game)) is game
    assert copy.deepcopy(game) == game
    assert hash(game) == hash(copy.deepcopy(game))
