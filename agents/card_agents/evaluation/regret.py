"""Regret: what a player loses at each decision, compared with exact play of the rest of the deal.

A decision is a turn with more than one legal action. Its regret is the value of the best action minus the value of the
action chosen, in the unit of the game's solver and in points of the deal. Two kinds are measured:

* ``settled``: over the positions in which the seat can deduce every hidden card. Play is then of perfect information,
  and the regret is a true loss.
* ``open``: over all positions that can be solved double-dummy (cards open). The benchmark is a player who sees all
  cards, so no player can be expected to have no regret: it is an upper bound of what better play could gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from card_agents.evaluation.arena import BATCH, ForfeitSummary, Log, play_out, summarise_forfeits
from card_agents.evaluation.intervals import Estimate, estimate
from card_agents.protocol import Agent, Array, Clock
from card_agents.screen import literal
from card_envs import Game, batches

if TYPE_CHECKING:
    from rich.table import Table

KINDS = ("settled", "open")

CHUNK = 1024
"""Decisions solved between two calls of ``progress``. Results do not depend on it."""

TOLERANCE = 1e-9
"""A decision is an error if its regret is above this: values are sums of floats."""


@dataclass(frozen=True)
class Regret:
    """The regret of an agent, with intervals clustered by table (by deal; by match, with ``match=True``).

    deals: tables played. decisions: decisions judged.
    errors: share of decisions with regret above 0.
    per_decision, per_deal: in the solver's unit, per decision, and per deal of one seat.
    points_per_decision, points_per_deal: the same in points of the deal, by the "points" reward.
    forfeits: episodes that a failing bot forfeited, by reason; its decisions until then are judged. Estimates are NaN
    where all were forfeited before any decision.
    """

    deals: int
    decisions: int
    errors: Estimate
    per_decision: Estimate
    per_deal: Estimate
    points_per_decision: Estimate
    points_per_deal: Estimate
    forfeits: tuple[ForfeitSummary, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary."""
        fields = {name: each.to_dict() if isinstance(each, Estimate) else each for name, each in vars(self).items()}
        return {**fields, "forfeits": [vars(one) for one in self.forfeits]}


@dataclass(frozen=True)
class AgentRegret:
    """The regret of one agent in every seat against ``opponent``; ``open`` is None if it was not measured."""

    agent: str
    opponent: str
    settled: Regret
    open: Regret | None = None

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary."""
        return {
            "agent": self.agent,
            "opponent": self.opponent,
            "settled": self.settled.to_dict(),
            "open": self.open.to_dict() if self.open is not None else None,
        }


def refuse_unless_solved(game: Game, tables: int = 100) -> None:
    """Raise ``ValueError`` if none of ``tables`` random deals reaches a settled position with a decision."""
    states = game.new_states(np.arange(tables, dtype=np.uint64))
    for _ in range(game.max_plays):
        if (game.is_settled(game.views(states)) & (game.masks(states).sum(axis=1) > 1)).any():
            return
        game.step(states, game.sample_actions(states))
    raise ValueError(
        f"There is no regret to measure in {game.describe()}: no position with a decision is solved exactly."
    )


def measure(
    game: Game,
    agent: tuple[str, Agent],
    opponent: tuple[str, Agent] | None = None,
    *,
    seeds: npt.NDArray[np.uint64],
    kind: str = "settled",
    batch: int = BATCH,
    progress: Callable[[int, int], None] | None = None,
) -> Regret:
    """Measure the regret of an agent in each seat in turn against ``opponent``, or (None) in all seats at once.

    The tables, ``seeds``, are those of ``arena.meet``, and the same plays are made. progress: called with the number
    of decisions judged and their total. Results depend neither on ``batch`` nor on the order of the seeds.

    Raises ``ValueError`` for an unknown kind, and if there was no decision to judge.
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is unknown: choose one of {', '.join(map(repr, KINDS))}.")
    names = (agent[0], opponent[0] if opponent is not None else agent[0])
    parts = [
        decisions(game, agent, opponent, seeds[begin : begin + batch], begin, kind)
        for begin in range(0, len(seeds), batch)
    ]
    states, actions, tables = (np.concatenate(each) for each in list(zip(*parts, strict=True))[:3])
    seat_deals = np.concatenate([each for *_, each, _ in parts])
    lost = summarise_forfeits(names, (one for *_, forfeits in parts for one in forfeits))
    if not len(states) and lost:
        none = Estimate(math.nan, math.nan, math.nan)
        return Regret(len(seeds), 0, none, none, none, none, none, lost)
    if not len(states):
        raise ValueError(f"There was no decision to judge at {len(seeds)} tables of {game.describe()}.")
    order = np.argsort(tables, kind="stable")  # the transposition table helps with the next position of the same deal
    states, actions, tables = batches.take(states, order), actions[order], tables[order]
    regrets, point_regrets = np.empty(len(states)), np.empty(len(states))
    for begin in range(0, len(states), CHUNK):
        if progress is not None:
            progress(begin, len(states))
        part = slice(begin, begin + CHUNK)
        regrets[part], point_regrets[part] = regret_of(game, states[part], actions[part])
    if progress is not None:
        progress(len(states), len(states))

    def ratio(amounts: npt.NDArray[Any], by: npt.NDArray[Any]) -> Estimate:
        return ratio_estimate(np.bincount(tables, amounts, len(seeds)), by)

    made = np.bincount(tables, minlength=len(seeds))
    return Regret(
        len(seeds),
        len(states),
        ratio(regrets > TOLERANCE, made),
        ratio(regrets, made),
        ratio(regrets, seat_deals),
        ratio(point_regrets, made),
        ratio(point_regrets, seat_deals),
        lost,
    )


def decisions(
    game: Game,
    agent: tuple[str, Agent],
    opponent: tuple[str, Agent] | None,
    seeds: npt.NDArray[np.uint64],
    first_table: int,
    kind: str,
) -> tuple[Array, Array, Array, Array, list[tuple[int, int, int, int, str]]]:
    """Play the tables; the decisions of an agent that can be judged.

    Returns their states, actions and tables; the deals the agent played, by table; and the forfeits, in the form of
    ``arena.Games``. A deal that it plays from two seats counts twice.
    """
    players = game.num_players
    kept: list[tuple[Array, Array, Array]] = []
    seat_deals = np.zeros(len(seeds), np.int64)
    forfeits = []
    (name, player), (other_name, other_player) = agent, opponent or agent
    for seat in range(players if opponent is not None else 1):
        seating = np.array([0] * players if opponent is None else [int(other != seat) for other in range(players)])

        def judge(tables: Array, states: Array, actions: Array, seating: Array = seating) -> None:
            own = (actions >= 0) & (seating[game.to_play(states)] == 0)
            judged = np.flatnonzero(own & can_be_judged(game, states, kind))
            kept.append((batches.take(states, judged), actions[judged], first_table + tables[judged]))

        log = Log([Clock(), Clock()])
        final = play_out(game, (player, other_player), seating.tolist(), seeds, (name, other_name), log, judge)
        seat_deals += final["deals"].astype(np.int64) * int((seating == 0).sum())
        forfeits += [(first_table + table, seat, loser, which, why) for table, loser, which, why in log.forfeits]
    states, actions, tables = (np.concatenate(each) for each in zip(*kept, strict=True))
    return states, actions, tables, seat_deals, sorted(forfeits)


def can_be_judged(game: Game, states: Array, kind: str) -> npt.NDArray[np.bool_]:
    """Whether the seats to play have a decision with exact values, bool (N,); ``settled``: by what they see."""
    solved = game.is_exact(states) if kind == "open" else game.is_settled(game.views(states))
    return solved & (game.masks(states).sum(axis=1) > 1)


def regret_of(game: Game, states: Array, actions: Array) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Regret of an action in each position, in the solver's unit and in points, both float64 (N,)."""
    values = game.open_values(states)
    best, chosen = np.nanmax(values, axis=1), values[np.arange(len(states)), actions]
    return best - chosen, game.open_worth(states, best) - game.open_worth(states, chosen)


def ratio_estimate(amounts: npt.NDArray[Any], by: npt.NDArray[Any]) -> Estimate:
    """Ratio estimate of the sum of ``amounts`` to the sum of ``by``, from independent tables (N,), by linearisation."""
    ratio = amounts.sum() / by.sum()
    return estimate(ratio + (amounts - ratio * by) / by.mean())


def regrets_to_dict(game: Game, regrets: Sequence[AgentRegret]) -> dict[str, Any]:
    """The regrets as a JSON-serialisable dictionary."""
    return {"unit": game.solver.unit, "agents": [regret.to_dict() for regret in regrets]}


def regret_table(game: Game, regrets: Sequence[AgentRegret]) -> Table:
    """The regrets as a table for the screen."""
    from rich.table import Table

    unit = game.solver.unit
    table = Table(
        title=f"{game.name}: regret of one seat in {unit}",
        caption="settled: every card known to the seat, a true loss; open: double-dummy, an upper bound; "
        "a decision has more than one legal action; 95 % intervals clustered by deal",
    )
    table.add_column("agent", overflow="fold")
    in_points = ("points per deal",) if unit != "points" else ()
    for heading in ("", "per decision", "per deal", *in_points, "errors", "decisions"):
        table.add_column(heading, justify="right")
    for regret in regrets:
        for kind in KINDS:
            found: Regret | None = getattr(regret, kind)
            if found is not None:
                estimates = (found.per_decision, found.per_deal, found.points_per_deal)[: 2 + len(in_points)]
                cells = (str(each).removeprefix("+") for each in estimates)
                errors, count = f"{100 * found.errors.mean:.1f} %", f"{found.decisions:,}"
                table.add_row(literal(regret.agent), kind, *cells, errors, count)
    return table
