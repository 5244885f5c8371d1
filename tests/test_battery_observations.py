"""What any game must survive, on every variant: observations."""

from __future__ import annotations

from itertools import islice

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.variants import MANY, every, positions, scattered
from tests.walks import SEEDS, SOME, VARIANT, same

# Observations


@every(MANY)
def test_the_layout_tiles_the_observation(game):
    end = 0
    for part in game.observation_layout.values():
        assert part.start == end
        assert part.stop >= part.start
        assert part.step is None
        end = part.stop
    assert end == game.observation_size


@every(MANY)
def test_observations_are_bits_of_the_right_size(game):
    for states in positions(game, 50, game.max_plays):
        for seats in (None, 0, game.num_players - 1):
            observations = game.observations(states, None if seats is None else np.full(50, seats))
            assert observations.shape == (50, game.observation_size)
            assert observations.dtype == np.uint8
            assert observations.max() <= 1


@every(MANY)
def test_the_last_rows_are_written_within_their_array(game):
    """Wide stores are used for speed: they must not run over the end of the caller's array."""
    for count in (1, 2, 3):
        states = scattered(game, count)
        guard = np.full(count * game.observation_size + 200, 77, np.uint8)
        out = guard[: count * game.observation_size].reshape(count, -1)
        game.observations(states, out=out)
        assert (guard[count * game.observation_size :] == 77).all()
        guard = np.full(count * game.num_actions + 200, 77, np.uint8)
        masks = guard[: count * game.num_actions].reshape(count, -1)
        game.masks(states, out=masks)
        assert (guard[count * game.num_actions :] == 77).all()
        assert same(masks, game.masks(states))
        assert same(out, game.observations(states))


@every(MANY)
def test_step_fills_what_observations_and_masks_give_afterwards(game):
    for auto_reset in (True, False):
        states = game.new_states(np.arange(65, dtype=np.uint64))
        observations = np.full((65, game.observation_size), 9, np.uint8)
        masks = np.full((65, game.num_actions), 9, np.uint8)
        for _ in range(game.max_plays + 5):
            game.step(states, game.sample_actions(states), auto_reset, observations, masks)
            assert same(observations, game.observations(states))
            assert same(masks, game.masks(states))


@every(MANY)
def test_observations_give_back_hand_and_table(game):
    states = scattered(game, SOME)
    layout = game.observation_layout
    for i in range(len(states)):
        state = game.state(states, i)
        for seat in range(game.num_players):
            observation = state.observation(seat)

            def cards(part, observation=observation):
                return [game.pack.names[card] for card in np.flatnonzero(observation[layout[part]])]

            assert cards("hand") == state.hand(seat)
            assert sorted(card for part in game.probe().table for card in cards(part)) == sorted(state.table)


def situation(game, row, seat):
    """All that matters of a position and a seat may know: public things seen from the seat, and its own hand."""
    probe, players = game.probe(), game.num_players
    order = [(seat + k) % players for k in range(players)]
    scores = [int(row["start"][s]) + int(row["total"][s]) for s in order if game.rules.match]
    cards = [int(game.hand_cards(row, seat)), *(probe.won(row, s) for s in order), *sorted(game.table_cards(row))]
    dealer, undealt = (int(row["dealer"]) - seat) % players, len(probe.undealt(game, row))
    return (*cards, dealer, undealt, *scores, *probe.known(game, row, seat))


@every(MANY)
def test_different_situations_have_different_observations(game):
    seen = {}
    for states in islice(positions(game, 40, game.max_plays), 0, None, 2):
        for seat in range(min(game.num_players, 3)):
            observations = game.observations(states, np.full(len(states), seat))
            for row, observation in zip(states, observations, strict=True):
                key = situation(game, row, seat)
                if max(int(one) for one in row["start"]) + max(int(one) for one in row["total"]) > game.rules.target:
                    continue  # so far in overtime that the thermometers of the scores are full
                content = observation.tobytes()
                assert seen.setdefault(content, key) == key
    assert len(seen) > 20 or game.pack.size < 9


@given(VARIANT, SEEDS, st.integers(0, 200))
def test_observations_turn_with_the_seats(variant, seed, plays):
    """The same deal with everybody one seat further looks the same to everybody, and ends the same."""
    game = variant.make()
    players = game.num_players
    deck = game.pack_of(seed)
    scores = [(seed >> seat) % max(game.rules.target - 1, 1) for seat in range(players)] if game.rules.match else None
    turned = None if scores is None else [scores[-1], *scores[:-1]]
    try:
        here = game.new_state(seed=seed, deck=deck, dealer=0, scores=scores)
    except ValueError:
        return  # a void pack (K4)
    there = game.new_state(seed=seed, deck=deck, dealer=1 % players, scores=turned)
    for _ in range(plays):
        if here.is_over:
            break
        assert there.to_play == (here.to_play + 1) % players
        for seat in range(players):
            assert same(here.observation(seat), there.observation((seat + 1) % players))
        action = here.sample_action()
        assert same(here.action_mask(), there.action_mask())
        assert same(game.greedy_actions(here.record), game.greedy_actions(there.record))
        here.play(action)
        there.play(action)
    for verb in ("points", "scores", "settlement", "returns"):
        assert getattr(here, verb)().tolist() == np.roll(getattr(there, verb)(), -1).tolist()
