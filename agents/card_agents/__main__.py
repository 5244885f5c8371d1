"""``python -m card_agents VERB ...``: see ``cli.main``."""

from __future__ import annotations

import sys

from card_agents.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
