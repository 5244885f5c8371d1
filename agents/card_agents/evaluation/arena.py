"""The arena: agents play the same deals from every seat, with confidence intervals clustered by deal.

Every deal is played in all seat rotations, so that the luck of the cards cancels: the mean over the rotations of
one deal (of one match, with ``match=True``) is one observation, and intervals are over deals.

An external bot starts afresh for each rotation, is asked as it declares (``protocol.ExternalBot``), and forfeits the
episodes in which it fails; its processes are ended when play is over.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.evaluation.intervals import Estimate, estimate
from card_agents.players.builtin import GreedyAgent
from card_agents.protocol import Actions, Agent, Array, Clock, ExternalBot, ask, external_bot
from card_agents.seeds import TableSeeds, table_seeds
from card_envs import Game, batches
from card_envs.records import GameRecord

BATCH = 4096
"""Deals played in one batch. Results do not depend on it (but see ``PPOAgent`` about last bits)."""

OUTCOMES = ("win", "draw", "loss")
MEASURES = ("points", "beaten", "level")


@dataclass(frozen=True)
class ForfeitSummary:
    """The episodes that an agent forfeited for one reason, and the first of them: the opponent, the deal (counted from
    0) and the seat."""

    agent: str
    reason: str
    times: int
    against: str
    deal: int
    seat: int

    def sentence(self, unit: str) -> str:
        """A sentence for the screen; unit: "deal" or "match"."""
        times = "once" if self.times == 1 else f"{self.times:,} times"
        where = f"{unit} {self.deal}, seat {self.seat}"
        return f"{self.agent} forfeited {times}: it {self.reason}. First against {self.against}, {where}."


@dataclass(frozen=True)
class Meeting:
    """The result of agent ``a`` in one seat against ``b`` in all others, over all rotations of the same deals.

    points_a, points_b: mean zero-sum points per deal (or match) of one seat of each.
    outcomes: how many of ``deals`` × ``rotations`` games ``a`` won (alone at the top), drew (tied at the top), lost.
    win_rate: share of games won, a draw counting as half.
    seat_points: mean points of ``a`` from each seat.
    seat_outcomes: the outcomes by seat.
    forfeits: the forfeits of both, by reason.
    games: the first games as records, where they were asked for; not part of ``to_dict``.
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
    forfeits: tuple[ForfeitSummary, ...] = ()
    games: tuple[GameRecord, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The meeting as a JSON-serialisable dictionary."""
        return {
            "a": self.a,
            "b": self.b,
            "deals": self.deals,
            "rotations": self.rotations,
            "points_a": self.points_a.to_dict(),
            "points_b": self.points_b.to_dict(),
            "outcomes_a": self.outcomes,
            "win_rate_a": self.win_rate.to_dict(),
            "seats_a": [
                {"seat": seat, "points": points.to_dict(), "outcomes": outcomes}
                for seat, (points, outcomes) in enumerate(zip(self.seat_points, self.seat_outcomes, strict=True))
            ],
            "forfeits": [vars(one) for one in self.forfeits],
        }


def deal_seeds(seed: int, deals: int) -> npt.NDArray[np.uint64]:
    """Seeds of the tables of an evaluation, uint64 (deals,): deal i is ``game.new_state(seed=(seed << 32) + i)``."""
    return table_seeds(seed, deals)[:]


@dataclass(frozen=True)
class Games:
    """Results of deals in all rotations; the rotation is the seat of the first agent.

    points, beaten, level: int64 (deals, rotations), as ``seat_results`` gives them. forfeits: (deal, rotation, seat,
    which of the two agents, reason), in order. clocks: of the two agents. records: of the first deals, where they were
    asked for, by deal and rotation.
    """

    points: Array
    beaten: Array
    level: Array
    forfeits: list[tuple[int, int, int, int, str]]
    clocks: list[Clock]
    records: list[GameRecord]


def meet(
    game: Game,
    names: tuple[str, str],
    agents: tuple[Agent, Agent],
    seeds: Array | TableSeeds,
    batch: int = BATCH,
    save_games: int = 0,
) -> Meeting:
    """Play all deals with the first agent in each seat in turn and the second in all the others.

    save_games: how many of the first deals to write down as records, in all rotations.
    """
    parts = [
        play_rotations(game, names, agents, seeds[k : k + batch], k, save_games - k)
        for k in range(0, len(seeds), batch)
    ]
    points, beaten, level = (np.concatenate([getattr(part, name) for part in parts]) for name in MEASURES)
    lost = summarise_forfeits(names, (one for part in parts for one in part.forfeits))
    records = tuple(record for part in parts for record in part.records)
    return dataclasses.replace(meeting_of(names, points, beaten, level), forfeits=lost, games=records)


def play_rotations(
    game: Game,
    names: Sequence[str],
    agents: tuple[Agent, Agent],
    seeds: Array,
    first_deal: int = 0,
    save_games: int = 0,
) -> Games:
    """Play deals in all seat rotations, the first agent against the second in all other seats. Forfeits give the number
    of the deal, counted from ``first_deal``. save_games: how many of the first deals to write down as records."""
    points, beaten, level = (np.zeros((len(seeds), game.num_players), np.int64) for _ in MEASURES)
    log = Log([Clock(), Clock()])
    forfeits, records = [], []
    for seat in range(game.num_players):
        seating = [1] * game.num_players
        seating[seat] = 0
        notes = Notes(min(max(save_games, 0), len(seeds)))
        for begin, final in episodes(game, agents, seating, seeds, names, log, notes):
            part = slice(begin, begin + len(final))
            points[part, seat], beaten[part, seat], level[part, seat] = seat_results(game, final, seat)
        forfeits += [(first_deal + table, seat, loser, which, why) for table, loser, which, why in log.forfeits]
        seated, lost = [names[number] for number in seating], {table for table, *_ in log.forfeits}
        records.append(notes.records(game, seeds, seated, lost, first_deal))
        log.forfeits.clear()
    by_deal = [record for rotations in zip(*records, strict=True) for record in rotations]
    return Games(points, beaten, level, sorted(forfeits), log.clocks, by_deal)


def summarise_forfeits(
    names: Sequence[str], forfeits: Iterable[tuple[int, int, int, int, str]]
) -> tuple[ForfeitSummary, ...]:
    """Summarise the forfeits of two agents, in the form of ``Games``, by agent and reason."""
    first: dict[tuple[int, str], tuple[int, int]] = {}
    times: Counter[tuple[int, str]] = Counter()
    for deal, _, seat, which, reason in forfeits:
        first.setdefault((which, reason), (deal, seat))
        times[which, reason] += 1
    return tuple(
        ForfeitSummary(names[key[0]], key[1], times[key], names[1 - key[0]], *where)
        for key, where in sorted(first.items())
    )


def seat_results(game: Game, final: Array, seat: int) -> tuple[Array, Array, Array]:
    """The result of a seat in finished episodes, three arrays int64 (N,).

    points: its "points" return in units of 1 / (num_players - 1)**2, in which it is a whole number even after a
    forfeit. beaten: how many of the other seats have a lower return. level: how many have the same.
    """
    returns = np.rint(game.returns(final) * (game.num_players - 1) ** 2).astype(np.int64)
    own = returns[:, [seat]]
    return own[:, 0], (returns < own).sum(axis=1), (returns == own).sum(axis=1) - 1


def meeting_of(names: tuple[str, str], points: Array, beaten: Array, level: Array) -> Meeting:
    """The meeting with these results of its games, each int64 (deals, rotations), as ``seat_results`` gives them."""
    deals, players = points.shape
    unit = (players - 1) ** 2
    result = np.where(beaten == players - 1, 0, np.where(beaten + level == players - 1, 1, 2))  # index into OUTCOMES
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
class Log:
    """Times and forfeits of the episodes played.

    clocks: one for each agent, by number. forfeits: (table, seat, agent, reason) of each episode forfeited because a
    bot failed.
    """

    clocks: list[Clock]
    forfeits: list[tuple[int, int, int, str]] = field(default_factory=list)


Observer = Callable[[Array, Array, Actions], None]
"""Called before actions are played, with the numbers of the tables, their states and the actions, -1 where there is
none."""


class Notes:
    """An ``Observer`` that notes the plays at the first tables."""

    def __init__(self, tables: int) -> None:
        self._plays: list[list[int]] = [[] for _ in range(tables)]

    def __call__(self, tables: Array, states: Array, actions: Actions) -> None:
        for row in np.flatnonzero((tables < len(self._plays)) & (actions >= 0)).tolist():
            self._plays[tables[row]].append(int(actions[row]))

    def records(
        self, game: Game, seeds: Array, players: Sequence[str], forfeited: Collection[int], first_deal: int
    ) -> list[GameRecord]:
        """A record of each of these tables. players: names by seat. forfeited: the tables that ended with a forfeit.
        The tag ``deal`` is the table's number, counted from ``first_deal``."""
        records = []
        for table, plays in enumerate(self._plays):
            start = game.new_state(seed=int(seeds[table]))
            record = GameRecord(start, players, tags={"deal": str(first_deal + table)})
            for action in plays:
                record.play(action)
            if table in forfeited:
                record.forfeit()
            records.append(record)
        return records


def play_out(
    game: Game,
    agents: Sequence[Agent],
    seating: Sequence[int],
    seeds: Array,
    names: Sequence[str] | None = None,
    log: Log | None = None,
    watch: Observer | None = None,
) -> Array:
    """Play one episode at each of the tables; the final states in the order of ``seeds``, in one array. Arguments as
    for ``episodes``."""
    final = np.empty(len(seeds), game.dtype)
    for begin, part in episodes(game, agents, seating, seeds, names, log, watch):
        batches.put(final, np.arange(begin, begin + len(part)), part)
    return final


def episodes(
    game: Game,
    agents: Sequence[Agent],
    seating: Sequence[int],
    seeds: Array,
    names: Sequence[str] | None = None,
    log: Log | None = None,
    watch: Observer | None = None,
) -> Iterator[tuple[int, Array]]:
    """Play one episode at each of the tables; yield the final states in batches, in the order of ``seeds``, each with
    the number of its first table.

    agents: the players. seating: the number of the agent in each seat. log: is added to. The failure of a bot
    (``Forfeit``) costs it the episode, with or without a log. watch: see ``Observer``.
    """
    names = names or [type(agent).__name__ for agent in agents]
    log = Log([Clock() for _ in agents]) if log is None else log
    with fresh_bots(agents[number] for number in seating) as bots:
        alone = [bot for bot in bots if bot.one_at_a_time]
        width = 1 if alone else BATCH
        for begin in range(0, len(seeds), width):
            final = _play_batch(game, agents, seating, seeds[begin : begin + width], begin, names, log, watch)
            for bot in alone:
                bot.over(final)
            yield begin, final


@contextlib.contextmanager
def fresh_bots(agents: Iterable[Agent]) -> Iterator[list[ExternalBot]]:
    """The external bots among the agents, restarted on entry and ended on exit."""
    bots = list({id(bot): bot for bot in map(external_bot, agents) if bot is not None}.values())
    try:
        for bot in bots:
            bot.close()
        yield bots
    finally:
        for bot in bots:
            bot.close()


def _play_batch(
    game: Game,
    agents: Sequence[Agent],
    seating: Sequence[int],
    seeds: Array,
    first_table: int,
    names: Sequence[str],
    log: Log,
    watch: Observer | None,
) -> Array:
    """Final states of one episode at each of the tables."""
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
                words = game.draws(states, rows)
                views = game.views(batches.take(states, rows))
                actions[rows], reasons = ask(game, agent, names[number], views, words, log.clocks[number])
                if reasons:
                    lost = rows[list(reasons)]
                    game.forfeit(states, lost)
                    numbers, seats = (first_table + tables[lost]).tolist(), turns[lost].tolist()
                    log.forfeits += zip(numbers, seats, repeat(number), reasons.values())
        if watch is not None:
            watch(first_table + tables, states, actions)
        game.step(states, actions, auto_reset=False)
    return final


def warm_up(game: Game, agents: Iterable[Agent]) -> None:
    """Let each agent play a deal that is not counted, to compile its code. External bots are not started, but a wrapper
    around one is warmed up."""
    for agent in agents:
        bot = external_bot(agent)
        kind: Any = type(agent)
        if bot is not agent:
            ours = agent if bot is None else kind(game, GreedyAgent(game))
            play_out(game, [ours], [0] * game.num_players, np.zeros(1, np.uint64))
