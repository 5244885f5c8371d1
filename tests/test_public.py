"""A position as data: true, whole, for one seat only, and as each game has declared it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import card_envs
from card_envs import public
from card_envs.elfern.game import Elfern
from card_envs.public import COUNT, fact
from card_envs.registry import game_class
from tests.refusals import refused
from tests.variants import scattered

CLASSES = {name: game_class(name) for name in card_envs.GAMES}
EVERY = pytest.mark.parametrize(
    "game",
    [
        pytest.param(card_envs.make_game(name, **rules), id=f"{name}-{number}")
        for name, game in CLASSES.items()
        for number, rules in enumerate(game.probe().variants)
    ],
)


def positions(game, count=20):
    """States at all stages of random deals, those of a match also of later ones, and two that were forfeited."""
    states = scattered(game, count)
    later = scattered(game, count, seed=500)
    for _ in range(game.max_plays + 3):
        game.step(later, game.sample_actions(later))
    lost = scattered(game, 2, seed=900)
    game.forfeit(lost, None)
    return np.concatenate([states, later, lost])


@EVERY
def test_it_says_what_the_state_says_in_json(game):
    entries = public.described(public.COMMON), public.schema(type(game))
    validators = [Draft202012Validator(schema) for schema in entries]
    for i, row in enumerate(positions(game)):
        seat = i % game.num_players
        state = game.state(row[None], 0)
        told = state.public(seat)
        assert json.loads(json.dumps(told)) == told
        assert list(told) == [*public.COMMON, *public.facts(type(game))]
        for validator in validators:
            validator.validate(told)
        assert told["seat"] == seat
        assert told["to_play"] == (None if state.is_over else state.to_play)
        assert told["over"] == state.is_over
        assert told["hand"] == state.hand(seat)
        assert told["legal"] == [game.action_name(int(action)) for action in state.legal_actions(seat)]
        assert told["scores"] == state.scores().tolist()
        assert told["points"] == state.points().tolist()
        assert told["history"] == [list(play) for play in state.history]
        assert game.public(row, seat) == game.public(row[None], seat) == state.view(seat).public() == told


@EVERY
def test_hands_are_as_large_as_they_are_told(game):
    for row in positions(game):
        state = game.state(row[None], 0)
        for seat in range(game.num_players):
            assert state.public(seat)["hand_sizes"] == [len(state.hand(other)) for other in range(game.num_players)]


def test_without_a_seat_it_is_that_of_the_seat_to_play_and_nobody_elses():
    game = card_envs.make_game("elfern")
    state = game.new_state(seed=5)
    assert state.public() == state.public(state.to_play)
    view = state.view(1 - state.to_play)
    assert view.public()["legal"] == []
    refused(lambda: view.public(state.to_play), "view")
    refused(lambda: game.public(card_envs.make_game("konchinka").new_state(seed=1).record), "this game's records")
    refused(lambda: game.public(state.record[:0]), "one state")
    refused(lambda: game.public(game.new_states(np.arange(2))), "one state")


def test_deals_are_numbered_from_one_and_counted_ones_stay():
    game = card_envs.make_game("elfern", match=True, target=4)
    state = game.new_state(seed=2)
    numbers = [state.public(0)["deal"]]
    while not state.is_over:
        state.play(state.sample_action())
        numbers.append(state.public(0)["deal"])
    assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))
    assert numbers == sorted(numbers)
    assert int(state.record["deals"][0]) == max(numbers) == numbers[-1] > 1


# Elfern


def test_elfern_tells_lead_tricks_honours_and_limits():
    game = card_envs.make_game("elfern")
    deck = ["Ah", "Kh", "7c", "8c", "9c", "Tc", "Jc", "Qc", "Kc", "Ac", "7d", "8d"]
    state = game.new_state(deck=deck + [name for name in game.pack.names if name not in deck], dealer=0)
    state.play("Ah")
    told = state.public()
    assert (told["lead"], told["table"], told["must_follow"], told["stock_size"]) == ("Ah", ["Ah"], True, 20)
    assert told["hand_sizes"] == [6, 5]
    assert told["suit_limits"][0] == {"c": 6, "d": 6, "h": 6, "s": 6}
    assert told["legal"] == ["Kh"]
    state.play("Kh")
    told = state.public()
    assert (told["lead"], told["won"], told["honours"], told["to_play"]) == (None, [[], ["Kh", "Ah"]], [0, 2], 1)
    assert (told["hand_sizes"], told["stock_size"], told["doubled"]) == ([6, 6], 18, False)


def test_elfern_tells_voids_when_they_show():
    game = card_envs.make_game("elfern", suits=2, ranks=4, hand_size=2)
    # Seat 1 leads a heart where seat 0 has clubs alone.
    state = game.new_state(deck="Ad Kc Kd Qc Qd Jd Ac Jc", dealer=0)
    state.play("Ad")
    assert state.public(1)["suit_limits"][0] == {"c": 2, "d": 2}
    state.play("Qc")
    assert state.public(1)["suit_limits"] == [{"c": 2, "d": 1}, {"c": 2, "d": 2}]  # void, but for the card drawn since
    match = card_envs.make_game("elfern", match=True).new_state(seed=1, doubled=True)
    assert match.public()["doubled"] is True
    assert card_envs.make_game("elfern", follow_suit="endgame").new_state(seed=1).public()["must_follow"] is False


# Konchinka


def test_konchinka_tells_captures_clubs_and_konchinki():
    game = card_envs.make_game("konchinka")
    top = ["2c", "Td", "3c", "3d", "4c", "4d", "5c", "5d", "2d", "Th", "7h", "8h"]
    state = game.new_state(deck=top + [name for name in game.pack.names if name not in top], dealer=0)
    told = state.public()
    assert (told["pack_size"], told["dealt_later"], told["last_capturer"]) == (40, 20, None)
    assert told["captured"] == [[], []]
    state.play("2cx2")
    state.play("TdxT")
    told = state.public()
    assert told["captured"] == [["Td", "Th"], ["2c", "2d"]]
    assert (told["clubs"], told["konchinki"], told["last_capturer"]) == ([0, 1], [1, 1], 0)
    assert (told["table"], told["hand_sizes"], told["denied"]) == (["7h", "8h"], [3, 3], [[], []])


def test_konchinka_tells_ranks_that_a_seat_has_denied():
    game = card_envs.make_game("konchinka", obligation="hand")
    top = ["2c", "9d", "3c", "3d", "4c", "4d", "6c", "6d", "2d", "Th", "Kh", "Qh"]
    state = game.new_state(deck=top + [name for name in game.pack.names if name not in top], dealer=0)
    state.play("2cx2")
    state.play("9d")
    assert set("TQKJ") <= set(state.public()["denied"][0])
    assert state.public()["denied"][1] == []


def test_konchinka_tells_where_cards_lie_that_were_put_back_openly():
    """K4: in the pack, then in the hand of the seat that it was dealt to, until it is played."""
    game = card_envs.make_game("konchinka", num_players=4)
    states = game.new_states(np.arange(300, dtype=np.uint64))
    checked = 0
    for i in np.flatnonzero(states["open"])[:5].tolist():
        state = game.state(states, i)
        pack = [game.pack.name(card) for card in state.record["deck"][0]]
        while not state.is_over:
            dealt = int(state.record["dealt"][0])
            for seat in range(4):
                for found in state.public(seat)["put_back"]:
                    card, place, owner = found["card"], found["place"], found["seat"]
                    assert place is None or pack[dealt + place - 1] == card
                    assert (place is None) == (owner is not None and card in state.hand(owner))
                    checked += 1
            gone = {name[:2] for _, name in state.history} - set(state.table)
            assert not gone & {found["card"] for found in state.public()["put_back"]}
            state.play(state.sample_action())
    assert checked > 200


# Declarations


def test_a_game_that_declares_no_facts_has_those_of_every_game(monkeypatch):
    game = card_envs.make_game("elfern")
    whole = game.new_state(seed=1).public()
    monkeypatch.setattr(public, "facts", lambda game: {})
    assert game.new_state(seed=1).public() == {name: whole[name] for name in public.COMMON}


def test_a_fact_is_that_of_the_class_which_says_it_last():
    class Other(Elfern):
        name = "other"

        @fact(COUNT)
        def stock_size(self, row):
            """Nothing at all."""
            return 0

    assert list(public.facts(Other)) == list(public.facts(Elfern))
    assert public.facts(Other)["stock_size"] is Other.stock_size
    assert public.schema(Other)["properties"]["stock_size"]["description"] == "Nothing at all."


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"table": fact(COUNT)(lambda self, row: 0)}, ("'table'", "every game has")),
        ({"points": fact(COUNT)(lambda self, row: 0)}, ("'points'", "every game has")),
        ({"masks": fact(COUNT)(lambda self, row: 0)}, ("'masks'", "every game has")),
        ({"pack": fact(COUNT)(lambda self, row: 0)}, ("'pack'", "every game has")),
        ({"pairs": fact(COUNT)(lambda self, row: 0)}, ("'pairs'", "docstring")),
        ({"won": lambda self, row: 0}, ("'won'", "mark it here as well")),
    ],
)
def test_a_fact_that_cannot_be_is_refused_when_the_game_is_defined(facts, words):
    refused(lambda: type("Wrong", (Elfern,), {"name": "wrong", **facts}), *words)
