"""What all commands have in common: how they are called, what they say when something is wrong, and their output.

A command is a function that returns an exit status. ``command`` makes of it one that ends with a sentence wherever the
world is at fault: arguments that make no sense (status 2), a full disk, a missing file or extra, values that cannot be
used (1), Ctrl-C (130). With ``python -X dev`` errors are shown with where they come from instead.
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
"""The one name of all commands, once the package is installed."""

MODULES = ("card_envs.__main__", "card_agents.__main__")
"""What runs them as well, by ``python -m``."""

FAILED, REFUSED, INTERRUPTED = 1, 2, 130
"""Exit statuses: something went wrong, the arguments make no sense, Ctrl-C."""

SINGLE_THREADED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""With several threads the last bits of a network's numbers would depend on how many there are."""

SLEEPING = {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_NUM_THREADS": "1"}
"""Threads that wait must not spin: on cores that others use as well, two spinning threads were seen to train twenty
times slower than two that sleep."""

SPELLED = {"±": "+-", "–": "-", "−": "-", "≥": ">=", "≤": "<=", "×": "x", "…": "..."}
"""What is written instead where the output has no such character."""

Parameters = ParamSpec("Parameters")


# How a command is called


def called(verb: str = "") -> str:
    """How the running command was called: by its one name, as a module, or as a script of the checkout."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is not None and spec.name in MODULES:
        name = f"python -m {spec.parent}"
    elif Path(sys.argv[0]).stem == PROGRAM or not verb:
        name = PROGRAM
    else:
        return f"python scripts/{verb}.py"
    return f"{name} {verb}".rstrip()


def begin_with(settings: Mapping[str, str], *, unless_set: bool = False) -> None:
    """Set environment variables that libraries read when they are loaded; if they are already, start anew with them.

    unless_set: those that the user has set stay as they are.
    """
    wanted = {name: value for name, value in settings.items() if not (unless_set and name in os.environ)}
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.environ.update(wanted)
        if "numpy" in sys.modules and os.name == "posix":
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


class Parser(argparse.ArgumentParser):
    """Refuses arguments with one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {sentence(message)} (See {self.prog} --help.)\n")


def sentence(text: str) -> str:
    """``text`` on one line, with a capital letter, unless it begins with a name, and an end.

    >>> sentence("expected one argument"), sentence("tables=0 must be above 0.")
    ('Expected one argument.', 'tables=0 must be above 0.')
    """
    text = " ".join(text.split())
    if text.partition(" ")[0].isalpha():
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


# How it ends


def command(verb: str) -> Callable[[Callable[Parameters, int]], Callable[Parameters, int]]:
    """Make a function that returns an exit status a command, called ``verb``."""

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
    """Say something on the standard error, if there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"{called(verb)}: {sentence(text)}", file=sys.stderr, flush=True)


def error_sentence(error: BaseException) -> str:
    """What an error says, as a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return sentence(error.strerror if error.filename is None else f"{error.filename}: {error.strerror}")
    if isinstance(error, MemoryError):
        return sentence(f"Out of memory{': ' if str(error) else ''}{error}")
    return sentence(str(error) or type(error).__name__)


def needed(extra: str, *modules: str) -> None:
    """Raise ``ImportError`` with a sentence that names the extra unless all ``modules`` can be imported."""
    lacking = missing(extra, *modules)
    if lacking:
        raise ImportError(lacking)


def missing(extra: str, *modules: str) -> str:
    """A sentence that names the first of ``modules`` that cannot be imported, and the extra that brings it; or ""."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:  # a broken installation fails in many ways
            absent = isinstance(error, ModuleNotFoundError) and error.name in (None, module.partition(".")[0])
            what = "is not installed" if absent else f"cannot be imported ({type(error).__name__}: {error})"
            return f'This needs {module}, which {what}: run pip install ".[{extra}]" in the checkout of card_envs.'
    return ""


# Where its output goes


class Output:
    """A standard output that does not end the command when it fails: the rest is dropped, and ``failure`` says why."""

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
        """What is left in the stream's buffer goes nowhere, or Python would fail on it at its end."""
        self.failure = error
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def _safe_output() -> Iterator[Output]:
    """A standard output that fails neither where it is closed or full nor at characters that it does not have."""
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
    """Where one of the three is closed, the next file opened would take its number, and be printed into."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the least number that is free


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    spelled = (SPELLED.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return "".join(spelled), error.end


codecs.register_error(_spell.__name__, _spell)
