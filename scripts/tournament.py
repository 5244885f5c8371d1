#!/usr/bin/env python
"""Play agents against each other: ``scripts/tournament.py GAME --agents A B ...`` (``--help`` says the rest)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Before numpy is loaded, here and in the worker processes: with several threads the last bits of a network's numbers
# would depend on how many there are.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.tournament.command import main

if __name__ == "__main__":
    sys.exit(main())
