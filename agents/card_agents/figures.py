"""Matplotlib figures without global state."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from card_agents.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float, dpi: int = 150) -> Figure:
    """An empty figure; width and height in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=dpi, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, atomically."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_whole(path, picture.getvalue())
