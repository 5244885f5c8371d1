"""What a seat is sent: made from its view, the names of the plays that everybody has seen, and nothing else."""

from __future__ import annotations

from typing import Any

from card_agents.judgement import Judgement
from card_envs.game import Game
from card_envs.records import GameRecord
from card_envs.render.plays import said
from card_envs.state import State


def seen_by(view: State, names: str, width: int) -> dict[str, Any]:
    """A view as data, as a picture and as text, and what its seat may play.

    names: language of the names of cards. width: of the picture, in pixels.
    """
    seat = view.viewer
    assert seat is not None
    return {
        "seat": seat,
        "to_play": None if view.is_over else view.to_play,
        "over": view.is_over,
        "public": view.public(),
        "svg": view.to_svg(seat, width=width, names=names),
        "text": view.text(seat, names=names),
        "legal": legal_plays(view, names),
    }


def legal_plays(view: State, names: str) -> list[dict[str, Any]]:
    """What the seat of a view may play: number, name, the card played and the cards it takes from the table."""
    row = view.record[0]
    plays = []
    for action in view.legal_actions(view.viewer).tolist():
        card, takes = view.game.cards_of(row, action)
        plays.append(
            {"action": action, "name": said(view.game.action_name(action), names), "card": card, "takes": list(takes)}
        )
    return plays


def told(record: GameRecord, view: State, names: str) -> dict[str, Any]:
    """``told``: number in the record, seat and name of each play of the deal in play, and of at least the last two
    rounds, so that the end of the deal before is told too. ``deal_begins``: number of the first play of this deal."""
    begins = max(len(record) - len(view.history), 0)
    first = max(min(begins, len(record) - 2 * record.game.num_players), 0)
    plays = [
        {"number": number, "seat": play.seat, "name": said(play.name, names)}
        for number, play in enumerate(record.plays[first:], first)
    ]
    return {"told": plays, "deal_begins": begins}


def judged(judgement: Judgement, player: str, view: State, names: str, width: int) -> dict[str, Any]:
    """What a player knows of the plays in a view, as rows and as marks on the picture. player: what it is called."""
    rows = [{"action": row.pop("number"), "name": said(row.pop("action"), names), **row} for row in judgement.rows()]
    svg = view.to_svg(view.viewer, marks=judgement.marks(), width=width, names=names)
    return {"player": player, "rows": rows, "svg": svg}


def title(game: Game, players: tuple[str, ...]) -> str:
    """A line that tells a game of a file from the others."""
    return f"{game.name}: {', '.join(players)}" if any(players) else game.name
