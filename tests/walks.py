"""Ways through games for the tests: tables at all stages, and how to compare them."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tests.variants import DRAWERS, VARIANTS, any_rules

SEEDS = st.integers(0, 2**64 - 1)
ANY_RULES = st.builds(any_rules, st.sampled_from(list(DRAWERS)), st.builds(random.Random, SEEDS))
VARIANT = st.sampled_from(VARIANTS) | ANY_RULES
SOME = 60  # tables in the tests that look at each position by hand


def walk(game, seed, plays, **more):
    """A state after up to so many random plays (of its first episode)."""
    state = game.new_state(seed=seed, **more)
    for _ in range(plays):
        if state.is_over:
            break
        state.play(state.sample_action())
    return state


def same(left, right):
    return left.tobytes() == right.tobytes()


def changed(line, part, old, new):
    """The line of a position with something else in one of its parts."""
    parts = line.split(" | ")
    assert old in parts[part], (old, parts[part])
    parts[part] = parts[part].replace(old, new, 1)
    return " | ".join(parts)
