"""Packs of cards: names, parsing, and sets of cards as text.

A card is written as rank and suit, ``"Kh"``; ranks are ``A 2 ... 9 T J Q K``, suits ``c d h s``. Reading also
takes ``10`` for ``T``, any case, the symbols ``♣♦♥♠``, and the Russian and German names: ranks ``Т К Д В`` and
``A K D B``, suits ``т б ч п`` and ``Kr Ka He Pi``. Inside a game a card is a number, its place in
the order of the pack: ``suit * number of ranks + rank``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from card_envs.checks import shown

SUITS = "cdhs"
SYMBOLS = dict(zip(SUITS, "♣♦♥♠", strict=True))
NAMES = ("en", "ru", "de")
"""The languages of the names of cards."""

_IN_OTHERS: dict[str, dict[str, str]] = {"ru": dict(zip("AKQJ", "ТКДВ", strict=True)), "de": {"Q": "D", "J": "B"}}
_ENGLISH = {own: rank for ranks in _IN_OTHERS.values() for rank, own in ranks.items()}
_LETTERS = dict(zip("♣♦♥♠тбчп", 2 * SUITS, strict=True)) | dict(zip(("kr", "ka", "he", "pi"), SUITS, strict=True))
_CARD = re.compile(r"(10|[A-Z2-9ТКДВ])((?:KR|KA|HE|PI)(?=[\s,]|$)|[CDHS♣♦♥♠ТБЧП])", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,]*")

MOST_NAMES = 1000
"""Most cards read from one text: many times any pack, so that endless input is refused."""


@dataclass(frozen=True)
class Pack:
    """The cards of a game: ``suits`` and ``ranks`` in the order in which the cards are numbered.

    >>> pack = Pack(suits="cd", ranks="KA")
    >>> [pack.name(card) for card in range(pack.size)]
    ['Kc', 'Ac', 'Kd', 'Ad']
    >>> pack.card("a♦")
    3
    """

    suits: str
    ranks: str

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.suits) * len(self.ranks)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all cards, by number."""
        return tuple(rank + suit for suit in self.suits for rank in self.ranks)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: card for card, name in enumerate(self.names)}

    def same_suit(self) -> npt.NDArray[np.uint64]:
        """By card, the set of all cards of its suit, uint64 (64,); empty for numbers that are no card."""
        sets = np.zeros(64, np.uint64)
        for card in range(self.size):
            sets[card] = ((1 << len(self.ranks)) - 1) << card // len(self.ranks) * len(self.ranks)
        return sets

    def higher(self) -> npt.NDArray[np.uint64]:
        """By card, the set of the cards that stand above it in its suit, uint64 (64,); empty for no card."""
        sets = self.same_suit()
        for card in range(self.size):
            sets[card] &= np.uint64(2**64 - (2 << card))
        return sets

    def name(self, card: int) -> str:
        """Name of a card, ``"Kh"``."""
        return self.names[card]

    def card(self, name: str) -> int:
        """Number of the card called ``name``; ``ValueError`` if the pack has no such card."""
        card = self._numbers.get(english(canonical(name), self.ranks)) if isinstance(name, str) else None
        if card is None:
            raise ValueError(
                f"{shown(name)} is not a card of this pack: it has the ranks {' '.join(self.ranks)} "
                f"in the suits {' '.join(self.suits)}, as in {self.names[-1]!r}."
            )
        return card

    def cards(self, text: str | Iterable[str]) -> list[int]:
        """Numbers of the cards in ``text``: names with or without blanks or commas between, or an iterable of names.

        Raises ``ValueError`` for anything else, and for more than ``MOST_NAMES`` cards.
        """
        cards = self._first_cards(text, MOST_NAMES + 1)
        if len(cards) > MOST_NAMES:
            raise ValueError(f"{shown(text)} has more than {MOST_NAMES} cards, and the pack has {self.size}.")
        return cards

    def _first_cards(self, text: str | Iterable[str], most: int) -> list[int]:
        """The same, no more than the first ``most``; the rest is not read."""
        if not isinstance(text, Iterable):
            raise ValueError(f"{shown(text)} is no list of cards: give their names, as in 'Kh Td' or ['Kh', 'Td'].")
        names = _read(text) if isinstance(text, str) else text
        return [self.card(name) for name in islice(names, most)]

    def whole(self, deck: str | Iterable[str]) -> list[int]:
        """Numbers of the cards of a complete pack, top card first; ``ValueError`` if one is missing or repeated."""
        cards = self._first_cards(deck, self.size + 1)
        repeated = sorted(card for card, times in Counter(cards).items() if times > 1)
        # One card too many is reason enough to refuse: the rest has not been read.
        missing = sorted(set(range(self.size)) - set(cards)) if len(cards) <= self.size else []
        if repeated or missing:
            faults = [
                f"{word} {' '.join(self.names[card] for card in some)}"
                for word, some in (("repeats", repeated), ("lacks", missing))
                if some
            ]
            raise ValueError(f"The deck {' and '.join(faults)}; it needs each of its {self.size} cards once.")
        return cards

    def members(self, cards: int | np.integer) -> list[int]:
        """Numbers of the cards in a bit set, ascending."""
        bits = int(cards)
        return [card for card in range(self.size) if bits >> card & 1]

    def set_names(self, cards: int | np.integer) -> list[str]:
        """Names of the cards in a bit set, by number."""
        return [self.names[card] for card in self.members(cards)]


def canonical(name: str) -> str:
    """A card or rank-and-suit name with letters for symbols: ``"10♥"`` becomes ``"Th"``; others stay as they are."""
    match = _CARD.fullmatch(name.strip())
    return name if match is None else _written(match)


def _written(match: re.Match[str]) -> str:
    rank, suit = match[1].upper(), match[2].lower()
    if not rank.isascii():
        rank = _ENGLISH[rank]
    return ("T" if rank == "10" else rank) + _LETTERS.get(suit, suit)


def english(text: str, ranks: str) -> str:
    """A rank, or text that begins with one, in English where a pack of these ranks has no such rank.

    >>> english("D", "789TJQKA"), english("D", "ABCD")
    ('Q', 'D')
    """
    return text if text[:1] in ranks else _ENGLISH.get(text[:1], text[:1]) + text[1:]


def split(text: str) -> list[str]:
    """The card names in a run of text, with or without blanks or commas; ``ValueError`` at anything else.

    >>> split("Kh, 10♦ AcQs")
    ['Kh', 'Td', 'Ac', 'Qs']
    """
    return list(_read(text))


def _read(text: str) -> Iterator[str]:
    """The card names in a run of text, one after the other: each character is read once."""
    at = _end_of_blanks(text, 0)
    while at < len(text):
        match = _CARD.match(text, at)
        if match is None:
            word = re.split(r"[\s,]", text[at : at + 80], maxsplit=1)[0]
            raise ValueError(
                f"{shown(word)} in {shown(text)} is not a card: write a rank and a suit, as in 'Kh' or 'T♦'."
            )
        yield _written(match)
        at = _end_of_blanks(text, match.end())


def _end_of_blanks(text: str, start: int) -> int:
    match = _BETWEEN.match(text, start)
    return start if match is None else match.end()


def rank_name(rank: str, names: str = "en") -> str:
    """How a rank is written for people, in one of the languages ``NAMES``.

    >>> [rank_name("Q", names) for names in NAMES], rank_name("T")
    (['Q', 'Д', 'D'], '10')
    """
    return "10" if rank == "T" else _IN_OTHERS.get(names, {}).get(rank, rank)


def pretty(names: Sequence[str]) -> str:
    """Cards for people: ``["Kh", "Td"]`` as ``"K♥ T♦"``; a dash for none."""
    return " ".join(name[:-1] + SYMBOLS[name[-1]] for name in names) or "–"
