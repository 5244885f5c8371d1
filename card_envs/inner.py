"""The form of a compiled function that is linked into other compiled functions.

It is typed and lowered once and kept as LLVM IR. It has no entry point for Python, and is neither optimised nor turned
into machine code: that is done once for the whole function that uses it, which halves the time to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import binding
from numba.core import codegen, compiler
from numba.core.registry import CPUDispatcher

from card_envs.code_cache import CodeCache


class _Library(codegen.JITCodeLibrary):
    """Code to be linked into other code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        self._ensure_finalized()
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    @classmethod
    def restored(cls, owner: Any, state: tuple[str, str, bytes]) -> _Library:
        """The library that ``serialize_using_object_code`` turned into bytes."""
        name, _, content = state
        library = cls(owner, name)
        library._final_module = binding.parse_bitcode(content)
        library._finalize_final_module()
        return library


class _Compiler(compiler.Compiler):
    """numba's compiler, stopped at a ``_Library``."""

    def __init__(
        self,
        typing_context: Any,
        target_context: Any,
        library: Any,
        args: Any,
        return_type: Any,
        flags: Any,
        *rest: Any,
    ) -> None:
        flags.no_compile = flags.no_cpython_wrapper = True
        library = _Library(target_context.codegen(), "inner")
        super().__init__(typing_context, target_context, library, args, return_type, flags, *rest)


class Inner(CPUDispatcher):
    """A function as compiled functions call it."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(py_func=function, targetoptions=options, pipeline_class=_Compiler)
        self._keys: dict[Any, object] = {}

    def add_overload(self, compiled: Any) -> None:
        args = tuple(compiled.signature.args)
        self._keys[args] = object()
        self.targetctx.insert_user_function(self._keys[args], compiled.fndesc, [compiled.library])
        self.overloads[args] = compiled

    def get_overload(self, sig: Any) -> object:
        return self._keys[tuple(sig)]


class _Reader:
    """Stands in for a target context when inner code is read: nothing in it is made ready to be called."""

    def __init__(self, target_context: Any) -> None:
        self.typing_context = target_context.typing_context
        self._owner = target_context.codegen()

    def codegen(self) -> _Reader:
        return self

    def unserialize_library(self, state: tuple[str, str, bytes]) -> _Library:
        return _Library.restored(self._owner, state)

    def get_executable(self, *_: Any) -> None:
        return None


class InnerCache(CodeCache):
    """The cache of inner code."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        super().__init__(name, function)
        self._environments: list[Any] = []
        """The environments of the functions linked into it, kept alive: callers look them up by name."""

    def _reduced(self, compiled: Any) -> Any:
        *reduced, environments = compiled._reduce()
        return (*reduced, ()), environments

    def _rebuilt(self, target_context: Any, reduced: Any) -> Any:
        reduced, environments = reduced
        self._environments += environments
        return compiler.CompileResult._rebuild(_Reader(target_context), *reduced)
