"""Checkpoints: everything that a run needs to go on, in one file that is whole or is not read."""

from __future__ import annotations

import hashlib
import io
import pickle
import re
from pathlib import Path
from typing import Any

import torch

from agents.files import remove_torn, write_whole

MAGIC = b"card_envs checkpoint 1\n"
KEEP = 2
"""Checkpoints that stay in a folder."""

_NAME = re.compile(r"(\d{12})\.ckpt")


def write(folder: Path, number: int, content: dict[str, Any]) -> Path:
    """Write checkpoint ``number`` (tensors, numbers, strings, lists, dicts), then remove all but the last ``KEEP``."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    payload = buffer.getvalue()
    path = folder / f"{number:012d}.ckpt"
    write_whole(path, MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    for old in _paths(folder)[KEEP:]:
        old.unlink(missing_ok=True)
    remove_torn(folder, "*.ckpt")
    return path


def read(path: Path) -> dict[str, Any]:
    """The content of a checkpoint; ``ValueError`` if it is not whole. Nothing in the file is executed."""
    try:
        whole = path.read_bytes()
    except OSError as error:
        raise ValueError(f"The checkpoint {path} cannot be read: {error.strerror}.") from None
    head = len(MAGIC) + 65
    digest, payload = whole[len(MAGIC) : head - 1], whole[head:]
    if not whole.startswith(MAGIC) or digest != hashlib.sha256(payload).hexdigest().encode():
        raise ValueError(f"The checkpoint {path} is damaged or incomplete: its checksum does not fit.")
    try:
        content = torch.load(io.BytesIO(payload), map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError):
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"The checkpoint {path} does not hold a run, or something besides plain data.")
    return content


def last(folder: Path) -> dict[str, Any] | None:
    """The content of the last whole checkpoint, None where there never was one.

    Raises ``ValueError`` if there are checkpoints, but none is whole.
    """
    paths = _paths(folder)
    for path in paths:
        try:
            return read(path)
        except ValueError as error:
            fault = error
    if paths:
        raise ValueError(f"No checkpoint in {folder} is whole. {fault}")
    return None


def _paths(folder: Path) -> list[Path]:
    """Checkpoints by name, the newest first."""
    found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, reverse=True)
