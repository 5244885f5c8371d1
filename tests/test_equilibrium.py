"""Exact play of small games: best responses against an independent recursion, equilibria, known answers."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent
from card_agents.equilibrium import (
    CFR,
    TabularAgent,
    best_response,
    best_responses,
    build_tree,
    build_trees,
    meeting,
    policies_of,
    policy_of,
    solve,
    uniform,
    value,
    worst_case,
)
from card_agents.equilibrium.solving import certain_digits
from card_agents.evaluation.arena import deal_seeds, meet

TINY = {"suits": 2, "ranks": 3, "honours": 2, "hand_size": 2, "follow_suit": "endgame"}
SMALL = {"suits": 2, "ranks": 4, "honours": 2, "hand_size": 2}
OPEN = {"suits": 2, "ranks": 3, "honours": 1, "hand_size": 3}


def tiny(**rules):
    return card_envs.make_game("elfern", **(TINY | rules))


# An independent best response: beliefs instead of sequences, all packs instead of some, the state API alone.


def slow_best(game, dealer, seat, probabilities, packs=None):
    """Points per deal of a best response in ``seat`` to ``probabilities(state)`` in the other, over all packs."""
    packs = list(permutations(names(game))) if packs is None else packs
    deals = [(game.new_state(deck=pack, dealer=dealer, seed=0), 1.0) for pack in packs]
    return best_of_groups(deals, seat, probabilities) / len(packs)


def names(game):
    return [game.action_name(card) for card in range(game.pack.size)]


def best_of_groups(positions, seat, probabilities):
    """All that the seat cannot tell apart by now goes together: the plays are the same, so its hand decides."""
    together = defaultdict(list)
    for state, weight in positions:
        together[tuple(state.hand(seat))].append((state, weight))
    return sum(best_of_belief(belief, seat, probabilities) for belief in together.values())


def best_of_belief(belief, seat, probabilities):
    first = belief[0][0]
    if first.is_over:
        return sum(weight * state.returns()[seat] for state, weight in belief)

    def after(action, shares):
        following = []
        for (state, weight), share in zip(belief, shares, strict=True):
            if share > 0:
                child = state.clone()
                child.play(action)
                following.append((child, weight * share))
        return following

    if first.to_play == seat:
        everyone = [1.0] * len(belief)
        actions = first.legal_actions().tolist()
        return max(best_of_groups(after(action, everyone), seat, probabilities) for action in actions)
    shares = np.array([probabilities(state) for state, _ in belief])
    return sum(
        best_of_groups(after(action, shares[:, action]), seat, probabilities) for action in range(shares.shape[1])
    )


def uniform_shares(state):
    mask = state.action_mask()
    return mask / mask.sum()


@pytest.mark.parametrize(("follow_suit", "dealer"), [("stock", 0), ("endgame", 1)])
def test_the_best_response_to_random_play_is_that_of_a_slow_recursion_over_all_packs(follow_suit, dealer):
    game = tiny(follow_suit=follow_suit)
    tree = build_tree(game, dealer)
    policy = policy_of(tree, RandomAgent(game))
    assert np.array_equal(policy, uniform(tree))
    for seat in (0, 1):
        assert best_response(tree, seat, policy)[0] == pytest.approx(
            slow_best(game, dealer, seat, uniform_shares), abs=1e-12
        )


@pytest.fixture(scope="module")
def solved():
    trees = build_trees(tiny())
    policies, runs = solve(trees, iterations=5000, gap=1e-9)
    return trees, policies, runs


def test_an_equilibrium_is_one_to_the_slow_recursion_too(solved):
    trees, policies, _ = solved
    agent = TabularAgent(trees, policies)

    def shares(state):
        view = state.view().record
        return agent.probabilities(view, None, state.action_mask()[None])[0]

    packs = [[names(trees[0].game)[card] for card in pack] for pack in trees[0].packs]
    best = [slow_best(trees[0].game, 0, seat, shares, packs) for seat in (0, 1)]
    assert 0 <= sum(best) + 1e-12 < 1e-8
    assert best[0] == pytest.approx(best_responses(trees[0], policies[0]).best[0], abs=1e-12)


def test_an_equilibrium_cannot_be_exploited_and_others_can(solved):
    trees, policies, runs = solved
    game = trees[0].game
    assert len(runs) == 1  # the dealers are mirror images
    worst = worst_case(trees, policies)
    assert 0 <= worst.exploitability + 1e-12 < 1e-9
    for agent in (RandomAgent(game), GreedyAgent(game)):
        other = policies_of(trees, agent)
        assert worst_case(trees, other).exploitability > 0.01
        # Against the equilibrium nobody has more than the value, and nobody else makes sure of as much.
        assert meeting(trees, other, policies) <= 1e-9
        assert worst_case(trees, other).as_non_dealer <= worst.as_non_dealer + 1e-9
    low, high = best_responses(trees[0], policies[0]).bounds
    assert low <= high
    assert high - low < 2e-9


def test_with_all_cards_known_the_value_is_the_mean_of_open_minimax():
    game = card_envs.make_game("elfern", **OPEN)

    def minimax(state):
        if state.is_over:
            return state.returns()[0]
        values = []
        for action in state.legal_actions().tolist():
            child = state.clone()
            child.play(action)
            values.append(minimax(child))
        return max(values) if state.to_play == 0 else min(values)

    tree = build_tree(game, 0)
    assert tree.deals == 20
    exact = np.mean([minimax(game.new_state(deck=[names(game)[card] for card in pack], dealer=0, seed=0))
                     for pack in tree.packs])  # fmt: skip
    run = CFR(tree)
    low, high = best_responses(tree, run.run(iterations=3000, gap=1e-7)).bounds
    assert low - 1e-12 <= exact <= high + 1e-12
    assert high - low <= 1e-7


def test_the_sum_is_zero_and_the_exact_meeting_is_what_the_arena_finds():
    game = tiny()
    trees = build_trees(game)
    random, greedy = RandomAgent(game), GreedyAgent(game)
    a, b = policies_of(trees, random), policies_of(trees, greedy)
    assert meeting(trees, a, b) == pytest.approx(-meeting(trees, b, a), abs=1e-15)
    assert meeting(trees, a, a) == pytest.approx(0, abs=1e-15)
    measured = meet(game, ("random", "greedy"), (random, greedy), deal_seeds(3, 6000)).points_a
    margin = measured.high - measured.mean
    assert abs(measured.mean - meeting(trees, a, b)) < 2 * margin < 0.06


def test_a_best_response_makes_at_the_tables_what_was_promised():
    game = tiny()
    trees = build_trees(game)
    greedy = policies_of(trees, GreedyAgent(game))
    replies = []
    for tree, policy in zip(trees, greedy, strict=True):
        promised, first = best_response(tree, 0, policy)
        assert value(tree, first, policy) == pytest.approx(promised, abs=1e-12)
        promised, second = best_response(tree, 1, policy)
        assert value(tree, policy, second) == pytest.approx(-promised, abs=1e-12)
        replies.append(np.where(seat_of_sequences(tree) == 0, first, second))
    promised = worst_case(trees, greedy).exploitability
    measured = meet(game, ("reply", "greedy"), (TabularAgent(trees, replies), GreedyAgent(game)), deal_seeds(0, 6000))
    margin = measured.points_a.high - measured.points_a.mean
    assert abs(measured.points_a.mean - promised) < 2 * margin < 0.06
    assert measured.points_a.low > 0


def seat_of_sequences(tree):
    return np.concatenate([[0, 1], np.repeat(tree.seat, np.diff(tree.first))])


@pytest.mark.parametrize("follow_suit", ["stock", "endgame", "always", "never"])
def test_the_seats_are_mirror_images(follow_suit):
    first, second = build_trees(tiny(follow_suit=follow_suit))
    assert second.mirrors(first)
    assert first.mirrors(second)
    assert not first.mirrors(first)


def test_the_small_game_has_its_size_and_value():
    trees = build_trees(card_envs.make_game("elfern", **SMALL))
    assert [(tree.deals, tree.nodes, tree.sets) for tree in trees] == [(10080, 1360800, 77620)] * 2
    policies, _ = solve(trees, iterations=120)
    worst = worst_case(trees, policies)
    assert worst.as_non_dealer < 3109 / 20160 < -worst.as_dealer  # the value is 0.154216 to six digits
    assert worst.exploitability < 2e-5


def test_plain_and_predictive_regrets_find_the_same_value():
    tree = build_tree(tiny())
    bounds = []
    for predictive in (False, True):
        run = CFR(tree, predictive)
        found = best_responses(tree, run.run(iterations=400))
        bounds.append(found.bounds)
        curve = [point.found.nash_conv for point in run.curve]
        assert curve[-1] < 1e-4 < curve[0]
        again = CFR(tree, predictive)
        again.run(iterations=150)
        assert np.array_equal(again.run(iterations=400), run.policy())
    assert max(low for low, _ in bounds) <= min(high for _, high in bounds)


def test_digits_are_certain():
    assert certain_digits(0.154216243, 0.154216335) == "+0.154216"
    assert certain_digits(-0.5, -0.5) == "-0.500000000000"
    assert certain_digits(-0.4, 0.9) == "+0"
