"""Tables and sentences on the terminal, with ``rich``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from card_agents.labels import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

WIDTH = 140
"""Least width in columns where the output is not a terminal."""


def screen() -> Console:
    """A console that prints text literally: brackets in a name are not markup."""
    from rich.console import Console

    columns = os.environ.get("COLUMNS", "")
    width = None if sys.stdout.isatty() else max(WIDTH, int(columns) if columns.isdecimal() else 0)
    return Console(markup=False, highlight=False, emoji=False, width=width)


def literal(text: str) -> Text:
    """A name for a table cell, without markup or terminal control characters."""
    from rich.text import Text

    return Text(printable(text))
