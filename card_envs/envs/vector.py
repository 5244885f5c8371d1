"""Many tables as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from card_envs import batches
from card_envs.checks import choice, shown, whole_number
from card_envs.envs.choices import checked_options, chosen_game
from card_envs.envs.rendering import RENDER_FPS, RENDER_MODES, warn_of_no_mode
from card_envs.envs.settings import ILLEGAL, METHODS, ManyTables
from card_envs.envs.tables import PER_TABLE, Tables
from card_envs.game import Game
from card_envs.render.pixels import Pixels

Array = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Step = tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]


class CardVectorEnv(ManyTables, VectorEnv[npt.NDArray[np.uint8], npt.NDArray[np.int64], Array]):
    """``num_envs`` tables with a learner at each: row i plays what ``CardEnv`` plays with its seed.

    Observations are uint8 (N, observation_size), actions integers (N,), rewards float64 (N,), infos arrays with
    their ``_key`` masks as in Gymnasium's ``SyncVectorEnv``: ``"action_mask"`` int8 (N, num_actions), 1 = legal, and
    ``"seat"``, the learner's. Every array returned is the caller's own. Episodes are never truncated.

    >>> import card_envs, gymnasium
    >>> ids = [env_id for env_id in gymnasium.registry if env_id.startswith("card_envs/")]
    >>> envs = gymnasium.make_vec(ids[0], num_envs=64, vectorization_mode="vector_entry_point")
    >>> observations, infos = envs.reset(seed=7)
    >>> observations, rewards, terminations, truncations, infos = envs.step(envs.sample_actions())
    >>> infos["action_mask"].any(axis=1).all()
    np.True_
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        opponents: Any = "random",
        seat: int | None = None,
        reward: str = "points",
        illegal: str = "raise",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **rules: Any,
    ) -> None:
        """Tables of ``game`` under ``rules``; see ``CardEnv`` for the arguments they share.

        autoreset_mode: when a row whose episode is over begins the next one (``AutoresetMode`` or its value).
            ``SAME_STEP``, the default: in the step that ended it; ``infos["final_obs"]`` and ``["final_info"]`` hold
            the end. ``NEXT_STEP``: in the step after, which ignores the row's action and has reward 0;
            ``infos["autoreset"]`` says in which rows. ``DISABLED``: by
            ``reset(options={"reset_mask": terminations})``.
        """
        self.game = chosen_game(game, rules)
        self.num_envs = whole_number("num_envs", num_envs, 1, 2**31)
        loses = choice("illegal", illegal, ILLEGAL) == "lose"
        self.render_mode = render_mode
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.single_observation_space = spaces.Box(0, 1, (self.game.observation_size,), np.uint8)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._tables = Tables(self.game, self.num_envs, opponents, seat, reward, loses)
        self._masks = np.zeros((self.num_envs, self.game.num_actions), np.uint8)

    # Gymnasium's interface

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begin an episode in all rows, or in those of ``options["reset_mask"]`` (bool (N,), which is not changed).

        seed: row i plays as ``CardEnv.reset(seed=seed + i)``, or with its own seed from a list; without one its
            next episode begins. The other options are those of ``CardEnv.reset`` and apply to all these rows.

        Returns observations and infos; in a partial reset the info masks mark the rows that were reset.
        """
        rest = checked_options(options)
        chosen = self._reset_mask(rest.pop("reset_mask", None))
        rows = np.flatnonzero(chosen)
        seeds = self._seeds(seed)
        if not (chosen | self._tables.begun).all():
            raise gymnasium.error.ResetNeeded("The first reset must be of all rows: leave out the reset_mask.")
        if seeds is not None and not isinstance(seed, (list, tuple, np.ndarray)):
            super().reset(seed=seeds[0])
        with self._tables.all_or_nothing():
            self._tables.reset(rows, None if seeds is None else [seeds[i] for i in rows], rest, lambda: self.np_random)
        observations, infos = self._look()
        infos["_action_mask"], infos["_seat"] = chosen.copy(), chosen.copy()
        return observations, infos

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play an action in each row, then the opponents' until the learners' next turns.

        Returns observations, rewards, terminations, truncations (all False) and infos; where an episode ended, also
        its ``"points"``, ``"returns"``, ``"scores"`` and ``"settlement"`` by seat (in ``SAME_STEP`` all of that in
        ``infos["final_info"]``).

        Raises ``ValueError`` for actions of a wrong shape or dtype, ``IllegalAction`` naming the rows where they are
        illegal, and ``gymnasium.error.ResetNeeded`` where there is no episode; nothing has then changed.
        """
        tables = self._tables
        self._require_reset()
        plays = batches.actions(actions, self.num_envs)
        ended = tables.over.copy()
        rows = None
        if ended.any():
            if self.autoreset_mode is AutoresetMode.DISABLED:
                raise gymnasium.error.ResetNeeded(
                    f"The episodes of rows {np.flatnonzero(ended)[:20].tolist()} are over: reset them with "
                    'options={"reset_mask": ...} before the next step.'
                )
            rows = np.flatnonzero(~ended)
            plays = plays[rows]
        tables.check(rows, plays)
        with tables.all_or_nothing():
            return self._step(plays, rows, ended)

    def _step(self, plays: npt.NDArray[np.int32], rows: Array | None, ended: Flags) -> Step:
        tables = self._tables
        tables.play(rows, plays)
        rewards = tables.rewards.copy()
        if ended.any():  # NEXT_STEP
            tables.advance(np.flatnonzero(ended))
        terminations = tables.over.copy()
        over = np.flatnonzero(terminations)
        final: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            if len(over):
                final = self._final(over, terminations)
                tables.advance(over)
        elif len(over):
            self._spread(final, tables.results(over), over, terminations)
        observations, infos = self._look()
        infos |= final
        infos["_action_mask"], infos["_seat"] = np.ones(self.num_envs, np.bool_), np.ones(self.num_envs, np.bool_)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            infos["autoreset"], infos["_autoreset"] = ended, np.ones(self.num_envs, np.bool_)
        return observations, rewards, terminations, np.zeros(self.num_envs, np.bool_), infos

    def render(self) -> tuple[str | Pixels, ...] | None:
        """What the learner of each row may see: ``"ansi"``, a page each, or ``"rgb_array"``, pixels each.

        ``"human"`` shows the first rows on one ``sheet`` in a window, here and at each step, and returns None.
        """
        if self.render_mode is None:
            warn_of_no_mode("make_vec")
            return None
        self._require_reset()
        if self.render_mode == "human":
            self._show(self.sheet())
            return None
        return tuple(self._seen(row) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, if there is one, and end the programs of opponents that were given by name."""
        self._end()

    # Beyond Gymnasium's interface

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Legal actions, bool (N, num_actions), True = legal; none in rows whose episode is over."""
        return self._masks.astype(np.bool_)

    def sample_actions(self) -> npt.NDArray[np.int64]:
        """A uniform legal action for each row, int64 (N,), from its table's stream; -1 where it is over."""
        self._require_reset()
        return self._tables.sample_actions().astype(np.int64)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """A method or an attribute of every table, as ``SyncVectorEnv.call``: ``action_masks``, say, or ``seat``."""
        rows = list(range(self.num_envs))
        if name in METHODS:
            return tuple(self._call_at(rows, name, *args, **kwargs))
        return tuple(self._get_at(rows, name))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute, once for each table."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute: a list or tuple has a value for each table, anything else is for all of them.

        Raises ``FixedSetting`` or ``ValueError`` for what cannot be set, and changes nothing.
        """
        if not isinstance(values, (list, tuple)):
            self._set_at(None, name, values)
        elif len(values) != self.num_envs:
            raise ValueError(f"values must be one for all tables or a list of {self.num_envs}, not of {len(values)}.")
        elif name in PER_TABLE:
            self._tables.choose_each(name, values)
        elif all(value == values[0] for value in values):
            self._set_at(None, name, values[0])
        else:
            raise ValueError(f"{shown(name)} is the same for all tables: it cannot be {shown(values)}.")

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """The learners' seats, int64 (N,)."""
        return self._tables.seats.copy()

    @property
    def views(self) -> Array:
        """The positions as the learners may know them, (N,) records with everything hidden blank."""
        self._require_reset()
        return self.game.views(self._tables.states, self._tables.seats)

    @property
    def full_states(self) -> Array:
        """The whole positions: PERFECT INFORMATION, with all hands, the seeds and the tables' streams; not for players.

        A read-only copy: playing or sampling there would not affect the tables.
        """
        self._require_reset()
        states = batches.copy(self._tables.states)
        states.flags.writeable = False
        return states

    # Parts

    def _reset_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            got = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise ValueError(f'options["reset_mask"] must be an array of bool and shape ({self.num_envs},), not {got}.')
        if not mask.any():
            raise ValueError('options["reset_mask"] marks no row: there is nothing to reset.')
        return mask.copy()

    def _seeds(self, seed: Any) -> list[int | None] | None:
        if seed is None:
            return None
        if isinstance(seed, (list, tuple)) or (isinstance(seed, np.ndarray) and seed.ndim == 1):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed={shown(seed)} must be a whole number or {self.num_envs}, one for each row.")
            return [
                None if one is None else whole_number(f"seed[{row}]", one, 0, 2**256) for row, one in enumerate(seed)
            ]
        first = whole_number("seed", seed, 0, 2**256)
        return [first + i for i in range(self.num_envs)]

    def _look(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        observations = np.empty((self.num_envs, self.game.observation_size), np.uint8)
        self._tables.look(observations, self._masks)
        if self.render_mode == "human":
            self._show(self.sheet())
        return observations, {"action_mask": self._masks.astype(np.int8), "seat": self._tables.seats.copy()}

    def _final(self, over: Array, terminations: Flags) -> dict[str, Any]:
        """The ends of the episodes in rows ``over``, laid out as ``SyncVectorEnv`` does."""
        tables = self._tables
        last = np.full(self.num_envs, None, object)
        for row, observation in zip(over.tolist(), tables.last_observations(over), strict=True):
            last[row] = observation
        info: dict[str, Any] = {}
        nothing = np.zeros((len(over), self.game.num_actions), np.int8)
        seen: dict[str, Array] = {"action_mask": nothing, "seat": tables.seats[over]}
        self._spread(info, seen | tables.results(over), over, terminations)
        return {
            "final_obs": last,
            "_final_obs": terminations.copy(),
            "final_info": info,
            "_final_info": terminations.copy(),
        }

    def _spread(self, infos: dict[str, Any], results: dict[str, Array], rows: Array, mask: Array) -> None:
        """Write results of some rows as arrays of all rows, with their masks."""
        for name, result in results.items():
            infos[name] = np.zeros((self.num_envs, *result.shape[1:]), result.dtype)
            infos[name][rows] = result
            infos[f"_{name}"] = mask.copy()

    def __repr__(self) -> str:
        return (
            f"<CardVectorEnv {self.num_envs} x {self.game.describe()}, reward {self.reward!r}, "
            f"{self.autoreset_mode.name}>"
        )

    __str__ = __repr__


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    for known in AutoresetMode:
        if mode is known or (isinstance(mode, str) and mode in (known.value, known.name)):
            return known
    values = ", ".join(repr(known.value) for known in AutoresetMode)
    raise ValueError(f"autoreset_mode={shown(mode)} is unknown: choose one of {values}.")
