"""The number of ways to play from fixed packs is the oracle's (``python -m tests.oracle.perft`` made the table)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_envs.batches import copy

ENTRIES = json.loads((Path(__file__).parent / "oracle" / "perft.json").read_text())


def perft(game, state, depth):
    """Move sequences of each length up to ``depth``: all positions of a length in one array."""
    states = state.record
    counts = []
    for left in range(depth, 0, -1):
        rows, actions = np.nonzero(game.masks(states))
        counts.append(len(rows))
        if left > 1:
            states = copy(states).view(f"V{states.dtype.itemsize}")[rows].view(states.dtype)
            game.step(states, actions.astype(np.int32), auto_reset=False)
    return counts


def name(entry):
    rules = "-".join(f"{field}={value}" for field, value in entry["rules"].items()).replace(" ", "")
    return f"{entry['game']}-{rules}-{entry['deck'][:5].replace(' ', '')}"


@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_positions_number_what_the_oracle_counted(entry):
    rules = {field: tuple(value) if isinstance(value, list) else value for field, value in entry["rules"].items()}
    game = card_envs.make_game(entry["game"], **rules)
    state = game.new_state(deck=entry["deck"], dealer=entry["dealer"])
    assert perft(game, state, len(entry["counts"])) == entry["counts"]


def test_three_packs_of_each_game_were_counted():
    for game in {entry["game"] for entry in ENTRIES}:
        assert len({entry["deck"] for entry in ENTRIES if entry["game"] == game}) >= 3
