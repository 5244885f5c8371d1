"""Letters as strokes, so that a picture needs no font and is the same on every machine.

A letter is drawn with a round pen in a box ten units high above its baseline. A run of text is one ``<path>``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from card_envs.cards import SYMBOLS

HEIGHT = 10.0
"""Height of capitals in the units of the letters; small letters are 6.8 high, and some reach 3 below the baseline."""

SPACE, GAP = 3.4, 2.3
"""Width of a blank, and room between two letters."""

# letter: width, where its pen starts, and where it goes from there
_STROKES = {
    "A": (8, 0, 10, "l4-10 4 10m-1.4-3.4h-5.2"),
    "B": (6.6, 0, 0, "h3.6a2.25 2.25 0 0 1 0 4.6h-3.6m3.6 0h.2a2.7 2.7 0 0 1 0 5.4h-3.8v-10"),
    "C": (7.9, 7.9, 2, "a4.5 5 0 1 0 0 6"),
    "D": (7.8, 0, 0, "v10h3a4.8 5 0 0 0 0-10z"),
    "E": (5.8, 5.8, 0, "h-5.8v10h5.8m-5.8-5.3h4.8"),
    "F": (5.6, 5.6, 0, "h-5.6v10m0-5.2h4.8"),
    "G": (8.4, 7.8, 1.9, "a4.5 5 0 1 0 .6 3.5h-3.4"),
    "H": (7.4, 0, 0, "v10m7.4-10v10m-7.4-5.2h7.4"),
    "I": (0, 0, 0, "v10"),
    "J": (5, 5, 0, "v7a2.6 3 0 0 1-5.2 0"),
    "K": (6.8, 0, 0, "v10m6.6-10l-6.6 6.2m2.5-2.3l4.3 6.1"),
    "L": (5.4, 0, 0, "v10h5.4"),
    "M": (9, 0, 10, "v-10l4.5 7 4.5-7v10"),
    "N": (7.6, 0, 10, "v-10l7.6 10v-10"),
    "O": (9, 4.5, 0, "a4.5 5 0 1 0 .01 0z"),
    "P": (6.6, 0, 10, "v-10h3.8a2.85 2.85 0 0 1 0 5.7h-3.8"),
    "Q": (9, 4.5, 0, "a4.5 5 0 1 0 .01 0zm1.1 6.9l3 3.5"),
    "R": (6.8, 0, 10, "v-10h3.8a2.75 2.75 0 0 1 0 5.5h-3.8m3.3 0l3.6 4.5"),
    "S": (6.4, 6, 1.8, "c-.6-1.1-1.6-1.8-3-1.8-1.8 0-2.9 1.1-2.9 2.5 0 1.6 1.3 2.1 3.1 2.5 1.9.4 3.2 1 3.2 2.6 0 "
          "1.5-1.2 2.4-3.1 2.4-1.6 0-2.7-.7-3.3-1.9"),
    "T": (7, 0, 0, "h7m-3.5 0v10"),
    "U": (7.4, 0, 0, "v6.3a3.7 3.7 0 0 0 7.4 0v-6.3"),
    "V": (8, 0, 0, "l4 10 4-10"),
    "W": (11.4, 0, 0, "l2.85 10 2.85-10 2.85 10 2.85-10"),
    "X": (7.4, 0, 0, "l7.4 10m0-10l-7.4 10"),
    "Y": (7.4, 0, 0, "l3.7 5.2v4.8m0-4.8l3.7-5.2"),
    "Z": (6.8, 0, 0, "h6.8l-6.8 10h6.8"),
    "a": (6, 6, 3.2, "v6.8m0-3.4a3 3.4 0 1 0 0 .01"),
    "b": (6, 0, 0, "v10m0-3.4a3 3.4 0 1 1 0 .01"),
    "c": (5.4, 5.4, 4.6, "a3.1 3.4 0 1 0 0 4"),
    "d": (6, 6, 0, "v10m0-3.4a3 3.4 0 1 0 0 .01"),
    "e": (6, 0, 6.5, "h6a3 3.4 0 1 0-.8 2.4"),
    "f": (3.8, 3.8, 0.2, "c-1.6-.5-2.6.4-2.6 2v7.8m-1.2-6.8h3.6"),
    "g": (6, 6, 3.2, "v7a3 2.9 0 0 1-5.6 1.2m5.6-4.8a3 3.4 0 1 0 0 .01"),
    "h": (5.8, 0, 0, "v10m0-4a2.9 2.8 0 0 1 5.8 0v4"),
    "i": (0, 0, 3.2, "v6.8m0-9.6v.01"),
    "j": (1.6, 1.6, 3.2, "v7.8c0 1.3-.5 1.8-1.6 1.8m1.6-12.4v.01"),
    "k": (5.2, 0, 0, "v10m4.9-6.8l-4.9 4.4m1.9-1.7l3.3 4.1"),
    "l": (0, 0, 0, "v10"),
    "m": (9.6, 0, 3.2, "v6.8m0-4.2a2.4 2.6 0 0 1 4.8 0v4.2m0-4.2a2.4 2.6 0 0 1 4.8 0v4.2"),
    "n": (5.8, 0, 3.2, "v6.8m0-4a2.9 2.8 0 0 1 5.8 0v4"),
    "o": (6.2, 3.1, 3.2, "a3.1 3.4 0 1 0 .01 0z"),
    "p": (6, 0, 3.2, "v9.8m0-6.4a3 3.4 0 1 1 0 .01"),
    "q": (6, 6, 3.2, "v9.8m0-6.4a3 3.4 0 1 0 0 .01"),
    "r": (3.2, 0, 3.2, "v6.8m0-3.9c0-1.8 1.3-3.1 3.2-2.8"),
    "s": (4.8, 4.5, 4.5, "c-.5-.8-1.2-1.3-2.2-1.3-1.3 0-2.1.7-2.1 1.7 0 1.1 1 1.4 2.3 1.7 1.3.3 2.3.7 2.3 1.8 0 1-.9 "
          "1.6-2.3 1.6-1.2 0-2-.5-2.5-1.3"),
    "t": (3.8, 1.4, 0.8, "v7.2c0 1.5.8 2.2 2.3 1.9m-3.7-6.7h3.6"),
    "u": (5.8, 0, 3.2, "v4a2.9 2.8 0 0 0 5.8 0v-4m0 0v6.8"),
    "v": (5.8, 0, 3.2, "l2.9 6.8 2.9-6.8"),
    "w": (8.4, 0, 3.2, "l2.1 6.8 2.1-6.8 2.1 6.8 2.1-6.8"),
    "x": (5.4, 0, 3.2, "l5.4 6.8m0-6.8l-5.4 6.8"),
    "y": (5.8, 0, 3.2, "l2.9 6.8m2.9-6.8l-3.8 8.8c-.4.9-.9 1.2-1.8 1"),
    "z": (5, 0, 3.2, "h5l-5 6.8h5"),
    "0": (6, 3, 0, "a3 5 0 1 0 .01 0z"),
    "1": (2.8, 0, 1.9, "l2.8-1.9v10"),
    "2": (6.2, 0.2, 2.6, "c0-1.6 1.2-2.6 2.9-2.6 1.7 0 2.9 1.1 2.9 2.7 0 1.2-.7 2.1-1.6 3.1l-4.2 4.2h6"),
    "3": (6, 0.4, 1.7, "c.5-1.1 1.4-1.7 2.6-1.7 1.6 0 2.7 1 2.7 2.4 0 1.5-1.1 2.3-2.9 2.3 1.9 0 3.2 1 3.2 2.6 0 "
          "1.6-1.2 2.7-3 2.7-1.4 0-2.5-.7-3-1.9"),
    "4": (6.4, 4.7, 10, "v-10l-4.7 7.1h6.4"),
    "5": (6, 5.6, 0, "h-4.6l-.5 4.7c.7-.6 1.5-.9 2.4-.9 1.8 0 3.1 1.2 3.1 3 0 1.9-1.3 3.2-3.2 "
          "3.2-1.3 0-2.3-.6-2.8-1.6"),
    "6": (6, 4.8, 0, "c-2.8.9-4.8 3.6-4.8 6.9a3 3.1 0 1 0 .02-.4"),
    "7": (6, 0, 0, "h6l-4 10"),
    "8": (6, 3, 4.7, "a2.6 2.35 0 1 1 .01 0a3 2.65 0 1 1-.01 0"),
    "9": (6, 1.2, 10, "c2.8-.9 4.8-3.6 4.8-6.9a3 3.1 0 1 0-.02.4"),
    ".": (0, 0, 10, "v.01"),
    ",": (0.6, 0.6, 9.9, "l-.6 1.9"),
    ":": (0, 0, 4.6, "v.01m0 4.6v.01"),
    ";": (0.6, 0.6, 4.6, "v.01m0 4.6l-.6 1.9"),
    "-": (3.2, 0, 6.3, "h3.2"),
    "–": (5.4, 0, 6.3, "h5.4"),
    "!": (0, 0, 0, "v6.8m0 3.2v.01"),
    "?": (5.2, 0, 2.2, "c0-1.4 1.1-2.2 2.5-2.2 1.6 0 2.7 1 2.7 2.4 0 2-2.6 2.3-2.6 4.5m0 3.1v.01"),
    "(": (2, 2, -1, "c-2.7 3.7-2.7 8.9 0 12.6"),
    ")": (2, 0, -1, "c2.7 3.7 2.7 8.9 0 12.6"),
    "[": (2, 2, -1, "h-2v12.6h2"),
    "]": (2, 0, -1, "h2v12.6h-2"),
    "/": (4, 4, -0.5, "l-4 11.5"),
    "+": (6, 3, 3.2, "v6m-3-3h6"),
    "=": (5.6, 0, 4.8, "h5.6m-5.6 3h5.6"),
    "<": (4.6, 4.6, 3.2, "l-4.6 3 4.6 3"),
    ">": (4.6, 0, 3.2, "l4.6 3-4.6 3"),
    "×": (4.6, 0, 4.2, "l4.6 4.6m0-4.6l-4.6 4.6"),
    "*": (4, 2, 0, "v4.6m-2-3.4l4 2.2m0-2.2l-4 2.2"),
    "%": (9.2, 2, 0, "a1.9 2.2 0 1 0 .01 0zm5.4 0l-5.8 10m5.5-4.4a1.9 2.2 0 1 0 .01 0z"),
    "'": (0, 0, 0, "v2.6"),
    '"': (2, 0, 0, "v2.6m2-2.6v2.6"),
    "_": (6, 0, 11.4, "h6"),
    "·": (0, 0, 6.3, "v.01"),
    "→": (7, 0, 6.3, "h7m-2.5-2.5l2.5 2.5-2.5 2.5"),
    # the cards of the Russian names
    "Т": (7, 0, 0, "h7m-3.5 0v10"),
    "К": (6.8, 0, 0, "v10m6.6-10l-6.6 6.2m2.5-2.3l4.3 6.1"),
    "В": (6.6, 0, 0, "h3.6a2.25 2.25 0 0 1 0 4.6h-3.6m3.6 0h.2a2.7 2.7 0 0 1 0 5.4h-3.8v-10"),
    "Д": (7.6, 0, 11.6, "v-1.8h7.6v1.8m-6.5-1.8c1.3-2.2 1.7-5.2 1.7-9.8h3.7v9.8"),
}  # fmt: skip

_UNKNOWN = (5.0, 0.0, 0.0, "h5v10h-5z")

# in a box of ten by ten
SUIT_SHAPES = {
    "c": "M5 0a2.35 2.35 0 0 1 1.7 3.9 2.35 2.35 0 1 1-1.05 3.6Q5.7 9.3 7 10H3Q4.3 9.3 4.35 7.5a2.35 2.35 0 "
         "1 1-1.05-3.6A2.35 2.35 0 0 1 5 0z",
    "d": "M5 0Q6.7 2.9 9 5 6.7 7.1 5 10 3.3 7.1 1 5 3.3 2.9 5 0z",
    "h": "M5 9.7C1.3 6.7.1 5 .1 3A2.55 2.65 0 0 1 5 2.1 2.55 2.65 0 0 1 9.9 3C9.9 5 8.7 6.7 5 9.7z",
    "s": "M5 0C7.9 2.7 9.7 4.2 9.7 6.2A2.25 2.25 0 0 1 5.6 7.4Q5.7 9.2 7 10H3Q4.3 9.2 4.4 7.4A2.25 2.25 0 0 1 .3 6.2C"
         ".3 4.2 2.1 2.7 5 0z",
}  # fmt: skip
SUIT_COLOURS = {"c": "#17722f", "d": "#1a5fb4", "h": "#c8102e", "s": "#15191d"}
"""Four colours; the shapes can be told apart without them."""

_SUIT_OF = {symbol: suit for suit, symbol in SYMBOLS.items()}


def number(value: float) -> str:
    """A number of a picture: two decimals at most.

    >>> number(3.0), number(0.256), number(-0.001)
    ('3', '0.26', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _advances(text: str) -> Iterator[tuple[str, float, float]]:
    """Letters of a text, with where each stands and where the next may stand."""
    at = 0.0
    for letter in text:
        width = SPACE if letter == " " else 11.0 if letter in _SUIT_OF else _STROKES.get(letter, _UNKNOWN)[0] + GAP
        yield letter, at, at + width
        at += width


def advance(text: str, height: float) -> float:
    """How far a text with capitals ``height`` high reaches, up to where another may follow."""
    return max((end for _, _, end in _advances(text)), default=0.0) * height / HEIGHT


def text_width(text: str, height: float) -> float:
    """Width of a text with capitals ``height`` high."""
    return max(advance(text, height) - GAP * height / HEIGHT, 0.0)


@dataclass(frozen=True)
class Pen:
    """How letters are written. colour: of everything but suits. weight: of the stroke, in tenths of the height."""

    colour: str = "#22302a"
    weight: float = 1.25


def write(
    text: str,
    x: float,
    y: float,
    height: float,
    pen: Pen = Pen(),
    *,
    anchor: str = "start",
    room: float | None = None,
) -> str:
    """A line of text as SVG, its capitals ``height`` high, the upper left corner at ``x``, ``y``.

    anchor: ``"middle"`` and ``"end"`` put the middle or the right end at ``x``. room: the text is made smaller if it
    is wider than this.
    """
    width = text_width(text, height)
    if room is not None and width > room:
        y += height * (1 - room / width) / 2
        height *= room / width
        width = room
    x -= width * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    scale = height / HEIGHT
    strokes, suits = [], []
    for letter, at, _ in _advances(text):
        if letter in _SUIT_OF:
            suits.append(suit_shape(_SUIT_OF[letter], x + at * scale, y + 0.02 * height, 0.98 * height))
        elif letter != " ":
            _, start, top, way = _STROKES.get(letter, _UNKNOWN)
            strokes.append(f"M{number(at + start)} {number(top)}{way}")
    if strokes:
        suits.insert(
            0,
            f'<path transform="translate({number(x)} {number(y)}) scale({scale:.4f})" fill="none" '
            f'stroke="{pen.colour}" stroke-width="{number(pen.weight)}" stroke-linecap="round" '
            f'stroke-linejoin="round" d="{"".join(strokes)}"/>',
        )
    return "".join(suits)


def suit_shape(suit: str, x: float, y: float, size: float) -> str:
    """The shape of a suit as SVG, in a square of this size."""
    return (
        f'<path transform="translate({number(x)} {number(y)}) scale({size / 10:.4f})" '
        f'fill="{SUIT_COLOURS[suit]}" d="{SUIT_SHAPES[suit]}"/>'
    )
