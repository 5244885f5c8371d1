"""What lies where in a position, as a game describes it for a picture.

Whose turn it is, who dealt, the scores and the plays are in the fields that all games have, so a scene leaves them
out. A game that describes no scene of its own gets the one that can be read off its page (``from_page``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from card_envs.cards import SYMBOLS
from card_envs.public import facts

if TYPE_CHECKING:
    from card_envs.game import Game

_LETTERS = {symbol: suit for suit, symbol in SYMBOLS.items()}
CARD = re.compile(rf"([A-Z2-9])([{''.join(SYMBOLS.values())}])")
"""A card as ``cards.pretty`` writes it."""

_OF_SEAT = re.compile(r"seat (\d+) (.+)")
_DRAWN = ("table", "scores", "to play", "over")
"""Lines of a page that repeat what every picture shows."""


def card_of(match: re.Match[str]) -> str:
    """Name of the card that ``CARD`` has found."""
    return match[1] + _LETTERS[match[2]]


@dataclass(frozen=True)
class Group:
    """Cards that lie together.

    cards: names of those face up, in the order in which they are shown. backs: how many lie face down.
    label: what they are. note: a remark on them.
    """

    cards: Sequence[str] = ()
    backs: int = 0
    label: str = ""
    note: str = ""


@dataclass(frozen=True)
class Place:
    """A seat: its hand, what it has won, and remarks on it."""

    hand: Group
    won: Group | None = None
    facts: Sequence[str] = ()


@dataclass(frozen=True)
class Scene:
    """A position for the eye. The same game must describe all its positions alike, with or without cards.

    title: the game. places: by seat. table: the cards on the table. stock: those to be dealt or drawn; cards face up
    are its order, the next one first. aside: cards that lie open somewhere else. lines: remarks in words.
    """

    title: str
    places: Sequence[Place]
    table: Group
    stock: Group | None = None
    aside: Group | None = None
    lines: Sequence[tuple[str, str]] = ()
    most_held: int = 6


def from_page(game: Game, row: Any, seat: int | None) -> Scene:
    """The scene of a game that describes none: its page, its hands and its table.

    Lines of the page about a seat go to that seat. The fact ``hand_sizes``, if the game declares it (``public.fact``),
    gives the number of cards in a hidden hand.
    """
    page = game.page(row, seat)
    won: dict[int, Group] = {}
    lines = []
    for label, text in page.lines:
        of_seat = _OF_SEAT.fullmatch(label)
        if of_seat is None:
            if label not in _DRAWN:
                lines.append((label, text))
        elif of_seat[2] != "holds":
            cards = [card_of(match) for match in CARD.finditer(text)]
            note = CARD.sub("", text).strip(" :–")
            won[int(of_seat[1])] = Group(cards, label=of_seat[2], note=note)
    sizes = facts(type(game)).get("hand_sizes")
    backs = sizes(game, row) if sizes else [0] * game.num_players
    places = []
    for s in range(game.num_players):
        shown = seat is None or s == seat
        hand = Group(game.pack.set_names(game.hand_cards(row, s))) if shown else Group(backs=backs[s])
        places.append(Place(hand, won.get(s)))
    return Scene(page.title, places, Group(game.table_cards(row)), lines=lines)
