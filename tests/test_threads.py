"""What happens at a table does not depend on how many threads share the rows out."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs import IllegalAction
from tests.variants import VARIANTS

ROWS = 3001  # three threads get uneven parts of at least threads.LEAST_ROWS


@pytest.mark.parametrize("variant", VARIANTS[:1] + VARIANTS[-1:], ids=lambda variant: variant.id)
def test_results_are_bit_identical_for_any_number_of_threads(variant):
    game = variant.make()
    seen = []
    for threads in (1, 2, 3):
        states = game.new_states(np.arange(ROWS))
        trace = []
        for turn in range(40):
            choose = game.greedy_actions if turn % 3 == 0 else game.sample_actions
            actions = choose(states, threads=threads)
            observations = np.empty((ROWS, game.observation_size), np.uint8)
            masks = np.empty((ROWS, game.num_actions), np.uint8)
            rewards, over = game.step(states, actions, observations=observations, masks=masks, threads=threads)
            assert (game.observations(states, threads=threads) == observations).all()
            assert (game.masks(states, threads=threads) == masks).all()
            trace.append([array.tobytes() for array in (actions, observations, masks, rewards, over)])
        seen.append((trace, states.tobytes()))
    assert seen[0] == seen[1] == seen[2]


def test_one_bad_action_in_any_part_changes_none():
    game = VARIANTS[0].make()
    states = game.new_states(np.arange(ROWS))
    before = states.tobytes()
    actions = game.greedy_actions(states)
    actions[ROWS - 1] = -1
    with pytest.raises(IllegalAction, match=rf"rows \[{ROWS - 1}\]"):
        game.step(states, actions, threads=2)
    assert states.tobytes() == before


def test_a_senseless_number_of_threads_is_refused():
    game = VARIANTS[0].make()
    with pytest.raises(ValueError, match="threads=0 is out of range"):
        game.sample_actions(game.new_states(np.arange(2)), threads=0)
