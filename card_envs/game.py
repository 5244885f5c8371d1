"""``Game``: a game, as everything above uses it. Its verbs over arrays of states are in ``verbs``, those that need open
cards in ``open_cards``.

A game, in a folder of its own, derives from ``Game`` and defines what is particular to it: its kernel, its constants,
the page about a position, and the names of its actions where they are more than a card. Everything else is here.
``definition`` checks what a game defines.
"""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self
from weakref import WeakValueDictionary

import numpy as np

from card_envs import batches, definition, positions
from card_envs.bits import shuffle
from card_envs.cards import Pack, pretty
from card_envs.checks import shown, whole_number
from card_envs.errors import UnknownArgument
from card_envs.loops import build_loops
from card_envs.open_cards import OpenCards, Solver
from card_envs.record import REWARDS
from card_envs.render.scene import Scene, from_page
from card_envs.render.text import Page
from card_envs.sound import unsound
from card_envs.state import State
from card_envs.verbs import Array

if TYPE_CHECKING:
    from card_envs.probe import Probe


class Game(OpenCards, ABC):
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
    constants_dtype: ClassVar[np.dtype[Any]]
    """Record of the game's rules and tables (``record.constants_dtype``)."""

    carried: ClassVar[tuple[str, ...]] = ()
    """Fields of the state, besides the common ones, that the deck and the plays do not determine."""

    match_extras: ClassVar[Mapping[str, Callable[[str, Any], Any]]] = {}
    """Those of ``carried`` that a match carries from deal to deal besides its scores, 0 at first: ``new_state`` takes
    them as keywords, and each comes with the check of its value (``checks``)."""

    void: ClassVar[str] = ""
    """Why a deal can be void, as the end of a sentence; "" if none can."""

    pack: Pack
    min_return: float
    max_return: float
    most_points: int
    """Points that all seats together can make in a deal."""

    def __init__(self, rules: Any, constants: dict[str, Any], layout: list[tuple[str, int]]) -> None:
        """Make the game; ``pack``, ``max_plays``, ``most_points`` and the bounds of returns must be set before.

        constants: values of ``constants_dtype``, except those with the name of a rule, and ``num_actions`` where an
            action is a card. layout: names and widths of the parts of an observation.
        """
        definition.check_promised(self)
        self.rules = rules
        self.num_players: int = rules.num_players
        self.observation_layout: dict[str, slice] = {}
        end = 0
        for part, width in layout:
            self.observation_layout[part] = slice(end, end + width)
            end += width
        self.observation_size = end
        self.min_returns = self._min_returns()
        self.num_actions: int = constants.get("num_actions", self.pack.size)
        identity = f"{self.name} {rules} {layout} {self.num_actions} {self.dtype}"
        self.rules_id = int(hashlib.sha256(identity.encode()).hexdigest()[:8], 16)
        named = {field: getattr(rules, field) for field in self.constants_dtype.names or () if hasattr(rules, field)}
        common = {
            "rules_id": self.rules_id,
            "num_actions": self.num_actions,
            "pack_size": self.pack.size,
            "max_plays": self.max_plays,
            "observation_size": end,
            "least": [self.min_returns[reward] for reward in REWARDS],
        }
        self.constants = definition.filled(self.name, self.constants_dtype, named | common | constants)
        definition.check_sizes(self)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        definition.check_class(cls)
        if "kernel" in vars(cls):
            cls.loops = build_loops(cls.kernel, cls.name)

    @classmethod
    def under(cls, rules: Any) -> Self:
        """The game under these rules, a ``rules_class``; equal rules give the same object."""
        return _under(cls, rules)  # type: ignore[return-value]

    # What every game defines

    @abstractmethod
    def page(self, row: Any, seat: int | None) -> Page:
        """What a seat may see of a position (None: everything), for people."""

    @abstractmethod
    def table_cards(self, row: Any) -> list[str]:
        """Names of the cards that lie open on the table."""

    # Defaults that a game may override

    @cached_property
    def solver(self) -> Solver:
        """``SOLVER`` of the module ``solver`` in the game's folder, loaded on first use."""
        solver: Solver = self._beside("solver").SOLVER
        return solver

    @classmethod
    def probe(cls) -> Probe:
        """``PROBE`` of the module ``probe`` in the game's folder: what tests need to know about it."""
        probe: Probe = cls._beside("probe").PROBE
        return probe

    @classmethod
    def _beside(cls, module: str) -> Any:
        """A module of the game's folder."""
        return import_module(f"{cls.__module__.rpartition('.')[0]}.{module}")

    def scene(self, row: Any, seat: int | None) -> Scene:
        """What lies where, for a picture: what a seat may see (None: everything); by default made from the page."""
        return from_page(self, row, seat)

    def cards_of(self, row: Any, action: int) -> tuple[str, list[str]]:
        """Names of the card that an action plays and of those it takes from the table, for a picture."""
        return self.action_name(action)[:2], []

    def _min_returns(self) -> dict[str, float]:
        """Least return of an episode, by reward."""
        return {"points": self.min_return, "win": -1.0, "share": -1.0 / (self.num_players - 1), "settlement": 0.0}

    def action_name(self, action: int) -> str:
        """Name of an action, as players write it, by default its card's; ``ValueError`` if there is no such action."""
        return self.pack.name(self._known(action))

    def _known(self, action: int) -> int:
        """``action`` if there is such an action; ``ValueError`` otherwise."""
        if type(action) is int and 0 <= action < self.num_actions:
            return action
        return whole_number("action", action, 0, self.num_actions - 1)

    def action_id(self, name: str) -> int:
        """The action called ``name``; ``ValueError`` if there is none."""
        return self.pack.card(name)

    def match_goes_on(self, scores: Sequence[int]) -> bool:
        """Whether a match at these scores still goes on: until somebody reaches the target."""
        return max(scores) < self.rules.target

    def check_position(self, row: Any) -> None:
        """Raise ``ValueError`` if the fields that a line of text carries contradict the deal just laid out."""

    def hand_cards(self, row: Any, seat: int) -> int:
        """Bit set of a hand."""
        return int(row.hand[seat])

    def close_page(self, page: Page, row: Any, seat: int | None, stock: str, undealt: Sequence[int]) -> Page:
        """Add the lines that end every page: the visible hands, the stock if all is visible, and whose turn it is.

        stock: what the game calls it. undealt: its cards by number, the next one first.
        """
        for s in range(self.num_players) if seat is None else (seat,):
            page.add(f"seat {s} holds", pretty(self.pack.set_names(self.hand_cards(row, s))))
        if seat is None:
            page.add(f"{stock}, top first", pretty([self.pack.name(card) for card in undealt]))
        if row.over:
            page.add("over", f"points {' : '.join(str(int(points)) for points in row.points[: self.num_players])}")
        else:
            page.add("to play", f"seat {row.to_play}")
        return page

    # One table

    def new_state(
        self,
        seed: int | None = None,
        *,
        deck: str | Iterable[str] | None = None,
        dealer: int | None = None,
        scores: Sequence[int] | None = None,
        deal: int = 0,
        **extras: Any,
    ) -> State:
        """A fresh deal.

        seed: decides everything random, mod 2**64; without one it is drawn from the operating system.
        deck: this pack, top card first, instead of the seed's.
        dealer: seat that deals; by default drawn by lot from the seed.
        scores: match scores to start from.
        deal: number of the deal at the table: ``seed`` and ``deal`` decide the pack.
        extras: what else a match of this game carries into its first deal (``match_extras``).

        Raises ``ValueError`` for a pack that is incomplete or makes a void deal, and for impossible scores;
        ``UnknownArgument`` (a ``ValueError`` and a ``TypeError``) for extras that this game does not carry.
        """
        seed = secrets.randbits(64) if seed is None else batches.seed(seed)
        deal = whole_number("deal", deal, 0, 2**64 - 1)
        states = np.zeros(1, self.dtype)
        self.loops.new(states, self.constants, np.array([seed], np.uint64))
        if deal:
            states["deal"] = deal - 1
            self.loops.reset(states, self.constants, np.zeros(1, np.int64))
        if scores is not None:
            states["start"][0, : self.num_players] = self._checked_scores(scores)
        for field, value in extras.items():
            states[field] = self._checked_extra(field, value)
        if dealer is not None:
            states["dealer"] = whole_number("dealer", dealer, 0, self.num_players - 1)
        if deck is not None or dealer is not None:
            states["deal"] = deal  # void packs of the seed may have been skipped
        if deck is not None:
            self.lay_out(states, self.pack.whole(deck))
        elif dealer is not None:
            self.loops.deal(states, self.constants, True)
        return State(self, states)

    def lay_out(self, states: Array, cards: list[int]) -> None:
        """Deal this pack, by numbers, in the first row; ``ValueError`` if the deal is void."""
        states["deck"][0, : len(cards)] = cards
        if not self.loops.deal(states, self.constants, False):
            raise ValueError(f"This pack makes a void deal{self.void and ': '}{self.void}. Give another one.")

    def _checked_scores(self, scores: Sequence[int]) -> list[int]:
        if not self.rules.match:
            raise ValueError(f"scores={shown(scores)} need match=True: a single deal has no scores.")
        counted = isinstance(scores, Sequence) or (isinstance(scores, np.ndarray) and scores.ndim == 1)
        if not counted or len(scores) != self.num_players:
            raise ValueError(f"scores={shown(scores)} must have one number for each of {self.num_players} seats.")
        checked = [whole_number(f"scores[{seat}]", value, 0, 255) for seat, value in enumerate(scores)]
        if not self.match_goes_on(checked):
            raise ValueError(f"A match at scores {checked} is over already (target {self.rules.target}).")
        return checked

    def _checked_extra(self, field: str, value: Any) -> Any:
        if field not in self.match_extras:
            known = ("seed", "deck", "dealer", "scores", "deal", *self.match_extras)
            raise UnknownArgument(
                f"{field}={shown(value)} is no argument of a deal of {self.name}: choose among {', '.join(known)}."
            )
        checked = self.match_extras[field](field, value)
        if checked and not self.rules.match:
            raise ValueError(f"{field}={shown(value)} needs match=True: a single deal carries nothing.")
        return checked

    def state(self, states: Array, i: int) -> State:
        """Row ``i`` as a single state (a copy); negative rows count from the end."""
        states = self._checked(states)
        row = whole_number("row", i, -len(states), len(states) - 1) % len(states)
        return State(self, batches.copy(states[row : row + 1]))

    def public(self, row: Any, seat: int | None = None) -> dict[str, Any]:
        """What a seat (None: the seat to play, or that of a view) may see of a position, as data for JSON.

        row: a state or a view, ``states[i]`` or an array of one. All games have the entries ``public.COMMON``; its own
        are methods marked with ``public.fact``. A full state is read through the view of the seat.

        Raises ``ValueError`` unless given one state of this game, and for another seat's view.
        """
        rows = np.atleast_1d(row)
        if rows.shape != (1,):
            raise ValueError(f"public takes one state, not an array of shape {rows.shape}: give it states[i].")
        return self.state(rows, 0).public(seat)

    def check_rows(self, states: Array) -> None:
        """Raise ``ValueError``, naming the rows, unless every row is a position that can arise in play, or a view of
        one.

        For rows that come from a file or another process: all other verbs take any row of this game and only make sure
        that it cannot lead them out of bounds.
        """
        states = self._checked(states)
        wrong = unsound(self, states)
        if len(wrong):
            raise ValueError(
                f"{len(wrong)} of {len(states)} rows hold no position of {self.describe()}, row {wrong[0]} the first: "
                "no deal and no plays lead there, so something else has written into them."
            )

    def pack_of(self, seed: int, deal: int = 0) -> list[str]:
        """The pack of a deal as it is shuffled, top card first: a function of seed and number alone."""
        deal = whole_number("deal", deal, 0, 2**64 - 1)
        cards = np.zeros(self.pack.size, np.uint8)
        shuffle(cards, self.pack.size, np.uint64(batches.seed(seed)), np.uint64(deal))
        return [self.pack.name(card) for card in cards.tolist()]

    def state_to_text(self, state: State) -> str:
        """One line that holds the whole position, seed and stream included; views have none."""
        return positions.write(state)

    def state_from_text(self, text: str) -> State:
        """The position of a line made by ``state_to_text``; ``ValueError`` if it is not one of this game."""
        return positions.read(self, text)

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
        return type(self)._unpickled, (dataclasses.asdict(self.rules),)

    @classmethod
    def _unpickled(cls, rules: dict[str, Any]) -> Self:
        return cls.under(cls.rules_class(**rules))


_held: WeakValueDictionary[tuple[type[Game], Any], Game] = WeakValueDictionary()
"""The games still in use, by class and rules."""


@lru_cache(maxsize=64)  # keeps the games used last, even if not in use
def _under(game: type[Game], rules: Any) -> Game:
    held = _held.get((game, rules))
    return _held.setdefault((game, rules), game(rules)) if held is None else held  # type: ignore[call-arg]
