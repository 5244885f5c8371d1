"""A position as an SVG picture: the scene that a game describes, laid out for any number of seats.

A picture has no ids, scripts, fonts or style sheets, so that many of them can stand in one page. Every card that is
seen is one element of the class ``card`` with its name in ``data-card``. All positions of a game make pictures of the
same size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from card_envs.cards import NAMES, Pack
from card_envs.checks import choice, whole_number
from card_envs.render import faces
from card_envs.render.faces import LAST, RATIO, WIDTH, Box
from card_envs.render.lettering import Pen, advance, suit_shape, text_width, write
from card_envs.render.marks import checked, draw_marks
from card_envs.render.plays import said, translated
from card_envs.render.scene import CARD, Group, Place, Scene, card_of

if TYPE_CHECKING:
    from card_envs.game import Game

NARROW, NARROW_WIDTH = 480, 400
"""A picture of fewer pixels across is laid out for a phone: this wide in its own units, and higher."""

EDGE, GAP = 14, 10
GROUND, CLOTH, PANEL = "#dfe8e1", "#bcd0c2", "#f4f7f4"
FAINT = Pen("#55655c", 1.15)
STRONG = Pen("#22302a", 1.5)
ACTIVE = Pen("#a85600", 1.5)
BAND = 142
"""Height of the table."""

LINE, MOST_LINES = 18, 6
"""Height of a line of text, and how many there is room for; more are drawn closer together."""


class Picture:
    """A picture in the making."""

    def __init__(self, game: Game, row: Any, seat: int | None, names: str, width: int = WIDTH) -> None:
        """width: in units, ``WIDTH`` or ``NARROW_WIDTH``."""
        self.game, self.row, self.seat, self.names, self.width = game, row, seat, names, width
        self.is_narrow = width < WIDTH
        self.inside = width - 2 * EDGE
        self.scene: Scene = game.scene(row, seat)
        self.parts: list[str] = []
        self.hands: dict[str, Box] = {}
        self.table: dict[str, Box] = {}
        self.drawn: set[str] = set()
        plays = int(row.plays)
        codes = row.history[max(plays - min(game.num_players, 4), 0) : plays].tolist()
        self.last_plays = [divmod(code, game.num_actions) for code in codes]
        self.last = game.cards_of(row, self.last_plays[-1][1])[0] if self.last_plays else ""
        self.own = 0 if seat is None else seat
        self.height = 0.0

    def draw(self) -> None:
        """Draw all but the marks."""
        self.parts.append("")  # the ground, once the height is known
        self._headline()
        y = self._others(46.0)
        y = self._table(y)
        said_at, y = y, y + (MOST_LINES * LINE + GAP if self.scene.lines else 0)
        height = 220 if self.is_narrow else 112
        self._panel(self.own, Box(EDGE, y, self.inside, height))
        if self.scene.lines:
            self._lines(said_at)
        y += height + GAP
        if self.scene.stock is not None and self.scene.stock.cards:
            y = self._order(self.scene.stock, y)
        self.height = y + EDGE - GAP

    # Parts

    def _say(self, text: str, x: float, y: float, height: float, pen: Pen = STRONG, **how: Any) -> None:
        self.parts.append(write(text, x, y, height, pen, **how))

    def _headline(self) -> None:
        row, game = self.row, self.game
        most = 0.61 * self.width
        self._say(self.scene.title, EDGE + 2, 17, 14, STRONG, room=most)
        if row.forfeit >= 0:
            status = f"over: seat {row.forfeit} lost by an illegal action"
        elif row.over:
            status = f"over, points {' : '.join(str(int(points)) for points in row.points[: game.num_players])}"
        else:
            status = f"seat {row.to_play} to play"
        room = self.inside - min(text_width(self.scene.title, 14), most) - 30
        self._say(status, self.width - EDGE - 2, 17, 13, ACTIVE, anchor="end", room=room)

    def _others(self, y: float) -> float:
        """The other seats, in turn order from left to right, and the height at which the next part begins."""
        others = [(self.own + k) % self.game.num_players for k in range(1, self.game.num_players)]
        columns = self._columns(len(others))
        rows = math.ceil(len(others) / columns)
        width = (self.inside - (columns - 1) * GAP) / columns
        height = 112 if columns == 1 else 122 if width > 300 else 172 if width > 150 else 150
        for k, seat in enumerate(others):
            across, down = k % columns, k // columns
            in_row = min(columns, len(others) - down * columns)
            indent = (columns - in_row) * (width + GAP) / 2
            self._panel(seat, Box(EDGE + indent + across * (width + GAP), y + down * (height + GAP), width, height))
        return y + rows * (height + GAP)

    def _columns(self, others: int) -> int:
        """How many seats stand side by side."""
        if self.is_narrow:
            return min(others, 2) if others < 7 else 3
        return math.ceil(others / (1 if others < 4 else 2 if others < 9 else 3))

    def _panel(self, seat: int, box: Box) -> None:
        """A seat: its name, remarks on it, its hand and what it has won."""
        place = self.scene.places[seat]
        on_turn = int(self.row.to_play) == seat
        self.parts.append(f'<g class="seat" data-seat="{seat}">')
        self.parts.append(faces.rectangle(box, 9, PANEL, LAST if on_turn else "none", 3.2))
        facts = self._facts(seat, place)
        name = f"seat {seat}"
        left, top = box.x + 12, box.y + 12
        if box.width > 500:
            self._say(name, left, top + 1, 13, ACTIVE if on_turn else STRONG)
            for k, fact in enumerate(facts[:4]):
                self._say(fact, left, top + 27 + 17 * k, 9.5, FAINT, room=90)
            hand = Box(left + 98, box.y + 15, min(62.0 * self.scene.most_held, 440), 82)
            won = Box(hand.x + hand.width + 22, box.y + 13, 0, box.height - 24)
        else:
            self._say(name, left, top, 11.5, ACTIVE if on_turn else STRONG)
            room = box.width - 24 - text_width(name, 11.5) - 12
            self._say(", ".join(facts), box.x + box.width - 12, top + 1.5, 9, FAINT, anchor="end", room=room)
            if box.height > 200:
                hand = Box(left, top + 24, box.width - 24, 84)
                won = Box(left, top + 118, 0, box.height - 140)
            elif box.width > 300:
                hand = Box(left, top + 24, 148, 70)
                won = Box(left + 164, top + 24, 0, box.height - 46)
            else:
                high = 54 if box.height > 160 else 40
                hand = Box(left, top + 21, box.width - 24, high)
                won = Box(left, top + high + 28, 0, box.height - high - 46)
        self._hand(place.hand, hand)
        if place.won is not None:
            self._won(place.won, Box(won.x, won.y, box.x + box.width - 12 - won.x, won.height))
        self.parts.append("</g>")

    def _facts(self, seat: int, place: Place) -> list[str]:
        row = self.row
        facts = ["dealer"] if row.dealer == seat else []
        if self.game.rules.match:
            facts.append(f"score {int(row.start[seat]) + int(row.total[seat])}")
        return [*facts, *place.facts]

    def _hand(self, hand: Group, box: Box) -> None:
        width = box.height / RATIO
        count = len(hand.cards) + hand.backs
        step = min(width + 4, (box.width - width) / max(count - 1, 1))
        for k, card in enumerate(hand.cards):
            self.hands[card] = Box(box.x + k * step, box.y, width, box.height)
            self._card(card, self.hands[card])
        tight = min(step, width * 0.36)
        for k in range(hand.backs):
            self.parts.append(faces.back(box.x + (len(hand.cards)) * step + k * tight, box.y, width))
        if hand.backs and box.x + hand.backs * tight + width < box.x + box.width:
            x = box.x + (hand.backs - 1) * tight + width + 8
            self._say(str(hand.backs), x, box.y + box.height / 2 - 5, 10, FAINT)

    def _card(self, card: str, box: Box) -> None:
        self.drawn.add(card)
        self.parts.append(faces.face(card, box.x, box.y, box.width, self.names, last=card == self.last))

    def _won(self, won: Group, box: Box) -> None:
        """What a seat has won, as card players write it down: a line for each suit."""
        pack: Pack = self.game.pack
        label = f"{won.label} {won.note}".strip()
        self._say(label, box.x, box.y, 9, FAINT, room=box.width)
        top = box.y + 14
        line = min((box.y + box.height - top) / 4, 20)
        by_suit = {suit: [rank for rank in pack.ranks if rank + suit in won.cards] for suit in pack.suits}
        step = min(box.width / (max(map(len, by_suit.values())) + 1.2), 1.15 * line)
        height = min(0.68 * line, 0.78 * step)
        for k, (suit, ranks) in enumerate(by_suit.items()):
            y = top + k * line + (line - height) / 2
            if won.cards:
                shape = suit_shape(suit, box.x, y - 0.05 * height, 1.1 * height)
                self.parts.append(shape if ranks else f'<g opacity="0.3">{shape}</g>')
            for j, rank in enumerate(ranks):
                card = rank + suit
                self.drawn.add(card)
                x = box.x + (j + 1.7) * step
                self.parts.append(faces.letter(card, x, y, height, self.names, last=card == self.last))

    def _table(self, y: float) -> float:
        scene = self.scene
        self.parts.append(faces.rectangle(Box(EDGE, y, self.inside, BAND), 9, CLOTH))
        left, right = EDGE + 16.0, self.width - EDGE - 16.0
        if scene.stock is not None:
            self._stock(scene.stock, left, y + 36)
            left += 96
        if scene.aside is not None and scene.aside.cards:
            wide = 88 if self.is_narrow else 140
            right -= wide + 8
            self._aside(scene.aside, Box(right + 8, y + 36, wide, 80))
        cards = scene.table.cards
        width, room = 62.0, right - left
        step = min(width + 6, (room - width) / max(len(cards) - 1, 1))
        whole = width + (len(cards) - 1) * step
        x = min(max((self.width - whole) / 2, left), right - whole)
        for k, card in enumerate(cards):
            self.table[card] = Box(x + k * step, y + 40, width, width * RATIO)
            self._card(card, self.table[card])
        plays = [f"seat {seat}: {said(self.game.action_name(action), self.names)}" for seat, action in self.last_plays]
        if plays:
            self._say(f"last: {', '.join(plays)}", EDGE + 16, y + 13, 10, STRONG, room=self.inside - 32)
        return y + BAND + GAP

    def _stock(self, stock: Group, x: float, y: float) -> None:
        width = 48.0
        box = Box(x, y, width, width * RATIO)
        count = max(stock.backs, len(stock.cards))
        if not count:
            more = ' stroke-dasharray="4 4"'
            self.parts.append(faces.rectangle(box, 5, "none", "#6d8576", 1.2, more))
        for k in range(min((count + 9) // 10, 4)):
            self.parts.append(faces.back(x + 3 * k, y + 2 * k, width))
        self._say(f"{stock.label} {count}", x, y + width * RATIO + 12, 9.5, STRONG)

    def _aside(self, aside: Group, box: Box) -> None:
        self._say(aside.label, box.x, box.y, 9, STRONG, room=box.width)
        self._say(aside.note, box.x, box.y + 14, 9, FAINT, room=box.width)
        self._strip(aside, box.x, box.y + 31, box.width, 30)

    def _strip(self, group: Group, x: float, y: float, room: float, width: float) -> None:
        step = min(width + 3, (room - width) / max(len(group.cards) - 1, 1))
        for k, card in enumerate(group.cards):
            self.drawn.add(card)
            self.parts.append(faces.small_face(card, x + k * step, y, width, self.names, last=card == self.last))

    def _order(self, stock: Group, y: float) -> float:
        """The whole stock, where all is shown."""
        self._say(f"{stock.label}, the next card first", EDGE + 2, y + 2, 9, FAINT)
        self._strip(stock, EDGE, y + 18, self.inside, 26)
        return y + 18 + 26 * 1.55 + GAP

    def _lines(self, y: float) -> None:
        """The lines of text; a card that is drawn nowhere else counts as drawn there."""
        lines = self.scene.lines
        step = min(MOST_LINES * LINE / len(lines), LINE)
        cap = min(10.0, step * 0.6)
        indent = max(text_width(label, cap) for label, _ in lines) + 14
        for k, (label, text) in enumerate(lines):
            self._say(label, EDGE + 2, y + k * step, cap, FAINT)
            self._sentence(text, EDGE + 2 + indent, y + k * step, cap, self.inside - indent - 4)

    def _sentence(self, text: str, x: float, y: float, cap: float, room: float) -> None:
        whole = advance(translated(text, self.names), cap)
        cap *= min(1.0, room / whole) if whole else 1.0
        at = 0
        for match in [*CARD.finditer(text), None]:
            before = text[at : match.start() if match else len(text)]
            self._say(before, x, y, cap)
            x += advance(before, cap)
            if match is None:
                return
            card, shown = card_of(match), translated(match[0], self.names)
            drawing = write(shown, x, y, cap)
            if card not in self.drawn and card in self.game.pack.names:
                self.drawn.add(card)
                drawing = faces.named(card, self.names, drawing)
            self.parts.append(drawing)
            x += advance(shown, cap)
            at = match.end()


def draw(
    game: Game,
    row: Any,
    seat: int | None,
    *,
    marks: Mapping[int, float] | None = None,
    width: int = WIDTH,
    names: str = "en",
) -> str:
    """A position as a seat may see it (``row`` is its view), or all of it (None), as an SVG document.

    marks: weights of legal actions, drawn on the cards. width: in pixels; below ``NARROW`` the picture is higher than
    wide, so that it can be read on a phone. names: language of the cards' names.
    """
    width = whole_number("width", width, 50, 10_000)
    choice("names", names, NAMES)
    picture = Picture(game, row, seat, names, NARROW_WIDTH if width < NARROW else WIDTH)
    picture.draw()
    if marks:
        draw_marks(picture, checked(marks))
    height = 2 * math.ceil(picture.height / 2)  # films want even numbers
    picture.parts[0] = faces.rectangle(Box(0, 0, picture.width, height), 12, GROUND)
    page = escape(translated(str(game.page(row, seat)), names))
    pixels_high = 2 * math.ceil(height * width / picture.width / 2)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{pixels_high}" '
        f'viewBox="0 0 {picture.width} {height}" role="img" aria-label="{escape(picture.scene.title)}">'
        f"<desc>{page}</desc>{''.join(picture.parts)}</svg>"
    )
