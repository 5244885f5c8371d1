"""The player protocol, and checks of a player's arguments for those who write one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from card_envs.players import Actions, Agent, Array, Clock, ExternalBot, Forfeit, ask, external_bot

__all__ = [
    "Actions",
    "Agent",
    "Array",
    "Clock",
    "ExternalBot",
    "Forfeit",
    "ask",
    "checked_masks",
    "checked_words",
    "external_bot",
    "sampled_actions",
]


def checked_masks(masks: Any, size: int, num_actions: int | None = None) -> npt.NDArray[np.bool_]:
    """The masks as bool (N, num_actions); ``ValueError`` for a wrong dtype or shape, or a row with no legal action."""
    wanted = f"({size}, {'num_actions' if num_actions is None else num_actions})"
    if masks is None:
        raise ValueError(f"masks are missing: pass uint8 or bool of shape {wanted}, 1 = legal.")
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
            f"The masks of {len(rows)} of {size} rows allow no action, the first is row {rows[0]}: "
            "call an agent only where a seat is to play."
        )
    return legal


def checked_words(random: Any, size: int) -> npt.NDArray[np.uint64]:
    """The random words, uint64 (N,); ``ValueError`` for anything else."""
    if not isinstance(random, np.ndarray) or random.dtype != np.uint64 or random.shape != (size,):
        kind = f"{random.dtype} {random.shape}" if isinstance(random, np.ndarray) else type(random).__name__
        raise ValueError(f"random must be uint64 of shape ({size},), one word per row (game.draws), not {kind}.")
    return random


def sampled_actions(shares: npt.NDArray[np.float64], words: npt.NDArray[np.uint64]) -> Actions:
    """One action per row, int32 (N,), sampled_actions in proportion to ``shares``, float64 (N, A), which need not sum
    to 1.

    words: random words, uint64 (N,).
    """
    bounds = shares.cumsum(axis=1)
    # A number below 1 times the last bound is strictly below it, so the action found has a share above 0.
    points = (words >> np.uint64(11)) * 2.0**-53 * bounds[:, -1]
    return (bounds > points[:, None]).argmax(axis=1).astype(np.int32)
