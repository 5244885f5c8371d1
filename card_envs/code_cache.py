"""The cache of compiled code: one folder of files, each named after everything that its code depends on.

``jit`` says what is compiled, ``fingerprint`` what identifies a version of it.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import secrets
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import caching, compiler, config

from card_envs.fingerprint import fingerprint

PACKAGE = Path(__file__).resolve().parent

TRIES = 5
"""How often a folder is made again if other processes delete it."""

COMPILED = "compiled"
"""Name of the folder of compiled code."""

KEPT = 3
"""Versions kept of each function, the most recently used: switching back and forth between two costs nothing."""


class CacheWarning(UserWarning):
    """No folder for compiled code is writable, so every process recompiles."""


def _is_writable(folder: Path) -> bool:
    for _ in range(TRIES):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return True
        except FileNotFoundError:
            continue  # another process has just deleted it
        except OSError:
            return False
    return False


def _candidate_folders() -> list[Path]:
    """Candidate folders for compiled code, best first."""
    if config.CACHE_DIR:
        return [Path(config.CACHE_DIR) / "card_envs"]
    candidates = [PACKAGE / "__pycache__"]
    if "XDG_CACHE_HOME" in os.environ:
        candidates.append(Path(os.environ["XDG_CACHE_HOME"]) / "card_envs")
    elif os.path.expanduser("~") != "~":
        candidates.append(Path("~/.cache/card_envs").expanduser())
    return candidates


@cache
def cache_folder() -> Path | None:
    """Folder of the compiled code, or None (with one ``CacheWarning``) if none is writable."""
    for parent in _candidate_folders():
        if _is_writable(parent / COMPILED):
            return parent / COMPILED
    warnings.warn(
        "card_envs has no writable cache folder, so each process recompiles its kernels (about half a minute). "
        "Set NUMBA_CACHE_DIR to a writable folder to avoid that.",
        CacheWarning,
        stacklevel=2,
    )
    return None


class CodeCache(caching._Cache):
    """One file for each compiled function, signature and version, named after everything that it depends on.

    Files are written whole and then renamed, so a reader in another process sees a complete file or none.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name = name
        self._function = function
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        folder = cache_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        folder = cache_folder()
        if folder is not None:
            for path in folder.glob(f"{self._name}-*.bin"):
                path.unlink(missing_ok=True)

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        folder = cache_folder() if self._enabled else None
        version = None if folder is None else fingerprint(self._function)
        if folder is None or version is None:
            return None
        settings = (config.OPT, config.BOUNDSCHECK, sys.implementation.cache_tag, os.name)
        key = repr((str(signature), codegen.magic_tuple(), numba.__version__, np.__version__, *map(str, settings)))
        return folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}-{version[:24]}.bin"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            content = path.read_bytes() if path is not None else b""
        except OSError:
            content = b""
        if not content or content[:32] != hashlib.sha256(content[32:]).digest():
            _say_once()
            return None  # missing, or cut short
        with suppress(OSError):
            os.utime(path)  # type: ignore[arg-type]
        return self._rebuilt(target_context, pickle.loads(content[32:]))

    def _reduced(self, compiled: Any) -> Any:
        """The part of compiled code that is written to disk."""
        return compiled._reduce()

    def _rebuilt(self, target_context: Any, reduced: Any) -> Any:
        """Compiled code, from what was read from disk."""
        return compiler.CompileResult._rebuild(target_context, *reduced)

    def save_overload(self, sig: Any, data: Any) -> None:
        path = self._path(sig, data.codegen)
        if path is None:
            return
        content = caching.dumps(self._reduced(data))
        half_written = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)  # another process may have deleted it
            half_written.write_bytes(hashlib.sha256(content).digest() + content)
            os.replace(half_written, path)
        except OSError:  # a full or vanished disk costs the next process a compilation, nothing else
            with suppress(OSError):
                half_written.unlink(missing_ok=True)
        _forget_old_versions(path)


def _age(path: Path) -> float:
    """When a file was used last; long ago if another process has just deleted it."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _forget_old_versions(path: Path) -> None:
    """Delete all but the last few versions of a function that were compiled for the same signature."""
    versions = path.parent.glob(f"{path.name.rpartition('-')[0]}-*.bin")
    for old in sorted((each for each in versions if each != path), key=_age)[: 1 - KEPT]:
        with suppress(OSError):
            old.unlink(missing_ok=True)


_said: list[str] = []


def _say_once() -> None:
    """Tell a person who waits at a terminal or a notebook that code is being compiled; workers are silent."""
    if _said or multiprocessing.parent_process() is not None:
        return
    _said.append(
        "card_envs: compiling code that is not in the cache, some ten seconds for each game"
        + (f"; it is kept in {cache_folder()}." if cache_folder() else ".")
    )
    if sys.stderr is not None and (sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")):
        print(_said[0], file=sys.stderr, flush=True)
