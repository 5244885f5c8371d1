"""The ids of the environments, which ``import card_envs`` registers with Gymnasium."""

from __future__ import annotations

import gymnasium

from card_envs.registry import GAMES


def register_all() -> None:
    """Register ``card_envs/{Name}-v0`` for every game.

    The entry points are strings, so nothing is loaded before it is needed. Gymnasium's checks at each step are off,
    because they cost more than a step: the environments check the order of calls themselves, and
    ``gymnasium.utils.env_checker.check_env`` does the rest once in the tests (``make(..., disable_env_checker=False)``
    turns it on).
    """
    for name in GAMES:
        env_id = f"card_envs/{name.capitalize()}-v0"
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="card_envs.envs.single:CardEnv",
                vector_entry_point="card_envs.envs.vector:CardVectorEnv",
                order_enforce=False,
                disable_env_checker=True,
                kwargs={"game": name},
            )
