"""The games in PettingZoo, all seats for the caller to play. Only this module imports it: extra ``pettingzoo``.

``from card_envs.envs.pettingzoo import NAME_v0``, with the name of a game, gives what a module of PettingZoo's own has:
``env()``, ``raw_env()`` and ``parallel_env()``. Where PettingZoo keeps a register (from 1.27 on), importing this module
enters ``"card_envs/NAME_v0"`` in it, for ``pettingzoo.make("aec", ...)`` and ``"parallel"``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from card_envs.checks import choice, shown, whole_number
from card_envs.envs.choices import checked_options, chosen_action, chosen_game, chosen_reward
from card_envs.envs.rendering import RENDER_FPS, RENDER_MODES, Rendering, warn_of_no_mode
from card_envs.envs.settings import ILLEGAL
from card_envs.errors import IllegalAction, MissingExtra
from card_envs.game import Game
from card_envs.record import REWARDS
from card_envs.registry import GAMES
from card_envs.render.pixels import Pixels
from card_envs.state import State

OLDEST = "1.25"
"""The oldest version of PettingZoo that this module works with."""


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:2]]


def require() -> None:
    """Raise ``MissingExtra`` unless PettingZoo is there in a version that will do; it is not loaded."""
    try:
        version = metadata.version("pettingzoo")
    except metadata.PackageNotFoundError:
        fault = "which is not installed"
    else:
        if _numbers(version) >= _numbers(OLDEST):
            return
        fault = f"and {version} is installed"
    raise MissingExtra(
        f"The games in PettingZoo need pettingzoo {OLDEST} or later, {fault}: "
        'run pip install -U "card_envs[pettingzoo]".'
    )


require()

import pettingzoo  # noqa: E402
from pettingzoo.utils.conversions import turn_based_aec_to_parallel  # noqa: E402
from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # noqa: E402

Array = npt.NDArray[Any]
Seen = dict[str, Array]

SETTINGS = ("reward", "illegal", "render_mode")
"""Arguments of these environments, besides the game and its rules."""

OPTIONS = ("deck", "dealer", "deal")
"""Options that ``reset`` takes."""

ADVICE = (
    'Choose among the legal ones by observation["action_mask"], or make the environment with illegal="lose", which '
    "ends the episode."
)
"""What to do about illegal actions."""


class CardAECEnv(Rendering, pettingzoo.AECEnv[str, Seen, Any]):
    """A table of a game whose seats are the agents ``"player_0"``, ``"player_1"``, …

    An agent observes ``{"observation": uint8 (observation_size,), "action_mask": int8 (num_actions,)}``, 1 = legal,
    from its own seat, and nothing that it may not know; when it is not on turn its mask is all zeros. The mask is also
    in its info. Rewards are paid to every seat as they fall due. Episodes end by themselves and are never truncated;
    the infos of the end have ``"points"``, ``"returns"``, ``"scores"`` and ``"settlement"``, by seat.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str | Game,
        reward: str = "points",
        illegal: str = "raise",
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """A table of ``game`` under ``rules``.

        game: its name, or a game with its rules.
        reward: ``"points"``, ``"win"``, ``"share"`` or, in a match that is settled, ``"settlement"``.
        illegal: what an illegal action does: ``"raise"`` an ``IllegalAction`` and change nothing, or ``"lose"`` the
            episode: its agent gets the least possible return, the others share it.
        render_mode: what the seat on turn may see: ``"ansi"``, a page of text; ``"rgb_array"``, pixels, uint8
            (height, width, 3); ``"human"``, each play in a window. The last two need the extra ``pictures``.

        Raises ``ValueError`` for invalid settings, and its subclass ``UnknownArgument`` (also a ``TypeError``) for
        unknown arguments.
        """
        super().__init__()
        self.game = chosen_game(game, rules, SETTINGS)
        self._reward = REWARDS[chosen_reward(self.game, reward)]
        self._loses = choice("illegal", illegal, ILLEGAL) == "lose"
        self.render_mode = render_mode
        self.metadata = type(self).metadata | {"name": f"{self.game.name}_v0"}  # type: ignore[misc]
        size, actions, players = self.game.observation_size, self.game.num_actions, self.game.num_players
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size,), np.uint8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, 1, (players * size,), np.uint8)
        self._states: Array | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    # Playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        seed: a fresh table with this seed (taken mod 2**64); without one the table's next episode begins.
        options: ``"deck"`` plays a given pack, top card first; ``"dealer"`` deals; ``"deal"`` is the number of the deal
            at the table, which with the seed decides the pack. Others are left out with a warning, as PettingZoo's own
            test hands over such.

        Raises ``ValueError`` for invalid options; the episode in play then goes on.
        """
        given = checked_options(options)
        unknown = [name for name in given if name not in OPTIONS]
        if unknown:
            gymnasium.logger.warn(f"options={shown(unknown)} are unknown and left out: there are {', '.join(OPTIONS)}.")
        self._states = self._dealt(seed, {name: given[name] for name in OPTIONS if name in given})
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._returns = np.zeros(self.game.num_players)
        self._look()

    def _dealt(self, seed: int | None, given: dict[str, Any]) -> Array:
        """The states of a new episode, one row."""
        game, before = self.game, self._states
        if seed is not None:
            return game.new_state(whole_number("seed", seed, 0, 2**256), **given).record.copy()
        if before is None:
            return game.new_state(**given).record.copy()
        if given:
            following = {"deal": (int(before["deal"][0]) + 1) % 2**64}
            return game.new_state(int(before["seed"][0]), **following | given).record.copy()
        game.reset(before)
        return before

    def step(self, action: Any) -> None:
        """Play an action for ``agent_selection``, or None when its episode is over.

        Raises ``IllegalAction`` (a ``ValueError``) for an action that is not legal now (unless ``illegal="lose"``) or
        no action at all; nothing has then changed.
        """
        states, agent = self._in_play(), self.agent_selection
        if not self.agents:
            raise gymnasium.error.ResetNeeded("The episode is over and all agents are gone: call reset() first.")
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = chosen_action(self.game, states, action)
        if self._mask[number]:
            self.game.step(states, np.array([number], np.int32), auto_reset=False)
        elif self._loses:
            self.game.forfeit(states, None)
        else:
            raise IllegalAction(f"{State(self.game, states).refusal(number)} {ADVICE}")
        returns = self.game.returns(states, self._reward)[0]
        self.rewards = dict(zip(self.agents, (returns - self._returns).tolist(), strict=True))
        self._returns = returns
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._look()

    def _look(self) -> None:
        """Note whose turn it is, what is legal, and how it ended."""
        game, states = self.game, self._in_play()
        seat = int(states["to_play"][0])
        self._over = seat < 0
        self.agent_selection = self.possible_agents[max(seat, 0)]
        self.terminations = dict.fromkeys(self.agents, self._over)
        self._mask = game.masks(states)[0].astype(np.int8)
        self.infos: dict[str, dict[str, Array]] = {
            agent: {"action_mask": self._mask_of(agent)} for agent in self.agents
        }
        if self._over:
            for info in self.infos.values():
                info.update(points=game.points(states)[0], returns=self._returns.copy())
                info.update(scores=game.scores(states)[0], settlement=game.settlement(states)[0])
        if self.render_mode == "human":
            self.render()

    # Looking

    def observe(self, agent: str) -> Seen:
        """What an agent's seat sees, and which actions are legal for it now."""
        seat, states = self._seat(agent), self._in_play()
        on_turn = not self._over and agent == self.agent_selection  # the seat that it costs less to ask for
        observation = self.game.observations(states, None if on_turn else seat)[0]
        return {"observation": observation, "action_mask": self._mask_of(agent)}

    def state(self) -> npt.NDArray[np.uint8]:
        """The observations of all seats in order, uint8 (num_players * observation_size,): PERFECT INFORMATION of all
        hands, for a critic that is trained on it; not for players."""
        seats = np.arange(self.game.num_players)
        return self.game.observations(np.repeat(self._in_play(), len(seats)), seats).reshape(-1)

    def render(self) -> str | Pixels | None:
        """What the seat on turn may see (over: seat 0), as ``render_mode`` says; None in a window or without a mode."""
        if self.render_mode is None:
            warn_of_no_mode("env")
            return None
        picture = self._seen_by(self.game.state(self._in_play(), 0), self._seat(self.agent_selection))
        if self.render_mode == "human":
            self._show(picture)
            return None
        return picture

    def close(self) -> None:
        """Close the window, if there is one."""
        self._close_window()

    def _in_play(self) -> Array:
        if self._states is None:
            raise gymnasium.error.ResetNeeded("Nothing has been dealt yet: call reset() first.")
        return self._states

    def _seat(self, agent: str) -> int:
        try:
            return self.possible_agents.index(agent)
        except ValueError:
            raise ValueError(f"{shown(agent)} is no agent here: there are {', '.join(self.possible_agents)}.") from None

    def _mask_of(self, agent: str) -> npt.NDArray[np.int8]:
        return self._mask.copy() if agent == self.agent_selection else np.zeros_like(self._mask)


def raw_env(game: str | Game, **settings: Any) -> CardAECEnv:
    """The environment itself; see ``CardAECEnv`` for the arguments."""
    return CardAECEnv(game, **settings)


def env(game: str | Game, **settings: Any) -> OrderEnforcingWrapper[str, Seen, Any]:
    """The environment in PettingZoo's wrapper that checks the order of calls."""
    return OrderEnforcingWrapper(raw_env(game, **settings))


def parallel_env(game: str | Game, **settings: Any) -> pettingzoo.ParallelEnv[str, Seen, Any]:
    """The same as a parallel environment: ``step`` takes actions of all agents and plays that of the one on turn."""
    return turn_based_aec_to_parallel(env(game, **settings))


@dataclass(frozen=True)
class Version:
    """One game in PettingZoo, as its own modules have them: ways to make the environment, with rules as keywords."""

    env: partial[OrderEnforcingWrapper[str, Seen, Any]]
    raw_env: partial[CardAECEnv]
    parallel_env: partial[pettingzoo.ParallelEnv[str, Seen, Any]]


VERSIONS = {
    f"{name}_v0": Version(partial(env, name), partial(raw_env, name), partial(parallel_env, name)) for name in GAMES
}
"""What can be imported from here, by name."""


def __getattr__(name: str) -> Version:
    if name in VERSIONS:
        return VERSIONS[name]
    raise AttributeError(f"There is no {shown(name)} in {__name__}: there are {', '.join(VERSIONS)}.")


def register_all() -> None:
    """Enter every game in PettingZoo's register, where it has one."""
    if not hasattr(pettingzoo, "register"):
        return
    for name in GAMES:
        env_id = f"card_envs/{name}-v0"
        for kind, registry in (("aec", pettingzoo.aec_registry), ("parallel", pettingzoo.parallel_registry)):
            if env_id not in registry:
                entry = f"{__name__}:{'env' if kind == 'aec' else 'parallel_env'}"
                pettingzoo.register(kind, env_id, entry, kwargs={"game": name})


register_all()
