"""The fields of a game's rules as people choose them: their sentences, kinds and bounds, read from the class."""

from __future__ import annotations

import inspect
import re
import types
import typing
from typing import Any, Literal

from card_envs.errors import OutOfRange
from card_envs.registry import game_class, rule_fields

BEYOND = 2**70
"""A number that no rule allows."""


def field_sentences(described: type) -> dict[str, str]:
    r"""The descriptions of the fields in a class docstring, by name: ``name: sentence.``, later lines indented.

    >>> class Rules:
    ...     'Two fields.\n\npace: ``"slow"``\n    or ``"fast"``.\nlaps: how many.'
    >>> field_sentences(Rules)
    {'pace': 'slow or fast', 'laps': 'how many'}
    """
    found = re.findall(r"^(\w+): (.*(?:\n +.*)*)", inspect.getdoc(described) or "", re.MULTILINE)
    return {name: " ".join(text.split()).replace('"', "").replace("``", "").rstrip(".") for name, text in found}


def plain_hint(hint: Any) -> Any:
    """The type of a field whose value may also be None, without the None."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(part for part in typing.get_args(hint) if part is not type(None))
    return hint


def described_rules(game: str) -> list[dict[str, Any]]:
    """What may be chosen in the rules of a game, field by field, as data for JSON.

    Each has ``name``, ``sentence``, ``default`` (null: it depends on the others) and ``kind``: ``"flag"``,
    ``"choice"`` (with ``choices``), ``"whole"`` (with ``least`` and ``most``, where the rules say so), ``"numbers"``
    (a list of so many, ``length``), ``"number"`` or ``"text"``. Raises ``ValueError`` for a game that cannot be loaded.
    """
    rules = game_class(game).rules_class
    hints, sentences = typing.get_type_hints(rules), field_sentences(rules)
    return [
        {"name": name, "sentence": sentences.get(name, name), "default": field.default}
        | _kind(rules, name, plain_hint(hints[name]))
        for name, field in rule_fields(game).items()
    ]


def _kind(rules: type[Any], name: str, hint: Any) -> dict[str, Any]:
    """The kind of a field, and what may be chosen in it."""
    if hint is bool:
        return {"kind": "flag"}
    if typing.get_origin(hint) is Literal:
        return {"kind": "choice", "choices": list(typing.get_args(hint))}
    if typing.get_origin(hint) is tuple:
        return {"kind": "numbers", "length": len(typing.get_args(hint))}
    if hint is int:
        return {"kind": "whole", **bounds(rules, name)}
    return {"kind": "number" if hint is float else "text"}


def bounds(rules: type[Any], name: str) -> dict[str, int]:
    """``least`` and ``most`` of a whole number in the rules, if they give them when they refuse one."""
    try:
        rules(**{name: BEYOND})
    except OutOfRange as fault:
        return {"least": fault.least, "most": fault.most} if fault.name == name else {}
    except (ValueError, ArithmeticError):
        pass
    return {}
