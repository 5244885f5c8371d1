"""Many tables as a vectorised environment of Stable-Baselines3. Only this module imports it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from card_envs import batches
from card_envs.checks import choice, whole_number
from card_envs.envs.choices import checked_options, chosen_game
from card_envs.envs.rendering import RENDER_FPS
from card_envs.envs.settings import ILLEGAL, SHEET, ManyTables
from card_envs.envs.tables import PER_TABLE, Tables
from card_envs.game import Game
from card_envs.render.pixels import Pixels

EXACT = 2.0**24
"""Whole numbers up to this one are exact in float32, the reward type of Stable-Baselines3."""


class CardVecEnv(ManyTables, VecEnv):
    """``num_envs`` tables with a learner at each, for ``MaskablePPO("MlpPolicy", CardVecEnv(game, 512))``.

    sb3-contrib finds the masks by ``has_attr("action_masks")`` and ``env_method("action_masks")``. Finished rows
    begin their next episode in the same step; their info holds ``"terminal_observation"``,
    ``"TimeLimit.truncated"`` (always False), ``"episode"`` as ``Monitor`` has it, the result
    by seat, and ``reset_infos`` the new episode's seat. A rollout has ``num_envs * n_steps`` steps.

    No ``Monitor`` is needed: ``env_is_wrapped(Monitor)`` is true, so evaluation uses the rewards in ``"episode"``,
    taken before wrappers such as ``VecNormalize`` change them; a ``VecMonitor`` around it warns that it would overwrite
    them.
    """

    _render_modes = ("rgb_array",)

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        opponents: Any = "random",
        seat: int | None = None,
        reward: str = "points",
        illegal: str = "raise",
        seed: int | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """Tables of ``game`` under ``rules``; see ``CardEnv`` for the arguments they share.

        seed: for the first reset, as ``self.seed(seed)``: row i plays as ``CardEnv.reset(seed=seed + i)``.
        render_mode: ``"rgb_array"`` for pixels of the first tables, as ``VecVideoRecorder`` wants them.
        """
        self.game = chosen_game(game, rules)
        loses = choice("illegal", illegal, ILLEGAL) == "lose"
        self.spec = None
        size = whole_number("num_envs", num_envs, 1, 2**31)
        self._tables = Tables(self.game, size, opponents, seat, reward, loses, EXACT)
        self._masks = np.zeros((size, self.game.num_actions), np.uint8)
        self._lengths = np.zeros(size, np.int64)
        self._plays: npt.NDArray[np.int32] | None = None
        self._generator: np.random.Generator | None = None
        self._start = time.perf_counter()
        self.render_mode = render_mode
        self.num_envs = size  # the base class reads attributes in its constructor
        super().__init__(
            size,
            spaces.Box(0, 1, (self.game.observation_size,), np.uint8),
            spaces.Discrete(self.game.num_actions),
        )
        self.metadata["render_fps"] = RENDER_FPS  # type: ignore[assignment]
        if seed is not None:
            self.seed(seed)

    # Playing

    def reset(self) -> npt.NDArray[np.uint8]:
        """Begin an episode at every table; ``seed`` and ``set_options`` hold for this reset alone.

        Raises ``ValueError`` for invalid options; the episodes in play then go on.
        """
        seeds, options = self._seeds, self._options
        self._reset_options()
        with self._tables.all_or_nothing(always=any(options)):
            if any(options):
                for i in range(self.num_envs):
                    self._tables.reset(np.array([i]), [seeds[i]], options[i], self._seeding)
            else:
                self._tables.reset(np.arange(self.num_envs), seeds, None, self._seeding)
        self._reset_seeds()
        self._lengths[:] = 0
        self._plays = None
        observations = self._look()
        self._note_resets(np.arange(self.num_envs))
        return observations

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Submit an action for each table; they are checked here and played in ``step_wait``.

        Raises ``ValueError`` for a wrong shape or dtype and ``IllegalAction`` naming the rows; nothing then changes.
        """
        self._require_reset()
        plays = batches.actions(actions, self.num_envs)
        self._tables.check(None, plays)
        self._plays = plays.copy()

    def step_wait(self) -> VecEnvStepReturn:
        """Play the submitted actions: observations, rewards (float32), dones and infos."""
        if self._plays is None:
            raise ValueError("No actions were submitted: call step_async() before step_wait(), or step().")
        tables, plays = self._tables, self._plays
        self._plays = None
        with tables.all_or_nothing():
            tables.play(None, plays)
            rewards, dones = tables.rewards.astype(np.float32), tables.over.copy()
            self._lengths += 1
            infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
            over = np.flatnonzero(dones)
            if len(over):
                self._note_ends(over, infos)
                tables.advance(over)
                self._lengths[over] = 0
        observations = self._look()
        self._note_resets(over)
        return observations, rewards, dones, infos

    def _look(self) -> npt.NDArray[np.uint8]:
        observations = np.empty((self.num_envs, self.game.observation_size), np.uint8)
        self._tables.look(observations, self._masks)
        return observations

    def _note_ends(self, over: npt.NDArray[np.int64], infos: list[dict[str, Any]]) -> None:
        tables = self._tables
        last = tables.last_observations(over)
        results = tables.results(over)
        elapsed = round(time.perf_counter() - self._start, 6)
        for k, row in enumerate(over.tolist()):
            infos[row].update(
                terminal_observation=last[k],
                episode={"r": float(tables.credited[row]), "l": int(self._lengths[row]), "t": elapsed},
                action_mask=np.zeros(self.game.num_actions, np.int8),
                seat=int(tables.seats[row]),
            )
            for name, result in results.items():
                infos[row][name] = result[k]

    def _note_resets(self, rows: npt.NDArray[np.int64]) -> None:
        for row in rows.tolist():
            self.reset_infos[row] = {
                "action_mask": self._masks[row].astype(np.int8),
                "seat": int(self._tables.seats[row]),
            }

    def _seeding(self) -> np.random.Generator:
        if self._generator is None:
            self._generator = np.random.default_rng()
        return self._generator

    # For sb3-contrib and the training

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Legal actions, bool (N, num_actions), True = legal."""
        return self._masks.astype(np.bool_)

    def sample_actions(self) -> npt.NDArray[np.int64]:
        """A uniform legal action for each row, int64 (N,), from its table's stream."""
        self._require_reset()
        return self._tables.sample_actions().astype(np.int64)

    def greedy_actions(self) -> npt.NDArray[np.int64]:
        """What the game's greedy player, which knows no more than the learner, would play in each row, int64 (N,)."""
        self._require_reset()
        return self._tables.greedy_actions().astype(np.int64)

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """The learners' seats, int64 (N,)."""
        return self._tables.seats.copy()

    # The interface of VecEnv

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds of the next reset: row i gets ``seed + i``. Without a seed it is drawn from the system."""
        # The base class would draw it from numpy's global generator.
        return super().seed(secrets.randbits(32) if seed is None else whole_number("seed", seed, 0, 2**256))

    def set_options(self, options: dict[str, Any] | Sequence[dict[str, Any]] | None = None) -> None:
        """Options of the next reset, for all tables or a list, one per table: those of ``CardEnv.reset``."""
        if isinstance(options, (list, tuple)):
            if len(options) != self.num_envs:
                raise ValueError(f"options must be a dict or a list of {self.num_envs}, one for each table.")
            super().set_options([checked_options(one) for one in options])
        else:
            super().set_options(checked_options(options))

    def close(self) -> None:
        """End the programs of opponents that were given by name."""
        self._end()

    def get_images(self) -> Sequence[Pixels | None]:
        """What the learners at the first tables (``settings.SHEET``) may see, uint8 (height, width, 3) each.

        None each without ``render_mode="rgb_array"``.
        """
        if self.render_mode is None:
            return [None] * self.num_envs
        self._require_reset()
        return [self._pixels(row) for row in range(min(self.num_envs, SHEET))]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the tables have such an attribute."""
        return attr_name in PER_TABLE or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute, once for each table asked for."""
        return self._get_at(self._rows(indices), attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute; ``"reward"``, ``"opponents"`` and ``"seat"`` can be set for some tables alone.

        They take effect with the next episodes. Raises ``FixedSetting`` or ``ValueError`` for what cannot be set.
        """
        rows = self._rows(indices)
        self._set_at(None if len(set(rows)) == self.num_envs else rows, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method for the tables asked for: ``action_masks``, ``set_opponents`` or ``render``."""
        return self._call_at(self._rows(indices), method_name, *method_args, **method_kwargs)

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """False, except for ``Monitor``, whose work is done here."""
        return [wrapper_class is Monitor] * len(self._rows(indices))

    def _rows(self, indices: VecEnvIndices) -> list[int]:
        rows = [int(index) for index in self._get_indices(indices)]
        for row in rows:
            if not -self.num_envs <= row < self.num_envs:
                raise IndexError(f"There is no table {row}: there are {self.num_envs}.")
        return [row % self.num_envs for row in rows]
