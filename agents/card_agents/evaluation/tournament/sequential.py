"""Sequential testing: is one agent better than another by a margin, with as few deals as needed?

A sequential probability ratio test (SPRT) as used for chess engines. After every deal it weighs the hypothesis that the
true mean is ``margin`` (or less) against the hypothesis that it is ``better`` (or more) by the log-likelihood ratio,
and stops as soon as the ratio crosses one of Wald's bounds; between the two means lies the indifference region. One
observation is the mean over all seat rotations of one deal. Observations are taken as normal with the variance
estimated so far (a generalised test, like fishtest's for pairs of games).

Early on, the estimated variance can be far too small: agents that play nearly alike score nothing but zeros for a
while, though a rare big deal decides between them. So ``PSEUDO_DEALS`` deals at each extreme of what a deal can score
are added to those played; their weight vanishes with time. The error rates are at most those asked for, for the
distributions that card games produce (wide and even; nothing but a rare big win). Where nearly every deal scores a
quarter of a point and one in twenty loses the most possible, an error rate of 9 % was seen instead of 5 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from card_agents.protocol import Array

PSEUDO_DEALS = 2

BETTER, NOT_BETTER, UNDECIDED = "better", "not better", "undecided"


@dataclass(frozen=True)
class Sprt:
    """The test of "the mean is ``margin``" against "it is ``better``", in points per deal.

    margin, better: the ends of the indifference region. alpha: probability of the verdict ``better`` where the truth is
    ``margin`` or less. beta: probability of ``not better`` where it is ``better`` or more. spread: the most points that
    a deal can score. Raises ``ValueError`` for values out of range.
    """

    margin: float
    better: float
    alpha: float
    beta: float
    spread: float

    def __post_init__(self) -> None:
        for name, value in (("margin", self.margin), ("better", self.better)):
            if not abs(value) <= self.spread:
                raise ValueError(
                    f"{name}={value:g} is out of range: give a number from {-self.spread:g} to {self.spread:g}, the "
                    "points that a deal can score."
                )
        if not self.better > self.margin:
            raise ValueError(
                f"better={self.better:g} must be above margin={self.margin:g}: they bound the indifference region."
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"{name}={value:g} is not an error rate: give a number between 0 and 0.5.")

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which the test ends, for ``not better`` and for ``better``."""
        return math.log(self.beta) - math.log(1 - self.alpha), math.log(1 - self.beta) - math.log(self.alpha)

    def ratios(self, observations: Array) -> Array:
        """The log-likelihood ratio after each of the observations (..., N), float64 of the same shape."""
        values = np.asarray(observations, np.float64)
        number = np.arange(1, values.shape[-1] + 1)
        sums = values.cumsum(axis=-1)
        squares = (values**2).cumsum(axis=-1) - sums**2 / number
        pseudo = 2 * PSEUDO_DEALS
        variance = (np.maximum(squares, 0) + pseudo * self.spread**2) / (number + pseudo)
        return (self.better - self.margin) * (sums - number * (self.margin + self.better) / 2) / variance

    def verdict(self, observations: Array) -> tuple[str, int]:
        """The verdict on the observations (N,) in their order, and after how many of them it was reached."""
        ratios = self.ratios(observations)
        low, high = self.bounds
        outside = np.flatnonzero((ratios <= low) | (ratios >= high))
        if len(outside) == 0:
            return UNDECIDED, len(observations)
        first = int(outside[0])
        return (BETTER if ratios[first] > 0 else NOT_BETTER), first + 1
