"""The other end of ``module:factory``: the process in which such an agent lives.

It reads greetings and positions from its standard input and answers in lines. The agent's own prints go to the
standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, BinaryIO

import numpy as np

from card_agents.protocol import Agent
from card_envs import Game, make_game

MOST_ROWS = 4096


def main() -> None:
    """Serve until the input ends."""
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.path.insert(0, os.getcwd())
    sys.argv[:] = [""]
    serve(questions, answers)


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer each question with a line; an agent that raises an error is made anew for the next one."""
    game: Game | None = None
    agent: Agent | None = None
    while header := questions.readline():
        message = json.loads(header)
        try:
            if "factory" in message:
                if game is None:
                    game = make_game(message["game"], **_rules(message["rules"]))
                    _load(game)
                agent = _make(game, message["factory"])
                batch = getattr(agent, "batch", 1)
                answer: dict[str, Any] = {"batch": batch if type(batch) is int and 0 < batch <= MOST_ROWS else 1}
            else:
                assert game is not None
                size = message["rows"]
                views = np.frombuffer(bytearray(questions.read(size * game.dtype.itemsize)), game.dtype)
                words = np.frombuffer(bytearray(questions.read(8 * size)), "<u8").astype(np.uint64)
                assert agent is not None
                answer = {"actions": _actions(agent, game, views, words)}
        except Exception as error:  # whatever an external bot may raise
            answer = {"error": f"raised {type(error).__name__}: {error}".strip()[:300]}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _load(game: Game) -> None:
    """Load the compiled code that agents are shown positions with: their time is for their moves."""
    views = game.views(game.new_states(np.arange(1)))
    game.observations(views), game.masks(views), game.greedy_actions(views)


def _rules(rules: dict[str, Any]) -> dict[str, Any]:
    """Rules as they were before JSON made lists of tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in rules.items()}


def _make(game: Game, name: str) -> Agent:
    module, _, factory = name.partition(":")
    agent = getattr(importlib.import_module(module), factory)(game)
    if not isinstance(agent, Agent):
        raise TypeError(f"{name} returned a {type(agent).__name__} without act(views, observations, masks, random)")
    return agent


def _actions(agent: Agent, game: Game, views: Any, words: Any) -> list[int]:
    actions = np.asarray(agent.act(views, game.observations(views), game.masks(views), words))
    if actions.shape != (len(views),) or actions.dtype.kind not in "iu":
        raise TypeError(f"act returned {actions.dtype} {actions.shape} instead of whole numbers ({len(views)},)")
    found: list[int] = actions.tolist()
    return found
