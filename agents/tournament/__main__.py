"""``python -m agents.tournament``: see ``command``."""

from __future__ import annotations

import sys

from agents.command_line import SINGLE_THREADED, begin_with

if __name__ == "__main__":
    begin_with(SINGLE_THREADED)
    from agents.tournament.command import main

    sys.exit(main())
