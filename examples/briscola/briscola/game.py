"""Briscola as a game: its constants and pages around the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from briscola import kernel, views
from briscola.rules import COUNTING, RANKS, BriscolaRules
from card_envs import Game
from card_envs.cards import SUITS, Pack, pretty
from card_envs.kernel import Kernel
from card_envs.public import CARD, CARDS, COUNT, by_seat, fact, optional
from card_envs.render.text import Page


class Briscola(Game):
    """Briscola under one set of rules. Action = card: ``suit * ranks + rank``, ranks ascending."""

    name = "briscola"
    rules_class = BriscolaRules
    dtype = kernel.STATE
    constants_dtype = kernel.CONSTANTS
    kernel = Kernel.of(kernel, views, words=1)

    rules: BriscolaRules

    def __init__(self, rules: BriscolaRules) -> None:
        self.pack = Pack(SUITS[: rules.suits], RANKS[-rules.ranks :])
        self.max_plays = rules.pack_size
        self.most_points = 1
        self.max_return = float(rules.target if rules.match else 1)
        self.min_return = -self.max_return
        alike = [sum(1 << card for card, name in enumerate(self.pack.names) if name[0] == rank) for rank in COUNTING]
        constants = {
            "all_taken": sum(COUNTING.get(name[0], 0) for name in self.pack.names),
            "same_suit": self.pack.same_suit(),
            "higher": self.pack.higher(),
            "counting": np.array(alike, np.uint64),
            "worth": list(COUNTING.values()),
        }
        super().__init__(rules, constants, views.layout(rules))

    def table_cards(self, row: Any) -> list[str]:
        """The card led, and the turned card as long as it lies there."""
        turned = [row.deck[2 * self.rules.hand_size]] if row.drawn < self.pack.size else []
        return [self.pack.name(card) for card in ([] if row.lead < 0 else [row.lead]) + turned]

    def stock(self, row: Any) -> range:
        """Places in the pack of the cards face down, the next one first; the turned card lies before them."""
        return range(int(row.drawn) + 1, self.pack.size)

    @fact(COUNT)
    def stock_size(self, row: Any) -> int:
        """Cards to draw, the turned one among them (B6)."""
        return self.pack.size - int(row.drawn)

    @fact(by_seat(COUNT))
    def hand_sizes(self, row: Any) -> list[int]:
        """Cards in each hand."""
        turn = row.forfeit if row.over else row.to_play
        return [(int(row.drawn) - int(row.plays) + int(turn == s)) // 2 for s in (0, 1)]

    @fact(CARD)
    def turned(self, row: Any) -> str:
        """The card turned up, whose suit is trumps (B3)."""
        return self.pack.name(row.deck[2 * self.rules.hand_size])

    @fact(optional(CARD))
    def lead(self, row: Any) -> str | None:
        """The card led to the trick; null where none is."""
        return None if row.lead < 0 else self.pack.name(row.lead)

    @fact(by_seat(CARDS))
    def won(self, row: Any) -> list[list[str]]:
        """Cards in the tricks that each seat has won."""
        return [self.pack.set_names(row.won[s]) for s in (0, 1)]

    @fact(by_seat(COUNT))
    def card_points(self, row: Any) -> list[int]:
        """Card points that each seat has won (B7)."""
        return [sum(COUNTING.get(card[0], 0) for card in won) for won in self.won(row)]

    def page(self, row: Any, seat: int | None) -> Page:
        """The deal as it stands: stock, trumps, scores, tricks won, table and the hands that may be seen."""
        page = Page(f"Briscola, {'match, ' if self.rules.match else ''}seat {row.dealer} dealt")
        page.add("stock", f"{self.stock_size(row)} cards")
        page.add("trump turned", pretty([self.turned(row)]))
        if self.rules.match:
            page.add("scores", " : ".join(str(int(row.start[s]) + int(row.total[s])) for s in (0, 1)))
        for s, (won, points) in enumerate(zip(self.won(row), self.card_points(row), strict=True)):
            page.add(f"seat {s} won", f"{points} points: {pretty(won)}")
        page.add("led", "–" if row.lead < 0 else f"{pretty([self.pack.name(row.lead)])} by seat {1 - row.to_play}")
        return self.close_page(page, row, seat, "stock", [row.deck[place] for place in self.stock(row)])
