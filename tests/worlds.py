"""All that a seat holds possible, by trying every way to lay out what it cannot see: slow, and with no deductions."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from card_envs.batches import take
from card_envs.record import BLANK


def agreeing(game, view, decks):
    """Those of the packs (P, cards) from which the plays made are legal and look to the seat as the view does.

    Returns the states they lead to.
    """
    row = view.record
    states = np.zeros(len(decks), game.dtype)
    states[:] = game.new_state(seed=1, dealer=view.dealer).record[0]
    states["deck"][:, : game.pack.size] = decks
    for i in range(len(states)):
        assert game.loops.deal(states[i : i + 1], game.constants, False)
    for field in game.carried:
        states[field] = row[field]
    for code in row["history"][0, : row["plays"][0]].tolist():
        seat, action = divmod(code, game.num_actions)
        states = take(states, (game.to_play(states) == seat) & (game.masks(states)[:, action] != 0))
        game.step(states, np.full(len(states), action, np.int32), auto_reset=False)
    states["seed"], states["deal"] = 0, row["deal"]
    seen = game.views(states, np.full(len(states), view.viewer))
    size = game.dtype.itemsize
    return take(states, (seen.view(f"V{size}") == row.view(f"V{size}")))


def all_packs(game, view):
    """The states of all packs that agree with a view in which few cards are hidden."""
    deck = view.record["deck"][0, : game.pack.size]
    blank = np.flatnonzero(deck == BLANK)
    hidden = np.setdiff1d(np.arange(game.pack.size), deck)
    decks = np.repeat(deck[None], np.prod(np.arange(1, len(blank) + 1)), axis=0)
    decks[:, blank] = list(permutations(hidden.tolist()))
    return agreeing(game, view, decks)


def deviation(samples, outcomes, weights=None):
    """How many standard deviations chi-square lies from its mean, for samples of these outcomes (bytes each).

    Outcomes are equally likely, or by ``weights``. A sample that is no outcome is an error.
    """
    numbers = {outcome: number for number, outcome in enumerate(outcomes)}
    assert len(numbers) == len(outcomes) > 1
    counts = np.bincount([numbers[sample] for sample in samples], minlength=len(outcomes))
    shares = np.full(len(outcomes), 1 / len(outcomes)) if weights is None else np.asarray(weights) / np.sum(weights)
    expected = shares * len(samples)
    chi = ((counts - expected) ** 2 / expected).sum()
    freedom = len(outcomes) - 1
    return (chi - freedom) / np.sqrt(2 * freedom)
