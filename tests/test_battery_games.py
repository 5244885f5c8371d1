"""What any registered game must survive, found through its probe: no game is named here."""

from __future__ import annotations

import importlib
import random
from itertools import islice

import numpy as np
import pytest

import card_envs
from card_envs.batches import copy as copy_states
from card_envs.record import BLANK
from card_envs.registry import game_class
from tests.variants import positions, scattered
from tests.walks import walk
from tests.worlds import all_packs, deviation

CLASSES = {name: game_class(name) for name in card_envs.GAMES}
CASES = [(name, rules) for name, game in CLASSES.items() for rules in game.probe().variants]
SMALL = [name for name, game in CLASSES.items() if game.probe().smallest is not None]
WITH_ORACLE = [(name, rules) for name, rules in CASES if CLASSES[name].probe().oracle]

TABLES = 120
EACH = 20  # samples for each pack


def label(case):
    return "-".join([case[0], *(f"{field}={value}".replace(" ", "") for field, value in case[1].items())])


def every(cases=CASES):
    """Run a test on each of these games."""
    return pytest.mark.parametrize(
        "game", [pytest.param(card_envs.make_game(c[0], **c[1]), id=label(c)) for c in cases]
    )


def stages(game):
    """Positions at all stages of random deals, of a match later deals as well."""
    later = scattered(game, TABLES, seed=1000)
    for _ in range(game.max_plays + 3):
        game.step(later, game.sample_actions(later))
    return np.concatenate([scattered(game, TABLES), later])


def names_of(game, cards):
    return game.pack.set_names(cards)


# Cards


@every()
def test_every_card_is_in_one_place(game):
    probe, whole = game.probe(), sorted(game.pack.names)
    seen = 0
    for states in positions(game, 20, game.max_plays + 3, auto_reset=False):
        for row in states:
            if row["over"] and game.rules.match:
                continue  # a match may end in the middle of a deal
            found = list(game.table_cards(row)) + [game.pack.names[row["deck"][p]] for p in probe.undealt(game, row)]
            for seat in range(game.num_players):
                found += names_of(game, game.hand_cards(row, seat)) + names_of(game, probe.won(row, seat))
            assert sorted(found) == whole
            assert sorted(game.pack.names[card] for card in row["deck"][: game.pack.size]) == whole
            seen += 1
    assert seen > 20


@every()
def test_hands_lie_where_they_were_dealt(game):
    """The probe says whose a place of the pack is: the cards in a hand are at places of its seat."""
    probe = game.probe()
    for row in stages(game)[::5]:
        place_of = {int(card): place for place, card in enumerate(row["deck"][: game.pack.size])}
        for seat in range(game.num_players):
            cards = game.pack.members(game.hand_cards(row, seat))
            assert all(probe.owner(game, row, place_of[card]) == seat for card in cards)
        assert all(probe.owner(game, row, place) == -1 for place in probe.undealt(game, row))


@every()
def test_an_observation_gives_back_hand_and_table(game):
    layout, parts = game.observation_layout, game.probe().table
    states = stages(game)[::4]
    for i in range(len(states)):
        state = game.state(states, i)
        for seat in range(game.num_players):
            bits = state.observation(seat)
            shown = [game.pack.names[card] for part in parts for card in np.flatnonzero(bits[layout[part]])]
            assert sorted(shown) == sorted(state.table)
            assert [game.pack.names[card] for card in np.flatnonzero(bits[layout["hand"]])] == state.hand(seat)


# Hidden cards


def hidden_places(game, row, seat):
    """Positions of the pack that a seat has not seen and nobody has played: their cards may lie in any other order."""
    probe = game.probe()
    in_hands = 0
    for other in range(game.num_players):
        in_hands |= 0 if other == seat else game.hand_cards(row, other)
    undealt = set(probe.undealt(game, row))
    return [
        place
        for place in range(game.pack.size)
        if not probe.public(game, row, place)
        and probe.owner(game, row, place) != seat
        and (place in undealt or in_hands >> int(row["deck"][place]) & 1)
    ]


def shuffled(game, states, seat, dice):
    """The positions with all cards shuffled that a seat cannot see, and with other generators."""
    probe, after = game.probe(), copy_states(states)
    for before, row in zip(states, after, strict=True):
        places = hidden_places(game, before, seat)
        row["deck"][places] = dice.permutation(before["deck"][places])
        for place in places:
            holder = probe.owner(game, before, place)
            if holder >= 0:
                row["hand"][holder] &= ~(row["hand"].dtype.type(1) << row["hand"].dtype.type(before["deck"][place]))
        for place in places:
            holder = probe.owner(game, before, place)
            if holder >= 0:
                row["hand"][holder] |= row["hand"].dtype.type(1) << row["hand"].dtype.type(row["deck"][place])
        row["seed"], row["choice"] = dice.integers(0, 2**63, 2)
    return after


def shown(game, states, seat):
    """All that a seat is shown, asks its greedy player and is told in words, by name."""
    seats = np.full(len(states), seat)
    found = {
        "observations": game.observations(states, seats).tobytes(),
        "masks": game.masks(states, seats).tobytes(),
        "history": game.history(states, seats).tobytes(),
        "views": game.views(states, seats).tobytes(),
        "greedy": game.greedy_actions(copy_states(states[game.to_play(states) == seat])).tobytes(),
    }
    for i in range(0, len(states), 7):
        found[f"page {i}"] = game.state(states, i).text(seat)
        found[f"public {i}"] = game.state(states, i).public(seat)
    return found


@every()
def test_what_a_seat_cannot_see_has_no_say_in_what_it_is_shown_or_what_greedy_plays(game):
    states = stages(game)
    dice = np.random.default_rng(1)
    moved = 0
    for seat in range(min(game.num_players, 3)):
        before = copy_states(states[seat::3])
        after = shuffled(game, before, seat, dice)
        assert shown(game, before, seat) == shown(game, after, seat)
        moved += (before["hand"] != after["hand"]).any(axis=1).sum()
    assert moved > 20 or game.pack.size < 9


@every()
def test_a_view_shows_what_the_state_shows(game):
    states = stages(game)
    for seat in range(min(game.num_players, 3)):
        assert shown(game, states, seat) == shown(game, game.views(states, np.full(len(states), seat)), seat) | {
            "greedy": shown(game, states, seat)["greedy"]
        }
        mine = states[game.to_play(states) == seat]
        assert np.array_equal(game.greedy_actions(copy_states(mine)), game.greedy_actions(game.views(mine)))


@every()
def test_the_shuffle_is_noticed_by_those_who_see_more(game):
    """The tests above can fail: somebody else does see the shuffled cards."""
    states = stages(game)
    after = shuffled(game, states, 0, np.random.default_rng(2))
    noticed = (game.observations(states, 1) != game.observations(after, 1)).any(axis=1).sum()
    assert noticed > 20 or game.pack.size < 9


# Worlds


@every()
def test_every_world_looks_to_the_seat_as_its_view(game):
    for number, row in enumerate(stages(game)[::9]):
        seat = number % game.num_players
        view = game.state(row[None], 0).view(seat)
        worlds = game.sample_worlds(view, 3, number)
        again = game.views(worlds, np.full(3, seat))
        for field in game.dtype.names:
            assert (again[field] == view.record[field]).all(), field


def few_packs(game, wanted, seed=0):
    """Views from random play, at all stages, with few enough cards hidden to try every pack; the states of these."""
    found = 0
    while found < wanted:
        seed += 1
        state = walk(game, seed, 2 + seed % (game.max_plays - 2))
        view = state.view(seed % game.num_players)
        if state.is_over or (view.record["deck"][0, : game.pack.size] == BLANK).sum() > 7:
            continue
        states = all_packs(game, view)
        if 3 <= len(states) <= 3000:
            found += 1
            yield view, states


def packs(game, states):
    return [deck.tobytes() for deck in states["deck"][:, : game.pack.size]]


@pytest.mark.parametrize("name", SMALL)
def test_worlds_are_uniform_over_all_packs_of_the_smallest_size(name):
    game = card_envs.make_game(name, **CLASSES[name].probe().smallest)
    for number, (view, states) in enumerate(few_packs(game, 10)):
        worlds = game.sample_worlds(view, max(EACH * len(states), 2000), number)
        assert abs(deviation(packs(game, worlds), packs(game, states))) < 4, view.history


@pytest.mark.parametrize("name", SMALL)
def test_worlds_that_prefer_some_packs_would_be_found_out(name):
    """The test above can fail: one pack of three dropped for another."""
    game = card_envs.make_game(name, **CLASSES[name].probe().smallest)
    for view, states in islice(few_packs(game, 3), 3):
        wanted = packs(game, states)
        worlds = packs(game, game.sample_worlds(view, max(EACH * len(states), 2000), 5))
        biased = [wanted[0] if world in wanted[1 : 1 + len(wanted) // 3] else world for world in worlds]
        assert abs(deviation(biased, wanted)) > 4


# The rules


@every(WITH_ORACLE)
def test_deals_go_as_by_the_oracle(game):
    probe = game.probe()
    module, _, title = probe.oracle.partition(":")
    make = getattr(importlib.import_module(module), title)
    rules = {field: getattr(game.rules, field) for field in type(game.rules).__dataclass_fields__}
    dice = random.Random(7)
    for seed in range(12):
        state = game.new_state(seed=seed)
        oracle = make(lambda number, seed=seed: game.pack_of(seed, number), state.dealer, **rules)
        for _ in range(4 * game.max_plays):
            row = state.record[0]
            assert {game.action_name(action) for action in state.legal_actions().tolist()} == oracle.legal()
            assert (state.to_play, state.is_over, state.dealer) == (oracle.to_play, oracle.is_over, oracle.dealer)
            assert int(row["deal"]) == oracle.deal_number
            for seat in range(game.num_players):
                assert set(state.hand(seat)) == set(oracle.hands[seat])
                assert set(names_of(game, probe.won(row, seat))) == set(oracle.piles[seat])
            assert set(state.table) == set(oracle.table)
            assert state.points().tolist() == list(oracle.points)
            assert state.settlement().tolist() == list(oracle.settlement)
            assert np.allclose(state.returns(), [float(value) for value in oracle.returns])
            if game.rules.match:
                assert state.scores().tolist() == list(oracle.scores)
            if oracle.is_over:
                break
            name = dice.choice(sorted(oracle.legal()))
            oracle.play(name)
            state.play(name)


@every()
def test_a_position_is_read_back_from_its_line(game):
    for row in stages(game)[::9]:
        state = game.state(row[None], 0)
        assert game.state_from_text(game.state_to_text(state)) == state
