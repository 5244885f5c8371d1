"""The moves of Konchinka: every way to play a rank, and which of them a table allows.

The table never holds two cards of a rank (K8), so a table is a set of ranks and a capture a set of distinct
ranks. A move is a rank played and the ranks it captures (none: it is trailed); an action is a move with the
suit of the card played: ``suit * number of moves + move``. Ranks are numbered A 2 ... 9 T J Q K from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from card_envs.konchinka.rules import KonchinkaRules

RANKS = "A23456789TJQK"
JACK, QUEEN, KING = 10, 11, 12
EVERYTHING = 0x1FFF
"""The ranks a jack captures: whatever lies there (K9)."""

TRAIL = 1
"""The option of trailing, in a set of a rank's options: they are numbered as its moves, trailing first."""


@dataclass(frozen=True)
class Moves:
    """All moves under one set of rules.

    rank: rank played, by move, int (M,).
    pattern: set of ranks captured, by move, int (M,); 0 for a trail, ``EVERYTHING`` for a jack's capture.
    first: first move of each rank (13,); a rank's moves stand together, the trail first.
    names: what a move is called after the card, ``""``, ``"xK"``, ``"xA25"``, ``"x*"``.
    options: which moves of a rank are possible on a table, by set of ranks on the table and rank: bit k of
        uint32 (8192, 13) is the rank's k-th move. Trailing is among them where nothing can be captured (K8).
    """

    rank: npt.NDArray[np.int64]
    pattern: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    names: tuple[str, ...]
    options: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.names)


def captures(rules: KonchinkaRules, rank: int) -> list[int]:
    """The sets of ranks that a rank can capture: its own (K7), a jack everything (K9), or sums (K7, K17)."""
    if rank == JACK and not rules.figures:
        return [EVERYTHING]
    if rank >= JACK and not rules.figures:
        return [1 << rank]
    worth = rules.figure_sums[rank - JACK] if rank >= JACK else rank + 1
    parts = range(13 if rules.figures else 10)
    sums = [
        sum(1 << part for part in chosen)
        for size in range(2, 6)
        for chosen in combinations(parts, size)
        if sum(part + 1 for part in chosen) == worth
    ]
    return [1 << rank, *sorted(sums)]


@lru_cache(maxsize=8)
def make_moves(rules: KonchinkaRules) -> Moves:
    """The moves under these rules: 58 in the base game, up to 121 with figures."""
    ranks: list[int] = []
    patterns: list[int] = []
    first: list[int] = []
    names: list[str] = []
    options = np.zeros((1 << 13, 13), np.uint32)
    tables = np.arange(1 << 13)
    for rank in range(13):
        first.append(len(names))
        ranks.append(rank)
        patterns.append(0)
        names.append("")
        for number, pattern in enumerate(captures(rules, rank), start=1):
            ranks.append(rank)
            patterns.append(pattern)
            names.append("x*" if pattern == EVERYTHING else "x" + rank_names(pattern))
            possible = tables != 0 if pattern == EVERYTHING else tables & pattern == pattern
            options[:, rank] |= possible.astype(np.uint32) << np.uint32(number)
        options[:, rank] |= options[:, rank] == 0
    return Moves(np.array(ranks), np.array(patterns), np.array(first), tuple(names), options)


def rank_names(ranks: int) -> str:
    """A set of ranks as their letters, in order."""
    return "".join(letter for rank, letter in enumerate(RANKS) if ranks >> rank & 1)
