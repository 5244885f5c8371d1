"""What a player is: an object that answers positions, many at once, with actions."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from card_envs.envs.external import ExternalBot, Forfeit, external_bot

__all__ = [
    "Actions",
    "Agent",
    "Array",
    "ExternalBot",
    "Forfeit",
    "checked_answer",
    "checked_masks",
    "checked_words",
    "external_bot",
]

Array = npt.NDArray[Any]
Actions = npt.NDArray[np.int32]


@runtime_checkable
class Agent(Protocol):
    """Whoever plays a game.

    An agent keeps nothing between calls, and no dice of its own: all that it leaves to chance it takes from
    ``random``, so that what happens at a table does not depend on the tables beside it.

    An agent that knows how likely it takes each action can say so by a method ``probabilities(views, observations,
    masks)``, float64 (N, num_actions): ``act`` then draws by them. Exact measures ask for them (``equilibrium``).

    An agent that asks another one for some of its answers names it as ``asks``: so an external bot behind it is found.
    """

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        """Choose an action in each of N positions.

        views: the positions as the seats to play see them (``game.views``), records (N,); hidden cards are blank.
        observations: uint8 (N, observation_size), of the same seats.
        masks: uint8 or bool (N, num_actions), true where an action is legal.
        random: uint64 (N,), a word from each table's own stream.

        Returns int32 (N,), each legal in its row. Raises ``ValueError`` where a mask is missing or allows nothing.
        """
        ...


def checked_masks(masks: Any, size: int, num_actions: int | None = None) -> npt.NDArray[np.bool_]:
    """The masks as bool (N, num_actions); ``ValueError`` where one is missing or allows nothing."""
    wanted = f"({size}, {'num_actions' if num_actions is None else num_actions})"
    if masks is None:
        raise ValueError(f"masks are missing: an agent needs them, uint8 or bool of shape {wanted}, 1 = legal.")
    if not isinstance(masks, np.ndarray) or masks.dtype not in (np.dtype(np.uint8), np.dtype(np.int8), np.dtype(bool)):
        kind = masks.dtype if isinstance(masks, np.ndarray) else type(masks).__name__
        raise ValueError(f"masks must be an array of uint8 or bool and shape {wanted}, not {kind}.")
    if masks.ndim != 2 or len(masks) != size or num_actions not in (None, masks.shape[1]):
        raise ValueError(f"masks must have shape {wanted}, not {masks.shape}.")
    legal = masks if masks.dtype == bool else masks != 0
    allowed = legal.any(axis=1)
    if not allowed.all():
        rows = np.flatnonzero(~allowed)
        raise ValueError(
            f"The masks of {len(rows)} of {size} rows allow no action, row {rows[0]} the first: "
            "ask only where a seat is to play."
        )
    return legal


def checked_words(random: Any, size: int) -> npt.NDArray[np.uint64]:
    """The random words as uint64 (N,); ``ValueError`` if they are anything else."""
    if not isinstance(random, np.ndarray) or random.dtype != np.uint64 or random.shape != (size,):
        kind = f"{random.dtype} {random.shape}" if isinstance(random, np.ndarray) else type(random).__name__
        raise ValueError(f"random must be uint64 of shape ({size},), one word a row (game.draws), not {kind}.")
    return random


def checked_answer(agent: str, actions: Any, masks: Array) -> Actions:
    """What an agent answered, as int32 (N,); ``ValueError`` naming it unless all actions are legal."""
    from card_envs import IllegalAction

    array = np.asarray(actions)
    if array.shape != (len(masks),) or array.dtype.kind not in "iu":
        raise ValueError(
            f"{agent} must answer with whole numbers of shape ({len(masks)},), not {array.dtype} {array.shape}."
        )
    inside = (array >= 0) & (array < masks.shape[1])
    legal = inside & (masks[np.arange(len(masks)), np.where(inside, array, 0)] != 0)
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        raise IllegalAction(
            f"{agent} chose action {array[row]} where it is illegal; legal were {np.flatnonzero(masks[row]).tolist()}."
        )
    return array.astype(np.int32)
