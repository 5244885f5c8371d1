"""The speed of the library on this machine: ``python scripts/benchmark.py [options]`` (see ``--help``)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "agents"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.command import main

if __name__ == "__main__":
    sys.exit(main())
