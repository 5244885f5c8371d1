"""Konchinka as a game: its constants, names and pages around the kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from card_envs.cards import SUITS, Pack, canonical, english, pretty
from card_envs.checks import shown
from card_envs.game import Game
from card_envs.kernel import Kernel
from card_envs.konchinka import dealing, greedy, kernel, observation, worlds
from card_envs.konchinka.dealing import CLUBS, KONCHINKI, seat_dealt
from card_envs.konchinka.moves import RANKS, TRAIL, Moves, make_moves
from card_envs.konchinka.rules import KonchinkaRules
from card_envs.public import CARD, CARDS, COUNT, SEAT, by_seat, fact, list_of, optional
from card_envs.public import RANKS as ANY_RANKS
from card_envs.render.scene import Group, Place, Scene
from card_envs.render.text import Page

_CROSS = re.compile("[xX×]")

MOST_LETTERS = 40
"""Letters of the longest name of an action, and some to spare."""

WORDS = 9
"""Words for the largest set of actions, 4 suits of 121 moves, and one that the last move may spill into."""


class Konchinka(Game):
    """Konchinka under one set of rules. Action = suit of the card played * moves + move (``moves.Moves``)."""

    name = "konchinka"
    rules_class = KonchinkaRules
    dtype = dealing.STATE
    constants_dtype = dealing.CONSTANTS
    carried = ("open",)
    void = "the table cards cannot be replaced (K4)"
    kernel = Kernel.of(dealing, kernel, observation, greedy, worlds, words=WORDS)

    rules: KonchinkaRules

    def __init__(self, rules: KonchinkaRules) -> None:
        self.pack = Pack(SUITS, RANKS)
        self.moves = make_moves(rules)
        self.max_plays = rules.max_plays
        self.most_points = 5
        # A match is decided from at most target - 1, except that seats level at the top play on: only several such
        # deals in a row could lead past these bounds.
        most = float(rules.target - 1 + self.most_points if rules.match else self.most_points)
        self.max_return = most
        self.min_return = -most if rules.match else -most / (rules.num_players - 1)
        super().__init__(rules, _constants(rules, self.moves), observation.layout(rules))

    def _min_returns(self) -> dict[str, float]:
        rules = self.rules
        price = rules.stake if rules.settlement == "stakes" else rules.chip * rules.target
        return super()._min_returns() | {"settlement": -float(price) if rules.match else 0.0}

    def action_name(self, action: int) -> str:
        """The card, and what it captures: "5c", "KhxK", "8cxA25", "Jcx*"."""
        suit, move = divmod(self._known(action), len(self.moves))
        return self.pack.name(13 * suit + int(self.moves.rank[move])) + self.moves.names[move]

    @cached_property
    def _actions(self) -> dict[str, int]:
        return {self.action_name(action): action for action in range(self.num_actions)}

    def action_id(self, name: str) -> int:
        """Inverse of ``action_name``; takes the ranks in any order, and cards as ``cards`` reads them."""
        action = self._actions.get(_spelled(name)) if isinstance(name, str) else None
        if action is None:
            raise ValueError(
                f"{shown(name)} is no action here: write the card to trail it ('5c'), and x with the rank or ranks it "
                "captures ('KhxK', '8cxA25'), or x* for a jack that takes the table ('Jcx*')."
            )
        return action

    def match_goes_on(self, scores: Sequence[int]) -> bool:
        """K14."""
        return max(scores) < self.rules.target or list(scores).count(max(scores)) > 1

    def check_position(self, row: Any) -> None:
        """K4: cards put back lie together above the middle, jacks or of the rank of an earlier table card."""
        top = 4 * self.num_players + 4
        end = top + (52 - top) // 2
        put_back = int(row.open).bit_count()
        if put_back > end - top or int(row.open) != (1 << end) - (1 << end - put_back):
            raise ValueError(
                f"open={row.open} in the position: cards put back lie one after the other above place {end}."
            )
        ranks = {RANKS.index("J"), *(int(card) % 13 for card in row.deck[top - 4 : top - 1])}
        for card in row.deck[end - put_back : end]:
            if int(card) % 13 not in ranks:
                raise ValueError(f"open={row.open} in the position: {self.pack.name(card)} was not put back (K4).")

    def table_cards(self, row: Any) -> list[str]:
        return self.pack.set_names(row.table)

    @fact(COUNT)
    def pack_size(self, row: Any) -> int:
        """Cards left in the pack, those that are never dealt among them (K5)."""
        return 52 - int(row.dealt)

    @fact(COUNT)
    def dealt_later(self, row: Any) -> int:
        """Cards that each seat is still to be dealt (K5)."""
        return self.pack_size(row) // self.num_players

    @fact(list_of(card=CARD, place=optional(COUNT), seat=optional(SEAT)))
    def put_back(self, row: Any) -> list[dict[str, Any]]:
        """Cards that were put back openly (K4) and have not been played: their place in the pack, 1 for its top card,
        null once they are dealt; and the seat that holds them or will be dealt them, null where none will."""
        played = {*self.table_cards(row), *chain(*self.captured(row))}
        found = []
        for place in self._open_places(row, 0):
            card, owner = self.pack.name(row.deck[place]), seat_dealt(row, self.constants[0], place)
            if card not in played:
                in_pack = place - int(row.dealt) + 1
                found.append(
                    {
                        "card": card,
                        "place": in_pack if in_pack > 0 else None,
                        "seat": int(owner) if owner >= 0 else None,
                    }
                )
        return found

    @fact(by_seat(COUNT))
    def hand_sizes(self, row: Any) -> list[int]:
        """Cards in each hand."""
        players = self.num_players
        return [(int(row.in_hands) + (s - int(row.dealer) - 1) % players) // players for s in range(players)]

    @fact(by_seat(CARDS))
    def captured(self, row: Any) -> list[list[str]]:
        """Cards that each seat has captured (K10)."""
        return [self.pack.set_names(pile) for pile in self._piles(row)]

    @fact(by_seat(COUNT))
    def clubs(self, row: Any) -> list[int]:
        """Clubs that each seat has captured (K13)."""
        return [(pile & int(CLUBS)).bit_count() for pile in self._piles(row)]

    @fact(by_seat(COUNT))
    def konchinki(self, row: Any) -> list[int]:
        """Konchinki that each seat has captured (K11)."""
        return [(pile & int(KONCHINKI)).bit_count() for pile in self._piles(row)]

    @fact(optional(SEAT))
    def last_capturer(self, row: Any) -> int | None:
        """The seat that captured last, which takes what is left on the table (K12); null where none has."""
        return int(row.last_capturer) if row.last_capturer >= 0 else None

    @fact(by_seat(ANY_RANKS))
    def denied(self, row: Any) -> list[list[str]]:
        """Ranks that each seat has shown not to hold, until the next round (K8)."""
        shown_by = row.denied[: self.num_players].tolist()
        return [[rank for k, rank in enumerate(RANKS) if ranks >> k & 1] for ranks in shown_by]

    def _open_places(self, row: Any, start: int) -> list[int]:
        """Places in the pack from ``start`` on whose cards were put back openly (K4)."""
        put_back = int(row.open)
        return [place for place in range(start, 52) if put_back >> place & 1]

    def _piles(self, row: Any) -> list[int]:
        piles: list[int] = row.pile[: self.num_players].tolist()
        return piles

    def page(self, row: Any, seat: int | None) -> Page:
        """The deal as it stands: pack, scores, piles, table and the hands that may be seen."""
        page = Page(
            f"Konchinka, {self.num_players} players, {'match, ' if self.rules.match else ''}seat {row.dealer} dealt"
        )
        page.add("pack", f"{self.pack_size(row)} cards")
        self._add_known(page, row)
        for s, pile in enumerate(self.captured(row)):
            stands = f", stands at {int(row.start[s]) + int(row.total[s])}" if self.rules.match else ""
            last = ", captured last" if row.last_capturer == s else ""
            page.add(f"seat {s} has", f"{len(pile)} cards: {pretty(pile)}{stands}{last}")
        page.add("table", pretty(self.table_cards(row)))
        return self.close_page(page, row, seat, "pack", row.deck[row.dealt :])

    def scene(self, row: Any, seat: int | None) -> Scene:
        """The hands and piles round the table, the pack, and the cards put back into it (K4)."""
        # Once the deal is counted, the rest of the pack lies in a pile (K12).
        left_over = 52 - int(row.in_hands) - sum(cards.bit_count() for cards in [int(row.table), *self._piles(row)])
        rest = [self.pack.name(card) for card in row.deck[row.dealt :]] if seat is None else []
        known = self._open_places(row, int(row.dealt)) if seat is not None and left_over else []
        note = ""
        if known:
            first, last = known[0] - row.dealt + 1, known[-1] - row.dealt + 1
            note = f"card{'' if first == last else f's {first} to'} {last} from the top"
        return Scene(
            f"Konchinka, {self.num_players} players{', match' if self.rules.match else ''}",
            [self._place(row, s, seat is None or s == seat) for s in range(self.num_players)],
            Group(self.table_cards(row)),
            Group(rest if left_over else (), left_over, "pack"),
            Group([self.pack.name(row.deck[place]) for place in known], label="put back", note=note),
            most_held=4,
        )

    def _place(self, row: Any, seat: int, shown: bool) -> Place:
        pile = self.captured(row)[seat]
        return Place(
            Group(self.pack.set_names(row.hand[seat])) if shown else Group(backs=self.hand_sizes(row)[seat]),
            Group(pile, label=f"{len(pile)} card{'s' if len(pile) != 1 else ''}"),
            ["captured last"] if row.last_capturer == seat else [],
        )

    def cards_of(self, row: Any, action: int) -> tuple[str, list[str]]:
        """The card that is played, and those of the ranks it captures."""
        pattern = int(self.moves.pattern[action % len(self.moves)])
        taken = [card for card in self.pack.members(row.table) if pattern >> card % 13 & 1]
        return self.action_name(action)[:2], [self.pack.name(card) for card in taken]

    def _add_known(self, page: Page, row: Any) -> None:
        places = self._open_places(row, int(row.dealt))
        if places:
            known = ", ".join(f"{pretty([self.pack.name(row.deck[p])])} as card {p - row.dealt + 1}" for p in places)
            page.add("put back", f"{known} from the top")


def _spelled(name: str) -> str:
    """An action's name with letters for symbols and the ranks captured in their order."""
    name = name.strip()
    if len(name) > MOST_LETTERS:
        return ""
    cross = _CROSS.search(name)
    if cross is None:
        return english(canonical(name), RANKS)
    letters = "".join(
        english(letter, RANKS) for letter in name[cross.end() :].upper().replace("10", "T") if letter != " "
    )
    if set(letters) <= set(RANKS):
        letters = "".join(sorted(letters, key=RANKS.index))
    return english(canonical(name[: cross.start()]), RANKS) + "x" + letters


def _constants(rules: KonchinkaRules, moves: Moves) -> dict[str, Any]:
    """Values of ``dealing.CONSTANTS``."""
    rank_of, pattern = np.zeros(dealing.MOST_MOVES, np.int64), np.zeros(dealing.MOST_MOVES, np.uint64)
    rank_of[: len(moves)], pattern[: len(moves)] = moves.rank, moves.pattern
    return {
        "num_actions": 4 * len(moves),
        "all_taken": 52,
        "num_moves": len(moves),
        "reciprocal": (1 << 16) // rules.num_players + 1,
        "must_capture": rules.obligation == "hand",
        "by_stakes": rules.settlement == "stakes",
        "first_move": moves.first,
        "rank_of": rank_of,
        "pattern": pattern,
        "options": moves.options,
        "captors": ((moves.options != TRAIL) << np.arange(13)).sum(axis=1),
    }
