"""The rules of Briscola one by one, on packs laid by hand (B1 to B8 in the README)."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs import IllegalAction

if "briscola" not in card_envs.GAMES:
    pytest.skip("The game is not installed: pip install -e examples/briscola", allow_module_level=True)

# To seat 1, which leads against dealer 0: 7c Ah 2d; to seat 0: Kc 3d 4s; turned up: 6s.
TOP = ["7c", "Kc", "Ah", "3d", "2d", "4s", "6s"]


def deal(top=TOP, dealer=0, **rules):
    """A deal with these cards on top of the pack."""
    game = card_envs.make_game("briscola", **rules)
    return game.new_state(seed=1, dealer=dealer, deck=[*top, *(name for name in game.pack.names if name not in top)])


def play(state, *names):
    for name in names:
        state.play(name)
    return state


def winner_of(lead, answer, turned):
    """The seat that wins a trick led by seat 1, in a pack that gives both the cards they need."""
    others = [name for name in card_envs.make_game("briscola").pack.names if name not in (lead, answer, turned)]
    return play(deal([lead, answer, *others[:4], turned]), lead, answer).to_play


def test_b1_b2_three_cards_each_one_at_a_time_of_forty():
    state = deal()
    assert state.game.pack.size == 40
    assert set(state.hand(1)) == {"7c", "Ah", "2d"}
    assert set(state.hand(0)) == {"Kc", "3d", "4s"}


def test_b3_the_next_card_lies_open_and_makes_trumps():
    state = deal()
    assert state.table == ["6s"]
    assert state.view(0).table == state.view(1).table == ["6s"]
    assert play(state, "7c").table == ["7c", "6s"]


def test_b4_the_non_dealer_leads_and_any_card_may_be_played():
    for dealer in (0, 1):
        state = deal(dealer=dealer)
        assert state.to_play == 1 - dealer
        assert len(state.legal_actions()) == 3
    state = play(deal(), "7c")
    assert {state.game.action_name(int(action)) for action in state.legal_actions()} == {"Kc", "3d", "4s"}
    with pytest.raises(IllegalAction, match="it may play"):
        state.play("2d")


@pytest.mark.parametrize(
    ("lead", "answer", "wins"),
    [
        ("7c", "Jc", True),  # of the suit led the higher card,
        ("Kc", "3c", True),  # the three above the king,
        ("3c", "Ac", True),  # and the ace above the three
        ("4c", "2c", False),
        ("2c", "Ah", False),  # a card of another suit does not
        ("Ac", "2s", True),  # but the lowest trump does,
        ("2s", "Ac", False),
        ("Ks", "3s", True),  # and of two trumps the higher one
        ("3s", "Ks", False),
    ],
)
def test_b5_who_wins_a_trick(lead, answer, wins):
    assert winner_of(lead, answer, "6s") == (0 if wins else 1)


def test_b6_the_winner_draws_first_and_the_turned_card_last():
    state = deal()
    first, second = (state.game.pack.names[card] for card in state.record["deck"][0, 7:9])
    play(state, "7c", "Kc")
    assert first in state.hand(0)
    assert second in state.hand(1)
    while "6s" in state.table:
        before = state.clone()
        state.play(int(state.legal_actions()[0]))
    assert before.game.pack.size - int(before.record["drawn"][0]) == 2
    assert "6s" in state.hand(1 - state.to_play)


def test_b7_more_than_half_of_the_card_points_wins_and_half_is_a_draw():
    game = card_envs.make_game("briscola")
    states = game.new_states(np.arange(3000, dtype=np.uint64))
    while not game.is_over(states).all():
        game.step(states, game.sample_actions(states), auto_reset=False)
    counts = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
    values = np.array([counts.get(name[0], 0) for name in game.pack.names])
    bits = (states["won"][:, :, None] >> np.arange(40, dtype=np.uint64)) & np.uint64(1)
    won = (bits * values).sum(axis=2)
    assert (won.sum(axis=1) == 120).all()
    assert np.array_equal(game.points(states), won > 60)
    assert (won == 60).any()
    assert (game.returns(states)[(won == 60).all(axis=1)] == 0).all()


def test_b8_the_deal_passes_and_a_match_is_won_by_deals():
    game = card_envs.make_game("briscola", match=True, target=3)
    state = game.new_state(seed=5, scores=[2, 1], dealer=1)
    while not state.is_over:
        dealer = state.dealer
        scores = state.scores()
        number = state.record["deal"][0]
        state.play(int(state.legal_actions()[0]))
        if not state.is_over and state.record["deal"][0] != number:
            assert state.dealer == 1 - dealer
            assert (state.scores() - scores == state.points()).all()
    assert state.scores().max() == 3


@pytest.mark.parametrize("wrong", [{"suits": 1, "ranks": 6}, {"suits": 1, "ranks": 5}, {"hand_size": 6}, {"target": 0}])
def test_sizes_that_cannot_be_dealt_get_a_sentence(wrong):
    with pytest.raises(ValueError, match=r"even number of cards|deal at most 2|out of range"):
        card_envs.make_game("briscola", **wrong)


def test_with_open_cards_every_line_is_tried():
    """Two cards each and no stock: by hand, the trump must be kept for the ace."""
    game = card_envs.make_game("briscola", suits=2, ranks=3, hand_size=2)
    # To seat 1: Kc Kd; to seat 0: Ac 3c; turned Ad, under 3d.
    state = game.new_state(deck="Kc Ac Kd 3c Ad 3d", dealer=0)
    values = game.open_values(state.record)[0]
    assert np.isnan(values).sum() == 4
    best = max(range(6), key=lambda action: -1 if np.isnan(values[action]) else values[action])
    assert values[best] == brute(state, 1, state.legal_actions())[best]


def brute(state, seat, actions):
    """The value of each action, by trying everything with the oracle of the rules: the engine's own states."""

    def value(node):
        if node.is_over:
            counts = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
            won = node.game.pack.set_names(node.record["won"][0, seat])
            return sum(counts.get(name[0], 0) for name in won)
        found = []
        for action in node.legal_actions().tolist():
            after = node.clone()
            after.play(action)
            found.append(value(after))
        return max(found) if node.to_play == seat else min(found)

    values = {}
    for action in actions.tolist():
        after = state.clone()
        after.play(action)
        values[action] = value(after)
    return values


@pytest.mark.parametrize("rules", [{"suits": 2, "ranks": 4, "hand_size": 2}, {"hand_size": 3}, {"match": True}])
def test_open_values_are_those_of_trying_everything(rules):
    game = card_envs.make_game("briscola", **rules)
    for seed in range(6):
        state = game.new_state(seed=seed)
        while game.pack.size - len(state.history) > 6:
            state.play(state.sample_action())
        wanted = brute_deal(state)
        found = game.open_values(state.record)[0]
        assert {action: found[action] for action in wanted} == wanted
        state.play(next(iter(wanted)))


def brute_deal(state):
    """The same in a deal of a match, which is counted as its last card falls: as a single deal from there on."""
    if not state.game.rules.match:
        return brute(state, state.to_play, state.legal_actions())
    single = card_envs.make_game("briscola")
    names = [state.game.pack.names[card] for card in state.record["deck"][0]]
    again = single.new_state(deck=names, dealer=state.dealer)
    play(again, *(name for _, name in state.history))
    return brute(again, again.to_play, again.legal_actions())


def test_the_greedy_player_beats_chance():
    game = card_envs.make_game("briscola")
    states = game.new_states(np.arange(1000, dtype=np.uint64))
    greedy = np.arange(1000) % 2
    while not game.is_over(states).all():
        actions = np.where(game.to_play(states) == greedy, game.greedy_actions(states), game.sample_actions(states))
        game.step(states, actions, auto_reset=False)
    assert game.returns(states)[np.arange(1000), greedy].mean() > 0.5
