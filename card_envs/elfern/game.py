"""Elfern as a game: its constants, names and pages around the kernel."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from card_envs.cards import SUITS, Pack, pretty
from card_envs.checks import flag
from card_envs.elfern import greedy, kernel, observation, worlds
from card_envs.elfern.rules import ElfernRules
from card_envs.game import Game
from card_envs.kernel import Kernel
from card_envs.public import CARD, CARDS, COUNT, FLAG, by_seat, by_suit, fact, optional
from card_envs.render.scene import Group, Place, Scene
from card_envs.render.text import Page

RANKS = "789TJQKA"


class Elfern(Game):
    """Elfern under one set of rules. Action = card: ``suit * ranks + rank``, ranks ascending."""

    name = "elfern"
    rules_class = ElfernRules
    dtype = kernel.STATE
    constants_dtype = kernel.CONSTANTS
    carried = ("doubled",)
    match_extras = MappingProxyType({"doubled": flag})  # the first deal counts double (E11)
    kernel = Kernel.of(kernel, observation, greedy, worlds, words=1)

    rules: ElfernRules

    def __init__(self, rules: ElfernRules) -> None:
        self.pack = Pack(SUITS[: rules.suits], RANKS[-rules.ranks :])
        self.max_plays = rules.pack_size
        most = rules.points_for(rules.all_honours)
        self.most_points = 2 * most if rules.match else most
        # A match is decided from at most target - 1, by a deal that may count double.
        self.max_return = float(rules.target - 1 + 2 * most if rules.match else most)
        self.min_return = -self.max_return
        super().__init__(rules, _constants(rules, self.pack), observation.layout(rules))

    def check_position(self, row: Any) -> None:
        """E9, E11: one seat has points of a deal; it counts double or does not."""
        if row.points.all():
            raise ValueError(f"points={row.points.tolist()} in the position are of two winners of one deal.")
        if row.doubled > 1:
            raise ValueError(f"doubled={row.doubled} in the position must be 0 or 1.")

    def table_cards(self, row: Any) -> list[str]:
        return [] if row.lead < 0 else [self.pack.name(row.lead)]

    @fact(COUNT)
    def stock_size(self, row: Any) -> int:
        """Cards in the stock."""
        return self.pack.size - int(row.drawn)

    @fact(by_seat(COUNT))
    def hand_sizes(self, row: Any) -> list[int]:
        """Cards in each hand."""
        both = int(row.drawn) - int(row.plays)  # odd when one has led: the other has a card more
        turn = row.forfeit if row.over else row.to_play
        return [(both + int(turn == s)) // 2 for s in (0, 1)]

    @fact(optional(CARD))
    def lead(self, row: Any) -> str | None:
        """The card led to the trick; null where none is."""
        return None if row.lead < 0 else self.pack.name(row.lead)

    @fact(FLAG)
    def must_follow(self, row: Any) -> bool:
        """Whether the second player must follow suit now (E6, E8)."""
        bound = "bound_with_stock" if self.stock_size(row) else "bound_without"
        return bool(self.constants[bound][0])

    @fact(by_seat(CARDS))
    def won(self, row: Any) -> list[list[str]]:
        """Cards in the tricks that each seat has won."""
        return [self.pack.set_names(row.won[s]) for s in (0, 1)]

    @fact(by_seat(COUNT))
    def honours(self, row: Any) -> list[int]:
        """Honours that each seat has won (E2)."""
        return [(int(row.won[s]) & int(self.constants["honours"][0])).bit_count() for s in (0, 1)]

    @fact(by_seat(by_suit(COUNT)))
    def suit_limits(self, row: Any) -> list[dict[str, int]]:
        """Of each hand, the most cards of each suit that it can hold, as all have seen; 0 where it is void."""
        held, sizes = self.rules.hand_size, self.hand_sizes(row)
        return [
            {
                suit: min((int(row.room[s]) >> held * k & (1 << held) - 1).bit_count(), sizes[s])
                for k, suit in enumerate(self.pack.suits)
            }
            for s in (0, 1)
        ]

    @fact(FLAG)
    def doubled(self, row: Any) -> bool:
        """Whether the deal counts double (E11)."""
        return bool(row.doubled)

    def page(self, row: Any, seat: int | None) -> Page:
        """The deal as it stands: stock, scores, tricks won, table and the hands that may be seen."""
        page = Page(f"Elfern, {'match, ' if self.rules.match else ''}seat {row.dealer} dealt")
        page.add("stock", f"{self.stock_size(row)} cards")
        if self.rules.match:
            page.add("scores", " : ".join(str(int(row.start[s]) + int(row.total[s])) for s in (0, 1)))
            if row.doubled:
                page.add("", "this deal counts double")
        for s, (won, honours) in enumerate(zip(self.won(row), self.honours(row), strict=True)):
            page.add(f"seat {s} won", f"{honours} honours: {pretty(won)}")
        page.add("table", "–" if row.lead < 0 else f"{pretty(self.table_cards(row))} led by seat {1 - row.to_play}")
        return self.close_page(page, row, seat, "stock", row.deck[row.drawn : self.pack.size])

    def scene(self, row: Any, seat: int | None) -> Scene:
        """Two hands, the tricks won, the card led and the stock."""
        left = row.deck[row.drawn : self.pack.size] if seat is None else []
        return Scene(
            f"Elfern{', match' if self.rules.match else ''}{', this deal counts double' if row.doubled else ''}",
            [self._place(row, s, seat is None or s == seat) for s in (0, 1)],
            Group(self.table_cards(row)),
            Group([self.pack.name(card) for card in left], self.stock_size(row), "stock"),
            most_held=max(self.rules.hand_size, 4),
        )

    def _place(self, row: Any, seat: int, shown: bool) -> Place:
        honours = self.honours(row)[seat]
        return Place(
            Group(self.pack.set_names(row.hand[seat])) if shown else Group(backs=self.hand_sizes(row)[seat]),
            Group(self.won(row)[seat], label=f"won, {honours} honour{'s' if honours != 1 else ''}"),
        )


def _constants(rules: ElfernRules, pack: Pack) -> dict[str, Any]:
    """Values of ``kernel.CONSTANTS``."""
    size, ranks = rules.pack_size, rules.ranks
    suit_of = np.zeros(32, np.int64)
    honours, lower = 0, [0, 0, 0]
    for card in range(size):
        suit_of[card], rank = divmod(card, ranks)
        honours |= (rank >= ranks - (rules.honours or 0)) << card
        for k, step in enumerate((1, 2, 4)):
            lower[k] |= (rank + step < ranks) << card
    return {
        "all_taken": rules.all_honours,
        "bound_with_stock": rules.follow_suit in ("stock", "always"),
        "bound_without": rules.follow_suit in ("endgame", "always"),
        "honours": honours,
        "one_each": sum(1 << suit * rules.hand_size for suit in range(4)),
        "whole_room": (1 << 4 * rules.hand_size) - 1,
        "suit_of": suit_of,
        "same_suit": pack.same_suit(),
        "higher": pack.higher(),
        "lower": lower,
        "scale": [rules.points_for(honours) for honours in range(33)],
    }
