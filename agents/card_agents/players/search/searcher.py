"""Base class of the search players: they evaluate the legal actions of a position and play the best."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from card_agents.judgement import Judge
from card_agents.protocol import Actions, Array, checked_masks, checked_words
from card_envs import Game, batches

MOST = 1_000_000
"""Most worlds or simulations per decision."""


class Searcher(Judge, ABC):
    """A player that evaluates actions in worlds consistent with what its seat has seen.

    All randomness comes from the word of a row: play at a table depends neither on the other tables nor on earlier
    searches.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def weights(self, views: Array, legal: npt.NDArray[np.bool_], words: Array) -> npt.NDArray[np.float64]:
        """A weight for each action, float64 (N, num_actions), -inf for those that are not ``legal``, bool.

        views: views of the seats to play, records (N,), which may be written to. words: random words, uint64 (N,).
        """

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        """The action with the greatest weight in each row, the lowest of several; a forced play is not searched."""
        legal, words = checked(self.game, views, masks, random)
        actions = legal.argmax(axis=1).astype(np.int32)
        free = np.flatnonzero(legal.sum(axis=1) > 1)
        if len(free):
            weights = self.weights(batches.take(views, free), legal[free], words[free])
            actions[free] = weights.argmax(axis=1)
        return actions


def checked(
    game: Game, views: Array, masks: Array, random: Array
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.uint64]]:
    """The masks as bool and the random words; ``ValueError`` unless each row is the view of the seat to play."""
    legal = checked_masks(masks, len(views), game.num_actions)
    words = checked_words(random, len(views))
    turns = game.to_play(views)
    strange = np.flatnonzero(views["viewer"] != turns)
    if len(strange):
        raise ValueError(
            f"{len(strange)} of {len(views)} rows are not views of the seat to play, the first is row {strange[0]}: "
            "make them with game.views(states)."
        )
    wrong = (legal & (game.masks(views) == 0)).any(axis=1)
    if wrong.any():
        raise ValueError(
            f"The masks of {wrong.sum()} of {len(views)} rows allow illegal actions, the first is row {wrong.argmax()}."
        )
    return legal, words
