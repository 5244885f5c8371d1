"""One table, for people: a position to inspect, print, play on and copy."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from card_envs import batches, public
from card_envs.cards import NAMES
from card_envs.checks import choice, shown
from card_envs.errors import IllegalAction
from card_envs.kernel import BROKEN, FINE, FOREIGN, IS_VIEW
from card_envs.render.plays import translated

if TYPE_CHECKING:
    from card_envs.game import Game

Reader = TypeVar("Reader", bound=Callable[..., Any])


def legible(read: Reader) -> Reader:
    """Make a reader of states raise a sentence where the row holds no position."""

    @functools.wraps(read)
    def reader(self: State, *args: Any, **kwargs: Any) -> Any:
        try:
            return read(self, *args, **kwargs)
        except (ArithmeticError, LookupError, TypeError) as fault:
            raise ValueError(
                f"This row holds no position of {self.game.describe()}, so something else has written into it "
                f"({fault}): game.check_rows tells such rows."
            ) from None

    return reader  # type: ignore[return-value]


class State:
    """One table of a game, made by ``game.new_state``, ``game.state`` or ``view``.

    >>> import card_envs
    >>> game = card_envs.make_game("elfern")
    >>> state = game.new_state(seed=7)
    >>> state.play(state.legal_actions()[0])
    >>> state.clone().history == state.history
    True
    """

    __slots__ = ("_constants", "_play", "_row", "game")

    def __init__(self, game: Game, row: npt.NDArray[Any]) -> None:
        self.game = game
        self._row = row
        self._constants = game.constants
        self._play = game.loops.play

    @property
    def record(self) -> npt.NDArray[Any]:
        """The state as a read-only array of one row, for the verbs of the game that only look.

        It is a copy, so verbs that play or sample would not affect this state, and refuse it: use ``sample_action`` and
        ``play``, or go on with ``state.record.copy()``.
        """
        row = batches.copy(self._row)
        row.flags.writeable = False
        return row

    # What everyone sees

    @property
    def to_play(self) -> int:
        """Seat on turn, or -1 when the episode is over."""
        return int(self._row["to_play"][0])

    @property
    def is_over(self) -> bool:
        """Whether the episode is over."""
        return bool(self._row["over"][0])

    @property
    def dealer(self) -> int:
        """Seat that dealt."""
        return int(self._row["dealer"][0])

    @property
    def viewer(self) -> int | None:
        """Seat that a view belongs to; None for a full state."""
        viewer = int(self._row["viewer"][0])
        return viewer if viewer >= 0 else None

    @property
    @legible
    def table(self) -> list[str]:
        """Names of the cards that lie open on the table."""
        return self.game.table_cards(self._row[0])

    @property
    @legible
    def history(self) -> list[tuple[int, str]]:
        """The plays of the deal in play, as (seat, name of the action)."""
        codes = self._row["history"][0, : int(self._row["plays"][0])].tolist()
        pairs = (divmod(code, self.game.num_actions) for code in codes)
        return [(seat, self.game.action_name(action)) for seat, action in pairs]

    def points(self) -> npt.NDArray[np.int64]:
        """Points of the last deal counted in this episode, int64 (num_players,)."""
        return self.game.points(self._row)[0]

    def scores(self) -> npt.NDArray[np.int64]:
        """Match scores, int64 (num_players,); zeros outside a match."""
        return self.game.scores(self._row)[0]

    def returns(self, reward: str = "points") -> npt.NDArray[np.float64]:
        """Zero-sum returns so far, float64 (num_players,)."""
        return self.game.returns(self._row, reward)[0]

    def settlement(self) -> npt.NDArray[np.int64]:
        """What a finished match pays each seat in money, int64 (num_players,); zeros until then."""
        return self.game.settlement(self._row)[0]

    # What a seat sees

    def legal_actions(self, seat: int | None = None) -> npt.NDArray[np.int64]:
        """Legal actions of a seat (None: the seat to play), ascending; empty when over or not on turn."""
        return np.flatnonzero(self.action_mask(seat))

    def action_mask(self, seat: int | None = None) -> npt.NDArray[np.uint8]:
        """Mask of the legal actions of a seat, uint8 (num_actions,), 1 = legal."""
        return self.game.masks(self._row, seat)[0]

    def observation(self, seat: int | None = None) -> npt.NDArray[np.uint8]:
        """What a seat sees (None: the seat to play; over: seat 0), uint8 (observation_size,)."""
        return self.game.observations(self._row, seat)[0]

    @legible
    def hand(self, seat: int) -> list[str]:
        """Names of the cards a seat holds; ``ValueError`` where this view does not show them."""
        return self.game.pack.set_names(self.game.hand_cards(self._row[0], self._seat(seat)))

    def view(self, seat: int | None = None) -> State:
        """The position as a seat (None: the seat to play) may know it: everything hidden is blank."""
        return State(self.game, self.game.views(self._row, seat))

    @legible
    def public(self, seat: int | None = None) -> dict[str, Any]:
        """What a seat (None: the seat to play) may see, as data for JSON (``Game.public``)."""
        return public.position(self.view(seat))

    @legible
    def text(self, seat: int | None = None, *, names: str = "en") -> str:
        """A page about the position with what a seat (None: the seat to play) may see.

        names: language of the cards' names, ``"en"``, ``"ru"`` or ``"de"``.
        """
        page = str(self.game.page(self._row[0], self._seat(seat)))
        return page if choice("names", names, NAMES) == "en" else translated(page, names)

    @legible
    def __str__(self) -> str:
        """A page with everything there is to see: all hands, or in a view what its seat may see."""
        return str(self.game.page(self._row[0], self.viewer))

    @legible
    def to_svg(
        self,
        seat: int | str | None = None,
        *,
        marks: Mapping[int | str, float] | None = None,
        width: int = 720,
        names: str = "en",
    ) -> str:
        """The position as a picture, an SVG document: what a seat (None: the seat to play) may see, or ``"all"``.

        marks: weights of actions, by number or name, that the seat to play would take (0 or more; in per cent where
            they add up to 1): drawn on its cards, with arrows to what they take from the table.
        width: in pixels; the height goes with it, and is the same for all positions of a game without marks.
        names: language of the cards' names, ``"en"``, ``"ru"`` or ``"de"``.

        Raises ``ValueError`` in a view for what it does not show, and for marks on cards that are not seen.

        >>> import card_envs
        >>> state = card_envs.make_game("konchinka").new_state(seed=7)
        >>> state.to_svg().count('class="card"'), state.to_svg("all").count('class="card"')
        (8, 52)
        """
        from card_envs.render import svg

        if seat == "all":
            if self.viewer is not None:
                raise ValueError(f"This is the view of seat {self.viewer}, so it cannot show all: ask the state.")
            return svg.draw(self.game, self._row[0], None, marks=self._marks(marks, None), width=width, names=names)
        if isinstance(seat, str):
            raise ValueError(f"seat={shown(seat)} is unknown: give the number of a seat, or 'all'.")
        view = self.view(seat)
        return svg.draw(
            self.game, view._row[0], view.viewer, marks=self._marks(marks, view.viewer), width=width, names=names
        )

    def _repr_svg_(self) -> str:
        """What a notebook shows: no more than the seat to play may see."""
        return self.to_svg()

    def _marks(self, marks: Mapping[int | str, float] | None, seat: int | None) -> dict[int, float]:
        """Marks by number; ``ValueError`` for what the seat to play cannot play, or where its hand is not shown."""
        if not marks:
            return {}
        if not isinstance(marks, Mapping):
            raise ValueError(f"marks={shown(marks)} must map actions to weights, as in {{action: 0.5}}.")
        if seat is not None and seat != self.to_play:
            raise ValueError(f"The picture for seat {seat} cannot have marks: seat {self.to_play} is to play.")
        legal = set(self.legal_actions().tolist())
        numbers = [self._number(action) for action in marks]
        for number in numbers:
            if number not in legal:
                raise IllegalAction(f"There can be no mark: {self.refusal(number)}")
        return dict(zip(numbers, marks.values(), strict=True))

    def __repr__(self) -> str:
        whose = "" if self.viewer is None else f" seen from seat {self.viewer}"
        turn = "over" if self.is_over else f"seat {self.to_play} to play"
        return f"<{self.game.name}{whose}: {turn}, {len(self.history)} plays>"

    def _seat(self, seat: int | None) -> int:
        return int(self.game._seats(self._row, seat)[0])

    # Playing on

    def sample_action(self) -> int:
        """A uniform legal action from the table's stream, which it advances; -1 when the episode is over.

        ``ValueError`` in a view, which has no stream.
        """
        return int(self.game.sample_actions(self._row)[0])

    def greedy_action(self) -> int:
        """The action of the game's greedy player, which knows no more than the seat to play; -1 when it is over."""
        return int(self.game.greedy_actions(self._row)[0])

    def ask(self, player: Any, *, seed: int = 0) -> int:
        """The action that a player would play here; the state stays as it is.

        player: a name, as commands take it (``"ppo"``, ``"pimc:100"``), or an object with ``act``. It is handed the
            view of the seat to play. seed: decides its random choices.

        Raises ``ValueError`` for an unknown player, for one that fails, and where nobody is to play.

        >>> import card_envs
        >>> state = card_envs.make_game("elfern").new_state(seed=7)
        >>> state.play(state.ask("greedy"))
        """
        from card_envs import players

        if self.is_over:
            raise ValueError("The episode is over, so there is nothing to ask a player for.")
        agent = players.player(player, self.game) if isinstance(player, str) else player
        name = player if isinstance(player, str) else type(player).__name__
        words = np.array([players.word_of(seed)], np.uint64)
        try:
            actions, reasons = players.ask(self.game, agent, name, self.view().record.copy(), words)
        finally:
            bot = players.external_bot(agent)
            if bot is not None and isinstance(player, str):
                bot.close()
        if reasons:
            raise ValueError(f"{name} gave no action: it {reasons[0]}.")
        return int(actions[0])

    def play(self, action: int | str) -> None:
        """Play an action, by number or name, for the seat on turn.

        Raises ``IllegalAction`` (a ``ValueError``) if it is not legal, and ``ValueError`` in a view; the state
        is then as it was.
        """
        if type(action) is not int:
            action = self._number(action)
        # A number of another width would need another compilation, or fail.
        number = action if 0 <= action < self.game.num_actions else -1
        found = self._play(self._row, self._constants, number)
        if found == FINE:
            return
        if found == IS_VIEW:
            raise ValueError("This is the view of a seat: it can be looked at, but not played.")
        if found in (FOREIGN, BROKEN):
            self.game._refuse(found)
        raise IllegalAction(self.refusal(action))

    def _number(self, action: Any) -> int:
        if isinstance(action, str):
            return self.game.action_id(action)
        try:
            if isinstance(action, bool):
                raise TypeError
            return operator.index(action)
        except TypeError:
            raise IllegalAction(
                f"{shown(action)} is no action: give a number from 0 to {self.game.num_actions - 1} or a name."
            ) from None

    def refusal(self, action: int) -> str:
        """A sentence that says why an action cannot be played and which can."""
        if self.is_over:
            return f"The episode is over, so action {shown(action)} cannot be played: begin another one."
        named = f"{self.game.action_name(action)} (action {action})" if self._has(action) else f"action {shown(action)}"
        legal = ", ".join(f"{self.game.action_name(int(a))} ({a})" for a in self.legal_actions())
        return f"Seat {self.to_play} cannot play {named}; it may play {legal}."

    def _has(self, action: int) -> bool:
        return 0 <= action < self.game.num_actions

    def clone(self) -> State:
        """An independent copy that continues identically."""
        return State(self.game, np.frombuffer(bytearray(self._row.tobytes()), self.game.dtype))

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.game, self._row.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.game == other.game and self._row.tobytes() == other._row.tobytes()

    __hash__ = None  # type: ignore[assignment]


def _restore(game: Game, content: bytes) -> State:
    """The state of a pickle; ``ValueError`` if it holds no position of the game."""
    if len(content) != game.dtype.itemsize:
        raise ValueError(
            f"A state of {game.describe()} has {game.dtype.itemsize} bytes, not {len(content)}: this is another game's."
        )
    row = np.frombuffer(bytearray(content), game.dtype)
    game.check_rows(row)
    return State(game, row)
