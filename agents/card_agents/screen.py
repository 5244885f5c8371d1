"""Tables and sentences on a screen, by ``rich``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from card_agents.labels import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

WIDTH = 140
"""Columns of a table, at least, where there is no terminal to ask."""


def screen() -> Console:
    """A console that prints what it is given as it is: brackets in a name are no markup."""
    from rich.console import Console

    columns = os.environ.get("COLUMNS", "")
    width = None if sys.stdout.isatty() else max(WIDTH, int(columns) if columns.isdecimal() else 0)
    return Console(markup=False, highlight=False, emoji=False, width=width)


def literal(text: str) -> Text:
    """A name for a cell of a table: no markup, and nothing that a terminal would obey."""
    from rich.text import Text

    return Text(printable(text))
