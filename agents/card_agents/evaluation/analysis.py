"""Analysis: what is known of each legal play of a position, and what each play of a finished game gave away.

Of a position nothing is used but what the seat on turn may see. Two things are said of each legal play: what players
judge (``card_agents.judgement``), and its value with open cards in worlds that the seat holds possible.

Of a play that was made its regret is told, in points of the deal: what the best play is worth less what this one is,
never below 0. What that is relative to depends on the position, and is said of each play (``BASES``):

* ``exact``: the seat could work out every hidden card, so the regret is a true loss against exact play.
* ``judge``: by the values of one player, the judge, who sees what the seat saw. It is that player's opinion: its own
  errors are in it. Where its values are means over sampled worlds, there is an interval from their spread, which holds
  the error of the sample alone.
* ``forced``: there was one legal play, so nothing could be given away.
* ``unknown``: the judge has no value for the play, or for no other one.

The greatest of several means that are uncertain is on average too great. So the judge finds a little regret even in
plays that are as good as any, the more so the fewer its worlds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.evaluation.intervals import CONFIDENCE, t_quantile
from card_agents.judgement import Judgement, judgement_of
from card_agents.players.search import PimcAgent
from card_agents.protocol import Agent
from card_envs import Game, GameRecord, State
from card_envs.players import word_of

BASES = ("exact", "judge", "forced", "unknown")
"""What the regret of a play is relative to; see above."""

ERRORS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half-width of an interval in standard errors."""

WORST = 3
"""Plays of a seat that are told in its summary."""


@dataclass(frozen=True)
class OpenCards:
    """The value of each legal play with open cards, in worlds that the seat on turn holds possible.

    worlds: how many were sampled; 1 where the position is settled, since there is no other. mean, spread: float64 (k,),
    points of the deal for the seat, as in ``Judgement.value``, and the standard error of that mean over the worlds (NaN
    for a single one that is not known to be the only one). exact: whether the values are exact in every world; if not,
    they are the game's estimates, as ``PimcAgent`` uses them.
    """

    worlds: int
    settled: bool
    exact: bool
    mean: npt.NDArray[np.float64]
    spread: npt.NDArray[np.float64]


@dataclass(frozen=True)
class PositionAnalysis:
    """What is known of the legal plays of a position.

    seat: on turn. actions: int64 (k,), in ascending order. open_cards: their values in sampled worlds. judgements: of
    the players asked, in their order. seed: decided the worlds and the players' random choices.
    """

    game: Game
    seat: int
    seed: int
    actions: npt.NDArray[np.int64]
    open_cards: OpenCards
    judgements: tuple[Judgement, ...]

    @property
    def names(self) -> list[str]:
        """Names of the legal actions."""
        return [self.game.action_name(action) for action in self.actions.tolist()]

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary; what is not known is None."""
        known = self.open_cards
        values = zip(self.names, known.mean.tolist(), known.spread.tolist(), strict=True)
        return {
            "game": self.game.describe(),
            "seat": self.seat,
            "seed": self.seed,
            "unit": "points of the deal for the seat, less the mean of the others",
            "open_cards": {
                "worlds": known.worlds,
                "settled": known.settled,
                "exact": known.exact,
                "plays": [
                    {"action": name, "mean": _plain(mean), "spread": _plain(spread)} for name, mean, spread in values
                ],
            },
            "players": [{"player": one.player, "plays": one.rows()} for one in self.judgements],
        }


def analyse_position(
    state: State, agents: Sequence[tuple[str, Agent]], *, worlds: int = 100, seed: int = 0
) -> PositionAnalysis:
    """What players, by name, and open cards say of each legal play of a position, a state or the view of the seat on
    turn.

    worlds: how many are sampled. Raises ``ValueError`` where nobody is on turn, and where a player fails to answer.
    """
    judgements = tuple(judgement_of(agent, state, name, seed=seed) for name, agent in agents)
    known = open_cards(state, worlds, seed)
    return PositionAnalysis(state.game, state.to_play, seed, state.legal_actions(), known, judgements)


def open_cards(state: State, worlds: int, seed: int = 0) -> OpenCards:
    """The value of each legal play in worlds sampled from the view of the seat on turn; ``ValueError`` where nobody
    is."""
    game = state.game
    if state.is_over:
        raise ValueError("The episode is over, so there is no play to value.")
    view, legal = state.view(), state.legal_actions()
    settled = bool(game.is_settled(view.record)[0])
    sampled = game.sample_worlds(view, 1 if settled else worlds, seed)
    exact = bool(game.is_exact(sampled).all())
    if exact:
        values = _points(game, sampled, game.open_values(sampled)[:, legal])
    else:
        player = PimcAgent(game, len(sampled))
        words = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        values = player.world_values(view.record.copy(), words)[:, 0, legal]
    return OpenCards(len(values), settled, exact, values.mean(axis=0), _error(values, settled))


def _points(game: Game, states: npt.NDArray[Any], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Values of actions (N, k), in the solver's unit, as points of the deal."""
    return np.stack([game.open_worth(states, column) for column in values.T], axis=1)


def _error(values: npt.NDArray[np.float64], settled: bool) -> npt.NDArray[np.float64]:
    """Standard errors of means over worlds, the first axis."""
    if settled:
        return np.zeros(values.shape[1])
    if len(values) == 1:
        return np.full(values.shape[1], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


@dataclass(frozen=True)
class PlayAnalysis:
    """What a play of a record gave away.

    number: of the play, from 0. best: the best play by the same basis, "" where none is known. basis: of ``BASES``.
    regret: points of the deal, NaN where unknown. low, high: its interval, from the greatest lower to the greatest
    upper end of the 95 % intervals of what each other play is worth more, and never below 0; NaN where the judge tells
    no spread.
    """

    number: int
    seat: int
    action: str
    best: str
    basis: str
    regret: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary; what is not known is None."""
        return {name: _plain(value) if isinstance(value, float) else value for name, value in vars(self).items()}


@dataclass(frozen=True)
class SeatSummary:
    """What a seat gave away in a record, in points of the deal, summed over its plays.

    decisions: its plays that were not forced. judged: those of known regret. exact: what it gave away where the
    position was settled, a true loss. opinion: by the judge, elsewhere. worst: its worst plays, the worst first.
    """

    seat: int
    player: str
    decisions: int
    judged: int
    exact: float
    opinion: float
    worst: tuple[PlayAnalysis, ...]

    @property
    def total(self) -> float:
        """All it gave away."""
        return self.exact + self.opinion

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary."""
        return {**vars(self), "total": self.total, "worst": [play.number for play in self.worst]}


@dataclass(frozen=True)
class RecordAnalysis:
    """What each play of a record gave away. judge: the name of the player by whose values it is where nothing is exact.
    seed: decided its random choices."""

    record: GameRecord
    judge: str
    seed: int
    plays: tuple[PlayAnalysis, ...]

    def summaries(self) -> list[SeatSummary]:
        """What each seat gave away."""
        return [self._summary(seat) for seat in range(self.record.game.num_players)]

    def _summary(self, seat: int) -> SeatSummary:
        own = [play for play in self.plays if play.seat == seat]
        free = [play for play in own if play.basis != "forced"]
        judged = [play for play in free if play.basis != "unknown"]
        exact, opinion = (
            math.fsum(play.regret for play in judged if play.basis == basis) for basis in ("exact", "judge")
        )
        faults = sorted((play for play in judged if play.regret > 0), key=lambda play: (-play.regret, play.number))
        name = self.record.players[seat] if self.record.players else ""
        return SeatSummary(seat, name, len(free), len(judged), exact, opinion, tuple(faults[:WORST]))

    def to_dict(self) -> dict[str, Any]:
        """As a JSON-serialisable dictionary."""
        return {
            "game": self.record.game.describe(),
            "players": list(self.record.players),
            "judge": self.judge,
            "seed": self.seed,
            "unit": "points of the deal for the seat, less the mean of the others",
            "confidence": 0.95,
            "seats": [summary.to_dict() for summary in self.summaries()],
            "plays": [play.to_dict() for play in self.plays],
        }


def analyse_record(
    record: GameRecord,
    judge: tuple[str, Agent],
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> RecordAnalysis:
    """What each play of a record gave away, against exact play where the position is settled, else by the values of the
    judge, a player and its name.

    progress: called with the number of plays looked at and their total. Raises ``ValueError`` for a judge of another
    game, one that fails to answer, and one that tells no values where they are needed.
    """
    plays = []
    for number, (play, state) in enumerate(zip(record.plays, record.states(), strict=False)):
        if progress is not None:
            progress(number, len(record))
        plays.append(_play_analysis(number, play.name, state, judge, seed))
    if progress is not None:
        progress(len(record), len(record))
    return RecordAnalysis(record, judge[0], seed, tuple(plays))


def _play_analysis(number: int, name: str, state: State, judge: tuple[str, Agent], seed: int) -> PlayAnalysis:
    game, legal = state.game, state.legal_actions()
    about = number, state.to_play, name
    if len(legal) == 1:
        return PlayAnalysis(*about, name, "forced", 0.0, 0.0, 0.0)
    made = int(np.searchsorted(legal, game.action_id(name)))
    if game.is_settled(state.view().record)[0]:
        basis, values, halves = "exact", open_cards(state, 1, seed).mean, np.zeros(len(legal))
    else:
        basis = "judge"
        values, halves = _judged(state.view(), judge, made, seed)
        if np.isnan(values).all():
            raise ValueError(
                f"{judge[0]} tells no values of plays, so it cannot judge play {number + 1}: name a player that "
                "searches, such as 'pimc:100'."
            )
    if np.isnan(values[made]) or np.isnan(values).sum() == len(values) - 1:
        return PlayAnalysis(*about, "", "unknown", math.nan, math.nan, math.nan)
    best = made if values[made] == np.nanmax(values) else int(np.nanargmax(values))
    better = np.delete(values - values[made], made)
    halves = np.delete(halves, made)
    low, high = (max(float(np.max(end)), 0.0) for end in (better - halves, better + halves))
    if np.isnan(halves).any():
        low = high = math.nan
    return PlayAnalysis(
        *about, game.action_name(int(legal[best])), basis, float(values[best] - values[made]), low, high
    )


def _judged(
    view: State, judge: tuple[str, Agent], made: int, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The judge's values of the legal plays, float64 (k,), and half-widths of the 95 % intervals of their differences
    from that of the play made, NaN where it tells no spread."""
    name, agent = judge
    if isinstance(agent, PimcAgent) and agent.worlds > 1 and agent.game == view.game:
        # it values all plays in the same worlds, so the luck of the worlds largely cancels in the differences
        words = np.array([word_of(seed)], np.uint64)
        values = agent.world_values(view.record.copy(), words)[:, 0, view.legal_actions()]
        halves = t_quantile(agent.worlds - 1) * _error(values - values[:, [made]], settled=False)
        return values.mean(axis=0), halves
    judged = judgement_of(agent, view, name, seed=seed)
    return judged.value, ERRORS * np.hypot(judged.spread, judged.spread[made])


def _plain(value: float) -> float | None:
    """A number for JSON, which has no NaN."""
    return value if math.isfinite(value) else None
