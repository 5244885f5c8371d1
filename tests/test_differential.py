"""The engines play as the independent oracle does (the full run is ``python -m tests.differential``)."""

from __future__ import annotations

import pytest

from tests import differential
from tests.variants import MANY

WITH_ORACLE = [variant for variant in MANY if variant.game in differential.ORACLES]


@pytest.mark.parametrize("name", differential.ORACLES)
def test_random_deals_go_as_by_the_oracle(name):
    counts = differential.play_beside(name, deals=400, seed=20261129)
    assert sum(counts.values()) >= 400
    assert min(counts.values()) >= 4


@pytest.mark.parametrize("variant", WITH_ORACLE, ids=lambda variant: variant.id)
def test_batch_verbs_go_as_the_oracle(variant):
    differential.play_batch_beside(variant, tables=5, steps=120, seed=7)


@pytest.mark.parametrize("name", differential.ORACLES)
def test_an_oracle_that_counts_otherwise_would_be_noticed(name, monkeypatch):
    """The comparison can fail."""
    oracle = differential.ORACLES[name]
    monkeypatch.setattr(oracle, "taken", lambda self, seat: 0)
    with pytest.raises(differential.Differs, match=r"is .*, by the oracle"):
        differential.play_beside(name, deals=60, seed=1)
