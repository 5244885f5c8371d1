"""The example learns: on a small game, in seconds."""

from __future__ import annotations

import over_pettingzoo
import pytest
import torch

SMALL = {"suits": 2, "ranks": 4, "hand_size": 3}


@pytest.mark.slow
def test_the_network_learns_by_self_play_to_beat_random():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        untrained, error = over_pettingzoo.train("elfern", 0, 0, **SMALL)
        assert abs(untrained) < 4 * error
        trained, error = over_pettingzoo.train("elfern", 40, 0, **SMALL)
        assert trained > 4 * error
    finally:
        torch.set_num_threads(threads)
