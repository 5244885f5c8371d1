"""The comparison with the oracle can fail: faults planted in the oracles of Elfern and Konchinka are noticed."""

from __future__ import annotations

import pytest

from tests import differential
from tests.oracle.elfern import ElfernOracle
from tests.oracle.konchinka import KonchinkaOracle


def test_a_wrong_rule_would_be_noticed(monkeypatch):
    """An oracle that never binds anyone to follow suit differs from the engine."""
    monkeypatch.setattr(ElfernOracle, "must_follow", lambda self: False)
    with pytest.raises(differential.Differs, match="bound as seat"):
        differential.play_beside("elfern", deals=50, seed=1)


@pytest.mark.parametrize(
    ("oracle", "method", "wrong", "part"),
    [
        (ElfernOracle, "honours_won", lambda self, seat: len(self.piles[1 - seat] & self.honours), "own_honours"),
        (KonchinkaOracle, "clubs", lambda self, seat: 0, "clubs_"),
        (KonchinkaOracle, "dealt_to", lambda self, position: -1, "known_"),
        (KonchinkaOracle, "taken", lambda self, seat: 0, "share returns"),
    ],
)
def test_a_wrong_observation_would_be_noticed(monkeypatch, oracle, method, wrong, part):
    monkeypatch.setattr(oracle, method, wrong)
    with pytest.raises(differential.Differs, match=part):
        differential.play_beside(oracle.__name__.removesuffix("Oracle").lower(), deals=60, seed=1)
