"""A position as data: what a seat may see of it, in a dictionary that can be written as JSON (``Game.public``).

Every game has the entries ``COMMON``. A game adds its own: methods of its class that read a record, each marked by
``fact`` with the kind of value it returns. The method's name is the name of the entry, its docstring says what it
means; the JSON Schema of the whole is made from them (``schema``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from card_envs.game import Game
    from card_envs.state import State

Reader = TypeVar("Reader", bound=Callable[..., Any])
Kind = Mapping[str, Any]
"""The kind of values of an entry, as JSON Schema."""

COUNT: Kind = {"type": "integer", "minimum": 0}
FLAG: Kind = {"type": "boolean"}
SEAT: Kind = {"type": "integer", "minimum": 0}
CARD: Kind = {"type": "string", "pattern": "^[A-Z2-9][cdhs]$"}
CARDS: Kind = {"type": "array", "items": CARD, "uniqueItems": True}
RANKS: Kind = {"type": "array", "items": {"enum": list("A23456789TJQK")}, "uniqueItems": True}
ACTION: Kind = {"type": "string", "minLength": 1}


def by_seat(kind: Kind) -> Kind:
    """A list with one such value for each seat, seat 0 first."""
    return {"type": "array", "items": kind, "minItems": 2}


def by_suit(kind: Kind) -> Kind:
    """An object with one such value for each suit of the pack, by its letter."""
    return {"type": "object", "additionalProperties": kind, "propertyNames": {"enum": list("cdhs")}}


def list_of(**entries: Kind) -> Kind:
    """A list of objects with these entries."""
    return {"type": "array", "items": _object(entries)}


def optional(kind: Kind) -> Kind:
    """Such a value, or null."""
    return {"anyOf": [kind, {"type": "null"}]}


COMMON: Mapping[str, tuple[Kind, str]] = {
    "game": ({"type": "string"}, "Name of the game."),
    "seat": (SEAT, "The seat that sees this; seats count from 0, clockwise."),
    "to_play": (optional(SEAT), "The seat that is to play; null when the episode is over."),
    "over": (FLAG, "Whether the episode is over."),
    "dealer": (SEAT, "The seat that dealt."),
    "deal": ({"type": "integer", "minimum": 1}, "Number of the deal in the episode, from 1; a match has several."),
    "scores": (by_seat({"type": "integer"}), "Match scores; zeros where single deals are played."),
    "points": (by_seat({"type": "integer"}), "Points of the last deal counted; zeros before there is one."),
    "hand": (CARDS, "The seat's own cards."),
    "table": (CARDS, "The cards that lie open."),
    "history": (
        {"type": "array", "items": {"type": "array", "prefixItems": [SEAT, ACTION], "minItems": 2, "maxItems": 2}},
        "The plays of this deal in order, each as [seat, action].",
    ),
    "legal": (
        {"type": "array", "items": ACTION, "uniqueItems": True},
        "The actions that the seat may play; none when it is not to play.",
    ),
}
"""Entries of every game: kind and meaning, by name."""


def fact(kind: Kind) -> Callable[[Reader], Reader]:
    """Make a method of a game, ``method(self, row)``, an entry of ``Game.public``.

    It reads only what everybody may see, so that it gives the same for a full state and for each view of it.
    """

    def mark(method: Reader) -> Reader:
        method.public_kind = kind  # type: ignore[attr-defined]
        return method

    return mark


@cache
def facts(game: type[Game]) -> dict[str, Any]:
    """The entries that a game declares, in order, those of its base classes first: the methods by name."""
    names = [
        name for cls in reversed(game.__mro__) for name, method in vars(cls).items() if hasattr(method, "public_kind")
    ]
    return {name: getattr(game, name) for name in names}


def position(view: State) -> dict[str, Any]:
    """What the seat of a view may see, as ``Game.public`` gives it."""
    game, record = view.game, view.record
    row, seat = record[0], view.viewer
    assert seat is not None
    counted = view.is_over and row.forfeit < 0
    common = {
        "game": game.name,
        "seat": seat,
        "to_play": None if view.is_over else view.to_play,
        "over": view.is_over,
        "dealer": view.dealer,
        "deal": int(row.deals) + (not counted),
        "scores": view.scores(),
        "points": view.points(),
        "hand": view.hand(seat),
        "table": view.table,
        "history": view.history,
        "legal": [game.action_name(action) for action in view.legal_actions(seat).tolist()],
    }
    own = {name: method(game, row) for name, method in facts(type(game)).items()}
    return {name: _plain(value) for name, value in (common | own).items()}


def schema(game: type[Game]) -> dict[str, Any]:
    """JSON Schema of the entries that a game adds to those of every game (``described(COMMON)``)."""
    return described({name: (method.public_kind, _meaning(method)) for name, method in facts(game).items()})


def described(entries: Mapping[str, tuple[Kind, str]]) -> dict[str, Any]:
    """JSON Schema of an object that has these entries."""
    return _object({name: {**kind, "description": meaning} for name, (kind, meaning) in entries.items()})


def _object(entries: Mapping[str, Kind]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(entries), "required": list(entries)}


def _meaning(method: Callable[..., Any]) -> str:
    return " ".join((method.__doc__ or "").split())


def _plain(value: Any) -> Any:
    """A value as JSON has it: lists and Python numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
