"""Files that appear whole or not at all, and folders that one process at a time works in."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = ".lock"
"""The file that ``locked`` keeps in a folder as long as it is worked in; what is left of one says nothing."""

PROBE = 1 << 16
"""Bytes written, and removed again, to see whether a folder takes any."""

_FULL = Path("/dev/full")

StrPath = str | os.PathLike[str]


def write_whole(path: StrPath, content: bytes, *, mode: int = 0o666) -> None:
    """Write ``content`` to a file beside ``path``, see it onto the disk, and give it its name.

    Whoever is killed at any moment leaves the old file or the new one, never a part. A symbolic link is written
    through. An existing file keeps its mode; a new one has ``mode`` less the umask. What is no file (a device, a named
    pipe, ``/dev/stdout``) is written into and stays what it is.

    Raises ``OSError`` where that cannot be done.
    """
    found = _status(path)
    if found is not None and (_open_file(path) is not None or _is_special(found)):
        with os.fdopen(_opened(path), "wb") as file:
            file.write(content)
        return
    target = Path(os.path.realpath(path))
    if found is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    beside, handle = _beside(target, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if found is not None:
            os.chmod(beside, stat.S_IMODE(found.st_mode))
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        with contextlib.suppress(OSError):  # not every folder can be opened for this, and the file is there
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def check_writable(path: StrPath) -> None:
    """See before any work that ``write_whole`` will be able to write ``path``; nothing is left behind.

    Raises ``ValueError`` with a sentence if it will not: there is no such folder, it is a folder itself, it may not be
    written, or nothing more goes onto the disk.
    """
    try:
        found = _status(path)
        opened = _open_file(path)
        if found is not None and (opened is not None or _is_special(found)):
            _check_special(path, found, opened)
            return
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise ValueError(f"{Path(path)} is a folder, not a file.")
        if not target.parent.is_dir():
            raise ValueError(f"{path} cannot be written: there is no folder {target.parent}.")
        if found is not None and not os.access(target, os.W_OK):
            raise ValueError(f"{path} cannot be written: it may only be read.")
        beside, handle = _beside(target)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(bytes(PROBE))
                file.flush()
                os.fsync(file.fileno())
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}.") from None


def _check_special(path: StrPath, found: os.stat_result, opened: int | None) -> None:
    """The same for what is no file. It is not opened: that would wait for the reader of a pipe, or take him away."""
    if _FULL.exists() and found.st_rdev == _FULL.stat().st_rdev != 0:
        raise ValueError(f"{path} cannot be written: {os.strerror(errno.ENOSPC)}.")
    if opened is None:
        allowed = os.access(path, os.W_OK) and not stat.S_ISSOCK(found.st_mode)
    else:
        allowed = sys.platform == "win32" or fcntl.fcntl(opened, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    if not allowed:
        raise ValueError(f"{path} cannot be written: nothing can be sent to it.")


def _status(path: StrPath) -> os.stat_result | None:
    """What stands there, behind all links; None if nothing does."""
    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "a name cannot contain a zero byte")
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_special(found: os.stat_result) -> bool:
    return not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def _open_file(path: StrPath) -> int | None:
    """The number of the open file of this process that a path leads to, as ``/dev/stdout`` does; None for others."""
    step = os.path.abspath(path)
    for _ in range(40):
        found = re.fullmatch(rf"/(?:proc/(?:self|thread-self|{os.getpid()})|dev)/fd/(\d+)", step)
        if found is not None:
            return int(found[1])
        if not os.path.islink(step):
            return None
        step = os.path.normpath(os.path.join(os.path.dirname(step), os.readlink(step)))
    return None


def _opened(path: StrPath) -> int:
    """A handle to write into what is no file. An open one is gone on with: opened anew, a file that the standard output
    goes to would be overwritten from its beginning."""
    number = _open_file(path)
    return os.open(path, os.O_WRONLY) if number is None else os.dup(number)


def _beside(target: Path, mode: int = 0o666) -> tuple[Path, int]:
    """A new file beside ``target`` that nobody else has, and its handle, open for writing."""
    path = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}")
    return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def remove_partial(folder: Path, pattern: str) -> None:
    """Remove what ``write_whole`` left where it was killed, for names of this pattern; nobody may be writing them."""
    for torn in folder.glob(f".{pattern}.*"):
        torn.unlink(missing_ok=True)


def new_folder(path: Path) -> Path:
    """Make a folder of this name, or of this name with a number behind it, that was not there before.

    Two processes never get the same one. Raises ``ValueError`` with a sentence if none can be made.
    """
    for number in count(1):
        one = path if number == 1 else path.with_name(f"{path.name}-{number}")
        try:
            one.mkdir(parents=True)
        except FileExistsError:
            if one.parent.is_dir():
                continue
            raise ValueError(f"{one} cannot be made: {one.parent} is no folder.") from None
        except OSError as error:
            raise ValueError(f"{one} cannot be made: {error.strerror or error}.") from None
        return one
    raise AssertionError("there is always another number")


def is_empty(folder: Path) -> bool:
    """Whether there is nothing in a folder but the lock; also if there is no such folder. A file is not empty."""
    if not folder.is_dir():
        return not os.path.lexists(folder)
    return all(one.name == LOCK for one in folder.iterdir())


@contextlib.contextmanager
def locked(folder: Path, doing: str) -> Iterator[None]:
    """Keep others out of a folder, which is made if it is not there, as long as the ``with`` statement lasts.

    The lock goes with the process however it ends, so a dead one bars nobody. It keeps out those who ask for it.

    doing: what is done, in a word, as in "is playing in FOLDER".

    Raises ``ValueError`` with a sentence if another process has the lock, or the folder cannot be written.
    """
    try:
        made = _status(folder) is None
        folder.mkdir(parents=True, exist_ok=True)
        handle = _lock(folder, doing)
    except OSError as error:
        raise ValueError(f"{folder} cannot be written: {error.strerror or error}.") from None
    try:
        yield
    finally:
        if sys.platform == "win32":
            os.close(handle)  # there, a file that is open cannot be removed
        with contextlib.suppress(OSError):
            (folder / LOCK).unlink()
        if sys.platform != "win32":
            os.close(handle)
        if made:
            with contextlib.suppress(OSError):
                folder.rmdir()  # if nothing has come into it


def _lock(folder: Path, doing: str) -> int:
    """The handle of the lock of a folder, which holds it until it is closed."""
    path = folder / LOCK
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not _is_mine(handle):
                found = re.fullmatch(r"(\d+) (\w+)\n", os.read(handle, 100).decode(errors="replace"))
                who, what = (f" (pid {found[1]})", found[2]) if found else ("", doing)
                raise ValueError(
                    f"Another process{who} is {what} in {folder}: wait until it has ended, or give another folder."
                )
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.stat(path), os.fstat(handle)):  # not one that its last owner has removed
                    os.truncate(handle, 0)
                    os.write(handle, f"{os.getpid()} {doing}\n".encode())
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_mine(handle: int) -> bool:
    """Whether this process has the lock on an open file now."""
    try:
        if sys.platform == "win32":
            os.lseek(handle, PROBE, os.SEEK_SET)  # beyond what others are to read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        warnings.warn(
            f"This file system has no locks ({error.strerror}): see to it that no two runs use one folder at once.",
            stacklevel=4,
        )
    return True
