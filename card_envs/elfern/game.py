"""Elfern as a game: its constants, names and pages around the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from card_envs.cards import SUITS, Pack, pretty
from card_envs.elfern import greedy, kernel, observation, worlds
from card_envs.elfern.rules import ElfernRules
from card_envs.game import Game
from card_envs.kernel import Kernel
from card_envs.loops import build_loops
from card_envs.open_cards import Solver
from card_envs.render.text import Page

RANKS = "789TJQKA"


class Elfern(Game):
    """Elfern under one set of rules. Action = card: ``suit * ranks + rank``, ranks ascending."""

    name = "elfern"
    rules_class = ElfernRules
    dtype = kernel.STATE
    carried = ("doubled",)
    kernel = Kernel.of(kernel, observation, greedy, worlds, words=1)
    loops = build_loops(kernel, "elfern")

    rules: ElfernRules

    def __init__(self, rules: ElfernRules) -> None:
        self.pack = Pack(SUITS[: rules.suits], RANKS[-rules.ranks :])
        self.max_plays = rules.pack_size
        most = rules.points_for(rules.all_honours)
        self.most_points = 2 * most if rules.match else most
        # A match is decided from at most target - 1, by a deal that may count double.
        self.max_return = float(rules.target - 1 + 2 * most if rules.match else most)
        self.min_return = -self.max_return
        super().__init__(rules, _constants(rules), observation.layout(rules))

    @cached_property
    def solver(self) -> Solver:
        from card_envs.elfern.solver import SOLVER

        return SOLVER

    def _constants_dtype(self) -> np.dtype[Any]:
        return kernel.CONSTANTS

    def _min_returns(self) -> dict[str, float]:
        return {"points": self.min_return, "win": -1.0, "share": -1.0, "settlement": 0.0}

    def action_name(self, action: int) -> str:
        return self.pack.name(self._known(action))

    def action_id(self, name: str) -> int:
        return self.pack.card(name)

    def match_goes_on(self, scores: Sequence[int]) -> bool:
        """E12."""
        return max(scores) < self.rules.target

    def check_position(self, row: Any) -> None:
        """E9, E11: one seat has points of a deal; it counts double or does not."""
        if row.points.all():
            raise ValueError(f"points={row.points.tolist()} in the position are of two winners of one deal.")
        if row.doubled > 1:
            raise ValueError(f"doubled={row.doubled} in the position must be 0 or 1.")

    def hand_cards(self, row: Any, seat: int) -> int:
        return int(row.hand[seat])

    def table_cards(self, row: Any) -> list[str]:
        return [] if row.lead < 0 else [self.pack.name(row.lead)]

    def page(self, row: Any, seat: int | None) -> Page:
        """The deal as it stands: stock, scores, tricks won, table and the hands that may be seen."""
        names = self.pack.set_names
        page = Page(f"Elfern, {'match, ' if self.rules.match else ''}seat {row.dealer} dealt")
        page.add("stock", f"{self.pack.size - int(row.drawn)} cards")
        if self.rules.match:
            page.add("scores", " : ".join(str(int(row.start[s]) + int(row.total[s])) for s in (0, 1)))
            if row.doubled:
                page.add("", "this deal counts double")
        for s in (0, 1):
            won = int(row.won[s])
            honours = (won & int(self.constants["honours"][0])).bit_count()
            page.add(f"seat {s} won", f"{honours} honours: {pretty(names(won))}")
        page.add("table", "–" if row.lead < 0 else f"{pretty(self.table_cards(row))} led by seat {1 - row.to_play}")
        for s in (0, 1) if seat is None else (seat,):
            page.add(f"seat {s} holds", pretty(names(row.hand[s])))
        if seat is None:
            page.add("stock, top first", pretty([self.pack.name(c) for c in row.deck[row.drawn : self.pack.size]]))
        if row.over:
            page.add("over", f"points {row.points[0]} : {row.points[1]}")
        else:
            page.add("to play", f"seat {row.to_play}")
        return page


def _constants(rules: ElfernRules) -> dict[str, Any]:
    """Values of ``kernel.CONSTANTS``."""
    size, ranks = rules.pack_size, rules.ranks
    suit_of, same_suit, higher = np.zeros(32, np.int64), np.zeros(64, np.uint64), np.zeros(64, np.uint64)
    honours, lower = 0, [0, 0, 0]
    for card in range(size):
        suit, rank = divmod(card, ranks)
        whole_suit = ((1 << ranks) - 1) << suit * ranks
        suit_of[card], same_suit[card] = suit, whole_suit
        higher[card] = whole_suit & ~((2 << card) - 1)
        honours |= (rank >= ranks - (rules.honours or 0)) << card
        for k, step in enumerate((1, 2, 4)):
            lower[k] |= (rank + step < ranks) << card
    return {
        "num_actions": size,
        "all_taken": rules.all_honours,
        "suits": rules.suits,
        "ranks": ranks,
        "pack_size": size,
        "hand_size": rules.hand_size,
        "bound_with_stock": rules.follow_suit in ("stock", "always"),
        "bound_without": rules.follow_suit in ("endgame", "always"),
        "honours": honours,
        "one_each": sum(1 << suit * rules.hand_size for suit in range(4)),
        "whole_room": (1 << 4 * rules.hand_size) - 1,
        "suit_of": suit_of,
        "same_suit": same_suit,
        "higher": higher,
        "lower": lower,
        "scale": [rules.points_for(honours) for honours in range(33)],
    }
