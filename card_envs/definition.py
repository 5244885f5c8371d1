"""What a game must define, checked when its class is made: whatever is missing or does not fit gets a sentence.

Compiled code would not complain: a constant left out is 0, a number too large for its field wraps around.
"""

from __future__ import annotations

import dataclasses
import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from card_envs import public, record, standard
from card_envs.jit import JIT_DISABLED

if TYPE_CHECKING:
    from card_envs.game import Game

PARAMETERS = {
    "lay_out": ("s", "g"),
    "legal": ("s", "g", "words"),
    "allows": ("s", "g", "action"),
    "pick": ("s", "g", "word"),
    "play": ("s", "g", "action"),
    "observe": ("s", "g", "seat", "out", "at"),
    "greedy": ("s", "g"),
    "taken": ("s", "g", "seat"),
    "is_won": ("s", "g"),
    "carry": ("s", "g"),
    "settlement": ("s", "g", "seat"),
    "hide": ("s", "g", "seat"),
    "imagine": ("s", "g"),
}
"""The functions of a kernel, which a game writes or gets in standard form, and their parameters."""

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What a game may be called: the name is part of environment ids and of lines of text."""

PROMISED = ("pack", "max_plays", "most_points", "min_return", "max_return")
"""Attributes that a game sets before it calls ``Game.__init__``."""


def kernel_functions(modules: tuple[ModuleType, ...]) -> dict[str, Callable[..., Any]]:
    """The functions of a kernel, each from the first module of a game's folder that has it, or in standard form."""
    folder = modules[0].__name__.rpartition(".")[0] if modules else "no module"
    own = ChainMap(*map(vars, modules))
    there = ChainMap(*own.maps, _standard(own, folder))
    missing = [name for name in PARAMETERS if not callable(there.get(name))]
    if missing:
        raise ValueError(
            f"The kernel of {folder} has no function {', '.join(map(repr, missing))}: card_envs.kernel says what each "
            f"is for; they are looked for in {', '.join(module.__name__ for module in modules)}."
        )
    functions = {name: there[name] for name in PARAMETERS}
    for name, function in functions.items():
        plain = getattr(function, "py_func", function)
        if plain is function and not JIT_DISABLED:
            raise ValueError(f"{name!r} in the kernel of {folder} is not compiled: put @card_envs.jit.njit on it.")
        if plain.__code__.co_argcount != len(PARAMETERS[name]):
            raise ValueError(
                f"{name!r} in the kernel of {folder} takes {plain.__code__.co_argcount} arguments, but is called as "
                f"{name}({', '.join(PARAMETERS[name])})."
            )
    return functions | standard.by_deals(functions, folder)


def _standard(own: Mapping[str, Any], folder: str) -> standard.Functions:
    """Standard forms of the functions that a game may leave out, as far as the functions it has allow."""
    functions: standard.Functions = {name: getattr(standard, name) for name in ("is_won", "carry", "settlement")}
    if "legal_cards" in own:
        functions |= standard.by_cards(own["legal_cards"], folder)
    return functions


def check_class(game: type[Game]) -> None:
    """Raise ``ValueError`` unless the class of a game has all the class attributes it needs."""
    title = game.__qualname__
    for attribute, meaning in (
        ("name", "a string, as in make_game(name)"),
        ("rules_class", "the dataclass of its rules"),
        ("dtype", "the record of a state, made by record.state_dtype"),
        ("constants_dtype", "the record of its constants, made by record.constants_dtype"),
        ("kernel", "its functions, Kernel.of(modules, words=...)"),
    ):
        if not hasattr(game, attribute):
            raise ValueError(f"The game {title} has no {attribute!r}: say in the class what it is, {meaning}.")
    if not isinstance(game.name, str) or not NAME.fullmatch(game.name):
        raise ValueError(f"name={game.name!r} of {title} must be lower-case letters, digits and _, a letter first.")
    _check_rules(title, game.rules_class)
    _check_fields(title, "dtype", game.dtype, record.state_dtype(1, []), ("deck", "history"))
    _check_fields(title, "constants_dtype", game.constants_dtype, record.constants_dtype([]), ())
    names = game.dtype.names or ()
    if "hand" not in names and game.hand_cards.__module__ == "card_envs.game":
        raise ValueError(f"The dtype of {title} has no field 'hand', a set of cards by seat: add it, or hand_cards.")
    for field in game.carried:
        if field not in names:
            raise ValueError(f"{title} carries {field!r}, which is no field of its dtype.")
    for field in game.match_extras:
        if field not in game.carried:
            raise ValueError(f"{title} has {field!r} among its match_extras: it must be among those carried, too.")
    _check_facts(title, game)


def _check_facts(title: str, game: type[Game]) -> None:
    from card_envs.game import Game

    for name, method in public.facts(game).items():
        if name in public.COMMON or hasattr(Game, name) or name in Game.__annotations__:
            raise ValueError(f"The fact {name!r} of {title} bears a name that every game has: give it another one.")
        if not hasattr(method, "public_kind"):
            raise ValueError(f"The fact {name!r} of {title} is marked as one in a base class: mark it here as well.")
        if not callable(method) or not method.__doc__:
            raise ValueError(f"The fact {name!r} of {title} needs a docstring, which tells bots what it means.")


def _check_rules(title: str, rules: Any) -> None:
    parameters = getattr(rules, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise ValueError(f"The rules_class of {title} must be a frozen dataclass: games of equal rules are shared.")
    fields = {field.name: field for field in dataclasses.fields(rules)}
    for name in ("num_players", "match", "target"):
        if name not in fields and not hasattr(rules, name):
            raise ValueError(f"The rules of {title} have no {name!r}: add a field or a property.")
    for name, field in fields.items():
        if field.default is dataclasses.MISSING:
            raise ValueError(f"The rule {name!r} of {title} has no default: a game is made of the rules that differ.")


def _check_fields(title: str, which: str, dtype: Any, common: np.dtype[Any], own: tuple[str, ...]) -> None:
    names = getattr(dtype, "names", None) or ()
    for field in (*(common.names or ()), *own):
        if field not in names:
            maker = "state_dtype" if which == "dtype" else "constants_dtype"
            raise ValueError(
                f"The {which} of {title} has no field {field!r}: record.{maker} adds the common ones, and "
                "card_envs.record says which of its own a game needs."
            )


def check_promised(game: Game) -> None:
    """Raise ``ValueError`` unless a game has set what it must before ``Game.__init__``."""
    for attribute in PROMISED:
        if not hasattr(game, attribute):
            raise ValueError(f"{type(game).__qualname__} must set {attribute!r} before it calls Game.__init__.")


def filled(name: str, dtype: np.dtype[Any], values: Mapping[str, Any]) -> npt.NDArray[Any]:
    """The constants of a game as one read-only record: each field needs one of these values, of its shape."""
    fields = dtype.names or ()
    missing = [field for field in fields if field not in values]
    unknown = [field for field in values if field not in fields]
    if missing or unknown:
        faults = [
            f"{word} {', '.join(map(repr, some))}"
            for word, some in (("lack", missing), ("have no field for", unknown))
            if some
        ]
        raise ValueError(f"The constants of {name} {' and '.join(faults)}: give each field of constants_dtype a value.")
    constants = np.zeros(1, dtype)
    for field, value in values.items():
        if np.shape(value) != dtype[field].shape:
            raise ValueError(
                f"The constant {field!r} of {name} has the shape {np.shape(value)}, its field {dtype[field].shape}."
            )
        constants[field][0] = value
    constants.flags.writeable = False
    return constants


def check_sizes(game: Game) -> None:
    """Raise ``ValueError`` where a number of a game is too large for its field."""
    history = game.dtype["history"]
    codes = game.num_players * game.num_actions
    for what, needed, room in (
        ("cards of the pack in 'deck'", game.pack.size, game.dtype["deck"].shape[0]),
        ("plays of a deal in 'history'", game.max_plays, history.shape[0]),
        ("plays of a deal in 'plays'", game.max_plays, 255),
        ("kinds of plays, seats times actions, in 'history'", codes - 1, int(np.iinfo(history.base).max)),
        ("seats in 'total'", game.num_players, game.dtype["total"].shape[0]),
        ("points of a deal in 'points'", game.most_points, 127),
        ("actions in the kernel's words", game.num_actions, 64 * game.kernel.words),
    ):
        if needed > room:
            raise ValueError(f"{game.describe()} has {needed} {what}, which has room for {room}: make it larger.")
