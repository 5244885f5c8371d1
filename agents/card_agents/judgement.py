"""What a player knows about each legal action of a position, in one shape for all players.

A player that knows more than which action it would play says so in a method ``judge(views, observations, masks,
random)``, with the arguments of ``act``: a dictionary with some of ``COLUMNS``, each float64 (N, num_actions), NaN
where it knows nothing. ``judgement_of`` asks any player, also one without that method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.protocol import Agent, Array, ask
from card_envs import Game, State, batches
from card_envs.players import word_of
from card_envs.render.plays import said

COLUMNS = ("probability", "value", "spread", "visits", "exact")
"""What a player may know of an action:

probability: that its policy gives the action, also where it plays the most likely one.
value: the points of the deal that it expects for the seat to play, less the mean of the others' ("points" return);
    the mean over worlds or simulations.
spread: the standard error of that mean.
visits: simulations that began with the action.
exact: the same as ``value``, where it is exact since every hidden card can be worked out.
"""

Values = npt.NDArray[np.float64]
Known = Mapping[str, Values]


@dataclass(frozen=True)
class Judgement:
    """What a player knows about the legal actions of a position, in ascending order of the actions.

    player: its name. seat: the seat to play. actions: int64 (k,). names: of the actions. chosen: the action it plays.
    The others, see ``COLUMNS``, are float64 (k,), NaN where it does not know.
    """

    game: Game
    player: str
    seat: int
    actions: npt.NDArray[np.int64]
    chosen: int
    probability: Values
    value: Values
    spread: Values
    visits: Values
    exact: Values

    @property
    def names(self) -> list[str]:
        """Names of the actions."""
        return [self.game.action_name(action) for action in self.actions.tolist()]

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each action, for JSON: ``action`` (its name), ``number``, ``chosen``, and ``COLUMNS``, None
        where the player does not know."""
        columns = [[None if np.isnan(one) else float(one) for one in getattr(self, name)] for name in COLUMNS]
        return [
            {
                "action": name,
                "number": number,
                "chosen": number == self.chosen,
                **dict(zip(COLUMNS, known, strict=True)),
            }
            for name, number, known in zip(self.names, self.actions.tolist(), zip(*columns, strict=True), strict=True)
        ]

    def marks(self) -> dict[int | str, float]:
        """Weights of the actions for a picture (``State.to_svg``): probabilities, else shares of the visits, else the
        action chosen."""
        for known in (self.probability, self.visits):
            if not np.isnan(known).any() and known.sum() > 0:
                shares = known / known.sum()
                return {
                    action: share for action, share in zip(self.actions.tolist(), shares.tolist(), strict=True) if share
                }
        return {self.chosen: 1.0}

    def __str__(self) -> str:
        return self.text()

    def text(self, names: str | None = None) -> str:
        """A table for people. names: language of the cards, ``"en"``, ``"ru"`` or ``"de"``; None: actions as they are
        written down."""
        known = [name for name in COLUMNS if not np.isnan(getattr(self, name)).all()]
        lines = [["play", *known]]
        for row in self.rows():
            cells = ["" if row[name] is None else _number(name, row[name]) for name in known]
            name = row["action"] if names is None else said(row["action"], names)
            lines.append([f"{name} *" if row["chosen"] else name, *cells])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )
        return "\n".join([f"{self.player}, seat {self.seat} to play (* its choice)", *(f"  {line}" for line in table)])


def _number(column: str, value: float) -> str:
    return format(value, {"visits": ".0f", "probability": ".3f", "spread": ".3f"}.get(column, "+.3f"))


class Judge:
    """Base of players that can be asked for their judgement of a position."""

    game: Game

    def evaluate(self, state: State, *, seed: int = 0) -> Judgement:
        """What this player knows about each legal action of a position, a state or the view of the seat to play.

        It is handed no more than that view. seed: decides its random choices.

        Raises ``ValueError`` where nobody is to play, for another game, and for a view of another seat.

        >>> import card_envs
        >>> from card_agents import RandomAgent
        >>> state = card_envs.make_game("elfern", hand_size=2).new_state(seed=7)
        >>> judgement = RandomAgent(state.game).evaluate(state)
        >>> judgement.probability.tolist(), judgement.exact.tolist()
        ([0.5, 0.5], [nan, nan])
        """
        return judgement_of(self, state, seed=seed)  # type: ignore[arg-type]


def judgement_of(agent: Agent, state: State, name: str = "", *, seed: int = 0) -> Judgement:
    """What any player knows about each legal action of a position; as ``Judge.evaluate``.

    name: what to call the player. Of an external bot, and of any player without ``judge`` or ``probabilities``, it is
    known which action it plays.

    Raises ``ValueError`` also where the player fails to answer.
    """
    game, name = state.game, name or type(agent).__name__
    own = getattr(agent, "game", game)
    if own != game:
        raise ValueError(f"{name} plays {own.describe()}, but this is a position of {game.describe()}.")
    if state.is_over:
        raise ValueError("The episode is over, so there is no play to judge.")
    view = state.view().record
    words = np.array([word_of(seed)], np.uint64)
    actions, reasons = ask(game, agent, name, view.copy(), words.copy())
    if reasons:
        raise ValueError(f"{name} judges nothing here: it {reasons[0]}.")
    legal = state.legal_actions()
    known = known_of(agent, batches.copy(view), game.observations(view), game.masks(view), words)
    nothing = np.full(len(legal), np.nan)
    columns = {column: known[column][0, legal] if column in known else nothing for column in COLUMNS}
    return Judgement(game, name, state.to_play, legal, int(actions[0]), **columns)


def known_of(agent: Any, views: Array, observations: Array, masks: Array, random: Array) -> Known:
    """What a player says of the actions in N positions: its ``judge``, else its ``probabilities``, else nothing."""
    if hasattr(agent, "judge"):
        judged: Known = agent.judge(views, observations, masks, random)
        return judged
    if hasattr(agent, "probabilities"):
        return {"probability": np.where(masks != 0, agent.probabilities(views, observations, masks), np.nan)}
    return {}
