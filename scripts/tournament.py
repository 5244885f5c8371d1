"""Play agents against each other: ``python scripts/tournament.py GAME --agents A B ...`` (``--help`` says the rest)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.command_line import SINGLE_THREADED, begin_with

if __name__ == "__main__":
    begin_with(SINGLE_THREADED)
    from agents.tournament.command import main

    sys.exit(main())
