"""Checks of values that users hand in: each returns the value in plain form or raises a sentence."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """``value`` as an int from ``least`` to ``most``; ``ValueError`` otherwise (a bool is not a number)."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}={value!r:.80} is not a whole number: give one from {least} to {most}.") from None
    if not least <= number <= most:
        raise ValueError(f"{name}={number} is out of range: give a whole number from {least} to {most}.")
    return number


def flag(name: str, value: Any) -> bool:
    """``value`` as a bool; ``ValueError`` if it is anything but true or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={value!r:.80} is neither True nor False.")
    return bool(value)


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """``value`` if it is one of ``choices``; ``ValueError`` naming them otherwise."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r:.80} is unknown: choose one of {', '.join(map(repr, choices))}.")
    return value
