"""Single cards as SVG: face up, face down, and as one letter of a list."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from card_envs.cards import SYMBOLS, rank_name
from card_envs.render.lettering import SUIT_COLOURS, Pen, number, suit_shape, text_width, write

WIDTH = 720
"""Width of a picture in its own units, and by default in pixels."""

RATIO = 1.4
"""Height of a card by its width."""

LAST = "#e07b00"
"""Colour of the last play and of the seat to play."""

_EDGE = "#8b978f"


@dataclass(frozen=True)
class Box:
    """Where something lies: left and upper edge, width and height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Middle, from left to right."""
        return self.x + self.width / 2


def rectangle(box: Box, radius: float, fill: str, stroke: str = "none", width: float = 1, more: str = "") -> str:
    """A rectangle with round corners."""
    edge = "" if stroke == "none" else f' stroke="{stroke}" stroke-width="{number(width)}"'
    return (
        f'<rect x="{number(box.x)}" y="{number(box.y)}" width="{number(box.width)}" height="{number(box.height)}" '
        f'rx="{number(radius)}" fill="{fill}"{edge}{more}/>'
    )


def named(name: str, names: str, drawing: str) -> str:
    """A drawing of a card with its name, for screen readers and programs."""
    title = rank_name(name[0], names) + SYMBOLS[name[1]]
    return f'<g class="card" data-card="{escape(name)}"><title>{title}</title>{drawing}</g>'


def face(name: str, x: float, y: float, width: float, names: str, *, last: bool = False) -> str:
    """A card face up; the left third shows rank and suit, so cards may overlap."""
    unit = width / 50
    suit, rank = name[1], rank_name(name[0], names)
    box = Box(x, y, width, width * RATIO)
    pen = Pen(SUIT_COLOURS[suit], 1.7)
    cap = 21 * unit
    drawing = rectangle(box, 4.5 * unit, "#ffffff", LAST if last else _EDGE, 3.2 * unit if last else max(unit, 0.8))
    middle = x + 12.7 * unit
    drawing += write(rank, middle, y + 7 * unit, cap, pen, anchor="middle", room=17.5 * unit)
    drawing += suit_shape(suit, middle - 7.5 * unit, y + 33 * unit, 15 * unit)
    drawing += suit_shape(suit, x + 22 * unit, y + 41 * unit, 24 * unit)
    return named(name, names, drawing)


def small_face(name: str, x: float, y: float, width: float, names: str, *, last: bool = False) -> str:
    """A small card face up, with its rank above its suit."""
    suit, rank = name[1], rank_name(name[0], names)
    box = Box(x, y, width, width * 1.55)
    drawing = rectangle(box, width * 0.12, "#ffffff", LAST if last else _EDGE, 2 if last else 0.8)
    pen = Pen(SUIT_COLOURS[suit], 1.6)
    drawing += write(rank, box.middle, y + width * 0.2, width * 0.5, pen, anchor="middle", room=width * 0.78)
    drawing += suit_shape(suit, x + width * 0.24, y + width * 0.86, width * 0.52)
    return named(name, names, drawing)


def letter(name: str, x: float, y: float, height: float, names: str, *, last: bool = False) -> str:
    """A card in the list of its suit: its rank alone, centred at ``x``."""
    rank = rank_name(name[0], names)
    drawing = write(rank, x, y, height, Pen(SUIT_COLOURS[name[1]], 1.5), anchor="middle", room=1.35 * height)
    if last:
        half = max(text_width(rank, height) / 2, 0.4 * height)
        way = f"M{number(x - half)} {number(y + 1.35 * height)}h{number(2 * half)}"
        drawing += f'<path d="{way}" stroke="{LAST}" stroke-width="{number(height / 4)}"/>'
    return named(name, names, drawing)


def back(x: float, y: float, width: float) -> str:
    """A card face down."""
    unit = width / 50
    outer = Box(x, y, width, width * RATIO)
    inner = Box(x + 4 * unit, y + 4 * unit, width - 8 * unit, width * RATIO - 8 * unit)
    waves = "".join(
        f"M{number(inner.x)} {number(inner.y + inner.height * k / 6)}"
        + f"l{number(inner.width / 4)} {number(inner.height / 6)} {number(inner.width / 4)} {number(-inner.height / 6)}"
        * 2
        for k in range(6)
    )
    return (
        '<g class="back">'
        + rectangle(outer, 4.5 * unit, "#ffffff", _EDGE, max(unit, 0.8))
        + rectangle(inner, 2.5 * unit, "#43688f")
        + f'<path d="{waves}" fill="none" stroke="#a9c0d8" stroke-width="{number(1.2 * unit)}"/></g>'
    )
