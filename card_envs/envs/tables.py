"""Tables with a learner at each and opponents at the other seats: what all the environments are made of.

An environment is a thin adapter around ``Tables``, so that a row of a batch plays what a single environment plays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs import batches, loops
from card_envs.bits import below, draw
from card_envs.checks import choice, whole_number
from card_envs.envs.external import Forfeit
from card_envs.envs.opponents import CODES, Opponents
from card_envs.game import Game
from card_envs.jit import njit
from card_envs.kernel import OUTSIDE
from card_envs.record import REWARDS
from card_envs.registry import make_game
from card_envs.threads import ALONE

Array = npt.NDArray[Any]

OPTIONS = ("deck", "dealer", "seat", "deal")
"""What ``reset(options=...)`` understands."""

LEARNER = 0
"""Code of the learner's seat; the other codes are those of ``opponents``."""


@njit
def take_seats(states: Any, rows: Any, seat: int, coming: Any, seats: Any, codes: Any, players: Any) -> None:
    """Seat the learner (``seat`` -1: by the row's own choices) and, in turn order after it, the opponents to come."""
    others = coming.shape[1]
    for k in range(len(rows)):
        row = rows[k]
        own = below(draw(states[row]), others + 1) if seat < 0 else seat
        seats[row] = own
        codes[row, own] = LEARNER
        players[row, own] = OUTSIDE
        for place in range(others):
            at = (own + 1 + place) % (others + 1)
            codes[row, at] = coming[row, place]
            players[row, at] = coming[row, place] if coming[row, place] < CODES else OUTSIDE


def chosen_game(game: str | Game, rules: Mapping[str, Any]) -> Game:
    """The game an environment was asked for, by name and rules or as it is."""
    if not isinstance(game, Game):
        return make_game(game, **rules)
    if rules:
        raise ValueError(f"game={game!r} has its rules already: leave out {', '.join(rules)}.")
    return game


def chosen_reward(game: Game, reward: str) -> int:
    """Number of a reward; ``ValueError`` naming the choices if this game does not pay it."""
    payable = [name for name in REWARDS if game.min_returns[name] < 0]
    if reward in REWARDS and reward not in payable:
        raise ValueError(
            f"reward={reward!r} is never paid by {game.describe()}, which is not settled at the end of a match: "
            f"choose one of {', '.join(map(repr, payable))}."
        )
    return REWARDS.index(choice("reward", reward, REWARDS))


class Tables:
    """``size`` tables of a game, each with a learner, whose turn it is whenever its episode is not over.

    opponents: see ``opponents.Opponents``. seat: the learner's, or None to draw it for each episode.
    reward: one of ``record.REWARDS``.

    Attributes:
        states: the tables, (size,) records.
        seats: the learners' seats, int64 (size,).
        over: whether the episodes are over, bool (size,).
        rewards: what the last ``play`` brought the learners, float32 (size,).
        begun: whether a table has ever been reset, bool (size,).
        opponents: who plays the other seats.
    """

    def __init__(self, game: Game, size: int, opponents: Any, seat: int | None, reward: str) -> None:
        self.game = game
        self.size = size
        self.reward = chosen_reward(game, reward)
        self.seat = -1 if seat is None else whole_number("seat", seat, 0, game.num_players - 1)
        self.opponents = Opponents(size, game.num_players, opponents)
        self.states = np.zeros(size, game.dtype)
        self.seats = np.zeros(size, np.int64)
        self.players = np.zeros((size, game.num_players), np.int8)
        self.credited = np.zeros(size, np.float64)
        self.rewards = np.zeros(size, np.float32)
        self.over = np.zeros(size, np.bool_)
        self.begun = np.zeros(size, np.bool_)
        self._told = np.ones(size, np.bool_)
        """Whether those who listen know that the episode is over."""
        self._uncredited = np.zeros(size, np.float32)

    # Episodes

    def reset(
        self,
        rows: Array,
        seeds: Sequence[int | None] | None,
        options: Mapping[str, Any] | None,
        generator: Callable[[], np.random.Generator],
    ) -> None:
        """Begin an episode in each of ``rows`` and play on to the learner's first turn.

        seeds: one a row, which make it a fresh table; where there is none, the table's next episode begins.
        options: a pack, dealer, learner's seat or number of the deal for all of them, see ``OPTIONS``.
        generator: dice for the seeds of tables that never had one.

        Raises ``ValueError`` for options that cannot be; nothing has then changed.
        """
        chosen: list[int | None] = [None] * len(rows) if seeds is None else list(seeds)
        for k in np.flatnonzero(~self.begun[rows]).tolist():
            if chosen[k] is None:
                chosen[k] = int(generator().integers(2**64, dtype=np.uint64))
        given = {name: value for name, value in (options or {}).items() if value is not None}
        for name in given:
            choice("options", name, OPTIONS)
        seat = self.seat
        if "seat" in given:
            seat = whole_number("options['seat']", given.pop("seat"), 0, self.game.num_players - 1)
        broken_off = rows[~self._told[rows]]
        last = self.take(broken_off)
        if given:
            self._deal_given(rows, chosen, given)
        else:
            self._deal(rows, chosen)
        self._tell(broken_off, last)
        self.begun[rows] = True
        self._begin(rows, seat)

    def advance(self, rows: Array) -> None:
        """Begin the next episode of these rows."""
        self.game.loops.reset(self.states, self.game.constants, rows)
        self._begin(rows, self.seat)

    def _deal(self, rows: Array, seeds: Sequence[int | None]) -> None:
        seeded = np.array([seed is not None for seed in seeds], np.bool_)
        fresh = self.game.new_states(np.array([batches.seed(seed) for seed in seeds if seed is not None], np.uint64))
        batches.put(self.states, rows[seeded], fresh)
        self.game.loops.reset(self.states, self.game.constants, rows[~seeded])

    def _deal_given(self, rows: Array, seeds: Sequence[int | None], given: dict[str, Any]) -> None:
        """Deal as the options say; tables without a new seed keep their own and go on with their choices."""
        fresh = np.zeros(len(rows), self.game.dtype)
        for k, (row, seed) in enumerate(zip(rows.tolist(), seeds, strict=True)):
            if seed is None:
                table = self.states[row : row + 1]
                following = {"deal": int(table["deal"][0]) + 1} | given
                record = self.game.new_state(seed=int(table["seed"][0]), **following).record
                record["choice"] = table["choice"]
            else:
                record = self.game.new_state(seed=seed, **given).record
            fresh[k : k + 1].view(np.uint8)[:] = record.view(np.uint8)
        batches.put(self.states, rows, fresh)

    def take(self, rows: Array) -> Array:
        """A copy of these rows of ``states``."""
        return batches.take(self.states, rows)

    def _begin(self, rows: Array, seat: int) -> None:
        """Seat everybody in rows whose deal lies ready, and play on to the learner's first turn."""
        waiting = rows
        while len(waiting):
            opponents = self.opponents
            self._told[waiting] = not opponents.listeners
            take_seats(self.states, waiting, seat, opponents.coming, self.seats, opponents.codes, self.players)
            self._turn(waiting, np.full(len(waiting), -1, np.int32), self._uncredited)
            # Where the opponents finished the episode before the learner's first turn, the next one begins.
            waiting = waiting[self.over[waiting]]
            self.game.loops.reset(self.states, self.game.constants, waiting)
        # What has happened so far is credited with the learner's first action.
        self.credited[rows] = 0.0

    # Plays

    def play(self, rows: Array, actions: npt.NDArray[np.int32]) -> None:
        """Play the learners' actions in ``rows`` (none given: in all), and the opponents' until their next turns.

        An illegal action forfeits the episode: whoever wants it refused calls ``game.check_actions`` before.
        """
        self.rewards.fill(0.0)
        self._turn(rows, actions, self.rewards)

    def _turn(self, rows: Array, actions: npt.NDArray[np.int32], rewards: npt.NDArray[np.float32]) -> None:
        game = self.game
        game.loops.turn(
            self.states, game.constants, rows, actions, self.players, self.seats, self.reward,
            self.credited, rewards, self.over,
        )  # fmt: skip
        if self.opponents.outside:
            rows = rows if len(rows) or not len(actions) else np.arange(self.size)
            self._ask_outside(rows, rewards)
            ended = rows[self.over[rows] & ~self._told[rows]]
            self._tell(ended, self.take(ended))

    def _tell(self, rows: Array, last: Array) -> None:
        """Tell those who listen that the episodes of these rows have come to their last states."""
        for k, row in enumerate(rows.tolist()):
            for bot in self.opponents.listening(row):
                bot.over(last[k : k + 1])
        self._told[rows] = True

    def _ask_outside(self, rows: Array, rewards: npt.NDArray[np.float32]) -> None:
        """Let the opponents with an ``act`` of their own play wherever they are on turn in these rows."""
        game = self.game
        to_play = self.states["to_play"]
        while True:
            rows = rows[~self.over[rows] & (to_play[rows] != self.seats[rows])]
            if not len(rows):
                return
            codes = self.opponents.codes[rows, to_play[rows]]
            for code in np.unique(codes).tolist():
                asked = rows[codes == code]
                actions = self._ask(code, asked)
                game.loops.turn(
                    self.states, game.constants, asked, actions, self.players, self.seats, self.reward,
                    self.credited, rewards, self.over,
                )  # fmt: skip

    def _ask(self, code: int, rows: Array) -> npt.NDArray[np.int32]:
        """One opponent's checked actions in these rows; it is handed views and nothing else."""
        game = self.game
        views = self.take(rows)
        game.loops.hide(views, game.constants, views["to_play"].astype(np.int64))
        observations = np.empty((len(rows), game.observation_size), np.uint8)
        masks = np.empty((len(rows), game.num_actions), np.uint8)
        game.loops.look(views, game.constants, batches.NO_SEATS, observations, masks, ALONE)
        random = np.empty(len(rows), np.uint64)
        loops.draws(self.states, rows, random)
        opponent = self.opponents.outside[code]
        played = np.ones(len(rows), np.bool_)
        try:
            answer = opponent.act(views, observations, masks, random)
        except Forfeit as failure:
            answer = failure.actions
            played[list(failure.reasons)] = False
            game.forfeit(self.states, rows[~played])
        try:
            actions = batches.actions(answer, len(rows))
            if played.any():
                game.check_actions(self.states, actions[played], rows[played])
        except ValueError as fault:
            raise type(fault)(f"The opponent {opponent!r} answered badly: {fault}") from fault
        return actions

    # What learners see

    def look(self, observations: Array, masks: Array) -> None:
        """Fill observations and masks (uint8, a row each) for the learners; no legal action where it is over."""
        self.game.loops.look(self.states, self.game.constants, self.seats, observations, masks, ALONE)

    def last_observations(self, rows: Array) -> npt.NDArray[np.uint8]:
        """What the learners of these rows see, uint8 (len(rows), observation_size)."""
        out = np.empty((len(rows), self.game.observation_size), np.uint8)
        self.game.loops.look(self.take(rows), self.game.constants, self.seats[rows], out, batches.NO_ROWS, ALONE)
        return out

    def results(self, rows: Array) -> dict[str, Array]:
        """How the episodes of these rows stand, by seat: points, returns, scores and settlement."""
        game = self.game
        states = self.take(rows)
        return {
            "points": game.points(states),
            "returns": game.returns(states, REWARDS[self.reward]),
            "scores": game.scores(states),
            "settlement": game.settlement(states),
        }

    def sample_actions(self) -> npt.NDArray[np.int32]:
        """A uniform legal action for each learner, int32 (size,), from its table's own choices; -1 where over."""
        out = np.empty(self.size, np.int32)
        self.game.loops.sample(self.states, self.game.constants, out, ALONE)
        return out

    def greedy_actions(self) -> npt.NDArray[np.int32]:
        """What the game's greedy player would play for each learner, int32 (size,); -1 where over."""
        out = np.empty(self.size, np.int32)
        self.game.loops.greedy(self.states, self.game.constants, out, ALONE)
        return out

    # All or nothing

    def _memory(self) -> list[Array]:
        return [
            self.states,
            self.seats,
            self.players,
            self.credited,
            self.over,
            self.begun,
            self._told,
            self.opponents.codes,
        ]

    def __enter__(self) -> None:
        """What is done inside ``with tables`` is undone if an opponent with an ``act`` of its own fails."""
        self._before = [array.tobytes() for array in self._memory()] if self.opponents.outside else None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._before is not None:
            for array, content in zip(self._memory(), self._before, strict=True):
                array.view(np.uint8).reshape(-1)[:] = np.frombuffer(content, np.uint8)
        self._before = None
