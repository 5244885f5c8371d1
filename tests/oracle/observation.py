"""How the bits of an observation are told: a part is the list of its bits.

Sets of cards and ranks are given by a predicate over all of them in the order of the planes, counts as thermometers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Parts = dict[str, list[int]]
"""What a seat sees: names of the parts, and what must stand in each."""


def thermometer(count: int, width: int) -> list[int]:
    """So many ones, then zeros."""
    return [1 if place < count else 0 for place in range(width)]


def plane(cards: Iterable[str], order: Sequence[str]) -> list[int]:
    """One bit for each card (or rank), in this order."""
    members = set(cards)
    return [1 if card in members else 0 for card in order]
