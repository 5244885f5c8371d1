"""The registered games, and how to make one."""

from __future__ import annotations

import ast
import dataclasses
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from card_envs.checks import shown
from card_envs.definition import NAME
from card_envs.errors import UnknownArgument
from card_envs.game import Game

GROUP = "card_envs.games"
"""Entry points of other packages: the name of each game and its class, a ``Game``. None is loaded until it is asked
for, so that a broken one does not affect the others."""

BUILT_IN = {
    "elfern": "card_envs.elfern.game:Elfern",
    "konchinka": "card_envs.konchinka.game:Konchinka",
}

_PLUGINS: dict[str, list[EntryPoint]] = {}
for _entry in entry_points(group=GROUP):
    _PLUGINS.setdefault(_entry.name, []).append(_entry)

GAMES = BUILT_IN | {
    name: entries[0].value
    for name, entries in sorted(_PLUGINS.items())
    if NAME.fullmatch(name) and name not in BUILT_IN
}
"""Name of each game and its class, the built-in ones first."""


def shadowed() -> list[str]:
    """A sentence for each game of another package that cannot be reached because a built-in game has its name."""
    return [
        f"The game {name!r} of {_origins(entries)} cannot be reached: a built-in game has this name."
        for name, entries in sorted(_PLUGINS.items())
        if name in BUILT_IN
    ]


def _origins(entries: list[EntryPoint]) -> str:
    """Where the games of one name come from."""
    return " and ".join(sorted({f"{entry.value} of {entry.dist.name if entry.dist else '?'}" for entry in entries}))


MOST_LETTERS = 1000
"""Length of the longest description that is read, many times any that ``describe`` writes."""


def game_class(name: str) -> type[Game]:
    """The class of a game; ``ValueError`` naming the games if there is none of that name, or if it cannot be loaded."""
    if isinstance(name, str) and name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return getattr(import_module(module), attribute)
    if isinstance(name, str) and name in _PLUGINS:
        return _plugin(name, _PLUGINS[name])
    raise ValueError(f"{shown(name)} is not a game here: choose one of {', '.join(map(repr, GAMES))}.")


def _plugin(name: str, entries: list[EntryPoint]) -> type[Game]:
    """The game of another package; ``ValueError`` saying whose it is and what is wrong with it."""
    whose = f"The game {name!r} ({_origins(entries)})"
    if len({entry.value for entry in entries}) > 1:
        raise ValueError(f"{whose} is defined more than once: uninstall all but one of these packages.")
    if not NAME.fullmatch(name):
        raise ValueError(f"{whose} must have a name of lower-case letters, digits and _, a letter first.")
    try:
        found = entries[0].load()
    except Exception as error:
        raise ValueError(f"{whose} cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise ValueError(f"{whose} is no card_envs.Game, but {found!r}: name the class in the entry point.")
    if found.name != name:
        raise ValueError(f"{whose} calls itself {found.name!r}: its entry point must have the same name.")
    return found


def rule_fields(name: str) -> dict[str, dataclasses.Field[Any]]:
    """The fields of a game's rules, by name."""
    return {field.name: field for field in dataclasses.fields(game_class(name).rules_class)}


def make_game(name: str, **rules: Any) -> Game:
    """The game called ``name`` under these rules (fields of docs/rules.md; the others keep their defaults).

    name: also a whole description, as ``game.describe()`` writes it; ``rules`` may then give what it leaves out.

    Games of equal rules are one object. Raises ``ValueError`` for an unknown game and for a value out of range, and
    ``UnknownArgument`` (a ``ValueError`` and a ``TypeError``) for an unknown field.

    >>> game = make_game("elfern", match=True)
    >>> make_game(game.describe()) is game
    True
    >>> make_game("elfern", trumps="h")
    Traceback (most recent call last):
        ...
    card_envs.errors.UnknownArgument: make_game() got an unexpected keyword argument 'trumps'. elfern has no rule \
'trumps': its rules are follow_suit, match, target, suits, ranks, honours, hand_size.
    """
    name, described = _described(name)
    twice = [field for field in rules if field in described]
    if twice:
        raise ValueError(f"The rules {', '.join(twice)} are given twice: in the description of the game and beside it.")
    rules = described | rules
    fields = rule_fields(name)
    for field in rules:
        if field not in fields:
            raise UnknownArgument(
                f"make_game() got an unexpected keyword argument {shown(field)}. {name} has no rule {shown(field)}: "
                f"its rules are {', '.join(fields)}."
            )
    chosen = game_class(name)
    return chosen.under(chosen.rules_class(**rules))


def _described(text: Any) -> tuple[Any, dict[str, Any]]:
    """Name and rules of a description; anything else is taken as a name. Nothing in it is executed."""
    if not isinstance(text, str) or "(" not in text or len(text) > MOST_LETTERS:
        return text, {}
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        rules = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg is not None}
        if len(rules) < len(call.keywords):
            raise ValueError
        return call.func.id, rules
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise ValueError(
            f"{shown(text)} describes no game: give a name of {', '.join(map(repr, GAMES))}, or a description as "
            'describe() writes it, as in "elfern(match=True)".'
        ) from None
