"""The line protocol, version 2: what a program is told about a position, and how its answer is read (docs/bots.md,
docs/protocol.schema.json).

Everything is written from a view, so there is nothing in a line that its seat does not know.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from card_agents.players.external.limits import Failure, Mistake
from card_agents.protocol import Array
from card_envs import Game

PROTOCOLS = (1, 2)
"""Versions that are spoken: a program says in its answer to ``hello`` which one it wants."""

LONGEST_NAME = 64
"""Most characters of an action's name."""


def line(message: dict[str, Any]) -> bytes:
    """A message as a line: ASCII, without blanks."""
    return (json.dumps(message, separators=(",", ":")) + "\n").encode()


def hello(game: Game, move_seconds: float) -> dict[str, Any]:
    """The first line, in words of any version: which game is played, and the names of its cards and actions."""
    return {
        "type": "hello",
        "protocol": PROTOCOLS[0],
        "protocols": PROTOCOLS,
        "game": game.name,
        "rules": dataclasses.asdict(game.rules),
        "seats": game.num_players,
        "move_seconds": move_seconds,
        "cards": game.pack.names,
        "actions": [game.action_name(action) for action in range(game.num_actions)],
    }


def move(game: Game, view: Array, episode: int, random: int) -> dict[str, Any]:
    """A position, a view (1,), for the seat that is to play in it."""
    return {"type": "move", "episode": episode, "random": random, "position": game.public(view)}


def end(game: Game, final: Array, episode: int, seat: int) -> dict[str, Any]:
    """The last line of an episode: what came of it, and its last position as a seat may see it."""
    return {"type": "end", "episode": episode, **outcome(game, final), "position": game.public(final, seat)}


def outcome(game: Game, final: Array) -> dict[str, Any]:
    """What came of an episode, in words of any version."""
    forfeit = int(final["forfeit"][0])
    return {"returns": game.returns(final)[0].tolist(), "forfeit": forfeit if forfeit >= 0 else None}


def read_ready(answer: bytes) -> int:
    """The version of the protocol that a program wants, from its answer to ``hello``; ``Failure`` if it is not ready,
    or wants one that is not spoken."""
    found = read(answer)
    if found.get("ready") is not True:
        raise Failure(f'answered {_shown(answer)} to the hello instead of {{"ready": true, "protocol": 2}}')
    wanted = found.get("protocol", 1)
    if type(wanted) is not int or wanted not in PROTOCOLS:
        spoken = " and ".join(map(str, PROTOCOLS))
        raise Failure(f"asked for version {json.dumps(wanted):.40} of the protocol; versions {spoken} are spoken")
    return wanted


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
