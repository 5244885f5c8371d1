"""One table as a Gymnasium environment."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from card_envs.checks import choice, whole_number
from card_envs.envs.choices import chosen_action, chosen_game
from card_envs.envs.rendering import RENDER_FPS, RENDER_MODES, warn_of_no_mode
from card_envs.envs.settings import ILLEGAL, Settings
from card_envs.envs.tables import ADVICE, Tables
from card_envs.errors import IllegalAction
from card_envs.game import Game
from card_envs.records import GameRecord
from card_envs.render.pixels import Pixels
from card_envs.state import State

FIRST = np.zeros(1, np.int64)


class CardEnv(Settings, gymnasium.Env[npt.NDArray[np.uint8], np.int64]):
    """One learner at a table; the other seats are played inside ``step`` and ``reset``.

    Observations are bits, uint8 (observation_size,), from the learner's own seat (``game.observation_layout`` names
    the parts); actions are numbers from 0 to ``num_actions - 1`` (``game.action_name`` names them). Which are legal
    is in ``info["action_mask"]`` (int8, 1 = legal; fits ``action_space.sample``) and comes from
    ``action_masks()`` (bool, True = legal).

    The learner is credited with all that happens until its next turn or the end. Episodes are never truncated.

    Its settings are attributes; ``settings.Settings`` says which can be changed afterwards.

    >>> import card_envs, gymnasium
    >>> ids = [env_id for env_id in gymnasium.registry if env_id.startswith("card_envs/")]
    >>> env = gymnasium.make(ids[0], opponents="greedy")
    >>> observation, info = env.reset(seed=7)
    >>> terminated = False
    >>> while not terminated:
    ...     action = env.action_space.sample(info["action_mask"])
    ...     observation, reward, terminated, truncated, info = env.step(action)
    >>> info["points"].shape
    (2,)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # type: ignore[misc]

    def __init__(
        self,
        game: str | Game,
        opponents: Any = "random",
        seat: int | None = None,
        reward: str = "points",
        illegal: str = "raise",
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """An environment of ``game`` under ``rules``.

        game: its name, or a game with its rules.
        opponents: a player by name, an object with ``act`` (``players.Agent``), or a list of these, one for each other
            seat in turn order after the learner's. ``"random"`` and ``"greedy"`` are compiled and cost next to nothing.
            The player of any other name that commands take is made once for all tables, and costs what it takes to
            think: a network little, and far less in a batch of tables, a search such as ``"pimc:20"`` most of a step.
        seat: the learner's; None draws it for each episode.
        reward: ``"points"``, ``"win"``, ``"share"`` or, in a match that is settled, ``"settlement"``.
        illegal: what an illegal action does: ``"raise"`` an ``IllegalAction`` and change nothing, or ``"lose"``
            the episode with the least possible return, for algorithms that know no masks.
        render_mode: what the learner may see, as ``render()`` returns it: ``"ansi"``, a page of text, or
            ``"rgb_array"``, pixels, uint8 (height, width, 3). ``"human"`` shows each step in a window. The last two
            need the extra ``card_envs[pictures]``.

        Raises ``ValueError`` naming the choices for invalid settings; ``UnknownArgument`` (also a ``TypeError``) for
        unknown arguments and render modes; its subclass ``MissingExtra`` where the packages that draw are not
        installed; and ``NoDisplay`` for a window where there is no screen.
        """
        self.game = chosen_game(game, rules)
        loses = choice("illegal", illegal, ILLEGAL) == "lose"
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 1, (self.game.observation_size,), np.uint8)
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._tables = Tables(self.game, 1, opponents, seat, reward, loses, notes=True)
        self._actions = np.zeros(1, np.int32)
        self._masks = np.zeros((1, self.game.num_actions), np.uint8)
        self._on_turn = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begin an episode and play on to the learner's first turn.

        seed: a fresh table with this seed (taken mod 2**64); without one the table's next episode begins.
        options: ``"deck"`` plays a given pack, top card first; ``"dealer"`` and ``"seat"`` (the learner's) hold for
            this episode; ``"deal"`` is the number of the deal at the table, which with the seed decides the pack.

        Returns the observation and an info with ``"action_mask"`` and ``"seat"``. Raises ``ValueError`` for invalid
        options; the episode in play then goes on.
        """
        if seed is not None:
            seed = whole_number("seed", seed, 0, 2**256)
            super().reset(seed=seed)
        with self._tables.all_or_nothing():
            self._tables.reset(FIRST, [seed], options, lambda: self.np_random)
        return self._look()

    def step(self, action: int | np.integer[Any]) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the opponents' until its next turn or the end of the episode.

        Returns observation, reward, terminated, truncated (always False) and info; at the end the info also has
        ``"points"``, ``"returns"`` (by the reward chosen), ``"scores"`` and ``"settlement"``, by seat.

        Raises ``IllegalAction`` (a ``ValueError``) for an action that is not legal now (unless ``illegal="lose"``) or
        no action at all, and ``gymnasium.error.ResetNeeded`` when there is no episode; nothing has then changed.
        """
        if not self._on_turn:
            raise gymnasium.error.ResetNeeded("There is no episode to play: call reset() first.")
        tables = self._tables
        number = chosen_action(self.game, tables.states, action)
        if not self._masks[0, number] and not tables.loses:
            raise IllegalAction(f"{State(self.game, tables.states).refusal(number)} {ADVICE}")
        self._actions[0] = number
        if tables.opponents.outside:
            with tables.all_or_nothing():
                tables.play(None, self._actions)
        else:
            tables.play(None, self._actions)
        observation, info = self._look()
        if self._on_turn:
            return observation, float(tables.rewards[0]), False, False, info
        for name, result in tables.results(FIRST).items():
            info[name] = result[0]
        return observation, float(tables.rewards[0]), True, False, info

    def _look(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        tables = self._tables
        observations = np.empty((1, self.game.observation_size), np.uint8)
        tables.look(observations, self._masks)
        self._on_turn = not tables.over[0]
        if self.render_mode == "human":
            self._show(self._seen(0))
        return observations[0], {"action_mask": self._masks[0].astype(np.int8), "seat": int(tables.seats[0])}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Legal actions, bool (num_actions,), True = legal; none when the episode is over."""
        return self._masks[0].astype(np.bool_)

    def sample_action(self) -> int:
        """A uniform legal action from the table's stream; -1 when the episode is over."""
        self._require_reset()
        return int(self._tables.sample_actions()[0])

    @property
    def view(self) -> State:
        """The position as the learner may know it (a copy, everything hidden blank)."""
        return self.full_state.view(self.seat)

    @property
    def full_state(self) -> State:
        """The whole position (a copy): PERFECT INFORMATION, with all hands, the seed and the table's stream; not for
        players.

        Playing or sampling there affects the copy alone.
        """
        self._require_reset()
        return self.game.state(self._tables.states, 0)

    def record(self) -> GameRecord:
        """The episode in play, or the one just over, as a game record: PERFECT INFORMATION, not for players.

        Its players are called "learner" and as they were given: by name, or an object by its class. Raises
        ``ResetNeeded`` before the first episode.

        >>> import gymnasium
        >>> ids = [env_id for env_id in gymnasium.registry if env_id.startswith("card_envs/")]
        >>> env = gymnasium.make(ids[0], opponents="greedy").unwrapped
        >>> _, info = env.reset(seed=7)
        >>> env.record().is_over
        False
        """
        self._require_reset()
        assert self._tables.episode is not None
        return self._tables.episode.record(self.game)

    def render(self) -> str | Pixels | None:
        """What the learner may see: a page or pixels; None in a window, or, with a warning, without a render mode."""
        if self.render_mode is None:
            warn_of_no_mode("make")
            return None
        self._require_reset()
        if self.render_mode == "human":
            self._show(self._seen(0))
            return None
        return self._seen(0)

    def close(self) -> None:
        """Close the window, if there is one, and end the programs of opponents that were given by name."""
        self._end()

    def __repr__(self) -> str:
        return f"<CardEnv {self.game.describe()}, reward {self.reward!r}>"

    __str__ = __repr__
