"""What any game must survive, on every variant: legality, cards, points and histories."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs.game import REWARDS
from tests.variants import DRAWN, MANY, MATCHES, SINGLE_DEALS, every, positions, scattered, stages, whole
from tests.walks import SOME

# Legal actions


@every(MANY)
def test_legal_actions_masks_and_play_agree_everywhere(game):
    states = scattered(game, SOME)
    masks = game.masks(states)
    for i, mask in enumerate(masks):
        state = game.state(states, i)
        assert state.action_mask().tobytes() == mask.tobytes()
        legal = state.legal_actions()
        assert np.array_equal(legal, np.flatnonzero(mask))
        content = state.record.tobytes()
        for action in range(game.num_actions):
            if mask[action]:
                state.clone().play(action)
            else:
                with pytest.raises(card_envs.IllegalAction):
                    state.play(action)
        assert state.record.tobytes() == content
        with pytest.raises(card_envs.IllegalAction):
            state.play(game.num_actions)
        with pytest.raises(card_envs.IllegalAction):
            state.play(-1)


@every(MANY)
def test_over_or_some_legal_action_never_both(game):
    for states in positions(game, 200, 2 * game.max_plays, auto_reset=False):
        legal = game.masks(states).any(axis=1)
        assert np.array_equal(legal, ~game.is_over(states))
        assert np.array_equal(legal, game.to_play(states) >= 0)


@every(MANY)
def test_legal_actions_are_empty_for_seats_not_on_turn(game):
    states = scattered(game, 100)
    on_turn = game.to_play(states)
    for seat in range(game.num_players):
        masks = game.masks(states, np.full(len(states), seat))
        assert np.array_equal(masks.any(axis=1), on_turn == seat)
        assert len(game.state(states, 0).legal_actions(seat)) == (
            game.masks(states[:1])[0].sum() if on_turn[0] == seat else 0
        )


@every(MANY)
def test_masks_are_zeros_and_ones(game):
    for states in positions(game, 100, game.max_plays):
        masks = game.masks(states)
        assert masks.dtype == np.uint8
        assert masks.max() == 1


@every(MANY)
def test_sampled_actions_are_legal_and_reach_every_legal_action(game):
    one = game.new_states(np.full(3000, 5, np.uint64))
    one["choice"] = np.random.default_rng(1).integers(0, 2**63, 3000).astype(np.uint64)
    actions = game.sample_actions(one)
    counts = np.bincount(actions, minlength=game.num_actions)
    mask = game.masks(one[:1])[0].astype(bool)
    assert not counts[~mask].any()
    expected = 3000 / mask.sum()
    assert (np.abs(counts[mask] - expected) < 6 * np.sqrt(expected)).all()


@every(MANY)
def test_greedy_actions_are_legal_and_minus_one_at_the_end(game):
    for states in positions(game, 100, game.max_plays + 2, auto_reset=False):
        actions = game.greedy_actions(states)
        over = game.is_over(states)
        assert (actions[over] == -1).all()
        rows = np.flatnonzero(~over)
        assert game.masks(states)[rows, actions[rows]].all()
    assert game.sample_actions(states)[game.is_over(states)].tolist() == [-1] * int(game.is_over(states).sum())


# Cards and points


@every(MANY)
def test_every_card_is_in_one_place(game):
    probe, cards = game.probe(), sorted(game.pack.names)
    for states in positions(game, 20, game.max_plays + 3, auto_reset=False):
        for row in states:
            if row["over"] and game.rules.match:
                continue  # a match may end in the middle of a deal
            found = game.table_cards(row) + [game.pack.names[row["deck"][p]] for p in probe.undealt(game, row)]
            for seat in range(game.num_players):
                found += game.pack.set_names(game.hand_cards(row, seat)) + game.pack.set_names(probe.won(row, seat))
            assert sorted(found) == cards
            assert sorted(whole(row["deck"], game)) == cards


@every(MANY)
def test_hands_lie_where_they_were_dealt(game):
    """The probe says whose a place of the pack is: the cards in a hand are at places of its seat."""
    probe = game.probe()
    for row in stages(game, 60)[::5]:
        place_of = {card: place for place, card in enumerate(row["deck"][: game.pack.size].tolist())}
        for seat in range(game.num_players):
            cards = game.pack.members(game.hand_cards(row, seat))
            assert all(probe.owner(game, row, place_of[card]) == seat for card in cards)
        assert all(probe.owner(game, row, place) == -1 for place in probe.undealt(game, row))


@every(MANY)
def test_returns_sum_to_zero_and_are_the_sum_of_the_rewards(game):
    states = game.new_states(np.arange(300, dtype=np.uint64))
    summed = np.zeros((300, game.num_players))
    low, high = np.inf, -np.inf
    for _ in range(3 * game.max_plays):
        rewards, _ = game.step(states, game.sample_actions(states), auto_reset=False)
        assert rewards.dtype == np.float32
        assert np.abs(rewards.sum(axis=1)).max() < 1e-5
        summed += rewards
        returns = game.returns(states)
        assert np.abs(returns - summed).max() < 1e-4
        low, high = min(low, returns.min()), max(high, returns.max())
    assert low < 0 < high
    scores = [game.rules.target] * game.num_players
    if not (game.rules.match and game.match_goes_on(scores)):  # level at the target, a match would have no bound
        assert game.min_return <= low
        assert high <= game.max_return
    for reward in REWARDS:
        assert np.abs(game.returns(states, reward).sum(axis=1)).max() < 1e-9
        assert game.returns(states, reward).min() >= game.min_returns[reward] * np.maximum(states["deals"], 1).max()


@every(SINGLE_DEALS)
def test_a_deal_takes_max_plays_and_counts_once(game):
    states = game.new_states(np.arange(200, dtype=np.uint64))
    for step in range(game.max_plays):
        assert not game.is_over(states).any()
        rewards, over = game.step(states, game.sample_actions(states), auto_reset=False)
        assert over.all() == (step == game.max_plays - 1)
        assert rewards.any() == over.any() or not game.points(states).any()
    points = game.points(states)
    assert (states["deals"] == 1).all()
    best = points.max(axis=1, keepdims=True)
    win = game.returns(states, "win")
    assert ((win > 0) <= (points == best)).all()
    assert not game.scores(states).any()
    assert not game.settlement(states).any()


# Histories


@every(MANY)
def test_history_is_the_plays_in_order(game):
    state = game.new_state(seed=3)
    played = []
    for _ in range(game.max_plays - 1):
        if state.is_over or len(state.history) < len(played):
            break
        action = state.sample_action()
        played.append((state.to_play, action))
        state.play(action)
        if not state.history and state.record["deal"][0] != 0:
            break  # the deal was counted and the next one dealt
        assert state.history == [(seat, game.action_name(action)) for seat, action in played]
        for seat in range(game.num_players):
            row = game.history(state.record, np.array([seat]))[0]
            assert row.dtype == np.int32
            assert len(row) == game.max_plays
            wanted = [(who - seat) % game.num_players * game.num_actions + what for who, what in played]
            assert row[: len(played)].tolist() == wanted
            assert (row[len(played) :] == -1).all()


@every([*MATCHES, *(variant for variant in DRAWN if variant.rules["match"])])
def test_the_match_goes_on_until_it_is_won(game):
    states = game.new_states(np.arange(30, dtype=np.uint64))
    for _ in range(400 * game.max_plays):
        game.step(states, game.sample_actions(states), auto_reset=False)
        if game.is_over(states).all():
            break
    over = game.is_over(states)
    assert over.mean() > 0.9
    scores = game.scores(states)
    assert (scores[over].max(axis=1) >= game.rules.target).all()
    assert all(game.match_goes_on(row) for row in scores[~over].tolist())
    settlement = game.settlement(states)
    assert not settlement.sum(axis=1).any()
    assert not settlement[~over].any()
    assert np.array_equal(settlement[over], game.returns(states, "settlement")[over])
    assert (game.returns(states, "win")[over].max(axis=1) == 1).all()
