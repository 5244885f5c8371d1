"""What all commands have in common: their names, error messages, exit statuses and output.

A command is a function that returns an exit status. ``command`` wraps it so that it ends with a sentence wherever the
cause is outside the program: invalid arguments (status 2), a full disk, a missing file or extra, unusable values (1),
Ctrl-C (130). With ``python -X dev`` errors are shown with their traceback instead.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TextIO

PROGRAM = "card-envs"
"""The program that runs all commands, once the package is installed."""

MODULES = ("card_envs.__main__", "card_agents.__main__")
"""Modules that run them too, with ``python -m``."""

FAILED, REFUSED, INTERRUPTED = 1, 2, 130
"""Exit statuses: failure, invalid arguments, Ctrl-C."""

SINGLE_THREADED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""With several threads, the last bits of a network's outputs would depend on their number."""

SLEEPING = {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_NUM_THREADS": "1"}
"""Waiting threads must not spin: on shared cores, training with two spinning threads was twenty times slower than with
two that sleep."""

SPELLED = {"±": "+-", "–": "-", "−": "-", "≥": ">=", "≤": "<=", "×": "x", "…": "...",
           "♣": "c", "♦": "d", "♥": "h", "♠": "s"}  # fmt: skip
"""Replacements where the encoding of the output lacks a character."""

Parameters = ParamSpec("Parameters")


# How a command is called


def called(verb: str = "") -> str:
    """How the running command was called: as ``card-envs``, as a module, or as a script of the checkout."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is not None and spec.name in MODULES:
        name = f"python -m {spec.parent}"
    elif Path(sys.argv[0]).name == f"{verb}.py":
        return f"python scripts/{verb}.py"
    else:
        name = PROGRAM
    return f"{name} {verb}".rstrip()


def begin_with(settings: Mapping[str, str], *, unless_set: bool = False) -> None:
    """Set environment variables that libraries read when they are loaded; restart the process if that is too late.

    unless_set: keep the values that the user has set.
    """
    wanted = {name: value for name, value in settings.items() if not (unless_set and name in os.environ)}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.environ.update(wanted)
        if "numpy" in sys.modules and os.name == "posix":
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are single sentences."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {sentence(message)} (See {self.prog} --help.)\n")


def sentence(text: str) -> str:
    """``text`` as a sentence on one line: capitalised, unless it begins with a name, and with a full stop.

    >>> sentence("expected one argument"), sentence("tables=0 must be above 0.")
    ('Expected one argument.', 'tables=0 must be above 0.')
    """
    text = " ".join(text.split())
    if text.partition(" ")[0].isalpha():
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


# How a command ends


def command(verb: str) -> Callable[[Callable[Parameters, int]], Callable[Parameters, int]]:
    """Decorate a function that returns an exit status as the command called ``verb``."""

    def made(body: Callable[Parameters, int]) -> Callable[Parameters, int]:
        @functools.wraps(body)
        def main(*args: Parameters.args, **kwargs: Parameters.kwargs) -> int:
            with _safe_output() as output:
                try:
                    status = body(*args, **kwargs)
                except KeyboardInterrupt:
                    to_stderr(verb, "Stopped.")
                    status = INTERRUPTED
                except (ValueError, OSError, ImportError, MemoryError) as error:
                    if sys.flags.dev_mode:
                        raise
                    to_stderr(verb, error_sentence(error))
                    status = FAILED
                output.flush()
            if output.failure is not None:
                to_stderr(verb, f"Not everything could be printed: {error_sentence(output.failure)}")
                status = status or FAILED
            return status

        return main

    return made


def to_stderr(verb: str, text: str) -> None:
    """Print a sentence to standard error, if there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"{called(verb)}: {sentence(text)}", file=sys.stderr, flush=True)


def error_sentence(error: BaseException) -> str:
    """The message of an error, as a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return sentence(error.strerror if error.filename is None else f"{error.filename}: {error.strerror}")
    if isinstance(error, MemoryError):
        return sentence(f"Out of memory{': ' if str(error) else ''}{error}")
    return sentence(str(error) or type(error).__name__)


def needed(extra: str, *modules: str) -> None:
    """Raise ``ImportError`` with a sentence that names the extra, unless all ``modules`` can be imported."""
    lacking = missing(extra, *modules)
    if lacking:
        raise ImportError(lacking)


def missing(extra: str, *modules: str) -> str:
    """A sentence that names the first of ``modules`` that cannot be imported and the extra that installs it; or ""."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:  # a broken installation fails in many ways
            absent = isinstance(error, ModuleNotFoundError) and error.name in (None, module.partition(".")[0])
            what = "is not installed" if absent else f"cannot be imported ({type(error).__name__}: {error})"
            return f'This needs {module}, which {what}: run pip install "card_envs[{extra}]".'
    return ""


# Output


class Output:
    """A standard output whose failure does not end the command: the rest is dropped; ``failure`` holds the error."""

    def __init__(self, stream: TextIO | None) -> None:
        self.stream = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        if self.stream is not None and self.failure is None:
            try:
                self.stream.write(text)
            except OSError as error:
                self._give_up(error)
        return len(text)

    def flush(self) -> None:
        if self.stream is not None and self.failure is None:
            try:
                self.stream.flush()
            except OSError as error:
                self._give_up(error)

    def isatty(self) -> bool:
        return self.stream is not None and self.stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def _give_up(self, error: OSError) -> None:
        """Discard what is left in the stream's buffer, on which Python would otherwise fail at exit."""
        self.failure = error
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def _safe_output() -> Iterator[Output]:
    """A standard output that fails neither when it is closed or full nor on characters that its encoding lacks."""
    _occupy_standard_files()
    stream = sys.stdout
    before = getattr(stream, "errors", None)
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors=_spell.__name__)
    output = Output(stream)
    sys.stdout = output
    try:
        yield output
    finally:
        output.flush()
        sys.stdout = stream
        if hasattr(stream, "reconfigure"):
            with contextlib.suppress(OSError):
                stream.reconfigure(errors=before)


def _occupy_standard_files() -> None:
    """Open any closed standard stream; otherwise the next file opened would take its number and be printed into."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    spelled = (SPELLED.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return "".join(spelled), error.end


codecs.register_error(_spell.__name__, _spell)
