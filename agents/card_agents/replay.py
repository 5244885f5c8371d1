"""A game record to look at: pages of text, pictures, and one self-contained page for a browser."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from card_agents.labels import printable
from card_envs import GameRecord, State
from card_envs.render.plays import said, translated

ELEMENT = re.compile(r"<[^<]*")


def seat_name(record: GameRecord, seat: int) -> str:
    """A seat with the name of its player, if the record has one."""
    return f"seat {seat}" + (f" ({printable(record.players[seat])})" if record.players else "")


def caption(record: GameRecord, plays: int, names: str = "en") -> str:
    """What led to the position after so many plays, in a sentence."""
    if plays == 0:
        start = record.start
        return f"The beginning: {seat_name(record, start.dealer)} dealt, {seat_name(record, start.to_play)} is to play."
    play = record.plays[plays - 1]
    told = f"Play {plays} of {len(record)}: {seat_name(record, play.seat)} played {said(play.name, names)}."
    if plays == len(record) and record.forfeited is not None:
        told += f" Then {seat_name(record, record.forfeited)} forfeited."
    return f"{told} {printable(play.note)}".rstrip()


def position(record: GameRecord, plays: int) -> State:
    """The position after so many plays; after the last one with the forfeit, if there was one."""
    return record.position if plays == len(record) else record.at(plays)


def text(record: GameRecord, plays: int, seat: int | None = None, names: str = "en") -> str:
    """A position as a page of text. seat: whose view is shown; None shows everything."""
    state = position(record, plays)
    return translated(str(state), names) if seat is None else state.text(seat, names=names)


def picture(record: GameRecord, plays: int, seat: int | None = None, names: str = "en", width: int = 720) -> str:
    """A position as an SVG document. seat: whose view is shown; None shows everything."""
    return position(record, plays).to_svg("all" if seat is None else seat, names=names, width=width)


def html(record: GameRecord, seat: int | None = None, names: str = "en", width: int = 720) -> str:
    """A page that steps through a record with buttons, keys and a slider; it needs no other file and no network.

    Positions share most of their pictures' elements, so each is kept once: a deal takes a few hundred kB.
    """
    numbers: dict[str, int] = {}
    frames = []
    for plays in range(len(record) + 1):
        elements = ELEMENT.findall(picture(record, plays, seat, names, width))
        frames.append([numbers.setdefault(element, len(numbers)) for element in elements])
    content = {
        "elements": list(numbers),
        "frames": frames,
        "captions": [caption(record, plays, names) for plays in range(len(record) + 1)],
        "deals": [deal.start for deal in record.deals()],
    }
    page = files("card_agents").joinpath("replay.html").read_text(encoding="utf-8")
    title = f"{record.game.name.capitalize()}" + (
        f": {', '.join(map(printable, record.players))}" if record.players else ""
    )
    escaped = title.replace("&", "&amp;").replace("<", "&lt;")
    # "</" would end the element that holds the data
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return page.replace("TITLE", escaped).replace("CONTENT", data, 1)
