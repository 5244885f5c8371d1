"""Nobody learns what their seat cannot see: not by observation, mask, page, data, history or the greedy player."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.batches import copy as copy_states
from tests.variants import DEFAULTS, MANY, every, scattered, stages

TABLES = 150


def seen(game, states, seats):
    """Everything a seat is shown, as bytes."""
    parts = [game.observations(states, seats), game.masks(states, seats), game.history(states, seats)]
    on_turn = game.to_play(states) == seats
    mine = copy_states(states[on_turn])
    parts.append(game.greedy_actions(mine))
    return [part.tobytes() for part in parts]


def pages(game, states, seats, rows):
    """What people and programs read."""
    read = ((game.state(states, i), int(seats[i])) for i in rows)
    return [(state.text(seat), state.public(seat)) for state, seat in read]


@every(MANY)
def test_a_view_shows_what_the_state_shows(game):
    states = stages(game, TABLES)
    for seat in range(game.num_players):
        seats = np.full(len(states), seat)
        views = game.views(states, seats)
        assert seen(game, states, seats) == seen(game, views, seats)
        assert pages(game, states, seats, range(0, len(states), 7)) == pages(
            game, views, seats, range(0, len(states), 7)
        )
        for i in range(0, len(states), 7):
            assert str(game.state(views, i)) == game.state(states, i).text(seat)
            assert game.state(views, i).history == game.state(states, i).history
            assert game.state(views, i).table == game.state(states, i).table
            assert game.state(views, i).hand(seat) == game.state(states, i).hand(seat)


@every(MANY)
def test_a_view_of_the_seat_to_play_is_the_default(game):
    states = stages(game, TABLES)
    seats = np.maximum(game.to_play(states), 0)
    assert game.views(states).tobytes() == game.views(states, seats).tobytes()
    assert game.views(game.views(states)).tobytes() == game.views(states).tobytes()
    assert game.observations(game.views(states)).tobytes() == game.observations(states).tobytes()


def shuffled(game, row, seat, dice):
    """The position with all cards shuffled that a seat cannot see, and other generators; ``row`` has length 1.

    Unseen cards change places with each other, and so do those that stayed undealt to the end of the deal; cards that
    were played, or that everybody has seen, stay. Also the seats that any of the cards in hands may have gone to (-1:
    cards still to be dealt): with two of them hands change in at least half of all shuffles.
    """
    probe, other = game.probe(), copy_states(row)
    record, new = row[0], other[0]
    deck, undealt = record["deck"], set(probe.undealt(game, record))
    holder = [probe.owner(game, record, place) for place in range(game.pack.size)]
    in_hands = 0
    for someone in range(game.num_players):
        if someone != seat:
            in_hands |= game.hand_cards(record, someone)
    unseen = [p for p in range(len(holder)) if holder[p] != seat and not probe.public(game, record, p)]
    hidden = [p for p in unseen if p in undealt or in_hands >> int(deck[p]) & 1]
    left = [p for p in unseen if holder[p] < 0 and p not in undealt]
    for places in (hidden, left):
        new["deck"][places] = dice.permutation(deck[places])
    hands = [game.hand_cards(record, someone) for someone in range(game.num_players)]
    for cards, sign in ((deck, -1), (new["deck"], 1)):
        for place in hidden:
            if holder[place] >= 0:
                hands[holder[place]] += sign << int(cards[place])
    new["hand"][: game.num_players] = hands
    new["seed"], new["choice"] = dice.integers(0, 2**63, 2)
    return other, {holder[place] for place in hidden}


@every(MANY)
def test_shuffling_what_a_seat_cannot_see_changes_nothing_for_it(game):
    states = stages(game, TABLES)
    dice = np.random.default_rng(1)
    moved, movable = 0, 0
    for seat in range(game.num_players):
        rows = range(seat, len(states), 3 if game.num_players < 4 else game.num_players)
        before = copy_states(np.concatenate([states[i : i + 1] for i in rows]))
        others, holders = zip(*(shuffled(game, states[i : i + 1], seat, dice) for i in rows), strict=True)
        after = np.concatenate(others)
        seats = np.full(len(before), seat)
        assert seen(game, before, seats) == seen(game, after, seats)
        assert pages(game, before, seats, range(len(before))) == pages(game, after, seats, range(len(before)))
        assert game.views(before, seats).tobytes() == game.views(after, seats).tobytes()
        moved += (before["hand"] != after["hand"]).any(axis=1).sum()
        movable += sum(len(some) > 1 for some in holders)
    assert moved >= movable // 4


@every(MANY)
def test_the_shuffle_is_noticed_by_those_who_see_more(game):
    """The test above can fail: somebody else does see the shuffled cards."""
    states = stages(game, TABLES)
    dice = np.random.default_rng(2)
    noticed, movable = 0, 0
    for i in range(0, len(states), 5):
        other, holders = shuffled(game, states[i : i + 1], 0, dice)
        noticed += game.observations(other, 1).tobytes() != game.observations(states[i : i + 1], 1).tobytes()
        movable += 1 in holders and len(holders) > 1
    assert noticed >= movable // 4
    assert movable > 20 or game not in [variant.make() for variant in DEFAULTS]


@every(MANY)
def test_no_generator_and_no_hidden_card_is_in_a_view(game):
    states = stages(game, TABLES)
    for seat in range(game.num_players):
        views = game.views(states, np.full(len(states), seat))
        assert not views["seed"].any()
        assert not views["choice"].any()
        assert (views["viewer"] == seat).all()
        others = [other for other in range(game.num_players) if other != seat]
        assert not views["hand"][:, others].any()
    assert (states["viewer"] == -1).all()


@every(MANY)
def test_a_view_refuses_to_go_on_and_to_show_other_seats(game):
    states = scattered(game, 8)
    views = game.views(states, 0)
    content = views.tobytes()
    view = game.state(states, 0).view(0)
    other = game.num_players - 1
    refused = [
        lambda: game.step(views, np.zeros(8, np.int32)),
        lambda: game.sample_actions(views),
        lambda: game.reset(views),
        lambda: game.draws(views),
        lambda: game.observations(views, other),
        lambda: game.masks(views, np.full(8, other)),
        lambda: game.views(views, other),
        lambda: game.history(views, other),
        lambda: view.play(int(game.state(states, 0).legal_actions()[0])),
        lambda: view.observation(other),
        lambda: view.action_mask(other),
        lambda: view.hand(other),
        lambda: view.text(other),
        lambda: view.view(other),
        lambda: game.state_to_text(view),
    ]
    for number, call in enumerate(refused):
        with pytest.raises(ValueError, match=r"[Vv]iew"):
            pytest.fail(f"refusal {number} was no refusal: {call()!r}")
    assert views.tobytes() == content
    on_turn_elsewhere = game.to_play(views) > 0
    with pytest.raises(ValueError, match="view of seat 0"):
        game.greedy_actions(copy_states(views[on_turn_elsewhere]))
