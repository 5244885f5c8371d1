"""The learner's opponents: the built-in players and the pool of its own snapshots, or one rival."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from card_agents.evaluation.arena import Log, deal_seeds, play_out
from card_agents.names import make_agent
from card_agents.players.network import Network
from card_agents.players.ppo import PPOAgent
from card_agents.protocol import Actions, Agent, Array, Clock, Forfeit, external_bot
from card_agents.training.settings import Settings
from card_agents.training.torch_agent import TorchAgent
from card_envs import Game

GROUPS = 16
"""The tables are split into this many groups (or one each, if there are fewer); a group shares its opponents."""

MOST_PROGRAMS = 64
"""Most tables for a rival that needs separate processes at each."""


@dataclass
class Pool:
    """Snapshots of the learner, oldest first, each with the number of steps it was trained for."""

    game: Game
    settings: Settings
    snapshots: list[tuple[int, Network]] = field(default_factory=list)
    forfeits: Counter[str] = field(default_factory=Counter)
    """Episodes forfeited by the rival because its program failed, by reason."""

    def add(self, steps: int, network: Network) -> None:
        """Add a snapshot. A full pool thins out: the one whose neighbours in age are closest is removed."""
        self.snapshots.append((steps, network))
        while len(self.snapshots) > self.settings.pool:
            ages = [age for age, _ in self.snapshots]
            gaps = [ages[k + 1] - ages[k - 1] for k in range(1, len(ages) - 1)]
            del self.snapshots[1 + int(np.argmin(gaps)) if gaps else 0]

    @cached_property
    def rival(self) -> Agent | None:
        """The player that takes all other seats, as in an evaluation; None where the pool does."""
        if not self.settings.against:
            return None
        agent = make_agent(self.settings.against, self.game)
        return TorchAgent(self.game, agent.network) if isinstance(agent, PPOAgent) else agent

    @cached_property
    def _rivals(self) -> list[Agent]:
        """The rival's instances: one, or one per table where its program plays one episode at a time.

        ``ValueError`` if they are too many, or do not even start.
        """
        rival, settings = self.rival, self.settings
        bot = None if rival is None else external_bot(rival)
        if rival is None or bot is None:
            return [] if rival is None else [rival]
        log = Log([Clock()])
        play_out(self.game, [rival], [0] * self.game.num_players, deal_seeds(settings.seed, 1), log=log)
        if log.forfeits:
            raise ValueError(f"{settings.against!r} cannot be trained against: it {log.forfeits[0][3]}.")
        if not bot.one_at_a_time:
            return [ForfeitCounter(rival, self.forfeits)]
        if settings.tables > MOST_PROGRAMS:
            raise ValueError(
                f"{settings.against!r} plays one episode at a time, so each table needs its own processes: "
                f"give --tables {MOST_PROGRAMS} or fewer, not {settings.tables}."
            )
        return [ForfeitCounter(make_agent(settings.against, self.game), self.forfeits) for _ in range(settings.tables)]

    def check(self) -> None:
        """``ValueError`` with a sentence if the rival cannot be trained against."""
        _ = self._rivals

    def dismiss(self) -> None:
        """End the rival's processes, which start afresh when they are asked again."""
        for rival in self._rivals:
            bot = external_bot(rival)
            if bot is not None:
                bot.close()

    def seat_opponents(self, env: Any, rng: np.random.Generator) -> dict[str, float]:
        """Assign opponents from the tables' next episodes on; the share of the seats that each kind got."""
        if self.rival is not None:
            self.dismiss()
            if len(self._rivals) == 1:
                env.set_opponents(self._rivals[0])
            else:
                for place, rival in enumerate(self._rivals):
                    env.set_opponents(rival, np.arange(env.num_envs) == place)
            return {self.settings.against: 1.0}
        tables = env.num_envs
        groups = min(GROUPS, tables)
        group_of = np.arange(tables) * groups // tables
        chosen: list[TorchAgent] = []
        if self.snapshots and self.settings.selves:
            numbers = rng.permutation(len(self.snapshots) - 1)[: self.settings.selves - 1].tolist()
            chosen = [self._agent(number) for number in [*numbers, len(self.snapshots) - 1]]
        columns = [self._column(groups, chosen, rng) for _ in range(self.game.num_players - 1)]
        for group in range(groups):
            env.set_opponents([column[group] for column in columns], where=group_of == group)
        seats = [opponent for column in columns for opponent in column]
        kinds = [opponent if isinstance(opponent, str) else "self" for opponent in seats]
        return {kind: kinds.count(kind) / len(kinds) for kind in ("greedy", "random", "self")}

    def _column(self, groups: int, chosen: list[TorchAgent], rng: np.random.Generator) -> list[Any]:
        """The opponents of one seat for each group, in the shares of the settings, as evenly as possible."""
        settings = self.settings
        greedy, random = settings.greedy_share, settings.random_share
        if not chosen:
            total = greedy + random
            greedy, random = (greedy / total, random / total) if total else (1.0, 0.0)
        column: list[Any] = []
        places = (np.arange(groups) + rng.random()) / groups
        for place in places:
            if place < greedy:
                column.append("greedy")
            elif place < greedy + random or not chosen:
                column.append("random")
            else:
                # The newest snapshot, the last, gets half of the snapshots' share.
                own = (place - greedy - random) / max(1e-9, 1 - greedy - random)
                older = len(chosen) - 1
                column.append(chosen[min(int(own * 2 * older), older)] if older else chosen[0])
        return [column[place] for place in rng.permutation(groups)]

    def _agent(self, number: int) -> TorchAgent:
        return TorchAgent(self.game, self.snapshots[number][1], deterministic=False)


class ForfeitCounter:
    """Wraps an external bot at a training table and counts the reasons for its forfeits."""

    def __init__(self, rival: Agent, forfeits: Counter[str]) -> None:
        self.asks = rival
        self.forfeits = forfeits

    def act(self, views: Array, observations: Array, masks: Array, random: Array) -> Actions:
        try:
            return self.asks.act(views, observations, masks, random)
        except Forfeit as failure:
            self.forfeits.update(failure.reasons.values())
            raise
