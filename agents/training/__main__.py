"""``python -m agents.training``: see ``command``."""

from __future__ import annotations

import sys

from agents.command_line import SLEEPING, begin_with

if __name__ == "__main__":
    begin_with(SLEEPING, unless_set=True)
    from agents.training.command import main

    sys.exit(main())
