"""Nobody learns what their seat cannot see: not by observation, mask, page, history or the greedy player."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs.batches import copy as copy_states
from card_envs.konchinka.dealing import seat_dealt
from tests.variants import MANY, every, scattered

TABLES = 150


def states_of(game):
    """Positions at all stages of random deals, for a match also of later deals of it."""
    states = scattered(game, TABLES)
    later = scattered(game, TABLES, seed=1000)
    for _ in range(game.max_plays + 3):
        game.step(later, game.sample_actions(later))
    return np.concatenate([states, later])


def seen(game, states, seats):
    """Everything a seat is shown, as bytes."""
    parts = [game.observations(states, seats), game.masks(states, seats), game.history(states, seats)]
    on_turn = game.to_play(states) == seats
    mine = copy_states(states[on_turn])
    parts.append(game.greedy_actions(mine))
    return [part.tobytes() for part in parts]


def pages(game, states, seats, rows):
    return [game.state(states, i).text(int(seats[i])) for i in rows]


@every(MANY)
def test_a_view_shows_what_the_state_shows(game):
    states = states_of(game)
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
    states = states_of(game)
    seats = np.maximum(game.to_play(states), 0)
    assert game.views(states).tobytes() == game.views(states, seats).tobytes()
    assert game.views(game.views(states)).tobytes() == game.views(states).tobytes()
    assert game.observations(game.views(states)).tobytes() == game.observations(states).tobytes()


def owners(game, row):
    """By pack position: the seat it was or will be dealt to, or -1."""
    if game.name == "elfern":
        drawn = int(row["drawn"])
        return [int(row["owner"]) >> place & 1 if place < drawn else -1 for place in range(game.pack.size)]
    seats = [int(seat_dealt(row, game.constants[0], place)) for place in range(52)]
    return [seat if place < int(row["dealt"]) else -1 for place, seat in enumerate(seats)]


def shuffled(game, row, seat, dice):
    """The position with all cards shuffled that a seat cannot see, and other generators; ``row`` has length 1.

    Unseen cards change places with each other; those that were played, or are openly known (K4), stay.
    """
    other = copy_states(row)
    record, new = row[0], other[0]
    size = game.pack.size
    deck = record["deck"][:size].tolist()
    holder = owners(game, record)
    in_hands = 0
    for someone in range(game.num_players):
        if someone != seat:
            in_hands |= int(game.hand_cards(record, someone))
    elfern = game.name == "elfern"
    top = int(record["drawn" if elfern else "dealt"])
    known = 0 if elfern else int(record["open"])
    table = range(0) if elfern else range(4 * game.num_players, 4 * game.num_players + 4)
    counted = not elfern and record["over"] and not record["table"]
    hidden = []
    for place in range(size):
        if known >> place & 1 or place in table or holder[place] == seat:
            continue
        if in_hands >> deck[place] & 1 or (place >= top and not counted):
            hidden.append(place)
    cards = [deck[place] for place in hidden]
    dice.shuffle(cards)
    for place, card in zip(hidden, cards, strict=True):
        deck[place] = card
    hands = [0] * game.num_players
    for place in hidden:
        if place < top:
            hands[holder[place]] |= 1 << deck[place]
    for place in range(top):  # cards that are openly known to be in a hand (K4) stay there
        if known >> place & 1 and in_hands >> deck[place] & 1:
            hands[holder[place]] |= 1 << deck[place]
    for someone in range(game.num_players):
        if someone != seat:
            new["hand"][someone] = hands[someone]
    if counted:
        left = [place for place in range(top, size) if not known >> place & 1]
        mixed = [deck[place] for place in left]
        dice.shuffle(mixed)
        for place, card in zip(left, mixed, strict=True):
            deck[place] = card
    new["deck"][:size] = deck
    new["seed"], new["choice"] = dice.integers(0, 2**63, 2)
    return other


def hides_much(game):
    """Whether there are many cards to shuffle: not in a tiny pack, nor where nearly all cards are in two hands."""
    return game.name != "elfern" or (game.pack.size > 8 and 2 * game.rules.hand_size <= 0.75 * game.pack.size)


@every(MANY)
def test_shuffling_what_a_seat_cannot_see_changes_nothing_for_it(game):
    states = states_of(game)
    dice = np.random.default_rng(1)
    moved = 0
    for seat in range(game.num_players):
        rows = range(seat, len(states), 3 if game.num_players < 4 else game.num_players)
        before = copy_states(np.concatenate([states[i : i + 1] for i in rows]))
        after = np.concatenate([shuffled(game, states[i : i + 1], seat, dice) for i in rows])
        seats = np.full(len(before), seat)
        assert seen(game, before, seats) == seen(game, after, seats)
        assert pages(game, before, seats, range(len(before))) == pages(game, after, seats, range(len(before)))
        assert game.views(before, seats).tobytes() == game.views(after, seats).tobytes()
        moved += (before["hand"] != after["hand"]).any(axis=1).sum()
    assert moved > 50 or not hides_much(game)


@every()
def test_public_tells_nothing_of_what_a_seat_cannot_see(game):
    states = states_of(game)
    dice = np.random.default_rng(3)
    for number, i in enumerate(range(0, len(states), 15)):
        seat = number % game.num_players
        before, after = states[i : i + 1], shuffled(game, states[i : i + 1], seat, dice)
        assert game.public(before, seat) == game.public(after, seat) == game.public(game.views(after, seat))


@every(MANY)
def test_the_shuffle_is_noticed_by_those_who_see_more(game):
    """The test above can fail: somebody else does see the shuffled cards."""
    states = states_of(game)
    dice = np.random.default_rng(2)
    noticed = 0
    for i in range(0, len(states), 5):
        other = shuffled(game, states[i : i + 1], 0, dice)
        noticed += game.observations(other, 1).tobytes() != game.observations(states[i : i + 1], 1).tobytes()
    assert noticed > 20 or not hides_much(game)


@every(MANY)
def test_no_generator_and_no_hidden_card_is_in_a_view(game):
    states = states_of(game)
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


def test_cards_put_back_openly_are_in_every_view():
    """K4: which cards were put back, and where they lie, is public."""
    game = card_envs.make_game("konchinka", num_players=4)
    states = game.new_states(np.arange(300, dtype=np.uint64))
    with_some = np.flatnonzero(states["open"])
    assert len(with_some) > 50
    for i in with_some[:20].tolist():
        places = [place for place in range(52) if int(states["open"][i]) >> place & 1]
        for seat in range(4):
            view = game.views(states[i : i + 1], seat)
            assert view["deck"][0, places].tolist() == states["deck"][i, places].tolist()
            planes = game.observations(view)[0]
            plane = planes[game.observation_layout["known_pack"]]
            assert np.flatnonzero(plane).tolist() == sorted(states["deck"][i, places].tolist())
