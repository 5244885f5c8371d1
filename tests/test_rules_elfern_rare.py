"""Rules of Elfern where they are rarely met: draws in a row, and a match that ends by a deal that counts double."""

from __future__ import annotations

from collections import Counter

import numpy as np

import card_envs

# E11: draws


def test_e11_any_number_of_draws_in_a_row_double_only_once():
    game = card_envs.make_game("elfern", match=True, target=100, suits=2, ranks=4, honours=1, hand_size=2)
    runs = Counter()
    states = game.new_states(np.arange(60, dtype=np.uint64))
    draws = np.zeros(len(states), int)
    total = game.scores(states)
    for _ in range(8 * 40):
        deals = states["deals"].copy()
        game.step(states, game.sample_actions(states), auto_reset=False)
        now = game.scores(states)
        for row in np.flatnonzero(states["deals"] != deals):
            made = sorted((now[row] - total[row]).tolist())
            assert made in ([0, 0], [0, 1 if draws[row] == 0 else 2])
            runs[int(draws[row]), made[1] > 0] += 1
            draws[row] = draws[row] + 1 if made == [0, 0] else 0
            assert (states["doubled"][row] == 1) == (draws[row] > 0)
        total = now
    assert all(runs[length, True] > 5 for length in range(4)), runs
    assert runs[3, False] > 0


def test_e12_a_doubled_deal_may_end_the_match_past_the_target():
    """A deal of one point that counts double takes 19 to 21; level honours take nobody anywhere."""
    game = card_envs.make_game("elfern", match=True, suits=4, ranks=2, honours=1, hand_size=2)
    ended = Counter()
    for seed in range(60):
        state = game.new_state(seed=seed, scores=[19, 18], doubled=True)
        for _ in range(8):
            state.play(int(state.legal_actions()[-1]))
        ended[tuple(state.scores().tolist())] += 1
        assert state.is_over == (max(state.scores()) >= 20)
    assert set(ended) == {(19, 18), (21, 18), (19, 20)}
