"""Ratings: one number for each agent, fitted jointly to all comparisons.

The model is that of Bradley and Terry on Elo's scale: A, rated 400 above B, is expected to score ten times as much
against B as B does. A game is one comparison of the two agents in it: won 1, drawn 1/2, lost 0. With more than two
players the lone agent is compared by points with each of the other seats and scores the mean, so that a game still
counts as one. Draws count as half a win each, as a rating predicts the expected score; a draw parameter (Davidson)
would predict how many there are, but assumes one share of draws for all pairs, which card games do not have.

Intervals: all pairs play the same deals, so deals are the independent observations, and the covariance is the sandwich
estimator, clustered by deal: the inverse curvature of the likelihood around the scatter of the deals' gradients.

Each pair that met is given ``PRIOR`` extra games, drawn. Where nobody scores against an agent, only these keep its
rating finite: it is then reported with one end of its interval open, and the other at the rating it would have if the
other side had scored in three deals (the rule of three: an event seen in none of n deals has a probability below 3/n
with 95 % confidence).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from card_agents.evaluation.intervals import t_quantile
from card_agents.protocol import Array

SCALE = 400 / math.log(10)
PRIOR = 1.0

FITTED, ABOVE, BELOW, APART = "fitted", "above", "below", "apart"
"""Kinds of rating: estimated; with only a lower bound; with only an upper bound; not comparable with the anchor."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """A rating with its 95 % interval; None where an end is open, or nothing is known."""

    rating: float | None
    low: float | None
    high: float | None
    kind: str = FITTED

    def __str__(self) -> str:
        if self.rating is None:
            return "?"
        if self.kind != FITTED:
            return f"≥ {_whole(self.low)}" if self.low is not None else f"≤ {_whole(self.high)}"
        if self.low is None or self.high is None or self.low == self.high:
            return _whole(self.rating)
        return f"{_whole(self.rating)} ± {(self.high - self.low) / 2:.0f}"


def _whole(value: float | None) -> str:
    return "?" if value is None else f"{round(value):+d}" if round(value) else "0"


def rate(scores: Array, pairs: Sequence[tuple[int, int]], agents: int, anchor: int, games: int) -> list[Rating]:
    """The ratings of ``agents`` agents, with that of ``anchor`` fixed at 0.

    scores: float (P, D), the score of the first agent of each pair in each deal, out of ``games`` games per deal.
    """
    scores = np.asarray(scores, np.float64)
    deals = scores.shape[1]
    won = np.zeros((agents, agents))
    for (a, b), row in zip(pairs, scores, strict=True):
        won[a, b] += row.sum()
        won[b, a] += games * deals - row.sum()
    met = won + won.T > 0
    reached = _reach(met)[anchor]
    beats = _reach(won > 0)
    prior = np.where(met, PRIOR / 2, 0.0)
    strengths = _fit(won + prior, reached, anchor)
    errors = _errors(scores, pairs, strengths, won + prior, reached, anchor, games)
    none = met & (won == 0)
    granted = np.where(none, np.minimum(3 * games, won.T / 2), 0.0)
    bounds = SCALE * _fit(won + granted - granted.T + prior, reached, anchor)
    reach = t_quantile(deals - 1) if deals > 1 else math.nan
    ratings = []
    for agent in range(agents):
        middle, half = SCALE * strengths[agent], reach * SCALE * errors[agent]
        if not reached[agent]:
            ratings.append(Rating(None, None, None, APART))
        elif agent == anchor or (beats[agent, anchor] and beats[anchor, agent]):
            known = agent == anchor or math.isfinite(half)
            ends = (middle - half, middle + half) if agent != anchor else (0.0, 0.0)
            ratings.append(Rating(middle, *(ends if known else (None, None))))
        elif beats[agent, anchor]:
            ratings.append(Rating(middle, float(bounds[agent]), None, ABOVE))
        else:
            ratings.append(Rating(middle, None, float(bounds[agent]), BELOW))
    return ratings


def _reach(step: Array) -> Array:
    """Which agents can be reached from each by steps, bool (K, K)."""
    reach = step | np.eye(len(step), dtype=bool)
    for middle in range(len(step)):
        reach = reach | (reach[:, [middle]] & reach[[middle], :])
    return reach


def _fit(won: Matrix, reached: Array, anchor: int) -> Matrix:
    """Maximum-likelihood strengths (K,), in natural logarithms; 0 for the anchor and for all that it cannot reach.

    Newton's method with steps of at most 1: the log-likelihood is concave.
    """
    strengths = np.zeros(len(won))
    free = reached & (np.arange(len(won)) != anchor)
    if not free.any():
        return strengths
    for _ in range(1000):
        expected = _expected(strengths)
        gradient = (won - (won + won.T) * expected).sum(axis=1)
        step = np.linalg.solve(_curvature(won, expected)[np.ix_(free, free)], gradient[free])
        longest = float(np.abs(step).max())
        strengths[free] += step / max(1.0, longest)
        if longest < 1e-11:
            break
    return strengths


def _expected(strengths: Matrix) -> Matrix:
    """The expected score of each against each in a game, (K, K)."""
    odds: Matrix = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    return odds


def _curvature(won: Matrix, expected: Matrix) -> Matrix:
    weight = (won + won.T) * expected * expected.T
    curvature: Matrix = np.diag(weight.sum(axis=1)) - weight
    return curvature


def _errors(
    scores: Matrix,
    pairs: Sequence[tuple[int, int]],
    strengths: Matrix,
    won: Matrix,
    reached: Array,
    anchor: int,
    games: int,
) -> Matrix:
    """Standard errors of the strengths (K,), clustered by deal; NaN for a single deal."""
    deals = scores.shape[1]
    free = reached & (np.arange(len(won)) != anchor)
    errors = np.zeros(len(won))
    if deals < 2:
        return errors * math.nan
    if not free.any():
        return errors
    expected = _expected(strengths)
    gradients = np.zeros((deals, len(won)))
    for (a, b), row in zip(pairs, scores, strict=True):
        surprise = row - games * expected[a, b]
        gradients[:, a] += surprise
        gradients[:, b] -= surprise
    gradients -= gradients.mean(axis=0)
    scatter = gradients[:, free].T @ gradients[:, free] * deals / (deals - 1)
    inverse = np.linalg.inv(_curvature(won, expected)[np.ix_(free, free)])
    errors[free] = np.sqrt(np.maximum(np.diag(inverse @ scatter @ inverse), 0))
    return errors
