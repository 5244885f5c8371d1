"""Konchinka with open cards: values against plain minimax, estimates in bounds, and a memory that tells nothing."""

import subprocess
import sys

import numpy as np
import pytest

from card_envs.jit import njit
from card_envs.konchinka.solver import SOLVER
from tests.konchinka_deals import game_of, start
from tests.variants import positions, scattered

RULES = (
    {},
    {"figures": True},
    {"figures": True, "figure_sums": (11, 12, 14)},
    {"figures": True, "figure_sums": (14, 14, 14), "obligation": "hand"},
    {"obligation": "hand"},
    {"match": True},
    {"match": True, "obligation": "hand", "figures": True},
)
EARLY = ((14, 14), (13, 14), (14, 5), (13, 13), (12, 13), (14, 16), (15, 15), (0, 0))
PLAYS = 48  # of a deal


def by_rules(rules):
    return "-".join(f"{name}={value}" for name, value in rules.items()) or "default"


def minimax(state, seat, deals=0):
    """Points that ``seat`` comes to lead by when both play their best to the end of the deal."""
    if state.is_over or int(state.record["deals"][0]) > deals:
        points = state.points()
        return int(points[seat] - points[1 - seat])
    values = []
    for action in state.legal_actions():
        after = state.clone()
        after.play(int(action))
        values.append(minimax(after, seat, deals))
    return max(values) if state.to_play == seat else min(values)


def assert_minimax(states, game):
    values = game.open_values(states)
    for i in range(len(states)):
        state = game.state(states, i)
        assert np.flatnonzero(~np.isnan(values[i])).tolist() == state.legal_actions().tolist()
        for action in state.legal_actions():
            after = state.clone()
            after.play(int(action))
            assert values[i, action] == minimax(after, state.to_play), state.game.state_to_text(state)


def late(game, count, left, seed=0, scores=None):
    """So many deals under way at random, with ``left`` plays to come."""
    states = game.new_states(np.arange(seed, seed + count, dtype=np.uint64))
    for _ in range(PLAYS - left):
        game.step(states, game.sample_actions(states), auto_reset=False)
    if scores is not None:
        states["start"][:, :2] = scores
    return states


def estimated(game, states, memory=None):
    """What ``estimates`` writes in each row, not a number where it writes nothing."""
    memory = SOLVER.memory(game) if memory is None else memory
    out = np.full((len(states), game.num_actions), np.nan)
    estimate_rows(states, game.constants, memory, out)
    return out


_estimates = SOLVER.estimates


@njit
def estimate_rows(states, constants, memory, out):
    for i in range(len(states)):
        _estimates(states[i], constants[0], memory, out[i])


@pytest.mark.parametrize("rules", RULES, ids=by_rules)
def test_exact_values_are_those_of_plain_minimax(rules):
    game = game_of(**rules)
    for left, count in ((1, 20), (2, 20), (3, 20), (4, 10), (5, 5), (6, 3)):
        assert_minimax(late(game, count, left, seed=100 * left), game)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=by_rules)
def test_exact_values_of_a_whole_round_are_those_of_plain_minimax(rules):
    game = game_of(**rules)
    assert_minimax(late(game, 2, 8, seed=7), game)
    assert_minimax(late(game, 3, 7, seed=9), game)


@pytest.mark.parametrize("scores", EARLY, ids=str)
def test_k15_exact_values_know_that_a_match_may_end_early(scores):
    game = game_of(match=True)
    assert_minimax(late(game, 20, 4, seed=50, scores=scores), game)
    assert_minimax(late(game, 6, 5, seed=90, scores=scores), game)
    hand = game_of(match=True, obligation="hand")
    assert_minimax(late(hand, 10, 4, seed=70, scores=scores), hand)


def test_exact_is_the_last_round_of_two_players_and_nothing_else():
    for rules in ({}, {"match": True}, {"num_players": 3}, {"num_players": 12}):
        game = game_of(**rules)
        for states in positions(game, 4, game.max_plays - 1, auto_reset=False):
            expected = (states["over"] == 0) & (states["dealt"] == 52) & (game.num_players == 2)
            assert (game.is_exact(states) == expected).all()
            assert (game.is_settled(states) == expected).all()
            assert (game.is_settled(game.views(states)) == expected).all()


def test_settled_means_that_one_world_is_left():
    game = game_of()
    for state in (game.state(late(game, 5, 8, seed=3), i) for i in range(5)):
        worlds = game.sample_worlds(state.view(), 20, 1)
        assert (worlds["hand"] == state.record["hand"]).all()
        assert (game.open_values(worlds)[0] == game.open_values(worlds)).sum() == 20 * len(state.legal_actions())


def test_solving_changes_nothing_in_the_states():
    game = game_of()
    states = late(game, 10, 8)
    before = states.tobytes()
    game.open_values(states)
    estimated(game, states)
    assert states.tobytes() == before


@pytest.mark.parametrize("rules", RULES, ids=by_rules)
def test_estimates_are_the_values_where_these_are_exact(rules):
    game = game_of(**rules)
    for left in (8, 5, 2):
        states = late(game, 20, left, seed=left)
        np.testing.assert_array_equal(estimated(game, states), game.open_values(states))


@pytest.mark.parametrize("players", range(2, 13))
def test_estimates_are_leads_that_can_be_had_by_each_legal_action_and_no_other(players):
    for rules in ({}, {"figures": True, "obligation": "hand"}, {"match": True, "target": 4}):
        game = game_of(num_players=players, **rules)
        states = scattered(game, game.max_plays)
        values = estimated(game, states)
        assert (np.isnan(values) == (game.masks(states) == 0)).all()
        assert np.nanmin(values) >= -5 / (players - 1) - 0.01
        assert np.nanmax(values) <= 5.01
        assert np.nanmax(values) - np.nanmin(values) > 0.5  # they tell good from bad


@pytest.mark.parametrize("others", [["2h As Ac 3s"], ["2h As Ac 3s", "3c 5s 5c 6s", "7s 7c 8d 8c"]])
def test_k11_estimates_take_the_konchinka_that_the_next_can_take_as_well(others):
    state = start(["2d 4h 5h 6h", *others], table="2c Qd Kd Ts")
    values = estimated(state.game, state.record)[0]
    best = int(np.nanargmax(values))
    assert state.game.action_name(best) == "2dx2"
    assert values[best] - np.nanmax(np.delete(values, best)) > 0.4


def test_estimates_see_the_end_of_a_deal_coming():
    """They go with what came of deals that greedy players finished; too high, for a seat that would play better."""
    for players in (2, 4, 7):
        game = game_of(num_players=players)
        states = game.new_states(np.arange(400, dtype=np.uint64))
        for _ in range(game.max_plays * 2 // 3):
            game.step(states, game.greedy_actions(states))
        seats, values = states["to_play"].copy(), estimated(game, states)
        expected = values[np.arange(400), game.greedy_actions(states)]
        while not states["over"].all():
            game.step(states, game.greedy_actions(states), auto_reset=False)
        came = game.returns(states)[np.arange(400), seats]
        assert np.corrcoef(expected, came)[0, 1] > 0.6
        assert -0.2 < (expected - came).mean() < 0.7


@pytest.mark.parametrize("players", [2, 5])
def test_what_a_memory_holds_changes_no_value(players):
    game = game_of(num_players=players, match=True)
    states = scattered(game, 60)
    states["start"][::2, :2] = (14, 13)
    fresh = np.concatenate([estimated(game, states[i : i + 1]) for i in range(len(states))])
    memory = SOLVER.memory(game)
    order = np.random.default_rng(0).permutation(len(states))
    again = estimated(game, states[order], memory)
    np.testing.assert_array_equal(again, fresh[order])
    np.testing.assert_array_equal(estimated(game, states, memory), fresh)


def test_the_solver_is_loaded_when_it_is_asked_for_and_not_before():
    code = """
import sys, gymnasium, card_envs
game = card_envs.make_game("konchinka")
game.new_state(seed=1)
gymnasium.make("card_envs/Konchinka-v0").reset(seed=1)
gymnasium.make_vec("card_envs/Konchinka-v0", 2, vectorization_mode="vector_entry_point").reset(seed=1)
print("card_envs.konchinka.solver" in sys.modules)
print(game.solver.unit, "card_envs.konchinka.solver" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=1800)
    assert done.stdout.split() == ["False", "points", "True"]
