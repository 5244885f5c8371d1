"""Version 1 of the line protocol, for programs that answer ``hello`` without a version. It goes with release 0.2.

It tells in words of the text page what version 2 tells as data.
"""

from __future__ import annotations

from typing import Any

from card_agents.players.external import lines
from card_agents.protocol import Array
from card_envs import Game, State
from card_envs.cards import SYMBOLS

_PLAIN = str.maketrans({**{symbol: suit for suit, symbol in SYMBOLS.items()}, "–": "-"})
"""Pages are for people; programs get the names that actions have."""


def move(game: Game, view: Array, episode: int, random: int) -> dict[str, Any]:
    """A position, a view (1,), for the seat that is to play in it."""
    state = State(game, view)
    seat = state.to_play
    shown = ("to play", "table", f"seat {seat} holds")
    known = [(label, text.translate(_PLAIN)) for label, text in game.page(view[0], seat).lines if label not in shown]
    return {
        "type": "move",
        "episode": episode,
        "deal": int(view["deals"][0]) + 1,
        "seat": seat,
        "dealer": state.dealer,
        "hand": state.hand(seat),
        "table": state.table,
        "history": state.history,
        "scores": state.scores().tolist(),
        "known": known,
        "legal": [game.action_name(action) for action in state.legal_actions().tolist()],
        "random": random,
    }


def end(game: Game, final: Array, episode: int, seat: int) -> dict[str, Any]:
    """The last line of an episode: what came of it."""
    return {"type": "end", "episode": episode, "seat": seat, **lines.outcome(game, final)}
