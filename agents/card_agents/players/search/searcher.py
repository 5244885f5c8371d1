"""What all players that search have in common: they weigh the legal actions of a position and play the weightiest."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from card_agents.protocol import Actions, Array, checked_masks, checked_words
from card_envs import Game, batches

MOST = 1_000_000
"""Most worlds or simulations a decision."""


class Searcher(ABC):
    """A player that weighs actions, in worlds that agree with what its seat has seen.

    All chance comes from the word of a row: what is played at a table depends neither on the tables beside it nor on
    what was searched before.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def weights(self, views: Array, legal: npt.NDArray[np.bool_], words: Array) -> npt.NDArray[np.float64]:
        """How much speaks for each action, float64 (N, num_actions), -inf for those not ``legal``, bool.

        views: views of the seats to play, records (N,), and words, uint64 (N,): this call may write to the views.
        """

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        """The weightiest action of each row, the lowest of several; where there is but one, it is played unsearched."""
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
    """The masks as bool and the words; ``ValueError`` unless the rows are views of the seats to play of ``game``."""
    legal = checked_masks(masks, len(views), game.num_actions)
    words = checked_words(random, len(views))
    turns = game.to_play(views)
    strange = np.flatnonzero(views["viewer"] != turns)
    if len(strange):
        raise ValueError(
            f"{len(strange)} of {len(views)} rows are not views of the seat to play, row {strange[0]} the first: "
            "make them with game.views(states)."
        )
    wrong = (legal & (game.masks(views) == 0)).any(axis=1)
    if wrong.any():
        raise ValueError(
            f"The masks of {wrong.sum()} of {len(views)} rows allow what is illegal, row {wrong.argmax()} the first."
        )
    return legal, words
