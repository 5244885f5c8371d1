"""A digest of everything that compiled code depends on: an edit that changes the compiled code changes the digest.

numba embeds in compiled code the values that a function uses: numbers and arrays of any module, and the code of the
compiled functions that it calls. So the digest covers the bytecode of a function, the values of the globals and closure
variables that it uses, and the same of every function among them. It looks at what is loaded and at no file, so a
process that is older than an edit cannot store its code as that of the edited version.

For a function that numba does not compile itself (an ``overload`` or an ``intrinsic``) the digest covers its module,
source and values, since the implementation is somewhere in there. That is the only file read: if it has changed since
this process began, there is no digest.
"""

from __future__ import annotations

import enum
import hashlib
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import extending

ELSEWHERE = frozenset({"numba", "numpy", "llvmlite"}) | sys.stdlib_module_names
"""Packages identified by their versions."""

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype)

BEGUN = time.time()
"""The earliest time at which this process can have loaded a module with compiled functions."""

Value = tuple[str, Any, bool]
"""A value that a function uses: its name there, and whether numba embeds it in compiled code."""


def fingerprint(function: Callable[..., Any]) -> str | None:
    """Digest of everything that the compiled code of a function depends on, 64 hex digits.

    None if the function uses a value that cannot be digested.
    """
    lines: list[str] = []
    python: Any = getattr(function, "py_func", function)
    found: list[tuple[Any, bool]] = [(python, True)]
    numbers = {id(python): 0}  # lines name functions by number, so that swapping two is noticed
    modules: set[int] = set()
    try:
        for number, (python, is_compiled) in enumerate(found):  # which grows
            lines.append(_code_text(python.__code__))
            values = sorted(_used(python, is_compiled), key=_name)
            if not is_compiled:
                values += sorted(_beside(python, modules), key=_name)
            for name, value, is_written in values:
                inner = _python(value)
                if inner is None:
                    lines.append(f"{number} {name} = {_text(value) if is_written else _text_if_plain(value)}")
                    continue
                if id(inner) not in numbers:
                    numbers[id(inner)] = len(found)
                    found.append((inner, value is not inner))
                lines.append(f"{number} {name}: {numbers[id(inner)]} {getattr(value, 'targetoptions', '')}")
    except Exception:  # a value that cannot be pickled may raise anything
        return None
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _name(value: Value) -> str:
    return value[0]


def _python(value: Any) -> FunctionType | None:
    """The Python function behind a compiled function, an intrinsic or a plain function."""
    if isinstance(value, extending._Intrinsic):
        value = value._defn
    value = getattr(value, "py_func", value)
    return value if isinstance(value, FunctionType) and not _is_elsewhere(value.__module__) else None


def _is_elsewhere(module: str | None) -> bool:
    return (module or "").partition(".")[0] in ELSEWHERE


def _names(code: CodeType) -> set[str]:
    """Names of the globals and attributes that code, or a function inside it, uses."""
    inside = [_names(each) for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*inside)


def _used(function: FunctionType, is_written: bool) -> Iterator[Value]:
    """The values that a function uses: globals, members of modules, closed-over variables and defaults."""
    names = _names(function.__code__)
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if not isinstance(value, ModuleType):
            yield name, value, is_written
        elif not _is_elsewhere(value.__name__):
            members = names & vars(value).keys()
            yield from ((f"{name}.{member}", vars(value)[member], is_written) for member in members)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents, is_written
    yield "defaults", (function.__defaults__, function.__kwdefaults__), is_written


def _beside(function: FunctionType, seen: set[int]) -> Iterator[Value]:
    """The module of a function: its text, and the plain values, functions and intrinsics that it defines."""
    module = sys.modules.get(function.__module__)
    if module is None or id(module) in seen:
        return
    seen.add(id(module))
    yield "text", _source(module), True
    for name, value in vars(module).items():
        python = _python(value)
        is_own = python is not None and python.__module__ == function.__module__
        if is_own or (isinstance(value, PLAIN) and not name.startswith("__")):
            yield name, value, False


@cache
def _source(module: ModuleType) -> str:
    """Digest of the source of a module; "" if it has no file. ``TypeError`` if the file has changed since loading."""
    path = Path(getattr(module, "__file__", None) or "")
    if not path.is_file():
        return ""
    if path.stat().st_mtime > BEGUN:
        raise TypeError(f"{path} has changed since it was loaded.")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _code_text(code: CodeType) -> str:
    """Code as text: everything in it that affects what it does."""
    consts = (_code_text(each) if isinstance(each, CodeType) else _text(each) for each in code.co_consts)
    table = getattr(code, "co_exceptiontable", b"")
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    variables = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return f"{code.co_code.hex()} {table.hex()} {shape} {variables} [{' '.join(consts)}]"


def _text(value: Any) -> str:
    """A value as text, the same in every process."""
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name} {_text(value.value)}"
    if isinstance(value, PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__} {sorted(map(_text, value))}"
    if isinstance(value, dict):
        return f"dict {_texts(pair for pair in value.items())}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} {_texts(value)}"
    if isinstance(value, type):
        members = _texts(value) if issubclass(value, enum.Enum) else ""
        return f"class {value.__module__}.{value.__qualname__} {members}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if callable(value) and hasattr(value, "__qualname__") and _is_elsewhere(value.__module__):
        return f"{value.__module__}.{value.__qualname__}"
    return f"{type(value).__qualname__} {hashlib.sha256(pickle.dumps(value)).hexdigest()}"


def _text_if_plain(value: Any) -> str:
    """The same for a value that only Python code uses; values that are not plain do not count."""
    return _text(value) if isinstance(value, (*PLAIN, tuple)) else type(value).__qualname__


def _texts(values: Iterable[Any]) -> list[str]:
    return [_text(each) for each in values]
