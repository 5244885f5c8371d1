"""The engines play as the independent oracle does (the full run is ``python -m tests.differential``)."""

from __future__ import annotations

import pytest

from tests import differential
from tests.variants import MANY


@pytest.mark.parametrize("name", differential.ORACLES)
def test_random_deals_go_as_by_the_oracle(name):
    counts = differential.play_beside(name, deals=400, seed=20261129)
    assert sum(counts.values()) >= 400
    assert min(counts.values()) >= 4


@pytest.mark.parametrize("variant", MANY, ids=lambda variant: variant.id)
def test_batch_verbs_go_as_the_oracle(variant):
    differential.play_batch_beside(variant, tables=5, steps=120, seed=7)


def test_a_wrong_rule_would_be_noticed(monkeypatch):
    """The comparison can fail: an oracle that never binds anyone to follow suit differs from the engine."""
    monkeypatch.setattr(differential.ElfernOracle, "must_follow", lambda self: False)
    with pytest.raises(differential.Differs, match="bound as seat"):
        differential.play_beside("elfern", deals=50, seed=1)


@pytest.mark.parametrize(
    ("oracle", "method", "wrong", "part"),
    [
        ("ElfernOracle", "honours_won", lambda self, seat: len(self.piles[1 - seat] & self.honours), "own_honours"),
        ("KonchinkaOracle", "clubs", lambda self, seat: 0, "clubs_"),
        ("KonchinkaOracle", "dealt_to", lambda self, position: -1, "known_"),
        ("KonchinkaOracle", "taken", lambda self, seat: 0, "share returns"),
    ],
)
def test_a_wrong_observation_would_be_noticed(monkeypatch, oracle, method, wrong, part):
    monkeypatch.setattr(getattr(differential, oracle), method, wrong)
    with pytest.raises(differential.Differs, match=part):
        differential.play_beside(oracle.removesuffix("Oracle").lower(), deals=60, seed=1)
