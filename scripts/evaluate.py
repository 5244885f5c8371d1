"""Compare agents over the same deals: ``python scripts/evaluate.py GAME --agents A B ...`` (``--help`` says more)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.evaluating import main

if __name__ == "__main__":
    sys.exit(main())
