"""The games there are, and how to make one."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from importlib import import_module
from typing import Any

from card_envs.game import Game

GAMES = {
    "elfern": "card_envs.elfern.game:Elfern",
    "konchinka": "card_envs.konchinka.game:Konchinka",
}
"""Name of each game and its class: the one line that a new game needs."""


def game_class(name: str) -> type[Game]:
    """The class of a game; ``ValueError`` naming the games if there is none of that name."""
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"{name!r} is not a game here: choose one of {', '.join(map(repr, GAMES))}.")
    module, _, attribute = GAMES[name].partition(":")
    return getattr(import_module(module), attribute)


@lru_cache(maxsize=64)
def _make(name: str, rules: Any) -> Game:
    return game_class(name)(rules)  # type: ignore[call-arg]


def rule_fields(name: str) -> dict[str, dataclasses.Field[Any]]:
    """The fields of a game's rules, by name."""
    return {field.name: field for field in dataclasses.fields(game_class(name).rules_class)}


def make_game(name: str, **rules: Any) -> Game:
    """The game called ``name`` under these rules (fields of RULES.md; the others keep their defaults).

    Games of equal rules are one object. Raises ``ValueError`` for an unknown game or field and for a value out
    of range.

    >>> make_game("elfern").num_actions
    32
    >>> make_game("elfern", trumps="h")
    Traceback (most recent call last):
        ...
    ValueError: elfern has no rule 'trumps': its rules are follow_suit, match, target, suits, ranks, honours, hand_size.
    """
    fields = rule_fields(name)
    for field in rules:
        if field not in fields:
            raise ValueError(f"{name} has no rule {field!r}: its rules are {', '.join(fields)}.")
    return _make(name, game_class(name).rules_class(**rules))


def remake_game(name: str, rules: dict[str, Any]) -> Game:
    """The game of an unpickled state or environment."""
    return make_game(name, **rules)
