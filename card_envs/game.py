"""What a game is, for everyone above: ``Game``, its verbs over arrays of states, and one-table ``State``.

A game in a folder of its own derives from ``Game`` and says what only it knows: its kernel, its constants,
the names of its actions, and what a page about a position shows. All the rest is here.
"""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from card_envs import batches, loops
from card_envs.bits import shuffle
from card_envs.cards import Pack
from card_envs.checks import whole_number
from card_envs.errors import IllegalAction
from card_envs.loops import Loops
from card_envs.record import POINTS, REWARDS, SETTLEMENT
from card_envs.render.text import Page
from card_envs.state import State

Array = npt.NDArray[Any]

NO_ROWS = np.empty((0, 0), np.uint8)


class Game(ABC):
    """A card game under one set of rules. Immutable; games of equal rules are equal and share compiled code.

    Attributes:
        name: the game's name, as in ``make_game(name)``.
        rules: the rules in force, a frozen dataclass.
        pack: the cards and their names.
        num_players: seats.
        num_actions: actions are the numbers from 0 to ``num_actions - 1``.
        observation_size: length of an observation.
        observation_layout: parts of an observation, name to slice, in order.
        max_plays: most plays in one deal (a match has no bound on its deals).
        min_return, max_return: bounds of the "points" return of an episode.
        min_returns: least return of an episode by reward: what an illegal action costs where it loses.
        dtype: the record of a state, one row each in the arrays of states.
    """

    name: ClassVar[str]
    rules_class: ClassVar[type[Any]]
    dtype: ClassVar[np.dtype[Any]]
    loops: ClassVar[Loops]
    carried: ClassVar[tuple[str, ...]]
    """Fields of the state, beside the common ones, that the deck and the plays do not determine."""

    rules: Any
    pack: Pack
    max_plays: int
    min_return: float
    max_return: float
    most_points: int
    """Points that all seats together can make in a deal."""

    def __init__(self, rules: Any, constants: dict[str, Any], layout: list[tuple[str, int]]) -> None:
        self.rules = rules
        self.num_players: int = rules.num_players
        self.observation_layout: dict[str, slice] = {}
        end = 0
        for part, width in layout:
            self.observation_layout[part] = slice(end, end + width)
            end += width
        self.observation_size = end
        self.min_returns = self._min_returns()
        self.constants = np.zeros(1, self._constants_dtype())
        self.num_actions: int = constants["num_actions"]
        identity = f"{self.name} {rules} {layout} {self.num_actions} {self.dtype}"
        self.rules_id = int(hashlib.sha256(identity.encode()).hexdigest()[:8], 16)
        common = {
            "rules_id": self.rules_id,
            "num_players": self.num_players,
            "observation_size": end,
            "match": rules.match,
            "target": rules.target,
            "least": [self.min_returns[reward] for reward in REWARDS],
        }
        for field, value in (common | constants).items():
            self.constants[field][0] = value
        self.constants.flags.writeable = False

    # What only the game knows

    @abstractmethod
    def _constants_dtype(self) -> np.dtype[Any]:
        """Record of the game's rules and tables."""

    @abstractmethod
    def _min_returns(self) -> dict[str, float]:
        """Least return of an episode, by reward."""

    @abstractmethod
    def action_name(self, action: int) -> str:
        """Name of an action, as players write it."""

    @abstractmethod
    def action_id(self, name: str) -> int:
        """The action called ``name``; ``ValueError`` if there is none."""

    @abstractmethod
    def match_goes_on(self, scores: Sequence[int]) -> bool:
        """Whether a match standing at these scores still goes on."""

    @abstractmethod
    def check_position(self, row: Any) -> None:
        """Raise ``ValueError`` if the fields that a line of text carries do not go with the deal just laid out."""

    @abstractmethod
    def page(self, row: Any, seat: int | None) -> Page:
        """What a seat may see of a position (None: everything), for people."""

    @abstractmethod
    def hand_cards(self, row: Any, seat: int) -> int:
        """Bit set of a hand."""

    @abstractmethod
    def table_cards(self, row: Any) -> list[str]:
        """Names of the cards that lie open on the table."""

    # One table

    def new_state(
        self,
        seed: int | None = None,
        *,
        deck: str | Iterable[str] | None = None,
        dealer: int | None = None,
        scores: Sequence[int] | None = None,
        doubled: bool = False,
        deal: int = 0,
    ) -> State:
        """A fresh deal.

        seed: decides all that is left to chance, mod 2**64; without one it is drawn from the system.
        deck: this pack, top card first, instead of the seed's.
        dealer: seat that deals; by lot from the seed otherwise (E3, K2).
        scores: a match from these scores on.
        doubled: the first deal counts double (E11).
        deal: number of the deal at the table: ``seed`` and ``deal`` decide the pack.

        Raises ``ValueError`` for a pack that is not whole or comes out void, and for impossible scores.
        """
        seed = secrets.randbits(64) if seed is None else batches.seed(seed)
        states = np.zeros(1, self.dtype)
        self.loops.new(states, self.constants, np.array([seed], np.uint64))
        if deal:
            states["deal"] = whole_number("deal", deal, 0, 2**63) - 1
            self.loops.reset(states, self.constants, np.zeros(1, np.int64))
        if scores is not None:
            states["start"][0, : self.num_players] = self._checked_scores(scores)
        if doubled:
            self._double(states)
        if dealer is not None:
            states["dealer"] = whole_number("dealer", dealer, 0, self.num_players - 1)
        if deck is not None or dealer is not None:
            states["deal"] = deal  # a pack of the seed may have been void and passed over (K4)
        if deck is not None:
            self.lay_out(states, self.pack.whole(deck))
        elif dealer is not None:
            self.loops.deal(states, self.constants, True)
        return State(self, states)

    def lay_out(self, states: Array, cards: list[int]) -> None:
        """Deal this pack, by numbers, in the first row; ``ValueError`` if it comes out void (K4)."""
        states["deck"][0, : len(cards)] = cards
        if not self.loops.deal(states, self.constants, False):
            raise ValueError("This pack makes a void deal (K4): the table cards cannot be replaced. Give another one.")

    def _checked_scores(self, scores: Sequence[int]) -> list[int]:
        if not self.rules.match:
            raise ValueError(f"scores={scores!r} need match=True: a single deal has no scores.")
        if not isinstance(scores, Sequence | np.ndarray) or len(scores) != self.num_players:
            raise ValueError(f"scores={scores!r} must have one number for each of {self.num_players} seats.")
        checked = [whole_number(f"scores[{seat}]", value, 0, 255) for seat, value in enumerate(scores)]
        if not self.match_goes_on(checked):
            raise ValueError(f"A match at scores {checked} is over already (target {self.rules.target}).")
        return checked

    def _double(self, states: Array) -> None:
        if "doubled" not in self.carried or not self.rules.match:
            raise ValueError("doubled=True is for a match of a game that doubles after a draw (Elfern, E11).")
        states["doubled"] = 1

    def state(self, states: Array, i: int) -> State:
        """Row ``i`` as a state of its own (a copy); negative rows count from the end."""
        states = self._checked(states)
        row = whole_number("row", i, -len(states), len(states) - 1) % len(states)
        return State(self, batches.copy(states[row : row + 1]))

    def pack_of(self, seed: int, deal: int = 0) -> list[str]:
        """The pack of a deal as it is shuffled, top card first: a function of seed and number alone."""
        cards = np.zeros(self.pack.size, np.uint8)
        shuffle(cards, self.pack.size, np.uint64(batches.seed(seed)), np.uint64(deal))
        return [self.pack.name(card) for card in cards.tolist()]

    def state_to_text(self, state: State) -> str:
        """One line that holds the whole position, generators included; views have none."""
        from card_envs import positions

        return positions.write(state)

    def state_from_text(self, text: str) -> State:
        """The position of a line made by ``state_to_text``; ``ValueError`` if it is not one of this game."""
        from card_envs import positions

        return positions.read(self, text)

    # Many tables

    def new_states(self, seeds: npt.ArrayLike) -> Array:
        """Fresh tables, uint64 (N,) seeds to a structured array (N,); row i equals ``new_state(seed=seeds[i])``."""
        seeds = batches.seeds(seeds)
        states = np.zeros(len(seeds), self.dtype)
        self.loops.new(states, self.constants, seeds)
        return states

    def reset(self, states: Array, where: npt.ArrayLike | None = None) -> None:
        """Begin the next episode of the rows where the bool (N,) ``where`` is true (None: of all), in place."""
        self._checked(states, write=True, views=False)
        self.loops.reset(states, self.constants, batches.rows(where, len(states)))

    def sample_actions(self, states: Array, out: Array | None = None) -> npt.NDArray[np.int32]:
        """A uniform legal action per row, int32 (N,), from the row's own choices; -1 where the episode is over."""
        batches.check_states(states, self.dtype, write=True)
        out = batches.output("out", out, (len(states),), np.int32)
        self._refuse(self.loops.sample(states, self.constants, out))
        return out

    def greedy_actions(self, states: Array, out: Array | None = None) -> npt.NDArray[np.int32]:
        """The greedy player's actions, int32 (N,): it reads what the seat to play may see; -1 where over."""
        states = self._checked(states)
        self._check_seats(states, self.to_play(states))
        out = batches.output("out", out, (len(states),), np.int32)
        self.loops.greedy(states, self.constants, out)
        return out

    def step(
        self,
        states: Array,
        actions: npt.ArrayLike,
        auto_reset: bool = True,
        observations: Array | None = None,
        masks: Array | None = None,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Play one action in each row, in place.

        actions: integers (N,), for the seats to play.
        auto_reset: rows whose episode ends begin the next one; otherwise they stay, and -1 passes over them.
        observations: uint8 (N, observation_size) and masks: uint8 (N, num_actions), filled for the seat
            then to play (over: seat 0 and zeros).

        Returns the "points" rewards, float32 (N, num_players), and which episodes are over, bool (N,).
        Raises ``IllegalAction`` naming the rows if an action is illegal, and then changes nothing.
        """
        batches.check_states(states, self.dtype, write=True)
        size = len(states)
        actions = batches.actions(actions, size)
        observations = self._room("observations", observations, size, self.observation_size)
        masks = self._room("masks", masks, size, self.num_actions)
        self.check_actions(states, actions, pass_over=not auto_reset)
        rewards = np.empty((size, self.num_players), np.float32)
        over = np.empty(size, np.bool_)
        self.loops.step(states, self.constants, actions, auto_reset, rewards, over, observations, masks)
        return rewards, over

    def observations(
        self, states: Array, seats: npt.ArrayLike | None = None, out: Array | None = None
    ) -> npt.NDArray[np.uint8]:
        """Observations, uint8 (N, observation_size), of ``seats`` (N,) or of the seats to play (over: seat 0)."""
        return self._look(states, seats, "observations", out, self.observation_size)

    def masks(
        self, states: Array, seats: npt.ArrayLike | None = None, out: Array | None = None
    ) -> npt.NDArray[np.uint8]:
        """Action masks, uint8 (N, num_actions), 1 = legal; zeros for a seat that is not on turn."""
        return self._look(states, seats, "masks", out, self.num_actions)

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
        if reward not in REWARDS:
            raise ValueError(f"reward={reward!r} is unknown: choose one of {', '.join(map(repr, REWARDS))}.")
        states = self._checked(states)
        out = np.empty((len(states), self.num_players), np.float64)
        self.loops.outcomes(states, self.constants, REWARDS.index(reward), out)
        return out

    def settlement(self, states: Array) -> npt.NDArray[np.int64]:
        """What a finished match pays each seat (K16), int64 (N, num_players); zeros until then."""
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

    def draws(self, states: Array, rows: Array = batches.EVERY_ROW) -> npt.NDArray[np.uint64]:
        """A random word from the own choices of each of ``rows`` (int64; none given: of all); it advances them."""
        self._checked(states, write=True, views=False)
        out = np.empty(len(rows) if len(rows) else len(states), np.uint64)
        loops.draws(states, rows, out)
        return out

    # Checks

    def check_actions(
        self, states: Array, actions: Array, rows: Array = batches.EVERY_ROW, *, pass_over: bool = False
    ) -> None:
        """Raise ``IllegalAction`` unless every action is legal in its row; int32 actions, int64 rows."""
        found = self.loops.check_actions(states, self.constants, rows, actions, pass_over)
        if found in (loops.ILLEGAL, loops.FINISHED):
            self._explain(states[rows] if len(rows) else states, actions, rows, pass_over)
        self._refuse(found)

    def _explain(self, states: Array, actions: Array, rows: Array, pass_over: bool) -> None:
        over = states["over"] != 0
        index = np.arange(len(states))
        legal = (actions >= 0) & (actions < self.num_actions)
        legal &= self.masks(states)[index, np.where(legal, actions, 0)] != 0
        if pass_over:
            legal |= over & (actions == -1)
        wrong = np.flatnonzero(~legal)
        names = (rows[wrong] if len(rows) else wrong).tolist()
        first = State(self, batches.copy(states[wrong[:1]]))
        listed = f"{names[:20]}{' and more' if len(names) > 20 else ''}"
        raise IllegalAction(
            f"{len(names)} of {len(states)} actions are illegal, in rows {listed}; row {names[0]}: "
            f"{first.refusal(int(actions[wrong[0]]))}"
        )

    def _refuse(self, found: int) -> None:
        if found == loops.FOREIGN:
            raise ValueError(
                f"These states were not made by this game ({self.describe()}): make them with its new_states."
            )
        if found == loops.IS_VIEW:
            raise ValueError("These are views of a seat: they can be looked at, but not played, sampled in or reset.")

    def _checked(self, states: Array, *, write: bool = False, views: bool = True) -> Array:
        states = batches.check_states(states, self.dtype, write=write)
        if (states["rules_id"] != self.rules_id).any():
            self._refuse(loops.FOREIGN)
        if not views and (states["viewer"] >= 0).any():
            self._refuse(loops.IS_VIEW)
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

    def _look(self, states: Array, seats: Any, what: str, out: Array | None, width: int) -> npt.NDArray[np.uint8]:
        states = self._checked(states)
        chosen = self._seats(states, seats)
        out = batches.output("out", out, (len(states), width), np.uint8)
        pair = (out, NO_ROWS) if what == "observations" else (NO_ROWS, out)
        self.loops.look(states, self.constants, chosen, *pair)
        return out

    def _room(self, name: str, array: Array | None, size: int, width: int) -> Array:
        return NO_ROWS if array is None else batches.output(name, array, (size, width), np.uint8)

    # Itself

    def describe(self) -> str:
        """The game and its rules on one line, as ``make_game`` takes them."""
        fields = dataclasses.asdict(self.rules)
        return f"{self.name}({', '.join(f'{field}={value!r}' for field, value in fields.items())})"

    def __repr__(self) -> str:
        return self.describe()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash((self.name, self.rules))

    def __reduce__(self) -> tuple[Any, ...]:
        from card_envs.registry import remake_game

        return remake_game, (self.name, dataclasses.asdict(self.rules))


__all__ = ["POINTS", "REWARDS", "Game", "State"]
