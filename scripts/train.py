#!/usr/bin/env python
"""Train a player by self-play: ``scripts/train.py GAME [options]`` (``--help`` and ``GAME --help`` say the rest)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Before numpy and torch are loaded: threads that wait must not spin. On cores that others use as well, two spinning
# threads were seen to train twenty times slower than two that sleep.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.training.command import main

if __name__ == "__main__":
    sys.exit(main())
