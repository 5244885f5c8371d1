"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write ``content`` to a file beside ``path``, see it onto the disk, and give it its name.

    Whoever is killed at any moment leaves the old file or the new one, never a part.
    """
    path = Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def remove_torn(folder: Path, pattern: str) -> None:
    """Remove what ``write_whole`` left where it was killed, for names of this pattern; nobody may be writing them."""
    for torn in folder.glob(f".{pattern}.*"):
        torn.unlink(missing_ok=True)
