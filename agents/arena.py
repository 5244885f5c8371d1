"""The arena: agents meet over the same deals from every seat, and what came of it with honest intervals.

Every deal is played in all seat rotations, so that the luck of the cards cancels: the mean over the rotations of
one deal (of one match, with ``match=True``) is one observation, and intervals are over deals.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.intervals import Estimate, estimate
from agents.protocol import Agent, Array, Forfeit, checked_answer
from agents.seeds import TableSeeds, table_seeds
from card_envs import Game, batches

BATCH = 4096
"""Deals played side by side. Results do not depend on it (but see ``PPOAgent`` about last bits)."""

OUTCOMES = ("win", "draw", "loss")


@dataclass(frozen=True)
class Meeting:
    """What came of agent ``a`` in one seat against ``b`` in all others, over all rotations of the same deals.

    points_a, points_b: mean zero-sum points return per deal (or match) of one seat of each.
    outcomes: how many of ``deals`` × ``rotations`` games ``a`` won (alone at the top), drew (level at the top), lost.
    win_rate: share of games won, a draw counted as half.
    seat_points: mean points of ``a`` from each seat.
    seat_outcomes: the outcomes by seat.
    """

    a: str
    b: str
    deals: int
    rotations: int
    points_a: Estimate
    points_b: Estimate
    outcomes: dict[str, int]
    win_rate: Estimate
    seat_points: list[Estimate]
    seat_outcomes: list[dict[str, int]]

    def json(self) -> dict[str, Any]:
        """The meeting in JSON's terms."""
        return {
            "a": self.a,
            "b": self.b,
            "deals": self.deals,
            "rotations": self.rotations,
            "points_a": self.points_a.json(),
            "points_b": self.points_b.json(),
            "outcomes_a": self.outcomes,
            "win_rate_a": self.win_rate.json(),
            "seats_a": [
                {"seat": seat, "points": points.json(), "outcomes": outcomes}
                for seat, (points, outcomes) in enumerate(zip(self.seat_points, self.seat_outcomes, strict=True))
            ],
        }


def deal_seeds(seed: int, deals: int) -> npt.NDArray[np.uint64]:
    """Seeds of the tables of an evaluation, uint64 (deals,): deal i is ``game.new_state(seed=(seed << 32) + i)``."""
    return table_seeds(seed, deals)[:]


def meet(
    game: Game,
    names: tuple[str, str],
    agents: tuple[Agent, Agent],
    seeds: Array | TableSeeds,
    batch: int = BATCH,
) -> Meeting:
    """Let the first agent play one seat and the second all the others, from each seat in turn, over all ``seeds``."""
    players = game.num_players
    deals = len(seeds)
    points = np.zeros((deals, players), np.int64)
    beaten, level = np.zeros_like(points), np.zeros_like(points)
    for begin in range(0, deals, batch):
        part = slice(begin, min(begin + batch, deals))
        for seat in range(players):
            seating = [1] * players
            seating[seat] = 0
            final = play_out(game, agents, seating, seeds[part], names)
            points[part, seat], beaten[part, seat], level[part, seat] = compared(game, final, seat)
    return meeting_of(names, points, beaten, level)


def compared(game: Game, final: Array, seat: int) -> tuple[Array, Array, Array]:
    """How a seat came out of finished episodes, three times int64 (N,).

    Its "points" return in units of 1 / (num_players - 1)**2, in which the return is whole also where a seat forfeited;
    how many of the others made less; how many made the same.
    """
    returns = np.rint(game.returns(final) * (game.num_players - 1) ** 2).astype(np.int64)
    own = returns[:, [seat]]
    return own[:, 0], (returns < own).sum(axis=1), (returns == own).sum(axis=1) - 1


def meeting_of(names: tuple[str, str], points: Array, beaten: Array, level: Array) -> Meeting:
    """The meeting whose games came out so: each int64 (deals, rotations), as ``compared`` tells, for each seat."""
    deals, players = points.shape
    unit = (players - 1) ** 2
    result = np.where(beaten == players - 1, 0, np.where(beaten + level == players - 1, 1, 2))  # number of the outcome
    sums = points.sum(axis=1) / unit
    return Meeting(
        *names,
        deals,
        players,
        estimate(sums / players),
        estimate(-sums / (players - 1) / players),
        _counts(result),
        estimate((2 - result).mean(axis=1) / 2),
        [estimate(points[:, seat] / unit) for seat in range(players)],
        [_counts(result[:, seat]) for seat in range(players)],
    )


def _counts(results: Array) -> dict[str, int]:
    return {name: int((results == number).sum()) for number, name in enumerate(OUTCOMES)}


@dataclass
class Clock:
    """Seconds an agent spent in ``act``, and the decisions it made there."""

    seconds: float = 0.0
    decisions: int = 0


@dataclass
class Log:
    """What happened while episodes were played.

    clocks: one for each agent, by number. forfeits: (table, seat, agent, reason) of each episode that was lost by the
    failure of a program.
    """

    clocks: list[Clock]
    forfeits: list[tuple[int, int, int, str]] = field(default_factory=list)


def play_out(
    game: Game,
    agents: Sequence[Agent],
    seating: Sequence[int],
    seeds: Array,
    names: Sequence[str] | None = None,
    log: Log | None = None,
) -> Array:
    """Play one episode at each of the tables to its end and return the final states, in the order of ``seeds``.

    agents: those who play. seating: for each seat, the number of its agent. log: is added to; without one, the
    failure of an agent's program (``Forfeit``) is raised instead of losing its episode.
    """
    names = names or [type(agent).__name__ for agent in agents]
    whose = np.array(seating)
    states = game.new_states(seeds)
    final = np.empty(len(seeds), game.dtype)
    tables = np.arange(len(seeds))
    while len(tables):
        turns = game.to_play(states)
        live = turns >= 0
        if live.sum() <= len(tables) // 2:
            batches.put(final, tables[~live], batches.take(states, ~live))
            states, tables, turns = batches.take(states, live), tables[live], turns[live]
            live = turns >= 0
            if not len(tables):
                break
        actions = np.full(len(tables), -1, np.int32)
        agent_of = np.where(live, whose[turns], -1)
        for number, agent in enumerate(agents):
            rows = np.flatnonzero(agent_of == number)
            if len(rows):
                clock = None if log is None else log.clocks[number]
                try:
                    actions[rows] = ask(game, agent, names[number], states, rows, clock)
                except Forfeit as failure:
                    if log is None:
                        raise
                    actions[rows] = failure.actions
                    lost = rows[list(failure.reasons)]
                    game.forfeit(states, lost)
                    log.forfeits += zip(
                        tables[lost].tolist(), turns[lost].tolist(), repeat(number), failure.reasons.values()
                    )
        game.step(states, actions, auto_reset=False)
    return final


def ask(
    game: Game, agent: Agent, name: str, states: Array, rows: Array, clock: Clock | None = None
) -> npt.NDArray[np.int32]:
    """An agent's actions, int32, in the ``rows`` of ``states``: it is handed copies of what the seats to play see."""
    random = game.draws(states, rows)
    views = game.views(batches.take(states, rows))
    masks = game.masks(views)
    observations, shown = game.observations(views), masks.copy()
    begin = time.perf_counter()
    try:
        answer = agent.act(views, observations, shown, random)
    finally:
        if clock is not None:
            clock.seconds += time.perf_counter() - begin
            clock.decisions += len(rows)
    return checked_answer(name, answer, masks)
