"""The verbs of a game over arrays of states, one row a table.

Every verb checks its arguments, writes only where it says, and refuses arrays of another game, variant or layout. A
verb that takes ``threads`` shares the rows among so many; results do not depend on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from card_envs import batches, loops
from card_envs.checks import choice, flag
from card_envs.errors import IllegalAction
from card_envs.jit import frozen, not_compiled
from card_envs.kernel import BROKEN, FINE, FOREIGN, IS_VIEW, UNFIT
from card_envs.loops import Loops
from card_envs.record import REWARDS, SETTLEMENT
from card_envs.threads import ALONE, is_one, share_out

if TYPE_CHECKING:
    from card_envs.state import State

Array = npt.NDArray[Any]


def _size(states: Any) -> int:
    """Rows of what should be an array of states; the full check comes later."""
    return states.size if isinstance(states, np.ndarray) else 0


class Verbs(ABC):
    """What ``game.Game`` can do with many tables at once."""

    dtype: ClassVar[np.dtype[Any]]
    loops: ClassVar[Loops]
    rules: Any
    rules_id: int
    constants: Array
    num_players: int
    num_actions: int
    observation_size: int
    max_plays: int

    @abstractmethod
    def state(self, states: Array, i: int) -> State:
        """Row ``i`` as a single state."""

    @abstractmethod
    def describe(self) -> str:
        """The game and its rules on one line."""

    def new_states(self, seeds: npt.ArrayLike) -> Array:
        """Fresh tables, uint64 (N,) seeds to a structured array (N,); row i equals ``new_state(seed=seeds[i])``."""
        seeds = batches.seeds(seeds)
        states = np.zeros(len(seeds), self.dtype)
        self.loops.new(states, self.constants, seeds)
        return states

    def reset(self, states: Array, where: npt.ArrayLike | None = None) -> None:
        """Begin the next episode of the rows where the bool (N,) ``where`` is true (None: of all), in place."""
        states = self._checked(states, write=True, views=False)
        self.loops.reset(states, self.constants, batches.marked(where, len(states)))

    def sample_actions(self, states: Array, out: Array | None = None, *, threads: int = 1) -> npt.NDArray[np.int32]:
        """A uniform legal action per row, int32 (N,), from the table's stream; -1 where the episode is over."""
        answer = np.empty(_size(states), batches.INT32) if out is None else out
        found = UNFIT
        if type(states) is type(answer) is np.ndarray and is_one(threads):
            try:
                found = self.loops.sample_fast(states, self.constants, answer, ALONE)
            except Exception:  # numba's error for arguments not compiled for: below they get a sentence
                found = UNFIT
        if found != FINE:
            self._sample_checked(states, answer, threads)
        return answer

    def greedy_actions(self, states: Array, out: Array | None = None, *, threads: int = 1) -> npt.NDArray[np.int32]:
        """The greedy player's actions, int32 (N,): it reads what the seat to play may see; -1 where over."""
        checked = self._checked(states)
        self._check_seats(checked, self.to_play(checked))
        answer = batches.output("out", out, (len(checked),), batches.INT32)
        share_out(threads, len(checked), self.loops.greedy, checked, self.constants, answer)
        return answer

    def step(
        self,
        states: Array,
        actions: npt.ArrayLike,
        auto_reset: bool = True,
        observations: Array | None = None,
        masks: Array | None = None,
        *,
        threads: int = 1,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Play one action in each row, in place.

        actions: integers (N,), for the seats to play.
        auto_reset: rows whose episode ends begin the next one; otherwise they stay, and -1 passes over them.
        observations: uint8 (N, observation_size) and masks: uint8 (N, num_actions), filled for the seat
            then to play (over: seat 0 and zeros).

        Returns the "points" rewards, float32 (N, num_players), and which episodes are over, bool (N,).
        Raises ``IllegalAction`` naming the rows if an action is illegal, and then changes nothing.
        """
        size = _size(states)
        rewards = np.empty((size, self.num_players), batches.FLOAT32)
        over = np.empty(size, batches.BOOL)
        seen = batches.NO_OUTPUT if observations is None else observations
        allowed = batches.NO_OUTPUT if masks is None else masks
        found = UNFIT
        played = actions if batches.are_plain(actions) else batches.narrowed(actions, size)
        plain = type(states) is type(seen) is type(allowed) is np.ndarray and played is not None
        if plain and type(auto_reset) is bool and is_one(threads):
            try:
                found = self.loops.step_fast(
                    states, self.constants, played, auto_reset, rewards, over, seen, allowed, ALONE
                )
            except Exception:  # numba's error for arguments not compiled for: below they get a sentence
                found = UNFIT
        if found != FINE:
            self._step_checked(states, actions, auto_reset, rewards, over, observations, masks, threads)
        return rewards, over

    def observations(
        self, states: Array, seats: npt.ArrayLike | None = None, out: Array | None = None, *, threads: int = 1
    ) -> npt.NDArray[np.uint8]:
        """Observations, uint8 (N, observation_size), of ``seats`` (N,) or of the seats to play (over: seat 0)."""
        out = batches.output("out", out, (_size(states), self.observation_size), batches.UINT8)
        self._look(states, seats, out, batches.NO_OUTPUT, threads)
        return out

    def masks(
        self, states: Array, seats: npt.ArrayLike | None = None, out: Array | None = None, *, threads: int = 1
    ) -> npt.NDArray[np.uint8]:
        """Action masks, uint8 (N, num_actions), 1 = legal; zeros for a seat that is not on turn."""
        out = batches.output("out", out, (_size(states), self.num_actions), batches.UINT8)
        self._look(states, seats, batches.NO_OUTPUT, out, threads)
        return out

    def to_play(self, states: Array) -> npt.NDArray[np.int8]:
        """Seat on turn in each row, int8 (N,), -1 where the episode is over."""
        return self._checked(states)["to_play"].copy()

    def is_over(self, states: Array) -> npt.NDArray[np.bool_]:
        """Whether each episode is over, bool (N,)."""
        return self._checked(states)["over"] != 0

    def points(self, states: Array) -> npt.NDArray[np.int64]:
        """Points of the last deal counted in this episode, int64 (N, num_players)."""
        return self._checked(states)["points"][:, : self.num_players].astype(np.int64)

    def scores(self, states: Array) -> npt.NDArray[np.int64]:
        """Match scores, int64 (N, num_players); zeros outside a match."""
        states = self._checked(states)
        if not self.rules.match:
            return np.zeros((len(states), self.num_players), np.int64)
        return (states["start"].astype(np.int64) + states["total"])[:, : self.num_players]

    def returns(self, states: Array, reward: str = "points") -> npt.NDArray[np.float64]:
        """Zero-sum returns so far in this episode, float64 (N, num_players), by any of the rewards."""
        choice("reward", reward, REWARDS)
        states = self._checked(states)
        out = np.empty((len(states), self.num_players), np.float64)
        self.loops.outcomes(states, self.constants, REWARDS.index(reward), out)
        return out

    def settlement(self, states: Array) -> npt.NDArray[np.int64]:
        """What a finished match pays each seat in money, int64 (N, num_players); zeros until then."""
        states = self._checked(states)
        out = np.zeros((len(states), self.num_players), np.float64)
        kept = states["forfeit"] < 0
        whole = batches.copy(states[kept])
        paid = np.empty((len(whole), self.num_players), np.float64)
        self.loops.outcomes(whole, self.constants, SETTLEMENT, paid)
        out[kept] = paid
        return out.astype(np.int64)

    def views(self, states: Array, seats: npt.ArrayLike | None = None) -> Array:
        """Copies of the rows with everything blanked that ``seats`` (None: the seats to play) cannot know."""
        states = self._checked(states)
        seats = self._seats(states, seats)
        views = batches.copy(states)
        self.loops.hide(views, self.constants, seats)
        return views

    def history(self, states: Array, seats: npt.ArrayLike | None = None) -> npt.NDArray[np.int32]:
        """The plays of the deal in play, in order, int32 (N, max_plays), -1 after the last.

        A play is ``relative seat * num_actions + action``, the seats counted from ``seats`` (None: the seat to
        play): numbers below ``num_actions`` are the seat's own plays.
        """
        states = self._checked(states)
        seats = self._seats(states, seats)
        codes = states["history"][:, : self.max_plays].astype(np.int32)
        seat, action = np.divmod(codes, self.num_actions)
        relative = (seat - seats[:, None]) % self.num_players
        played = np.arange(self.max_plays) < states["plays"][:, None]
        return np.where(played, relative * self.num_actions + action, -1).astype(np.int32)

    def draws(self, states: Array, rows: npt.ArrayLike | None = None) -> npt.NDArray[np.uint64]:
        """A random word from the stream of each of ``rows`` (M,), uint64 (M,); the streams advance.

        rows: row numbers; None for all rows. A row named twice draws twice.
        """
        states = self._checked(states, write=True, views=False)
        chosen = batches.rows(rows, len(states))
        out = np.empty(len(chosen), np.uint64)
        loops.draws(states, chosen, out)
        return out

    def forfeit(self, states: Array, rows: npt.ArrayLike | None) -> None:
        """End the episodes of ``rows`` (M,), in place: the seats on turn lose them, as by an illegal action.

        rows: row numbers, each once; None for all rows. The offender gets the least possible return of every reward,
        the others share it. Raises ``ValueError`` where an episode is over already, and then changes nothing.
        """
        states = self._checked(states, write=True, views=False)
        chosen = batches.rows(rows, len(states))
        ordered = np.sort(chosen)
        twice = np.flatnonzero(ordered[1:] == ordered[:-1])
        if len(twice):
            raise ValueError(f"rows name row {ordered[twice[0]]} twice: an episode can be forfeited once.")
        wrong = chosen[states["to_play"][chosen] < 0]
        if len(wrong):
            raise ValueError(f"The episode of row {wrong[0]} is over already: nobody is on turn who could forfeit it.")
        loops.forfeit(states, chosen)

    # The slow path: what the fast one has refused, checked one by one

    def _sample_checked(self, states: Array, out: Array, threads: int) -> None:
        states = batches.check_states(states, self.dtype, write=True)
        out = batches.output("out", out, (len(states),), batches.INT32)
        self._refuse(share_out(threads, len(states), self.loops.sample, states, self.constants, out))
        if self.loops.sample_fast is not_compiled:
            self.loops.sample_fast = frozen(self.loops.sample)

    def _step_checked(
        self,
        states: Array,
        actions: npt.ArrayLike,
        auto_reset: bool,
        rewards: Array,
        over: Array,
        observations: Array | None,
        masks: Array | None,
        threads: int,
    ) -> None:
        states = batches.check_states(states, self.dtype, write=True)
        played = batches.actions(actions, len(states))
        seen = self._output("observations", observations, len(states), self.observation_size)
        allowed = self._output("masks", masks, len(states), self.num_actions)
        to_reset = flag("auto_reset", auto_reset)
        given = (states, self.constants, played, to_reset, rewards, over, seen, allowed)
        found = share_out(threads, len(states), self.loops.step, *given)
        if self.loops.step_fast is not_compiled:
            self.loops.step_fast = frozen(self.loops.step)
        if found != FINE:
            self._refuse(found)
            self.explain(states, played, None, not to_reset)

    # Checks

    def check_actions(
        self,
        states: Array,
        actions: npt.ArrayLike,
        rows: npt.ArrayLike | None = None,
        *,
        pass_over: bool = False,
    ) -> None:
        """Raise ``IllegalAction`` unless every one of ``actions`` (M,) is legal in its row; nothing is changed.

        rows: the rows they are for, row numbers (M,); None for all rows. pass_over: -1 is allowed where the episode is
        over.
        """
        states = batches.check_states(states, self.dtype)
        chosen = None if rows is None else batches.rows(rows, len(states))
        asked = states if chosen is None else batches.take(states, chosen)
        played = batches.actions(actions, len(asked))
        found = self.loops.check_actions(asked, self.constants, played, flag("pass_over", pass_over))
        if found != FINE:
            self._refuse(found)
            self.explain(asked, played, chosen, pass_over)

    def explain(self, states: Array, actions: Array, rows: Array | None = None, pass_over: bool = False) -> None:
        """Raise the ``IllegalAction`` that says which of these actions (N,) are illegal and why; ``rows``: what the
        rows are called (None: as they are numbered)."""
        over = states["over"] != 0
        index = np.arange(len(states))
        legal = (actions >= 0) & (actions < self.num_actions)
        legal &= self.masks(states)[index, np.where(legal, actions, 0)] != 0
        if pass_over:
            legal |= over & (actions == -1)
        wrong = np.flatnonzero(~legal)
        names = (wrong if rows is None else rows[wrong]).tolist()
        first = self.state(states, int(wrong[0]))
        listed = f"{names[:20]}{' and more' if len(names) > 20 else ''}"
        raise IllegalAction(
            f"{len(names)} of {len(states)} actions are illegal, in rows {listed}; row {names[0]}: "
            f"{first.refusal(int(actions[wrong[0]]))}"
        )

    def _refuse(self, found: int) -> None:
        if found == FOREIGN:
            raise ValueError(
                f"These states were not made by this game ({self.describe()}): make them with its new_states."
            )
        if found == BROKEN:
            raise ValueError("Some rows name seats that this game does not have: something else has written into them.")
        if found == IS_VIEW:
            raise ValueError("These are views of a seat: they can be looked at, but not played, sampled in or reset.")

    def _checked(self, states: Array, *, write: bool = False, views: bool = True) -> Array:
        states = batches.check_states(states, self.dtype, write=write)
        found = self.loops.check(states, self.constants)
        if not (views and found == IS_VIEW):
            self._refuse(found)
        return states

    def _check_seats(self, states: Array, seats: Array) -> None:
        viewers = states["viewer"]
        wrong = np.flatnonzero((viewers >= 0) & (seats >= 0) & (viewers != seats))
        if len(wrong):
            row = int(wrong[0])
            raise ValueError(
                f"Row {row} is the view of seat {viewers[row]}, which cannot be asked for seat {seats[row]}."
            )

    def _seats(self, states: Array, seats: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        """Seats to look from: those given, or the viewer of a view, or the seat to play."""
        viewers = states["viewer"].astype(np.int64)
        if seats is None:
            return np.where(viewers >= 0, viewers, np.maximum(states["to_play"], 0)).astype(np.int64)
        chosen = batches.seats(seats, len(states), self.num_players)
        self._check_seats(states, chosen)
        return chosen

    def _look(self, states: Array, seats: Any, observations: Array, masks: Array, threads: int) -> None:
        states = batches.check_states(states, self.dtype)
        chosen = batches.NO_SEATS if seats is None else self._seats(self._checked(states), seats)
        given = (states, self.constants, chosen, observations, masks)
        self._refuse(share_out(threads, len(states), self.loops.look_shared, *given, alone=self.loops.look))

    def _output(self, name: str, array: Array | None, size: int, width: int) -> Array:
        return batches.NO_OUTPUT if array is None else batches.output(name, array, (size, width), batches.UINT8)
