"""Checks of values that users pass in: each returns the plain value or raises an error that is a sentence."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from card_envs.errors import OutOfRange

MOST_BITS = 300
"""Whole numbers of more bits are not printed in full: beyond some size Python refuses to."""


class _Line(reprlib.Repr):
    """``repr`` that is no longer than a line and never fails, whatever it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 80
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 12
        self.maxlevel = 3

    def repr_int(self, value: int, level: int) -> str:
        if value.bit_length() > MOST_BITS:
            return f"<a whole number of {value.bit_length()} bits>"
        return super().repr_int(value, level)

    def repr_instance(self, value: object, level: int) -> str:
        # A list or string of a subclass would be written out in full before it is cut.
        if isinstance(value, int) and not isinstance(value, bool):
            return self.repr_int(value, level)
        if isinstance(value, (list, tuple, str, bytes)) and len(value) > self.maxother:
            return f"<{type(value).__name__} of length {len(value)}>"
        return super().repr_instance(value, level)


_line = _Line()


def shown(value: object) -> str:
    """``repr(value)`` for a sentence: cut to a line where it is long.

    >>> shown("Kh"), len(shown("Kh" * 5_000_000)) < 100
    ("'Kh'", True)
    """
    text = " ".join(line.strip() for line in _line.repr(value).split("\n"))
    return text if len(text) <= 200 else f"{text[:150]}...{text[-40:]}"


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """``value`` as an int from ``least`` to ``most``; ``ValueError`` otherwise (a bool is not a number), ``OutOfRange``
    for a number that is not among them."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}={shown(value)} is not a whole number: give one from {least} to {most}.") from None
    if not least <= number <= most:
        fault = OutOfRange(f"{name}={shown(number)} is out of range: give a whole number from {least} to {most}.")
        fault.name, fault.least, fault.most = name, least, most
        raise fault
    return number


def settle(rules: Any, **bounds: tuple[int, int]) -> None:
    """Check the whole numbers of a frozen dataclass by their bounds, and ``match``, and store the plain values.

    Raises ``ValueError`` for a value of the wrong kind or out of range.
    """
    object.__setattr__(rules, "match", flag("match", rules.match))
    for name, (least, most) in bounds.items():
        object.__setattr__(rules, name, whole_number(name, getattr(rules, name), least, most))


def even_pack(suits: int, ranks: int, hand_size: int, stock: int = 0) -> None:
    """Raise ``ValueError`` unless two players can share a pack evenly and it is enough for both hands and the stock."""
    size = suits * ranks
    if size % 2:
        raise ValueError(
            f"suits={suits} and ranks={ranks} make a pack of {size} cards, which two players cannot share: choose an "
            "even number of cards."
        )
    if 2 * hand_size + stock > size:
        left = f" and {stock} for the stock" if stock else ""
        raise ValueError(
            f"hand_size={hand_size} needs {2 * hand_size} cards for two hands{left}, but the pack has {size} "
            f"(suits={suits}, ranks={ranks}): deal at most {(size - stock) // 2}."
        )


def flag(name: str, value: Any) -> bool:
    """``value`` as a bool; ``ValueError`` if it is anything but true or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={shown(value)} is neither True nor False.")
    return bool(value)


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """``value`` if it is one of ``choices``; ``ValueError`` naming them otherwise."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={shown(value)} is unknown: choose one of {', '.join(map(repr, choices))}.")
    return value
