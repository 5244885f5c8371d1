"""The action mask as a part of the observation, for libraries that look for it there.

Both wrappers take any environment with discrete actions whose info has an ``"action_mask"``, as those here do.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from card_envs.checks import shown

Array = npt.NDArray[Any]
MASK = "action_mask"
"""Where the mask is in an info."""


class MaskInObservation(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """One table whose observations are ``{observation_key: observation, mask_key: mask}``; 1 = legal.

    Each observation stands beside its own mask, the last one of an episode beside zeros.

    >>> import card_envs, gymnasium
    >>> ids = [env_id for env_id in gymnasium.registry if env_id.startswith("card_envs/")]
    >>> env = MaskInObservation(gymnasium.make(ids[0]), "obs", "mask")
    >>> observation, info = env.reset(seed=7)
    >>> bool((observation["mask"] == env.unwrapped.action_masks()).all())
    True
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        observation_key: str = "observation",
        mask_key: str = MASK,
        dtype: npt.DTypeLike | None = None,
        mask_dtype: npt.DTypeLike = np.int8,
    ) -> None:
        """Wrap an environment.

        observation_key, mask_key: names of the two parts: ``"observation"`` and ``"action_mask"`` in PettingZoo,
            ``"observations"`` and ``"action_mask"`` in RLlib, ``"obs"`` and ``"mask"`` in Tianshou.
        dtype: of the observations (None: as they are); mask_dtype: of the masks. RLlib wants float32 for both.

        Raises ``ValueError`` for other spaces than a ``Box`` of observations and discrete actions, equal keys, and
        dtypes that cannot hold the observations.
        """
        RecordConstructorArgs.__init__(
            self, observation_key=observation_key, mask_key=mask_key, dtype=dtype, mask_dtype=mask_dtype
        )
        super().__init__(env)
        self._parts = _Parts(env.observation_space, env.action_space, observation_key, mask_key, dtype, mask_dtype)
        self.observation_space = self._parts.space

    def reset(self, **kwargs: Any) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begin an episode, as the environment does."""
        observation, info = self.env.reset(**kwargs)
        return self._parts.joined(observation, _mask_of(info)), info

    def step(self, action: Any) -> tuple[dict[str, Array], Any, bool, bool, dict[str, Any]]:
        """Play an action, as the environment does."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._parts.joined(observation, _mask_of(info)), reward, terminated, truncated, info


class VectorMaskInObservation(VectorWrapper, RecordConstructorArgs):
    """The same for many tables, (N, ...) each part, in every mode of resetting.

    In ``SAME_STEP`` each of ``infos["final_obs"]`` is such a pair as well, with the mask of the end.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        observation_key: str = "observation",
        mask_key: str = MASK,
        dtype: npt.DTypeLike | None = None,
        mask_dtype: npt.DTypeLike = np.int8,
    ) -> None:
        """Wrap a vector environment; see ``MaskInObservation`` for the arguments and the errors."""
        RecordConstructorArgs.__init__(
            self, observation_key=observation_key, mask_key=mask_key, dtype=dtype, mask_dtype=mask_dtype
        )
        super().__init__(env)
        self._parts = _Parts(
            env.single_observation_space, env.single_action_space, observation_key, mask_key, dtype, mask_dtype
        )
        self.single_observation_space = self._parts.space
        self.observation_space = batch_space(self._parts.space, self.num_envs)
        self._masks: Array = np.zeros((self.num_envs, self._parts.actions), np.int8)

    def reset(self, **kwargs: Any) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begin episodes, as the environment does; in a partial reset the other rows keep their masks."""
        observations, infos = self.env.reset(**kwargs)
        return self._together(observations, infos), infos

    def step(self, actions: Any) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        """Play an action in each row, as the environment does."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        if "final_obs" in infos:
            masks = _mask_of(infos["final_info"])
            last = np.full(self.num_envs, None, object)
            for row in np.flatnonzero(infos["_final_obs"]).tolist():
                last[row] = self._parts.joined(infos["final_obs"][row], masks[row])
            infos = infos | {"final_obs": last}
        return self._together(observations, infos), rewards, terminations, truncations, infos

    def _together(self, observations: Array, infos: dict[str, Any]) -> dict[str, Array]:
        masks = _mask_of(infos)
        told = infos[f"_{MASK}"]
        self._masks[told] = masks[told]
        return self._parts.joined(observations, self._masks)


class _Parts:
    """The two parts of an observation: their names, dtypes and space."""

    def __init__(
        self,
        observations: spaces.Space[Any],
        actions: spaces.Space[Any],
        observation_key: str,
        mask_key: str,
        dtype: npt.DTypeLike | None,
        mask_dtype: npt.DTypeLike,
    ) -> None:
        if not isinstance(observations, spaces.Box) or not isinstance(actions, spaces.Discrete):
            raise ValueError(
                f"A mask can be put beside observations of a Box where actions are Discrete, not {shown(observations)} "
                f"and {shown(actions)}: put other wrappers around this one."
            )
        if observation_key == mask_key or not all(isinstance(key, str) for key in (observation_key, mask_key)):
            raise ValueError(
                f"observation_key={shown(observation_key)} and mask_key={shown(mask_key)} must be two different names."
            )
        self.keys = observation_key, mask_key
        self.actions = int(actions.n)
        kept = observations.dtype if dtype is None else np.dtype(dtype)
        self.dtypes = kept, np.dtype(mask_dtype)
        low, high = observations.low.astype(kept), observations.high.astype(kept)
        if not (np.array_equal(low, observations.low) and np.array_equal(high, observations.high)):
            raise ValueError(f"dtype={kept} cannot hold observations of {shown(observations)}: choose a wider one.")
        self.space = spaces.Dict(
            {
                observation_key: spaces.Box(low, high, observations.shape, kept.type),
                mask_key: spaces.Box(0, 1, (self.actions,), self.dtypes[1].type),
            }
        )

    def joined(self, observations: Array, masks: Array) -> dict[str, Array]:
        """Both parts, the caller's own."""
        values = zip(self.keys, (observations, masks), self.dtypes, strict=True)
        return {key: np.array(value, dtype) for key, value, dtype in values}


def _mask_of(info: dict[str, Any]) -> Array:
    if MASK not in info:
        raise ValueError(
            f'The info of this environment has no "{MASK}", but {shown(sorted(info))}: wrap one that says which '
            "actions are legal."
        )
    return info[MASK]
