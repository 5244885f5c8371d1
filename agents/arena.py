"""The arena: agents meet over the same deals from every seat, and what came of it with honest intervals.

Every deal is played in all seat rotations, so that the luck of the cards cancels: the mean over the rotations of
one deal (of one match, with ``match=True``) is one observation, and intervals are over deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.intervals import Estimate, estimate
from agents.protocol import Agent, Array, checked_answer
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
    if not 1 <= deals <= 2**32:
        raise ValueError(f"deals={deals} is out of range: play at least one deal.")
    return np.uint64((seed << 32) % 2**64) + np.arange(deals, dtype=np.uint64)


def meet(game: Game, names: tuple[str, str], agents: tuple[Agent, Agent], seeds: Array, batch: int = BATCH) -> Meeting:
    """Let the first agent play one seat and the second all the others, from each seat in turn, over all ``seeds``."""
    players = game.num_players
    deals = len(seeds)
    whole = np.zeros((deals, players), np.int64)  # points return × (players - 1): a whole number
    result = np.zeros((deals, players), np.int64)  # number of the outcome
    for begin in range(0, deals, batch):
        part = slice(begin, min(begin + batch, deals))
        for seat in range(players):
            seating = [1] * players
            seating[seat] = 0
            final = play_out(game, agents, seating, seeds[part], names)
            whole[part, seat] = np.rint(game.returns(final)[:, seat] * (players - 1))
            won = game.returns(final, "win")[:, seat]
            result[part, seat] = np.where(won == 1, 0, np.where(won >= 0, 1, 2))
    sums = whole.sum(axis=1) / (players - 1)
    points = estimate(sums / players)
    seat_outcomes = [_counts(result[:, seat]) for seat in range(players)]
    return Meeting(
        *names,
        deals,
        players,
        points,
        estimate(-sums / (players - 1) / players),
        _counts(result),
        estimate((2 - result).mean(axis=1) / 2),
        [estimate(whole[:, seat] / (players - 1)) for seat in range(players)],
        seat_outcomes,
    )


def _counts(results: Array) -> dict[str, int]:
    return {name: int((results == number).sum()) for number, name in enumerate(OUTCOMES)}


def play_out(
    game: Game, agents: Sequence[Agent], seating: Sequence[int], seeds: Array, names: Sequence[str] | None = None
) -> Array:
    """Play one episode at each of the tables to its end and return the final states, in the order of ``seeds``.

    agents: those who play. seating: for each seat, the number of its agent.
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
                actions[rows] = ask(game, agent, names[number], states, rows)
        game.step(states, actions, auto_reset=False)
    return final


def ask(game: Game, agent: Agent, name: str, states: Array, rows: Array) -> npt.NDArray[np.int32]:
    """An agent's actions, int32, in the ``rows`` of ``states``: it is handed copies of what the seats to play see."""
    random = game.draws(states, rows)
    views = game.views(batches.take(states, rows))
    masks = game.masks(views)
    answer = agent.act(views, game.observations(views), masks.copy(), random)
    return checked_answer(name, answer, masks)
