"""Tables with a learner at each and opponents at the other seats: the core of all environments.

An environment is a thin adapter around ``Tables``, so that a row of a batch plays what a single environment plays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs import batches, loops
from card_envs.checks import choice, whole_number
from card_envs.envs.choices import EXACT, OPTIONS, checked_options, chosen_reward
from card_envs.envs.episode import Episode
from card_envs.envs.opponents import Opponents
from card_envs.errors import IllegalAction
from card_envs.game import Game
from card_envs.players import ask
from card_envs.record import REWARDS
from card_envs.threads import ALONE

Array = npt.NDArray[Any]

PER_TABLE = ("reward", "opponents", "seat")
"""Settings that may differ from table to table."""

ADVICE = (
    "Choose among the legal ones by action_masks(), as MaskablePPO does, or, for algorithms that know no masks, make "
    'the environment with illegal="lose".'
)
"""What to do about illegal actions."""


class Tables:
    """``size`` tables of a game, each with a learner, whose turn it is whenever its episode is not over.

    opponents: see ``opponents.Opponents``. seat: the learner's, or None to draw it for each episode.
    reward: one of ``record.REWARDS``. loses: whether an illegal action loses the episode.
    exact: the environment returns whole numbers up to this one exactly. notes: whether to note the episode in play.

    Attributes:
        states: the tables, (size,) records.
        seats: the learners' seats, int64 (size,).
        paid: numbers of the rewards that the episodes in play pay, int64 (size,).
        over: whether the episodes are over, bool (size,).
        rewards: what the last ``play`` brought the learners, float64 (size,).
        begun: whether a table has ever been reset, bool (size,).
        opponents: who plays the other seats.
        episode: the episode in play where it is to be noted (one table alone), else None.
    """

    def __init__(
        self,
        game: Game,
        size: int,
        opponents: Any,
        seat: int | None,
        reward: str,
        loses: bool = False,
        exact: float = EXACT,
        notes: bool = False,
    ) -> None:
        self.game = game
        self.size = size
        self.loses = loses
        self.exact = exact
        self.opponents = Opponents(size, game, opponents)
        self.states = np.zeros(size, game.dtype)
        self.seats = np.zeros(size, np.int64)
        self.players = np.zeros((size, game.num_players), np.int8)
        self.credited = np.zeros(size, np.float64)
        self.rewards = np.zeros(size, np.float64)
        self.over = np.zeros(size, np.bool_)
        self.begun = np.zeros(size, np.bool_)
        self._told = np.ones(size, np.bool_)
        """Whether the listeners know that the episode is over."""
        self._uncredited = np.zeros(size, np.float64)
        self._every_row = np.arange(size)
        self._coming_seats = np.zeros(size, np.int64)
        self._coming_rewards = np.zeros(size, np.int64)
        self.choose("seat", seat, None)
        self.choose("reward", reward, None)
        self.paid = self._coming_rewards.copy()
        self._mixed = False  # whether tables pay different rewards, now or from their next episodes on
        self.episode: Episode | None = None
        self._notes = notes
        self._stream = self.states["choice"]

    # Settings of single tables

    def choose(self, name: str, value: Any, where: npt.ArrayLike | None) -> None:
        """Set one of ``PER_TABLE`` from the next episodes on, at all tables or where a bool (size,) is true.

        Raises ``ValueError`` for an invalid value, and then changes nothing.
        """
        chosen = self._checked(name, value)
        if name == "opponents":
            self.opponents.choose(chosen, where)
            return
        rows = batches.marked(where, self.size)
        if name == "reward":
            self._coming_rewards[rows] = chosen
            self._mixed = True  # until the next episodes begin
        else:
            self._coming_seats[rows] = chosen

    def choose_each(self, name: str, values: Sequence[Any]) -> None:
        """The same with a value for each table."""
        for value in values:
            self._checked(name, value)
        opponents = self.opponents
        before = opponents.coming.copy(), opponents.outside, opponents.listeners
        try:
            for row, value in enumerate(values):
                self.choose(name, value, np.arange(self.size) == row)
        except ValueError:  # an opponent for one table alone was given for several
            opponents.coming, opponents.outside, opponents.listeners = before
            raise

    def _checked(self, name: str, value: Any) -> Any:
        if name == "opponents":
            return self.opponents.seated(value)
        if name == "reward":
            return chosen_reward(self.game, value, self.exact)
        return -1 if value is None else whole_number("seat", value, 0, self.game.num_players - 1)

    def setting(self, name: str, row: int) -> Any:
        """One of ``PER_TABLE`` at a table: the seat of the episode in play, the others as they will be next."""
        if name == "opponents":
            return self.opponents.chosen(row)
        return REWARDS[self._coming_rewards[row]] if name == "reward" else int(self.seats[row])

    # Episodes

    def reset(
        self,
        rows: Array,
        seeds: Sequence[int | None] | None,
        options: Mapping[str, Any] | None,
        generator: Callable[[], np.random.Generator],
    ) -> None:
        """Begin an episode in each of ``rows`` and play on to the learner's first turn.

        seeds: one per row, which makes it a fresh table; where it is None, the table's next episode begins.
        options: a pack, dealer, learner's seat or number of the deal for all of them, see ``OPTIONS``.
        generator: returns the generator that seeds the tables which never had a seed.

        Raises ``ValueError`` for invalid options; nothing has then changed.
        """
        chosen: list[int | None] = [None] * len(rows) if seeds is None else list(seeds)
        for k in np.flatnonzero(~self.begun[rows]).tolist():
            if chosen[k] is None:
                chosen[k] = int(generator().integers(2**64, dtype=np.uint64))
        given = checked_options(options)
        for name in given:
            choice("options", name, OPTIONS)
        seats = self._coming_seats[rows]
        if "seat" in given:
            seats[:] = whole_number("options['seat']", given.pop("seat"), 0, self.game.num_players - 1)
        broken_off = rows[~self._told[rows]]
        last = self.take(broken_off)
        if given:
            self._deal_given(rows, chosen, given)
        else:
            self._deal(rows, chosen)
        self._tell(broken_off, last)
        self.begun[rows] = True
        self._begin(rows, seats)

    def advance(self, rows: Array) -> None:
        """Begin the next episode of these rows."""
        self.game.loops.reset(self.states, self.game.constants, rows)
        self._begin(rows, self._coming_seats[rows])

    def _deal(self, rows: Array, seeds: Sequence[int | None]) -> None:
        seeded = np.array([seed is not None for seed in seeds], np.bool_)
        fresh = self.game.new_states(np.array([batches.seed(seed) for seed in seeds if seed is not None], np.uint64))
        batches.put(self.states, rows[seeded], fresh)
        if not seeded.all():
            self.game.loops.reset(self.states, self.game.constants, rows[~seeded])

    def _deal_given(self, rows: Array, seeds: Sequence[int | None], given: dict[str, Any]) -> None:
        """Deal as the options say; tables without a new seed keep their own, and their streams go on."""
        fresh = np.zeros(len(rows), self.game.dtype)
        for k, (row, seed) in enumerate(zip(rows.tolist(), seeds, strict=True)):
            if seed is None:
                table = self.states[row : row + 1]
                following = {"deal": (int(table["deal"][0]) + 1) % 2**64} | given
                record = self.game.new_state(seed=int(table["seed"][0]), **following).record.copy()
                record["choice"] = table["choice"]
            else:
                record = self.game.new_state(seed=seed, **given).record
            fresh[k : k + 1].view(np.uint8)[:] = record.view(np.uint8)
        batches.put(self.states, rows, fresh)

    def take(self, rows: Array) -> Array:
        """A copy of these rows of ``states``."""
        return batches.take(self.states, rows)

    def _begin(self, rows: Array, seats: npt.NDArray[np.int64]) -> None:
        """Seat everybody in rows that have been dealt, and play on to the learner's first turn."""
        self.paid[rows] = self._coming_rewards[rows]
        if self._mixed:
            self._mixed = len(np.unique([self.paid, self._coming_rewards])) > 1
        waiting = rows
        while len(waiting):
            opponents = self.opponents
            self._told[waiting] = not opponents.listeners
            loops.take_seats(self.states, waiting, seats, opponents.coming, self.seats, opponents.codes, self.players)
            if self._notes:
                names = opponents.names(0, int(self.seats[0]))
                self.episode = Episode(self.states.copy(), self.players[0].copy(), names)
            self._turn(waiting, np.full(len(waiting), -1, np.int32), self._uncredited)
            # Where the opponents finished the episode before the learner's first turn, the next one begins.
            again = self.over[waiting]
            waiting, seats = waiting[again], seats[again]
            if len(waiting):
                self.game.loops.reset(self.states, self.game.constants, waiting)
        # What has happened so far is credited with the learner's first action.
        self.credited[rows] = 0.0

    # Plays

    def check(self, rows: Array | None, actions: npt.NDArray[np.int32]) -> None:
        """Raise ``IllegalAction``, naming the rows, for actions that ``play`` cannot take or that are not legal.

        Where illegal actions lose, only what is no action at all is refused.
        """
        if not len(actions):
            return
        if not self.loses:
            try:
                self.game.check_actions(self.states, actions, rows)
            except IllegalAction as fault:
                raise IllegalAction(f"{fault} {ADVICE}") from None
        elif actions.min() < 0 or actions.max() >= self.game.num_actions:
            wrong = int(np.flatnonzero((actions < 0) | (actions >= self.game.num_actions))[0])
            raise IllegalAction(
                f"Action {actions[wrong]} in row {wrong if rows is None else rows[wrong]} is out of range: give whole "
                f"numbers from 0 to {self.game.num_actions - 1}."
            )

    def play(self, rows: Array | None, actions: npt.NDArray[np.int32]) -> None:
        """Play the learners' actions in ``rows`` (None: in all), and the opponents' until their next turns.

        An illegal action forfeits the episode; call ``check`` first to have it refused instead.
        """
        self.rewards.fill(0.0)
        if self._notes:
            self._note(int(actions[0]))
        self._turn(self._every_row if rows is None else rows, actions, self.rewards)

    def _turn(self, rows: Array, actions: npt.NDArray[np.int32], rewards: npt.NDArray[np.float64]) -> None:
        self._play_inside(rows, actions, rewards)
        if self.opponents.outside:
            self._ask_outside(rows, rewards)
            ended = rows[self.over[rows] & ~self._told[rows]]
            self._tell(ended, self.take(ended))

    def _note(self, action: int) -> None:
        assert self.episode is not None
        self.episode.played.append((action, self._stream.item(0)))

    def _tell(self, rows: Array, last: Array) -> None:
        """Tell the listeners that the episodes of these rows are over, and show them the last states."""
        for k, row in enumerate(rows.tolist()):
            for bot in self.opponents.listening(row):
                bot.over(last[k : k + 1])
        self._told[rows] = True

    def _play_inside(self, rows: Array, actions: npt.NDArray[np.int32], rewards: npt.NDArray[np.float64]) -> None:
        """Play these actions, and the built-in players' after them; every table pays its own reward."""
        if not self._mixed:
            self._play_for(int(self.paid[0]), rows, actions, rewards)
            return
        paid = self.paid[rows]
        for reward in np.unique(paid).tolist():
            some = paid == reward
            self._play_for(reward, rows[some], actions[some], rewards)

    def _play_for(
        self, reward: int, rows: Array, actions: npt.NDArray[np.int32], rewards: npt.NDArray[np.float64]
    ) -> None:
        self.game.loops.turn(
            self.states, self.game.constants, rows, actions, self.players, self.seats, reward,
            self.credited, rewards, self.over,
        )  # fmt: skip

    def _ask_outside(self, rows: Array, rewards: npt.NDArray[np.float64]) -> None:
        """Let the opponents that are objects with ``act`` play wherever they are on turn in these rows."""
        to_play = self.states["to_play"]
        while True:
            rows = rows[~self.over[rows] & (to_play[rows] != self.seats[rows])]
            if not len(rows):
                return
            codes = self.opponents.codes[rows, to_play[rows]]
            for code in np.unique(codes).tolist():
                asked = rows[codes == code]
                actions = self._ask(code, asked)
                if self._notes:
                    self._note(int(actions[0]))
                self._play_inside(asked, actions, rewards)

    def _ask(self, code: int, rows: Array) -> npt.NDArray[np.int32]:
        """One opponent's checked actions in these rows; it gets views and nothing else."""
        game = self.game
        views = self.take(rows)
        game.loops.hide(views, game.constants, views["to_play"].astype(np.int64))
        random = np.empty(len(rows), np.uint64)
        loops.draws(self.states, rows, random)
        opponent = self.opponents.outside[code]
        actions, reasons = ask(game, opponent, f"The opponent {opponent!r}", views, random)
        if reasons:
            game.forfeit(self.states, rows[list(reasons)])
        return actions

    # What learners see

    def look(self, observations: Array, masks: Array) -> None:
        """Fill observations and masks (uint8, a row each) for the learners; no legal action where it is over."""
        self.game.loops.look(self.states, self.game.constants, self.seats, observations, masks)

    def last_observations(self, rows: Array) -> npt.NDArray[np.uint8]:
        """What the learners of these rows see, uint8 (len(rows), observation_size)."""
        out = np.empty((len(rows), self.game.observation_size), np.uint8)
        self.game.loops.look(self.take(rows), self.game.constants, self.seats[rows], out, batches.NO_OUTPUT)
        return out

    def results(self, rows: Array) -> dict[str, Array]:
        """How the episodes of these rows stand, by seat: points, returns, scores and settlement."""
        game = self.game
        states = self.take(rows)
        returns = np.empty((len(rows), game.num_players))
        for reward in np.unique(self.paid[rows]).tolist():
            some = self.paid[rows] == reward
            returns[some] = game.returns(batches.take(states, some), REWARDS[reward])
        return {
            "points": game.points(states),
            "returns": returns,
            "scores": game.scores(states),
            "settlement": game.settlement(states),
        }

    def sample_actions(self) -> npt.NDArray[np.int32]:
        """A uniform legal action for each learner, int32 (size,), from its table's stream; -1 where over."""
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
            self.states, self.seats, self.players, self.credited, self.over, self.begun, self._told,
            self.opponents.codes, self.paid,
        ]  # fmt: skip

    @contextmanager
    def all_or_nothing(self, always: bool = False) -> Iterator[None]:
        """Undo everything done inside if it fails.

        Only an opponent that is an object can fail, so without one there is nothing to undo, unless ``always`` asks for
        it: for several resets in turn.
        """
        if not (always or self.opponents.outside):
            yield
            return
        before = [array.tobytes() for array in self._memory()]
        episode = self.episode
        noted = 0 if episode is None else len(episode.played)
        try:
            yield
        except BaseException:
            self.episode = episode
            if episode is not None:
                del episode.played[noted:]
            for array, content in zip(self._memory(), before, strict=True):
                array.view(np.uint8).reshape(-1)[:] = np.frombuffer(content, np.uint8)
            self._mixed = True
            raise
