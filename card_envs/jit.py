"""The one compile decorator of the package, and the cache behind it.

``njit`` compiles a scalar function with numba and keeps the machine code on disk. numba's own cache looks
only at the file a function stands in, so a rule edited in another module would go on running as it was. The
cache here is stamped with a digest of every source file of the package instead: an edit anywhere makes a new
stamp. Where no cache folder can be written (a read-only install without a home), the package compiles
in memory and says so once.

With ``NUMBA_DISABLE_JIT=1`` the decorator returns the plain Python function, which plays the same games
slowly: that is how a kernel is debugged.
"""

from __future__ import annotations

import dis
import hashlib
import os
import pickle
import secrets
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import caching, config

PACKAGE = Path(__file__).resolve().parent

TRIES = 5
"""Times that a folder is made again which other processes clear away."""

JIT_DISABLED = bool(config.DISABLE_JIT)
if JIT_DISABLED:
    # The generators wrap around at 2**64 by design; numpy's scalars would warn each time.
    np.seterr(over="ignore")

Function = TypeVar("Function", bound=Callable[..., Any])


class CacheWarning(UserWarning):
    """No folder for compiled code can be written, so every process compiles anew."""


def source_digest(package: Path = PACKAGE) -> str:
    """Digest of all Python sources under ``package`` (names and contents), as 16 hex digits."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _is_writable(folder: Path) -> bool:
    for _ in range(TRIES):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return True
        except FileNotFoundError:
            continue  # another process has just cleared it away
        except OSError:
            return False
    return False


def _candidate_folders() -> list[Path]:
    """Where compiled code may be kept, best first."""
    if config.CACHE_DIR:
        return [Path(config.CACHE_DIR) / "card_envs"]
    candidates = [PACKAGE / "__pycache__"]
    if "XDG_CACHE_HOME" in os.environ:
        candidates.append(Path(os.environ["XDG_CACHE_HOME"]) / "card_envs")
    elif os.path.expanduser("~") != "~":
        candidates.append(Path("~/.cache/card_envs").expanduser())
    return candidates


def _age(folder: Path) -> float:
    """When a folder was changed last; long ago if another process has just cleared it away."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _forget_old_versions(parent: Path, stamp: str, keep: int = 3) -> None:
    folders = sorted((folder for folder in parent.glob("jit-*") if folder.name != stamp), key=_age)
    for folder in folders[:-keep]:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def cache_folder() -> Path | None:
    """Folder of this version's compiled code, or None (with one ``CacheWarning``) if none can be written."""
    stamp = f"jit-{source_digest()}"
    for parent in _candidate_folders():
        if not _is_writable(parent):
            continue
        if not (parent / stamp).exists():
            _forget_old_versions(parent, stamp)
        if _is_writable(parent / stamp):
            return parent / stamp
    warnings.warn(
        "card_envs can write no cache folder, so each process compiles its kernels anew (about half a minute). "
        "Set NUMBA_CACHE_DIR to a writable folder to avoid that.",
        CacheWarning,
        stacklevel=2,
    )
    return None


class _PackageCache(caching._Cache):
    """One file for each compiled function and signature, its name a digest of everything it depends on.

    Files are written whole and then renamed, so a reader in another process sees a complete file or none.
    """

    def __init__(self, name: str) -> None:
        self._name = name
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
        if folder is None:
            return None
        key = repr((str(signature), codegen.magic_tuple(), numba.__version__, np.__version__, os.name))
        return folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:20]}.bin"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            content = path.read_bytes() if path is not None else b""
        except OSError:
            return None
        if content[:32] != hashlib.sha256(content[32:]).digest():
            return None  # nothing there, or a file cut short
        return numba.core.compiler.CompileResult._rebuild(target_context, *pickle.loads(content[32:]))

    def save_overload(self, sig: Any, data: Any) -> None:
        path = self._path(sig, data.codegen)
        if path is None:
            return
        content = caching.dumps(data._reduce())
        half_written = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)  # a newer version may have cleared it away
            half_written.write_bytes(hashlib.sha256(content).digest() + content)
            os.replace(half_written, path)
        except OSError:  # a full or vanished disk costs the next process a compilation, nothing else
            with suppress(OSError):
                half_written.unlink(missing_ok=True)


@cache
def _foreign_stamp(package: str) -> str:
    """Stamp of the sources of another package, or lone module, whose functions are compiled here; "" for this one's."""
    module = sys.modules[package]
    file = Path(getattr(module, "__file__", None) or "").resolve()
    if not hasattr(module, "__path__"):
        return f".{hashlib.sha256(file.read_bytes()).hexdigest()[:16]}" if file.is_file() else ""
    return "" if file.parent == PACKAGE else f".{source_digest(file.parent)}"


def _packages(function: Callable[..., Any]) -> frozenset[str]:
    """The packages that a function's code comes from: its own, and those of compiled functions it uses."""
    found = {function.__module__.partition(".")[0]}
    used = [function.__globals__.get(name) for name in function.__code__.co_names]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # a cell that is still empty
            used.append(cell.cell_contents)
    for each in used:
        if hasattr(each, "py_func"):
            found |= getattr(each, "packages", frozenset())
    return frozenset(found)


def _loads(code: CodeType, name: str) -> bool:
    """Whether code, or a function inside it, loads the global ``name``."""
    if name in code.co_names and any(
        step.opname == "LOAD_GLOBAL" and step.argval == name for step in dis.get_instructions(code)
    ):
        return True
    return any(_loads(inner, name) for inner in code.co_consts if isinstance(inner, CodeType))


def _refuse_recursion(function: Callable[..., Any]) -> None:
    """Numba compiles a function that calls itself, but loaded from the cache it crashes the process."""
    name, code = function.__name__, function.__code__
    if name in code.co_freevars or _loads(code, name):
        raise ValueError(
            f"{function.__module__}.{name} calls itself. Compiled, it would run in this process and crash a later one "
            "that loads it from the cache: keep a stack of its own in an array, and loop."
        )


def njit(function: Function, *, owner: str = "", inline: bool = False) -> Function:
    """Compile ``function`` for numba's nopython mode, without the interpreter lock and with the package's cache.

    ``owner`` tells apart functions that one factory makes for several games (``loops.build_loops``).
    ``inline`` makes the function a part of every caller. Functions of other packages are kept in the same cache, and
    are compiled anew when a source of either package changes.

    Raises ``ValueError`` for a function that calls itself.
    """
    _refuse_recursion(function)
    if JIT_DISABLED:
        return function
    dispatcher = numba.njit(nogil=True, forceinline=inline, no_cfunc_wrapper=True)(function)
    name = f"{function.__module__}.{function.__qualname__}".replace("<locals>.", "")
    dispatcher.packages = _packages(function)
    stamp = "".join(map(_foreign_stamp, sorted(dispatcher.packages)))
    dispatcher._cache = _PackageCache(f"{name}.{owner}{stamp}" if owner else f"{name}{stamp}")
    return dispatcher


inlined = partial(njit, inline=True)
"""``njit`` for the small functions of a hot path: a call passes an array as eight arguments, which costs more."""


def unmet(*given: Any) -> Any:
    """Stands for a compiled function, as ``closed`` makes it, that has met nothing yet: refuses everything."""
    raise TypeError("Nothing that this function is meant for has been seen yet.")


def meet(function: Any, *given: Any) -> None:
    """Compile a function, or load it, for such arguments, unless it has met any; for several threads to call at once.

    None of them then waits for the compiler, which might be at work still when the caller has gone on to fork.
    """
    if not getattr(function, "overloads", True):
        function.compile(tuple(map(function.typeof_pyval, given)))


def closed(function: Any) -> Callable[..., Any]:
    """A twin of a compiled function that takes what that has met and refuses all else, whatever the error.

    The function itself would be compiled anew for each new kind of arguments, and goes on doing so: other threads may
    just be about to call it for the first time. A plain function takes anything, so its twin stays ``unmet``.
    """
    if JIT_DISABLED or not hasattr(function, "overloads"):
        return unmet
    twin = numba.njit(nogil=True, no_cfunc_wrapper=True)(function.py_func)
    for met in tuple(function.overloads.values()):
        twin.add_overload(met)
    twin.disable_compile()
    return twin
