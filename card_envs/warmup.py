"""Compile the verbs of every game and the loops of the environments, so that later processes find them in the cache.

Run ``python -m card_envs.warmup`` before starting many workers. Players that search are compiled when they are first
used: ``python -m card_envs warmup`` compiles them too.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs.batches import NO_OUTPUT, NO_SEATS
from card_envs.game import Game
from card_envs.kernel import OUTSIDE, RANDOM
from card_envs.registry import GAMES, make_game, shadowed
from card_envs.threads import ALONE


def warm_up(game: Game) -> None:
    """Call each compiled verb of a game once, those that play with open cards too."""
    states = game.new_states(np.arange(2, dtype=np.uint64))
    rows = np.arange(2)
    game.step(states, game.sample_actions(states))
    game.state(states, 0).play(int(game.greedy_actions(states)[0]))
    game.draws(states)
    game.observations(game.views(states))
    game.loops.look_shared(states, game.constants, NO_SEATS, NO_OUTPUT, NO_OUTPUT, ALONE)
    game.sample_worlds(game.state(states, 0).view(), 1, 0)
    game.masks(states)
    game.returns(states)
    players = np.full((2, game.num_players), RANDOM, np.int8)
    players[:, 0] = OUTSIDE
    game.loops.turn(
        states, game.constants, rows, np.full(2, -1, np.int32), players, np.zeros(2, np.int64), 0,
        np.zeros(2), np.zeros(2), np.zeros(2, np.bool_),
    )  # fmt: skip
    game.forfeit(states, rows[:1])
    game.reset(states)
    game.check_rows(states)
    game.new_state(deck=game.pack_of(0), dealer=0)
    game.pack_of(int(rows[0]))
    last = _before_the_end(game)
    game.is_settled(last)
    if game.is_exact(last).all():
        game.open_worth(last, np.nanmax(game.open_values(last), axis=1))


def _before_the_end(game: Game) -> npt.NDArray[Any]:
    """A table with one play to come, (1,)."""
    table = game.new_states([0])
    while True:
        before = table.copy()
        _, over = game.step(table, game.sample_actions(table))
        if over[0]:
            return before


def loadable(names: Iterable[str] = GAMES) -> Iterator[Game]:
    """Each of these games under its default rules; prints why a game cannot be loaded or reached."""
    for sentence in shadowed():
        print(sentence)
    for name in names:
        try:
            game = make_game(name)
        except ValueError as error:  # a game of another package, with a fault of its own
            print(error)
            continue
        yield game


def main() -> None:
    """Warm up all games, and say what was compiled and how long it took."""
    for game in loadable():
        start = time.perf_counter()
        warm_up(game)
        print(f"{game.name}: verbs compiled or loaded in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
