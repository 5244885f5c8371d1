"""Open cards: the worlds that a seat holds possible (determinizations), and the double-dummy values of actions.

The code that knows a game is in the game's folder: ``worlds.imagine`` and ``solver.SOLVER``. A solver is loaded on
first use, never when a game or an environment is made.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from card_envs import batches
from card_envs.checks import whole_number
from card_envs.jit import njit
from card_envs.kernel import Kernel
from card_envs.state import State
from card_envs.verbs import Array, Verbs

MOST_WORLDS = 10**7


@dataclass(frozen=True)
class Solver:
    """Play with open cards: scalar functions over one full state ``s`` of a game with the constants ``g``.

    A *value* is what the seat to play gets from the deal, in ``unit``, when all play their best from here on.

    ================================  =====================================================================
    ``exact(s, g)``                   whether ``values`` are exact here
    ``settled(s, g)``                 whether the seat to play can work out every hidden card, and ``values`` are
                                      exact: play is then of perfect information. Reads a view as well
    ``values(s, g, memory, out)``     write the exact value of each legal action to ``out`` (num_actions,), float64
    ``estimates(s, g, memory, out)``  the same, exact or nearly so, fast enough for many worlds
    ``worth(s, g, value)``            the "points" return of the deal that such a value brings the seat to play
    ================================  =====================================================================

    unit: what values count, a plural: "honours".
    bounds: the least and the greatest value there is, for a game.
    memory: makes, for a game, the workspace of ``values`` and ``estimates``, of a fixed size, for one thread;
        its contents between calls affect only how long they take.
    """

    unit: str
    bounds: Callable[[Any], tuple[float, float]]
    memory: Callable[[Any], Any]
    exact: Callable[..., Any]
    settled: Callable[..., Any]
    values: Callable[..., Any]
    estimates: Callable[..., Any]
    worth: Callable[..., Any]


@dataclass(frozen=True)
class OpenLoops:
    """The compiled verbs over arrays of states that need a solver."""

    exact: Callable[..., Any]
    settled: Callable[..., Any]
    values: Callable[..., Any]
    worth: Callable[..., Any]


@cache
def build_open_loops(kernel: Kernel, solver: Solver, owner: str) -> OpenLoops:
    """Compile them for one game; ``owner`` is its name."""
    compiled = partial(njit, owner=owner)
    legal, words_of_a_set = kernel.legal, kernel.words
    is_exact, is_settled, write_values = solver.exact, solver.settled, solver.values
    worth_of = solver.worth

    @compiled
    def exact(states: Any, constants: Any, out: Any) -> None:
        for i in range(len(states)):
            out[i] = states[i].over == 0 and is_exact(states[i], constants[0])

    @compiled
    def settled(states: Any, constants: Any, out: Any) -> None:
        for i in range(len(states)):
            out[i] = states[i].over == 0 and is_settled(states[i], constants[0])

    @compiled
    def values(states: Any, constants: Any, memory: Any, out: Any) -> None:
        """Values of the legal actions of each row, NaN elsewhere."""
        g = constants[0]
        row = np.empty(g.num_actions)
        words = np.empty(words_of_a_set, np.uint64)
        for i in range(len(states)):
            s = states[i]
            words[:] = np.uint64(0)
            legal(s, g, words)
            write_values(s, g, memory, row)
            for action in range(g.num_actions):
                is_legal = (words[action >> 6] >> np.uint64(action & 63)) & np.uint64(1) != np.uint64(0)
                out[i, action] = row[action] if is_legal else np.nan

    @compiled
    def worth(states: Any, constants: Any, values: Any, out: Any) -> None:
        for i in range(len(states)):
            out[i] = worth_of(states[i], constants[0], values[i])

    return OpenLoops(exact, settled, values, worth)


class OpenCards(Verbs):
    """What ``game.Game`` can do with the hidden cards of a position."""

    kernel: ClassVar[Kernel]
    name: ClassVar[str]

    @abstractmethod
    def check_rows(self, states: Array) -> None:
        """Raise ``ValueError`` unless every row is a position that can arise in play, or a view of one."""

    @property
    @abstractmethod
    def solver(self) -> Solver:
        """How the game is played with open cards; loaded on first use."""

    @property
    def open_loops(self) -> OpenLoops:
        """Compiled on first use."""
        return build_open_loops(self.kernel, self.solver, self.name)

    def sample_worlds(self, view: State, n: int, random: int | np.random.Generator) -> Array:
        """Full states that the seat of a view holds possible, records (n,).

        They are drawn uniformly from the packs, in their whole order, that agree with all that the seat has seen: its
        own cards, every play, pack cards openly known, and what others have shown they do not hold. The hands are then
        not uniform: some come from more packs than others.

        view: a view, ``state.view(seat)``. n: how many worlds. random: a whole number (mod 2**64) that decides them,
        or a generator to draw that number from. The seed and stream of each world are random.

        Raises ``ValueError`` for a full state: its hidden cards would not be used, and a player should not have them.
        """
        if not isinstance(view, State) or view.game != self or view.viewer is None:
            raise ValueError(
                f"sample_worlds draws from a view of {self.describe()}, not {type(view).__name__}: "
                "make one with state.view(seat), or game.state(views, i).view() of a row of views."
            )
        self.check_rows(view.record)
        count = whole_number("n", n, 0, MOST_WORLDS)
        if isinstance(random, np.random.Generator):
            random = int(random.integers(2**64, dtype=np.uint64))
        seeds = np.random.SeedSequence(batches.seed(random)).generate_state(count, np.uint64)
        worlds = batches.take(view.record, np.zeros(count, np.int64))
        self.loops.imagine(worlds, self.constants, seeds)
        return worlds

    def is_exact(self, states: Array) -> npt.NDArray[np.bool_]:
        """Whether ``open_values`` are available in each row, bool (N,)."""
        return self._asked(self.open_loops.exact, states)

    def is_settled(self, states: Array) -> npt.NDArray[np.bool_]:
        """Whether the seat to play can work out every hidden card, so that play is of perfect information, bool (N,).

        Only where ``open_values`` are exact as well. It reads what the seat may see.
        """
        return self._asked(self.open_loops.settled, states)

    def _asked(self, question: Callable[..., Any], states: Array) -> npt.NDArray[np.bool_]:
        states = self._checked(states)
        out = np.empty(len(states), np.bool_)
        question(states, self.constants, out)
        return out

    def open_values(self, states: Array) -> npt.NDArray[np.float64]:
        """What each legal action is worth with open cards, float64 (N, num_actions), NaN elsewhere.

        In ``solver.unit`` of the deal in play, for the seat to play when all play their best from here on. Raises
        ``ValueError`` for views, for rows that hold no position (``check_rows``), and naming the rows where the answer
        cannot be exact (``is_exact``).
        """
        states = self._checked(states, views=False)
        self.check_rows(states)
        wrong = np.flatnonzero(~self.is_exact(states))
        if len(wrong):
            raise ValueError(
                f"{len(wrong)} of {len(states)} rows cannot be solved, row {wrong[0]} the first: check is_exact before."
            )
        out = np.empty((len(states), self.num_actions))
        self.open_loops.values(states, self.constants, self.solver.memory(self), out)
        return out

    def open_worth(self, states: Array, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The "points" return of the deal in play that ``values`` (N,) bring the seats to play, float64 (N,).

        values: in ``solver.unit``, one for each row, such as the best of its ``open_values``. Raises ``ValueError`` for
        a number that cannot be a value of this game (``solver.bounds``).
        """
        states = self._checked(states)
        given = batches.listed("values", values)
        if given.dtype.kind not in "iuf" or given.shape != (len(states),):
            raise ValueError(
                f"values must be numbers of shape ({len(states)},), one for each row, not {given.dtype} of shape "
                f"{given.shape}."
            )
        least, most = self.solver.bounds(self)
        wrong = np.flatnonzero(~((given >= least) & (given <= most)))
        if len(wrong):
            raise ValueError(
                f"The value {given[wrong[0]]} of row {wrong[0]} is out of range: values are {self.solver.unit}, from "
                f"{least:g} to {most:g}."
            )
        out = np.empty(len(states))
        self.open_loops.worth(states, self.constants, np.ascontiguousarray(given, np.float64), out)
        return out
