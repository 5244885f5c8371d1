#!/usr/bin/env python
"""Train a player by self-play: ``scripts/train.py GAME [options]`` (``--help`` and ``GAME --help`` say the rest)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.training.command import main

if __name__ == "__main__":
    sys.exit(main())
