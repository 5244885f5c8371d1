"""``python -m card_envs VERB ...``: all commands. Nothing else here imports what stands above."""

from __future__ import annotations

import sys

from card_agents.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
