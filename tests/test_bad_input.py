"""Bad rules, packs, positions and moves: a sentence, and nothing has changed."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs import IllegalAction
from tests.refusals import GAME, MATCH, OTHER, refused, unchanged
from tests.variants import GAMES, every

# Games and rules


def test_an_unknown_game_is_refused():
    refused(lambda: card_envs.make_game("whist"), "whist", *GAMES)
    refused(lambda: card_envs.make_game(None), "None", *GAMES)
    refused(lambda: card_envs.make_game(""), *GAMES)
    refused(lambda: card_envs.make_game(GAMES[:1]), *GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_rule_is_refused_with_those_there_are(name):
    refused(lambda: card_envs.make_game(name, trumps="h"), "trumps", "match", "target")


def test_rules_cannot_be_changed_afterwards():
    with pytest.raises(AttributeError):
        GAME.rules.target = 3
    with pytest.raises(ValueError, match="read-only"):
        GAME.constants["target"] = 3


# Packs and new states


def test_a_pack_with_a_card_missing_or_repeated_or_foreign_is_refused():
    for game in (GAME, OTHER):
        deck = game.pack_of(3)
        refused(lambda deck=deck, game=game: game.new_state(deck=deck[1:]), "lacks", deck[0])
        refused(lambda deck=deck, game=game: game.new_state(deck=[*deck, deck[0]]), "repeats", deck[0])
        twice = [deck[1], *deck[1:]]
        refused(lambda deck=twice, game=game: game.new_state(deck=deck), "repeats", deck[1], "lacks", deck[0])
        refused(lambda game=game: game.new_state(deck=""), "lacks")
        refused(lambda game=game: game.new_state(deck="nonsense"), "nonsense")
        refused(lambda deck=deck, game=game: game.new_state(deck=["Zz", *deck[1:]]), "Zz")
        refused(lambda deck=deck, game=game: game.new_state(deck=[7, *deck[1:]]), "7")
        refused(lambda game=game: game.new_state(deck=7), "7")


def test_impossible_starts_are_refused():
    refused(lambda: GAME.new_state(dealer=2), "dealer", "2", "0", "1")
    refused(lambda: GAME.new_state(dealer=-1), "dealer", "-1")
    refused(lambda: GAME.new_state(dealer=True), "dealer", "True")
    refused(lambda: GAME.new_state(dealer="0"), "dealer", "'0'")
    refused(lambda: GAME.new_state(seed=1.0), "seed", "1.0")
    refused(lambda: GAME.new_state(seed="7"), "seed", "'7'")
    refused(lambda: GAME.new_state(seed=True), "seed", "True")
    refused(lambda: GAME.new_state(seed=1, deal=-1), "deal", "-1")
    refused(lambda: GAME.new_state(seed=1, deal=0.5), "deal", "0.5")
    refused(lambda: GAME.new_state(seed=1, deal=0.0), "deal", "0.0")
    refused(lambda: GAME.new_state(seed=1, deal=None), "deal", "None")
    refused(lambda: GAME.new_state(scores=[1, 2]), "match=True")
    refused(lambda: MATCH.new_state(scores=[1, 2, 3]), "[1, 2, 3]", "2")
    refused(lambda: MATCH.new_state(scores=[1]), "[1]")
    target = MATCH.rules.target
    refused(lambda: MATCH.new_state(scores=[target, 3]), target, "over")
    refused(lambda: MATCH.new_state(scores=[-1, 3]), "-1")
    refused(lambda: MATCH.new_state(scores=[1.5, 3]), "1.5")
    refused(lambda: MATCH.new_state(scores=5), "5")


def test_packs_there_are_not_are_refused():
    for deal in (-1, 1.5, 2**64, None, True):
        refused(lambda deal=deal: GAME.pack_of(0, deal), "deal", deal)
    for seed in ("a", 1.5, None):
        refused(lambda seed=seed: GAME.pack_of(seed), "seed", seed)
    assert GAME.pack_of(-1) == GAME.pack_of(2**64 - 1)


def test_actions_there_are_not_have_no_name():
    for game in (GAME, OTHER):
        for action in (-1, game.num_actions, 10**30, 1.5, None, "Kh", True):
            refused(lambda game=game, action=action: game.action_name(action), "action", action, game.num_actions - 1)
        for name in (5, None, b"Kh", ["Kh"]):
            refused(lambda game=game, name=name: game.action_id(name), name)
        assert game.action_name(np.int32(3)) == game.action_name(3)


def test_seeds_of_a_batch_are_whole_numbers_in_a_row():
    for wrong in (np.array([1.0]), np.array([True]), np.zeros((2, 2), np.uint64), "abc", 7, [1.5], [None]):
        refused(lambda wrong=wrong: GAME.new_states(wrong), "seed")
    assert len(GAME.new_states(np.zeros(0, np.uint64))) == 0
    assert GAME.new_states([3, 4]).tobytes() == GAME.new_states(np.array([3, 4], np.uint8)).tobytes()
    assert GAME.new_states([-1]).tobytes() == GAME.new_states([2**64 - 1]).tobytes()


# One table


@every()
def test_an_illegal_move_is_refused_with_the_legal_ones(game):
    state = game.new_state(seed=6)
    content = state.record.tobytes()
    mask = state.action_mask()
    wrong = int(np.flatnonzero(mask == 0)[0])
    legal = [game.action_name(int(action)) for action in np.flatnonzero(mask)]
    for action in (wrong, game.action_name(wrong), np.int64(wrong)):
        refused(lambda action=action: state.play(action), game.action_name(wrong), f"Seat {state.to_play}", *legal,
                error=IllegalAction)  # fmt: skip
    for action in (-1, game.num_actions, 10**6, 2**31, 2**63, -(2**70), 10**30):
        refused(lambda action=action: state.play(action), action, *legal, error=IllegalAction)
    for action in (1.0, None, [1], np.array([1, 2]), b"Kh", {}, True, False, object()):
        refused(lambda action=action: state.play(action), str(game.num_actions - 1))
    for name in ("", "Zz", "K", "Kh Kd", "♥K", "Khx"):
        refused(lambda name=name: state.play(name), repr(name))
    assert state.record.tobytes() == content


@every()
def test_a_finished_table_refuses_to_go_on(game):
    states = game.new_states(np.arange(40, dtype=np.uint64))
    for _ in range(300 * game.max_plays):
        game.step(states, game.sample_actions(states), auto_reset=False)
        if game.is_over(states).any():
            break
    over = np.flatnonzero(game.is_over(states))
    assert len(over)
    state = game.state(states, int(over[0]))
    content = state.record.tobytes()
    for action in (0, game.action_name(0), -1):
        refused(lambda action=action: state.play(action), "over", error=IllegalAction)
    assert state.record.tobytes() == content
    assert len(state.legal_actions()) == 0
    finished = states[over].copy()
    zeros = np.zeros(len(finished), np.int32)
    unchanged(game, finished, lambda: game.step(finished, zeros), "over", "rows [0", error=IllegalAction)
    unchanged(game, finished, lambda: game.step(finished, zeros - 1), "over", error=IllegalAction)
    unchanged(game, finished, lambda: game.step(finished, zeros, auto_reset=False), "over", error=IllegalAction)
    game.step(finished, zeros - 1, auto_reset=False)


@every()
def test_a_wrong_seat_is_refused_with_the_seats_there_are(game):
    state = game.new_state(seed=6)
    states = game.new_states(np.arange(4, dtype=np.uint64))
    last = game.num_players - 1
    for seat in (game.num_players, -1, 10**6):
        for verb in (state.observation, state.action_mask, state.hand, state.view, state.text, state.legal_actions):
            refused(lambda verb=verb, seat=seat: verb(seat), seat, last)
        for verb in (game.observations, game.masks, game.views, game.history):
            unchanged(game, states, lambda verb=verb, seat=seat: verb(states, np.array([0, 0, 0, seat])), seat, last)
    for seats in (1.0, "0", True, np.zeros(3, np.int64), np.zeros((4, 1), np.int64), np.zeros(4), [None] * 4):
        for verb in (game.observations, game.masks, game.views, game.history):
            refused(lambda verb=verb, seats=seats: verb(states, seats), "seats")
