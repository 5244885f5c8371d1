"""The games there are, and how to make one."""

from __future__ import annotations

import ast
import dataclasses
from functools import lru_cache
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

from card_envs.checks import shown
from card_envs.errors import UnknownArgument
from card_envs.game import Game

GAMES = {
    "elfern": "card_envs.elfern.game:Elfern",
    "konchinka": "card_envs.konchinka.game:Konchinka",
}
"""Name of each game and its class: the one line that a new game needs."""

MOST_LETTERS = 1000
"""Letters of the longest description that is read, many times any that ``describe`` writes."""


def game_class(name: str) -> type[Game]:
    """The class of a game; ``ValueError`` naming the games if there is none of that name."""
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"{shown(name)} is not a game here: choose one of {', '.join(map(repr, GAMES))}.")
    module, _, attribute = GAMES[name].partition(":")
    return getattr(import_module(module), attribute)


_made: WeakValueDictionary[tuple[str, Any], Game] = WeakValueDictionary()
"""The games that somebody holds, by name and rules."""

_RECENT = 64
"""Games that are kept though nobody holds them."""


@lru_cache(maxsize=_RECENT)
def _make(name: str, rules: Any) -> Game:
    game = _made.get((name, rules))
    if game is None:
        game = _made.setdefault((name, rules), game_class(name)(rules))  # type: ignore[call-arg]
    return game


def rule_fields(name: str) -> dict[str, dataclasses.Field[Any]]:
    """The fields of a game's rules, by name."""
    return {field.name: field for field in dataclasses.fields(game_class(name).rules_class)}


def make_game(name: str, **rules: Any) -> Game:
    """The game called ``name`` under these rules (fields of RULES.md; the others keep their defaults).

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
    return _make(name, game_class(name).rules_class(**rules))


def _described(text: Any) -> tuple[Any, dict[str, Any]]:
    """Name and rules of a description; what is none is taken for a name. Nothing in it is carried out."""
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


def remake_game(name: str, rules: dict[str, Any]) -> Game:
    """The game of an unpickled state or environment."""
    return make_game(name, **rules)
