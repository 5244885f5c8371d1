"""Atomic writing of files, and folders that one process at a time works in."""

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
"""The lock file of a folder in use; one that is left behind by a dead process has no effect."""

PROBE = 1 << 16
"""Bytes written, and removed again, to check that a folder can be written."""

_FULL = Path("/dev/full")

StrPath = str | os.PathLike[str]


def write_whole(path: StrPath, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file atomically: write ``content`` to a temporary file, flush it to disk, and rename it to ``path``.

    A process killed at any moment leaves the old file or the new one, never a part. A symbolic link is followed. An
    existing file keeps its mode; a new one has ``mode`` less the umask. Whatever is not a regular file (a device, a
    named pipe, ``/dev/stdout``) is written to directly.

    Raises ``OSError`` where that fails.
    """
    found = _status(path)
    if found is not None and (_open_file(path) is not None or _is_special(found)):
        with os.fdopen(_open_special(path), "wb") as file:
            file.write(content)
        return
    target = Path(os.path.realpath(path))
    if found is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    temporary, handle = _temporary(target, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if found is not None:
            os.chmod(temporary, stat.S_IMODE(found.st_mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        with contextlib.suppress(OSError):  # not every folder can be opened for this; the file is written
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def check_writable(path: StrPath) -> None:
    """Check before any work that ``write_whole`` will be able to write ``path``; nothing is left behind.

    Raises ``ValueError`` with a sentence if it will not: the folder does not exist, ``path`` is itself a folder, it is
    read-only, or the disk is full.
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
            raise ValueError(f"{path} cannot be written: it is read-only.")
        temporary, handle = _temporary(target)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(bytes(PROBE))
                file.flush()
                os.fsync(file.fileno())
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}.") from None


def _check_special(path: StrPath, found: os.stat_result, opened: int | None) -> None:
    """The same for special files. They are not opened, which would block on a pipe or consume its reader."""
    if _FULL.exists() and found.st_rdev == _FULL.stat().st_rdev != 0:
        raise ValueError(f"{path} cannot be written: {os.strerror(errno.ENOSPC)}.")
    if opened is None:
        allowed = os.access(path, os.W_OK) and not stat.S_ISSOCK(found.st_mode)
    else:
        allowed = sys.platform == "win32" or fcntl.fcntl(opened, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    if not allowed:
        raise ValueError(f"{path} cannot be written: it does not accept output.")


def _status(path: StrPath) -> os.stat_result | None:
    """The status of the file behind all links; None if there is none."""
    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "a name cannot contain a zero byte")
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_special(found: os.stat_result) -> bool:
    return not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def _open_file(path: StrPath) -> int | None:
    """The file descriptor of this process that a path refers to, as ``/dev/stdout`` does; None for other paths."""
    step = os.path.abspath(path)
    for _ in range(40):
        found = re.fullmatch(rf"/(?:proc/(?:self|thread-self|{os.getpid()})|dev)/fd/(\d+)", step)
        if found is not None:
            return int(found[1])
        if not os.path.islink(step):
            return None
        step = os.path.normpath(os.path.join(os.path.dirname(step), os.readlink(step)))
    return None


def _open_special(path: StrPath) -> int:
    """A handle to write to a special file. An open descriptor is duplicated: if reopened, a file that standard output
    is redirected to would be overwritten from its beginning."""
    number = _open_file(path)
    return os.open(path, os.O_WRONLY) if number is None else os.dup(number)


def _temporary(target: Path, mode: int = 0o666) -> tuple[Path, int]:
    """A new temporary file in the folder of ``target``, and its handle, open for writing."""
    path = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}")
    return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def remove_partial(folder: Path, pattern: str) -> None:
    """Remove temporary files that a killed ``write_whole`` left for this pattern; nobody may be writing them."""
    for partial in folder.glob(f".{pattern}.*"):
        partial.unlink(missing_ok=True)


def new_folder(path: Path) -> Path:
    """Create a folder of this name, with a number appended if the name is taken.

    Two processes never get the same folder. Raises ``ValueError`` with a sentence if none can be created.
    """
    for number in count(1):
        one = path if number == 1 else path.with_name(f"{path.name}-{number}")
        try:
            one.mkdir(parents=True)
        except FileExistsError:
            if one.parent.is_dir():
                continue
            raise ValueError(f"{one} cannot be created: {one.parent} is not a folder.") from None
        except OSError as error:
            raise ValueError(f"{one} cannot be created: {error.strerror or error}.") from None
        return one
    raise AssertionError("there is always another number")


def is_empty(folder: Path) -> bool:
    """Whether a folder holds nothing but the lock file, or does not exist. A file is not empty."""
    if not folder.is_dir():
        return not os.path.lexists(folder)
    return all(one.name == LOCK for one in folder.iterdir())


@contextlib.contextmanager
def locked(folder: Path, doing: str) -> Iterator[None]:
    """Hold the lock of a folder, which is created if missing, for the duration of the ``with`` statement.

    The lock is released with the process however it ends, so a dead process blocks nobody. It is advisory.

    doing: the activity in one word, as in "is playing in FOLDER".

    Raises ``ValueError`` with a sentence if another process holds the lock, or the folder cannot be written.
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
            os.close(handle)  # Windows cannot remove an open file
        with contextlib.suppress(OSError):
            (folder / LOCK).unlink()
        if sys.platform != "win32":
            os.close(handle)
        if made:
            with contextlib.suppress(OSError):
                folder.rmdir()  # only if it is empty


def _lock(folder: Path, doing: str) -> int:
    """Acquire the lock of a folder; the handle that holds it until it is closed."""
    path = folder / LOCK
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not _is_mine(handle):
                found = re.fullmatch(r"(\d+) (\w+)\n", os.read(handle, 100).decode(errors="replace"))
                who, what = (f" (pid {found[1]})", found[2]) if found else ("", doing)
                raise ValueError(
                    f"Another process{who} is {what} in {folder}: wait until it ends, or give another folder."
                )
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.stat(path), os.fstat(handle)):  # its last owner may have removed it since
                    os.truncate(handle, 0)
                    os.write(handle, f"{os.getpid()} {doing}\n".encode())
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_mine(handle: int) -> bool:
    """Try to lock an open file; whether this process now holds the lock."""
    try:
        if sys.platform == "win32":
            os.lseek(handle, PROBE, os.SEEK_SET)  # beyond the bytes that others read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        warnings.warn(
            f"This file system has no locks ({error.strerror}): make sure that no two runs use one folder at once.",
            stacklevel=4,
        )
    return True
