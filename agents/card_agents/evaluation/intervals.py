"""Means of independent observations with 95 % confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval (NaN for a single observation)."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        half = (self.high - self.low) / 2
        return f"{self.mean:+.3f} ± {half:.3f}" if math.isfinite(half) else f"{self.mean:+.3f}"

    def to_dict(self) -> dict[str, float | None]:
        """As a JSON-serialisable dictionary; an undefined end is None."""
        return {
            field: value if math.isfinite(value) else None
            for field, value in (("mean", self.mean), ("low", self.low), ("high", self.high))
        }


def estimate(observations: npt.NDArray[Any]) -> Estimate:
    """Mean of independent observations (N,) with Student's t interval; ``ValueError`` if there are none."""
    size = len(observations)
    if size == 0:
        raise ValueError("An estimate needs at least one observation.")
    values = np.asarray(observations, np.float64)
    mean = float(values.mean())
    if size == 1:
        return Estimate(mean, math.nan, math.nan)
    half = t_quantile(size - 1) * float(values.std(ddof=1)) / math.sqrt(size)
    return Estimate(mean, mean - half, mean + half)


def t_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Half-width of the two-sided interval in standard errors, for ``freedom`` degrees of freedom.

    >>> [round(t_quantile(n), 3) for n in (1, 2, 5, 30, 100000)]
    [12.706, 4.303, 2.571, 2.042, 1.96]
    """
    low, high = 0.0, 1e5
    for _ in range(200):
        middle = (low + high) / 2
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _within(t: float, freedom: int) -> float:
    """Probability that Student's t lies between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    if freedom > 2000:
        # The first terms of the expansion around the normal distribution are accurate here to nine digits.
        x = t * (1 - 1 / (4 * freedom)) / math.sqrt(1 + t * t / (2 * freedom))
        return math.erf(x / math.sqrt(2))
    theta = math.atan(t / math.sqrt(freedom))
    squared = math.cos(theta) ** 2
    odd = freedom % 2
    term = math.cos(theta) if odd else 1.0
    total = 0.0 if freedom == 1 else term
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= squared * (k - 1) / k
        total += term
    if odd:
        return 2 / math.pi * (theta + math.sin(theta) * total)
    return math.sin(theta) * total
