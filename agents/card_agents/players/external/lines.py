"""The line protocol: what a program is told about a position, and how its answer is read (docs/bots.md).

Everything is written from a view, so there is nothing in a line that its seat does not know.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from card_agents.players.external.limits import Failure, Mistake
from card_agents.protocol import Array
from card_envs import Game, State
from card_envs.cards import SYMBOLS

PROTOCOL = 1

LONGEST_NAME = 64
"""Most characters of an action's name."""

_PLAIN = str.maketrans({**{symbol: suit for suit, symbol in SYMBOLS.items()}, "–": "-"})
"""Pages are for people; programs get the names that actions have."""


def line(message: dict[str, Any]) -> bytes:
    """A message as a line."""
    return (json.dumps(message, separators=(",", ":")) + "\n").encode()


def hello(game: Game, move_seconds: float) -> dict[str, Any]:
    """The first line: which game is played."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": game.name,
        "rules": dataclasses.asdict(game.rules),
        "seats": game.num_players,
        "move_seconds": move_seconds,
    }


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
    forfeit = int(final["forfeit"][0])
    return {
        "type": "end",
        "episode": episode,
        "seat": seat,
        "returns": game.returns(final)[0].tolist(),
        "forfeit": forfeit if forfeit >= 0 else None,
    }


def read(answer: bytes) -> dict[str, Any]:
    """The object of an answer; ``Failure`` if it is none."""
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Failure(f"answered {_shown(answer)}, which is no JSON object")
    return found


def read_action(game: Game, answer: bytes) -> int:
    """The action of an answer like ``{"action": "Kh"}``; ``Failure`` if there is none."""
    found = read(answer)
    name = found.get("action")
    if not isinstance(name, str):
        raise Failure(f'answered {_shown(answer)}, which has no "action" with the name of an action')
    try:
        if len(name) <= LONGEST_NAME:
            return game.action_id(name)
    except ValueError:
        pass
    raise Failure(f"answered {_shown(answer)}, which names no action of {game.name}")


def read_agent(answer: bytes, key: str) -> Any:
    """What an agent's process answers by this key; ``Mistake`` with the reason it gives instead, ``Failure`` if it
    gives neither."""
    found = read(answer)
    error = found.get("error")
    if isinstance(error, str):
        raise Mistake(error)
    if key not in found:
        raise Failure(f'answered {_shown(answer)}, which has no "{key}"')
    return found[key]


def is_whole(value: Any, least: int, most: int) -> bool:
    """Whether a value of an answer is a whole number from ``least`` to ``most``."""
    return type(value) is int and least <= value <= most


def _shown(answer: bytes) -> str:
    text = answer.decode(errors="replace")
    return repr(text if len(text) <= 60 else f"{text[:60]}...")
