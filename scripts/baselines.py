"""Retrain the players that ship with the library: ``python scripts/baselines.py`` (see ``--help``)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "agents"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from card_agents.cli.command_line import SLEEPING, begin_with

if __name__ == "__main__":
    begin_with(SLEEPING, unless_set=True)

from card_agents.cli.baselines import Baseline, main

BASELINES = (
    Baseline("elfern", {}, steps=12_000_000, response_steps=4_000_000),
    Baseline("konchinka", {}, steps=5_000_000, response_steps=1_000_000),
    Baseline("konchinka", {"num_players": 4}, steps=3_500_000, response_steps=2_000_000),
)

LEAGUE = {"entropy": 0.006, "greedy_share": 0.25, "random_share": 0.05, "selves": 6, "pool": 40}
"""Mostly against its own snapshots, and with a larger entropy bonus than a short run needs: a mixed strategy."""

RESPONSE: dict[str, float] = {}
"""The default settings; the learner meets only the player that it is to exploit."""

if __name__ == "__main__":
    sys.exit(main(BASELINES, LEAGUE, RESPONSE))
