"""The engines play as the independent oracle does (the full run is ``python -m tests.differential``)."""

from __future__ import annotations

import pytest

from tests import differential
from tests.variants import VARIANTS


@pytest.mark.parametrize("name", differential.ORACLES)
def test_random_deals_go_as_by_the_oracle(name):
    counts = differential.play_beside(name, deals=400, seed=20261129)
    assert sum(counts.values()) >= 400
    assert min(counts.values()) >= 5


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_batch_verbs_go_as_the_oracle(variant):
    differential.play_batch_beside(variant, tables=5, steps=120, seed=7)


def test_a_wrong_rule_would_be_noticed(monkeypatch):
    """The comparison can fail: an oracle that never binds anyone to follow suit differs from the engine."""
    monkeypatch.setattr(differential.ElfernOracle, "must_follow", lambda self: False)
    with pytest.raises(differential.Differs, match="legal moves"):
        differential.play_beside("elfern", deals=50, seed=1)
