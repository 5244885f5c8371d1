"""What a player would play, drawn on the cards: a badge on the card, arrows to what it takes, and a list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from card_envs.checks import shown
from card_envs.render.faces import Box, rectangle
from card_envs.render.lettering import Pen, number, text_width, write
from card_envs.render.plays import said

if TYPE_CHECKING:
    from card_envs.render.svg import Picture

COLOUR = "#6a32a8"
PEN, ON_BADGE = Pen(COLOUR, 1.6), Pen("#ffffff", 1.7)
MOST_LISTED = 12


def checked(weights: Mapping[int, float]) -> dict[int, float]:
    """The weights as floats; ``ValueError`` unless all are finite and none is negative."""
    found = {}
    for action, weight in weights.items():
        try:
            value = float(weight)
        except (TypeError, ValueError):
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"The weight {shown(weight)} of a mark must be a number, 0 or more.")
        found[action] = value
    return found


def label(weight: float, whole: bool) -> str:
    """A weight as text: in per cent where all weights add up to 1."""
    if not whole:
        return f"{weight:.3g}"
    return f"{100 * weight:.0f}%" if weight >= 0.005 or weight == 0 else "<1%"


def draw_marks(picture: Picture, weights: Mapping[int, float]) -> None:
    """Draw marks for actions of the seat to play, whose hand must be shown."""
    game, row = picture.game, picture.row
    whole = sum(weights.values()) <= 1 + 1e-6
    most = max(weights.values()) or 1.0
    by_card: dict[str, float] = {}
    picture.parts.append('<g class="marks">')
    for action, weight in sorted(weights.items(), key=lambda mark: (mark[1], -mark[0])):
        card, taken = game.cards_of(row, action)
        if card not in picture.hands:
            continue  # an action that plays no card: it is listed
        by_card[card] = by_card.get(card, 0.0) + weight
        if weight > 0:
            picture.parts.extend(
                arrow(picture.hands[card], picture.table[goal], weight / most)
                for goal in taken
                if goal in picture.table
            )
    for card, weight in by_card.items():
        picture.parts.append(badge(picture.hands[card], label(weight, whole)))
    picture.parts.append("</g>")
    picture.height = listed(picture, weights, most, whole)


def badge(card: Box, text: str) -> str:
    """A label on the upper left corner of a card, which stays visible where cards overlap."""
    height = 9.0
    width = text_width(text, height) + 10
    box = Box(card.x - 4, card.y - 11, width, height + 8)
    return rectangle(box, 8.5, COLOUR, "#ffffff", 1.4) + write(
        text, box.middle, box.y + 4, height, ON_BADGE, anchor="middle"
    )


def arrow(start: Box, end: Box, share: float) -> str:
    """An arrow from a card in a hand to one on the table, the thicker the greater its share."""
    upwards = start.y > end.y
    x0, y0 = start.middle, start.y + (6 if upwards else start.height - 6)
    x1, y1 = end.middle, end.y + end.height * (0.72 if upwards else 0.28)
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    across, along = (x1 - x0) / length, (y1 - y0) / length
    width = 2 + 5 * share
    head = 8 + 1.4 * width
    neck_x, neck_y = x1 - head * across, y1 - head * along
    half = head * 0.55
    tip = (
        f"M{number(x1)} {number(y1)}L{number(neck_x - half * along)} {number(neck_y + half * across)}"
        f"L{number(neck_x + half * along)} {number(neck_y - half * across)}z"
    )
    return (
        f'<g class="arrow" opacity="0.82"><path d="M{number(x0)} {number(y0)}L{number(neck_x)} {number(neck_y)}" '
        f'stroke="{COLOUR}" stroke-width="{number(width)}"/><path d="{tip}" fill="{COLOUR}"/></g>'
    )


def listed(picture: Picture, weights: Mapping[int, float], most: float, whole: bool) -> float:
    """List the heaviest actions below the picture, with a bar each; the new height of the picture."""
    ranked = sorted(weights.items(), key=lambda mark: (-mark[1], mark[0]))
    columns, left = 2 if picture.is_narrow else 3, 16.0
    wide = (picture.width - 2 * left) / columns
    top = picture.height + 2
    names = [said(picture.game.action_name(action), picture.names) for action, _ in ranked[:MOST_LISTED]]
    indent = min(max(text_width(name, 10) for name in names), 110) + 10
    for k, (name, (_, weight)) in enumerate(zip(names, ranked, strict=False)):
        x, y = left + k % columns * wide, top + k // columns * 20
        picture.parts.append(write(name, x, y, 10, room=110))
        bar = max(74 * weight / most, 1.5)
        picture.parts.append(rectangle(Box(x + indent, y, bar, 10), 2, COLOUR))
        picture.parts.append(write(label(weight, whole), x + indent + bar + 6, y + 0.5, 9, PEN))
    bottom = top + math.ceil(len(names) / columns) * 20
    if len(ranked) > len(names):
        rest = f"and {len(ranked) - len(names)} more"
        picture.parts.append(write(rest, picture.width - left, bottom, 9, PEN, anchor="end"))
        bottom += 16
    return bottom + 6
