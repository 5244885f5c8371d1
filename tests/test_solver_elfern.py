"""Elfern with open cards is solved as a plain search over everything solves it, whatever the rules and the size."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import card_envs
from card_envs.elfern.solver import SOLVER
from tests.oracle.elfern import FOLLOW_SUIT, ElfernOracle

SIZES = (
    {},
    {"suits": 1, "ranks": 8, "honours": 3, "hand_size": 2},
    {"suits": 2, "ranks": 4, "honours": 2, "hand_size": 2},
    {"suits": 3, "ranks": 6, "honours": 1, "hand_size": 4},
    {"suits": 4, "ranks": 2, "honours": 2, "hand_size": 3},
    {"suits": 4, "ranks": 7, "honours": 3, "hand_size": 1},
    {"suits": 2, "ranks": 7, "honours": 7, "hand_size": 7},
    {"hand_size": 16},
)


def played_to(game, seed, cards_left, dice):
    """A table after random play, so many plays before its end."""
    state = game.new_state(seed=seed)
    while game.max_plays - len(state.history) > cards_left:
        state.play(int(dice.choice(state.legal_actions())))
    return state


def oracle_at(state):
    """The same table as the slow implementation of the rules has it."""
    rules = {
        name: getattr(state.game.rules, name) for name in ("follow_suit", "suits", "ranks", "honours", "hand_size")
    }
    deck = [state.game.action_name(int(card)) for card in state.record["deck"][0, : state.game.pack.size]]
    oracle = ElfernOracle(lambda deal: list(deck), state.dealer, **rules)
    for _, name in state.history:
        oracle.play(name)
    return oracle


def replayed(oracle, name):
    """A copy of the oracle's table with one play more."""
    after = object.__new__(ElfernOracle)
    vars(after).update(vars(oracle))
    after.hands, after.piles = [set(hand) for hand in oracle.hands], [set(pile) for pile in oracle.piles]
    after.table, after.stock = list(oracle.table), list(oracle.stock)
    after.scores, after.returns = list(oracle.scores), list(oracle.returns)
    after.play(name)
    return after


def brute_force(oracle, seat):
    """Honours that a seat wins in the deal when both play their best: every line of play is looked at."""
    if oracle.is_over:
        return oracle.honours_won(seat)
    best = max if oracle.to_play == seat else min
    return best(brute_force(replayed(oracle, name), seat) for name in oracle.legal())


def by_brute_force(state):
    """Values by action."""
    oracle = oracle_at(state)
    worth = {name: brute_force(replayed(oracle, name), state.to_play) for name in oracle.legal()}
    return {state.game.action_id(name): value for name, value in worth.items()}


def by_solver(state):
    values = state.game.open_values(state.record)[0]
    return {int(action): values[action] for action in np.flatnonzero(~np.isnan(values))}


def some_tables(game, count, plays):
    """Full states after random play."""
    states = game.new_states(np.arange(count, dtype=np.uint64))
    for _ in range(plays):
        game.step(states, game.sample_actions(states), auto_reset=False)
    return states


@pytest.mark.parametrize("follow_suit", FOLLOW_SUIT)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_values_are_those_of_brute_force(size, follow_suit):
    game = card_envs.make_game("elfern", follow_suit=follow_suit, **size)
    dice = np.random.default_rng(5)
    for cards_left in (1, 2, 3, 4, 5, 6, 7):
        for seed in range(2 if cards_left > 5 else 4):
            state = played_to(game, seed, cards_left, dice)
            assert by_solver(state) == by_brute_force(state), str(state)


@pytest.mark.slow
@pytest.mark.parametrize("follow_suit", FOLLOW_SUIT)
def test_values_of_more_cards_are_those_of_brute_force(follow_suit):
    dice = np.random.default_rng(6)
    for suits, ranks, hand_size in ((2, 5, 3), (3, 4, 2), (1, 8, 3), (4, 8, 6)):
        for seed in range(3):
            game = card_envs.make_game("elfern", follow_suit=follow_suit, suits=suits, ranks=ranks, hand_size=hand_size)
            state = played_to(game, seed, 8, dice)
            assert by_solver(state) == by_brute_force(state), str(state)


@pytest.mark.parametrize("follow_suit", FOLLOW_SUIT)
def test_perfect_play_keeps_its_value_to_the_end_of_a_deal(follow_suit):
    """In deals of full size, which brute force cannot do: each best play leads to what it was said to be worth."""
    game = card_envs.make_game("elfern", follow_suit=follow_suit)
    states = some_tables(game, 5, plays=6)
    honours = int(game.constants["honours"][0])
    first = game.to_play(states)
    worth = []
    while not game.is_over(states).any():
        values = game.open_values(states)
        best = np.nanmax(values, axis=1)
        worth.append(np.where(game.to_play(states) == first, best, game.rules.all_honours - best))
        game.step(states, np.nanargmax(values, axis=1).astype(np.int32), auto_reset=False)
    worth.append([int(row["won"][seat] & honours).bit_count() for row, seat in zip(states, first, strict=True)])
    assert np.array_equal(np.stack(worth), np.broadcast_to(worth[-1], (len(worth), len(states))))


def test_memory_used_before_changes_no_value():
    """Decks, stages and kinds of question in turn, against memory of their own."""
    game = card_envs.make_game("elfern")
    states = np.concatenate([some_tables(game, 6, plays) for plays in (20, 12, 15, 8, 26, 12, 21)])
    used = SOLVER.memory(game)
    for ask in (SOLVER.estimates, SOLVER.values, SOLVER.estimates):
        for row in states:
            out, fresh = np.full(32, -1.0), np.full(32, -1.0)
            ask(row, game.constants[0], used, out)
            ask(row, game.constants[0], SOLVER.memory(game), fresh)
            assert np.array_equal(out, fresh)


def test_illegal_actions_have_no_value():
    game = card_envs.make_game("elfern")
    states = np.concatenate([some_tables(game, 10, plays) for plays in (20, 15)])
    assert np.array_equal(~np.isnan(game.open_values(states)), game.masks(states) == 1)


def test_estimates_are_exact_where_little_is_left_and_near_before():
    game = card_envs.make_game("elfern")
    memory = SOLVER.memory(game)
    for plays, allowed in ((20, 0.0), (9, 0.0), (4, 0.0), (0, 2.5)):
        states = some_tables(game, 4, plays)
        exact = game.open_values(states)
        near = np.full(exact.shape, np.nan)
        for row, out in zip(states, near, strict=True):
            SOLVER.estimates(row, game.constants[0], memory, out)
        assert np.sqrt(np.nanmean((near - exact) ** 2)) <= allowed
        assert np.array_equal(np.isnan(near), np.isnan(exact))


@pytest.mark.parametrize("rules", [{}, {"suits": 2, "ranks": 4, "honours": 2, "hand_size": 2}], ids=str)
def test_worth_is_what_the_deal_pays_and_grows_with_honours(rules):
    game = card_envs.make_game("elfern", match=True, **rules)
    oracle = oracle_at(game.new_state(seed=1))
    row = game.new_state(seed=1).record.copy()
    total = game.rules.all_honours
    for doubled in (0, 1):
        row["doubled"] = doubled
        worth = [SOLVER.worth(row[0], game.constants[0], float(won)) for won in range(total + 1)]
        assert worth == sorted(worth)
        for won, points in enumerate(worth):
            more = max(won, total - won)
            decided = 0 if 2 * more == total else oracle.worth(more) * (1 + doubled)
            assert points == (decided if won == more else -decided)


def test_play_is_settled_when_the_stock_is_used_up_for_the_view_as_well():
    game = card_envs.make_game("elfern")
    for plays, expected in ((0, False), (18, False), (19, False), (20, True), (27, True)):
        states = some_tables(game, 3, plays)
        assert game.is_exact(states).all()
        assert game.is_settled(states).tolist() == [expected] * 3
        views = game.views(states)
        assert game.is_settled(views).tolist() == [expected] * 3
        assert not game.is_exact(views).any()
        with pytest.raises(ValueError, match="view"):
            game.open_values(views)


def test_a_game_and_its_environments_load_no_solver():
    code = (
        "import sys, gymnasium as gym, card_envs; card_envs.make_game('elfern').new_state(seed=1);"
        "gym.make('card_envs/Elfern-v0').reset(seed=1);"
        "assert 'card_envs.elfern.solver' not in sys.modules;"
        "card_envs.make_game('elfern').solver;"
        "assert 'card_envs.elfern.solver' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
