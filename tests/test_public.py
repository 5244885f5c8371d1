"""A position as data: true, whole, for one seat only, and as each game has declared it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import card_envs
from card_envs import public
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


@EVERY
def test_without_a_seat_it_is_that_of_the_seat_to_play_and_nobody_elses(game):
    state = game.new_state(seed=5)
    assert state.public() == state.public(state.to_play)
    view = state.view((state.to_play + 1) % game.num_players)
    assert view.public()["legal"] == []
    refused(lambda: view.public(state.to_play), "view")
    refused(lambda: game.public(np.zeros(1, np.int64)), "this game's records")
    refused(lambda: game.public(state.record[:0]), "one state")
    refused(lambda: game.public(game.new_states(np.arange(2))), "one state")


@EVERY
def test_deals_are_numbered_from_one_and_counted_ones_stay(game):
    state = game.new_state(seed=2)
    numbers = [state.public(0)["deal"]]
    while not state.is_over and len(numbers) < 3 * game.max_plays:
        state.play(state.sample_action())
        numbers.append(state.public(0)["deal"])
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, max(numbers) + 1))
    assert int(state.record["deals"][0]) == max(numbers) - (not state.is_over)
    assert len(set(numbers)) == 1 or game.rules.match


# Declarations


FIRST = next(iter(CLASSES.values()))
OF_ITS_OWN = next(iter(public.facts(FIRST)))


def test_a_game_that_declares_no_facts_has_those_of_every_game(monkeypatch):
    state = card_envs.make_game(FIRST.name).new_state(seed=1)
    whole = state.public()
    monkeypatch.setattr(public, "facts", lambda game: {})
    assert state.public() == {name: whole[name] for name in public.COMMON}


def test_a_fact_is_that_of_the_class_which_says_it_last():
    def said(self, row):
        """Nothing at all."""

    other = type("Other", (FIRST,), {"name": "other", OF_ITS_OWN: fact(COUNT)(said)})
    assert list(public.facts(other)) == list(public.facts(FIRST))
    assert public.facts(other)[OF_ITS_OWN] is said
    assert public.schema(other)["properties"][OF_ITS_OWN]["description"] == "Nothing at all."


@pytest.mark.parametrize(
    ("name", "mark", "words"),
    [
        *((name, fact(COUNT), "every game has") for name in ("table", "points", "masks", "pack")),
        ("pairs", fact(COUNT), "docstring"),
        (OF_ITS_OWN, lambda method: method, "mark it here as well"),
    ],
)
def test_a_fact_that_cannot_be_is_refused_when_the_game_is_defined(name, mark, words):
    method = mark(lambda self, row: 0)
    refused(lambda: type("Wrong", (FIRST,), {"name": "wrong", name: method}), repr(name), words)
