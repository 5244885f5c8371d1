"""Pictures as pixels. The packages that draw are loaded with the first picture, not before."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from card_envs.errors import MissingExtra
from card_envs.render.svg import GROUND

Pixels = npt.NDArray[np.uint8]

_DRAWS = {"resvg_py": "resvg-py", "PIL": "pillow"}


def require(what: str, needed: dict[str, str] = _DRAWS) -> None:
    """Raise ``MissingExtra`` unless these modules (with the packages they come from) are there; none is loaded."""
    missing = [package for module, package in needed.items() if find_spec(module) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise MissingExtra(
            f'{what} needs {" and ".join(missing)}, which {verb} not installed: run pip install "card_envs[pictures]".'
        )


def pixels(svg: str) -> Pixels:
    """An SVG picture drawn in the size it says, uint8 (height, width, 3); ``MissingExtra`` if the packages that draw
    are not installed."""
    require("Drawing pixels")
    import resvg_py
    from PIL import Image

    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, background=GROUND, skip_system_fonts=True))
    with Image.open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"))


def sheet(frames: Sequence[Pixels]) -> Pixels:
    """Pictures of one size side by side, as close to a square as possible, uint8 (height, width, 3)."""
    height, width, _ = frames[0].shape
    columns = math.ceil(math.sqrt(len(frames) * height / width))
    rows = math.ceil(len(frames) / columns)
    whole = np.full((rows * height, columns * width, 3), 255, np.uint8)
    for k, frame in enumerate(frames):
        y, x = k // columns * height, k % columns * width
        whole[y : y + height, x : x + width] = frame
    return whole
