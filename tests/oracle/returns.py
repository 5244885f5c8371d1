"""The four rewards of an episode as it stands, told from an oracle."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

REWARDS = ("points", "win", "share", "settlement")


def returned(oracle: Any, reward: str) -> list[Fraction]:
    """What each seat has been paid so far, by one of the rewards: they add up to nothing."""
    seats = range(len(oracle.points))
    if reward == "points":
        return list(map(Fraction, oracle.returns))
    if reward == "settlement":
        return [Fraction(paid) for paid in oracle.settlement]
    if reward == "share":
        taken = [Fraction(oracle.taken_before[seat] + oracle.taken(seat), oracle.everything) for seat in seats]
        return [taken[seat] - (sum(taken) - taken[seat]) / (len(taken) - 1) for seat in seats]
    if not oracle.is_over or len(oracle.winners()) == len(seats):
        return [Fraction(0) for _ in seats]
    winners = oracle.winners()
    return [Fraction(1, len(winners)) if seat in winners else -Fraction(1, len(seats) - len(winners)) for seat in seats]
