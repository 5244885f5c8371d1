"""Checkpoints: all that a run needs to resume, in one file that is written and read whole or not at all."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from card_agents.archives import fault, read_file
from card_agents.files import remove_partial, write_whole

MAGIC = b"card_envs checkpoint 1\n"
KEEP = 2
"""Checkpoints that are kept in a folder."""

LARGEST = 2**33
"""Most bytes of a checkpoint that is read."""

_NAME = re.compile(r"(\d{12})\.ckpt")


def write(folder: Path, number: int, content: dict[str, Any]) -> Path:
    """Write checkpoint ``number`` (tensors, numbers, strings, lists, dicts), then remove all but the last ``KEEP``.

    Raises ``ValueError`` for numbers that are not finite; nothing is written then.
    """
    if not finite(content):
        raise ValueError("A checkpoint must hold only finite numbers; nothing was written.")
    folder.mkdir(exist_ok=True)
    buffer = io.BytesIO()
    torch.save(content, buffer)
    payload = buffer.getvalue()
    path = folder / f"{number:012d}.ckpt"
    write_whole(path, MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    for old in _paths(folder)[KEEP:]:
        old.unlink(missing_ok=True)
    remove_partial(folder, "*.ckpt")
    return path


def read(path: Path) -> dict[str, Any]:
    """The content of a checkpoint; ``ValueError`` if it is damaged. Nothing in the file is executed."""
    try:
        whole = read_file(path, LARGEST)
    except (OSError, ValueError) as error:
        raise ValueError(f"The checkpoint {path} cannot be read: {fault(error)}.") from None
    head = len(MAGIC) + 65
    digest, payload = whole[len(MAGIC) : head - 1], whole[head:]
    if not whole.startswith(MAGIC) or digest != hashlib.sha256(payload).hexdigest().encode():
        raise ValueError(f"The checkpoint {path} is damaged or incomplete: its checksum does not match.")
    try:
        packed = zipfile.ZipFile(io.BytesIO(payload)).infolist()
        content = torch.load(io.BytesIO(payload), map_location="cpu", weights_only=True)
    except Exception:  # whatever torch raises for a file it did not write
        packed, content = [], None
    if not isinstance(content, dict) or any(info.compress_type for info in packed):
        raise ValueError(f"The checkpoint {path} does not hold a run, or holds something besides plain data.")
    if not finite(content):
        raise ValueError(f"The checkpoint {path} holds numbers that are not finite.")
    return content


def last(folder: Path, faults: list[str] | None = None) -> dict[str, Any] | None:
    """The content of the last intact checkpoint; None where there are none.

    faults: receives a sentence for each later checkpoint that is damaged. Raises ``ValueError`` if there are
    checkpoints, but none is intact.
    """
    passed_over = []
    for path in _paths(folder):
        try:
            content = read(path)
            if content.get("legs") != int(path.stem):
                raise ValueError(f"The checkpoint {path} belongs to another leg.")
        except ValueError as error:
            passed_over.append(str(error))
            continue
        if faults is not None:
            faults.extend(passed_over)
        return content
    if passed_over:
        raise ValueError(f"No checkpoint in {folder} is intact. {passed_over[-1]}")
    return None


def newest(folder: Path) -> Path | None:
    """The file of the last checkpoint; None if there is none."""
    return next(iter(_paths(folder)), None)


def finite(content: Any) -> bool:
    """Whether all tensors, in dicts and lists at any depth, hold only finite numbers."""
    return all(bool(torch.isfinite(tensor).all()) for tensor in _tensors(content))


def _tensors(content: Any) -> Iterator[torch.Tensor]:
    if isinstance(content, torch.Tensor):
        yield content
    elif isinstance(content, dict | list | tuple):
        for part in content.values() if isinstance(content, dict) else content:
            yield from _tensors(part)


def _paths(folder: Path) -> list[Path]:
    """The files of the checkpoints, newest first."""
    found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, reverse=True)
