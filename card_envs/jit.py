"""The one compile decorator of the package, and the cache behind it.

``njit`` compiles a scalar function with numba and keeps the machine code on disk. numba's own cache looks only at the
file that defines a function, so an edit in another module would leave old code running. The cache here is keyed by
everything that compiled code depends on (``fingerprint``): an edited rule is recompiled with whatever uses it, and
nothing else is. Where no cache folder is writable (a read-only install without a home), the package compiles in memory
and says so once.

A compiled function has two forms. One is called from Python. The other is linked into the compiled functions that call
it: it has no entry point for Python and is optimised only where it is used, which halves the time to compile.

With ``NUMBA_DISABLE_JIT=1`` the decorator returns the plain Python function, which plays the same games
slowly: that is how a kernel is debugged.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import config
from numba.core.registry import CPUDispatcher

from card_envs.code_cache import CodeCache
from card_envs.inner import Inner, InnerCache

PACKAGE = Path(__file__).resolve().parent

JIT_DISABLED = bool(config.DISABLE_JIT)
if JIT_DISABLED:
    # Random words wrap around at 2**64 by design; numpy's scalars would warn each time.
    np.seterr(over="ignore")

Function = TypeVar("Function", bound=Callable[..., Any])


def source_digest(package: Path = PACKAGE) -> str:
    """Digest of all Python sources under ``package`` (names and contents), as 16 hex digits."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


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
            "that loads it from the cache: keep an explicit stack in an array, and loop."
        )


class _Compiled(CPUDispatcher):
    """A compiled function as Python calls it; ``inner`` is the form in which compiled functions do."""

    inner: Inner

    def get_call_template(self, args: Any, kws: Any) -> Any:
        # Constants count as plain numbers: else each would be compiled for, and LLVM sees them anyway.
        return self.inner.get_call_template(tuple(map(types.unliteral, args)), kws)

    def get_overload(self, sig: Any) -> Any:
        return self.inner.get_overload(sig)

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():  # of the functions linked into it
            cres.library.codegen.set_env(environment.env_name, environment)


def njit(function: Function, *, owner: str = "", inline: bool = False) -> Function:
    """Compile ``function`` for numba's nopython mode, without the interpreter lock and with the package's cache.

    ``owner`` tells apart functions that one factory makes for several games (``loops.build_loops``).
    ``inline`` inlines the function into every caller.

    Raises ``ValueError`` for a function that calls itself.
    """
    _refuse_recursion(function)
    if JIT_DISABLED:
        return function
    options = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "forceinline": inline}
    name = f"{function.__module__}.{function.__qualname__}.{owner}".replace("<locals>.", "").rstrip(".")
    dispatcher = _Compiled(py_func=function, targetoptions=options)
    dispatcher._cache = CodeCache(name, dispatcher)
    dispatcher.inner = Inner(function, options)
    dispatcher.inner._cache = InnerCache(f"{name}.inner", dispatcher)
    return dispatcher


inlined = partial(njit, inline=True)
"""``njit`` for the small functions of a hot path: a call passes an array as eight arguments, which costs more."""


def not_compiled(*given: Any) -> Any:
    """The ``frozen`` twin of a function that has not been compiled yet: refuses everything."""
    raise TypeError("Nothing has been compiled yet.")


def compile_for(function: Any, *given: Any) -> None:
    """Compile or load a function for such arguments, unless that has been done for any, before several threads call it.

    Otherwise a thread could still be waiting for the compiler when the caller goes on to fork.
    """
    if not getattr(function, "overloads", True):
        function.compile(tuple(map(function.typeof_pyval, given)))


def frozen(function: Any) -> Callable[..., Any]:
    """A twin of a compiled function that accepts the arguments it was compiled for and raises some error for all
    others.

    The function itself goes on being compiled for each new kind of arguments: other threads may be about to call it for
    the first time. A plain function takes anything, so its twin is ``not_compiled``.
    """
    if JIT_DISABLED or not hasattr(function, "overloads"):
        return not_compiled
    twin = numba.njit(nogil=True, no_cfunc_wrapper=True)(function.py_func)
    for compiled in tuple(function.overloads.values()):
        twin.add_overload(compiled)
    twin.disable_compile()
    return twin
