"""A round robin, or a sequential test of two: ``python scripts/tournament.py GAME --agents A B ...`` (``--help``)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "agents"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from card_agents.cli.main import run

if __name__ == "__main__":
    sys.exit(run("tournament"))
