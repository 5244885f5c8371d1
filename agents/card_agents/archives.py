"""Zip archives from untrusted sources: the sizes they declare are checked before anything is unpacked."""

from __future__ import annotations

import io
import math
import os
import stat
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

LARGEST = 2**28
"""Most bytes of a file that is read, and of all that an archive unpacks to."""

MEMBERS = 1000
"""Most members of an archive."""

HEADER = 1024
"""Most bytes of the header that gives the shape and dtype of an array."""

_ENTRY = b"PK\x01\x02"
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_file(path: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """The content of a file; ``ValueError`` if it is not a regular file or is longer than ``most`` bytes."""
    found = Path(path).stat()
    if not stat.S_ISREG(found.st_mode):  # opening a pipe would block
        raise ValueError("it is not a file")
    with open(path, "rb") as file:
        content = file.read(min(found.st_size, most) + 1)
    if len(content) > most:
        raise ValueError(f"it is longer than {most:,} bytes")
    return content


class Archive:
    """The members of a zip archive by name; ``ValueError`` if there are too many or they are too large."""

    def __init__(self, content: bytes) -> None:
        if content.count(_ENTRY) > MEMBERS:
            raise ValueError(f"it has more than {MEMBERS} members")
        self._zip = zipfile.ZipFile(io.BytesIO(content))
        self._members = {info.filename: info for info in self._zip.infolist()}
        if len(self._members) < len(self._zip.infolist()):
            raise ValueError("it has two members with the same name")
        if sum(info.file_size for info in self._members.values()) > LARGEST:
            raise ValueError(f"it unpacks to more than {LARGEST:,} bytes")
        if any(info.compress_type not in _PACKED for info in self._members.values()):
            raise ValueError("it is compressed by something other than DEFLATE")

    @property
    def names(self) -> list[str]:
        """The names of the members."""
        return list(self._members)

    def size(self, name: str) -> int:
        """Bytes of a member, unpacked; ``ValueError`` if there is no such member."""
        if name not in self._members:
            raise ValueError(f"it has no {name!r}")
        return self._members[name].file_size

    def read(self, name: str, most: int = LARGEST) -> bytes:
        """A whole member, its checksum verified; ``ValueError`` if it is longer than ``most`` bytes."""
        if self.size(name) > most:
            raise ValueError(f"{name!r} is longer than {most:,} bytes")
        return self._begin(name, self.size(name))

    def array(self, name: str, kinds: tuple[npt.DTypeLike, ...], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The array of a member in numpy's format; ``ValueError`` unless it has this shape and one of these dtypes."""
        found, by_columns, kind, begin = self._header(name)
        if kind not in kinds:
            raise ValueError(f"{name!r} is not made of {' or '.join(map(str, kinds))} numbers")
        if found != shape or min(shape, default=1) < 1:
            raise ValueError(f"{name!r} has shape {found} instead of {shape}")
        if self.size(name) != begin + math.prod(shape) * kind.itemsize:
            raise ValueError(f"{name!r} is longer or shorter than its shape")
        array = np.frombuffer(self.read(name), kind, offset=begin)
        return array.reshape(shape, order="F" if by_columns else "C").copy("C")

    def text(self, name: str, most: int) -> str:
        """The string of a member in numpy's format; ``ValueError`` unless it takes ``most`` bytes at most."""
        shape, _, kind, begin = self._header(name)
        if kind.kind != "U" or shape != () or self.size(name) != begin + kind.itemsize:
            raise ValueError(f"{name!r} is not a string")
        return str(np.frombuffer(self.read(name, most), kind, offset=begin)[0])

    def _header(self, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
        """Header of a member in numpy's format: shape, whether it is column-major, dtype, offset of the data."""
        head = io.BytesIO(self._begin(name, HEADER + 16))
        reader = _READERS.get(np.lib.format.read_magic(head))
        if reader is None:
            raise ValueError(f"{name!r} is in another version of numpy's format")
        return *reader(head, max_header_size=HEADER), head.tell()

    def _begin(self, name: str, most: int) -> bytes:
        size = min(self.size(name), most)
        with self._zip.open(self._members[name]) as member:
            # Given a size, zipfile never unpacks more than that, whatever the directory says.
            content = member.read(size)
        if len(content) != size:
            raise ValueError(f"{name!r} is truncated")
        return content


def fault(error: Exception) -> str:
    """What is wrong with a file, in a few words without a full stop; a damaged one raises errors of every kind."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = textwrap.shorten(str(error), 200, placeholder="...").rstrip(".")
    if isinstance(error, ValueError) and text:
        return text
    return f"it is damaged ({type(error).__name__}{': ' * bool(text)}{text})"
