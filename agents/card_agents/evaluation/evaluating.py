"""An evaluation: agents against each other over the same deals, as a table for the screen and as JSON."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_agents.evaluation.arena import BATCH, Meeting, meet, warm_up
from card_agents.evaluation.regret import AgentRegret, regrets_to_dict
from card_agents.files import write_whole
from card_agents.protocol import Agent, external_bot
from card_agents.screen import literal
from card_agents.seeds import new_salt, table_seeds
from card_agents.versions import versions
from card_envs import Game
from card_envs.records import GameRecord

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Evaluation:
    """Meetings of agents, and all that is needed to reproduce them.

    agents: their labels. players: their names as ``make_agent`` takes them, where they were made by name.
    salt: determines the deals together with ``seed``; None where the seed alone does.
    """

    game: Game
    agents: tuple[str, ...]
    meetings: tuple[Meeting, ...]
    deals: int
    seed: int
    deterministic: bool
    seconds: float
    regrets: tuple[AgentRegret, ...] = ()
    players: tuple[str, ...] = ()
    salt: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as a JSON-serialisable dictionary."""
        return {
            "game": self.game.name,
            "rules": dataclasses.asdict(self.game.rules),
            "unit": "match" if self.game.rules.match else "deal",
            "agents": list(self.agents),
            **({"players": list(self.players)} if self.players else {}),
            "seed": self.seed,
            "salt": self.salt,
            "first_table_seed": int(table_seeds(self.seed, 1, self.salt)[0]),
            "deals": self.deals,
            "rotations": self.game.num_players,
            "seating": self.seating(),
            "deterministic": self.deterministic,
            "confidence": 0.95,
            "clusters": "deals: the mean over all seat rotations of one deal is one observation",
            "meetings": [meeting.to_dict() for meeting in self.meetings],
            **({"regret": regrets_to_dict(self.game, self.regrets)} if self.regrets else {}),
            "seconds": round(self.seconds, 3),
            "date": datetime.now().astimezone().isoformat(timespec="seconds"),
            "versions": versions(),
        }

    def save(self, path: Path) -> None:
        """Write the evaluation as JSON, atomically."""
        write_whole(path, (json.dumps(self.to_dict(), indent=2) + "\n").encode())

    @property
    def games(self) -> list[GameRecord]:
        """The first games of each pair as records, where they were asked for, by pair, deal and rotation."""
        return [record for meeting in self.meetings for record in meeting.games]

    def seating(self) -> str:
        """The seating, as a phrase."""
        others = self.game.num_players - 1
        if others == 1:
            return "a and b, each deal from both seats"
        return f"a in one seat against b in the other {others}, each deal with a in every seat"

    def notes(self) -> list[str]:
        """Sentences below the table: the forfeits and their reasons."""
        unit = "match" if self.game.rules.match else "deal"
        sentences = [one.sentence(unit) for meeting in self.meetings for one in meeting.forfeits]
        judged = [found for regret in self.regrets for found in (regret.settled, regret.open) if found is not None]
        return sentences + [f"Regret: {one.sentence(unit)}" for found in judged for one in found.forfeits]

    def table(self) -> Table:
        """The evaluation as a table for the screen."""
        from rich.table import Table

        unit = "match" if self.game.rules.match else "deal"
        table = Table(
            title=f"{self.game.name}, {self.deals:,} {unit}{'es' if unit == 'match' else 's'} in "
            f"{self.game.num_players} seat rotations",
            caption=f"{self.seating()}; 95 % intervals clustered by {unit}",
        )
        for heading in ("a", "b"):
            table.add_column(heading, overflow="fold")
        for heading in (f"points per {unit}", "won", "drawn", "lost", "by seat of a"):
            table.add_column(heading, justify="right")
        for meeting in self.meetings:
            games = meeting.deals * meeting.rotations
            shares = [f"{100 * count / games:.1f} %" for count in meeting.outcomes.values()]
            seats = " ".join(f"{points.mean:+.2f}" for points in meeting.seat_points)
            table.add_row(literal(meeting.a), literal(meeting.b), str(meeting.points_a), *shares, seats)
        return table


def evaluate(
    game: Game,
    agents: Sequence[tuple[str, Agent]],
    *,
    deals: int,
    seed: int,
    salt: str | None = None,
    deterministic: bool = True,
    batch: int = BATCH,
    pairs: Sequence[tuple[int, int]] | None = None,
    save_games: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Let all pairs of the named agents meet over the same deals.

    With more than two players a pair meets twice: each alone among the others. pairs: numbers of the agents of the
    meetings to play instead. save_games: how many of the first deals of each pair to write down as records
    (``Evaluation.games``), in all rotations. progress: called with the number of meetings done and their total.

    salt: changes the deals of ``seed`` to ones that nobody can know without it (``seeds``); a random one is used where
    an external bot takes part.
    """
    if pairs is None:
        choose = combinations if game.num_players == 2 else permutations
        pairs = list(choose(range(len(agents)), 2))
    if salt is None and any(external_bot(agent) for _, agent in agents):
        salt = new_salt()
    seeds = table_seeds(seed, deals, salt)
    warm_up(game, [agent for _, agent in agents])
    begin = time.perf_counter()
    meetings = []
    for number, (a, b) in enumerate(pairs):
        if progress is not None:
            progress(number, len(pairs))
        names, pair = (agents[a][0], agents[b][0]), (agents[a][1], agents[b][1])
        meetings.append(meet(game, names, pair, seeds, batch, save_games))
    if progress is not None:
        progress(len(pairs), len(pairs))
    seconds = time.perf_counter() - begin
    labels = tuple(label for label, _ in agents)
    return Evaluation(game, labels, tuple(meetings), deals, seed, deterministic, seconds, salt=salt)
