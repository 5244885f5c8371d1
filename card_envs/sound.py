"""Which rows hold positions that can arise in play: for rows from files, other processes, or anywhere.

A full state is known by its pack and its plays: dealt and played again, it must come out the same. A view must be what
its seat sees of a world that agrees with it. The scores of an episode that is not over are taken as they stand: no
play of the deal depends on them, but for its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from card_envs import batches

if TYPE_CHECKING:
    from card_envs.game import Game

Array = npt.NDArray[Any]

SCORES = ("start", "total", "points", "taken_before", "deals")
FAR_OFF = -1000
"""A score from which no match ends."""


def unsound(game: Game, states: Array) -> npt.NDArray[np.int64]:
    """Numbers of the rows that cannot arise in play, among rows that are states or views of this game."""
    viewers = states["viewer"].astype(np.int64)
    views = np.flatnonzero(viewers >= 0)
    worlds = batches.copy(states)
    if len(views):
        imagined = batches.take(states, views)
        game.loops.imagine(imagined, game.constants, np.zeros(len(views), np.uint64))
        batches.put(worlds, views, imagined)
    again = batches.copy(worlds)
    good = np.empty(len(states), np.bool_)
    live = worlds["over"] == 0
    again["start"][live], again["total"][live] = 0, FAR_OFF
    game.loops.retrace(again, game.constants, game.pack.size, good)
    for field in SCORES:
        again[field][live] = worlds[field][live]
    for field in game.carried:
        again[field] = worlds[field]
    good &= _same(again, worlds)
    if len(views):
        seen = batches.take(worlds, views)
        game.loops.hide(seen, game.constants, viewers[views])
        good[views] &= _same(seen, batches.take(states, views))
    return np.flatnonzero(~good)


def _same(left: Array, right: Array) -> npt.NDArray[np.bool_]:
    """Which rows are the same in every byte."""
    shape = len(left), left.dtype.itemsize
    return (left.view(np.uint8).reshape(shape) == right.view(np.uint8).reshape(shape)).all(axis=1)
