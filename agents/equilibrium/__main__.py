"""``python -m agents.equilibrium``: see ``command``."""

from __future__ import annotations

import sys

from agents.equilibrium.command import main

if __name__ == "__main__":
    sys.exit(main())
