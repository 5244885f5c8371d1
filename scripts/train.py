"""Train a player by self-play: ``python scripts/train.py GAME [options]`` (``--help``, ``GAME --help`` say more)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.command_line import SLEEPING, begin_with

if __name__ == "__main__":
    begin_with(SLEEPING, unless_set=True)
    from agents.training.command import main

    sys.exit(main())
