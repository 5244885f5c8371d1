"""The identity of a player beyond its name: the files that decide how it plays. A change makes it another player."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from modulefinder import ModuleFinder
from os.path import isdir, isfile  # which return False, and never raise, for an impossible path
from pathlib import Path

from card_agents.names import GROUP, SEARCHERS, unwrapped
from card_agents.players.external import is_bot
from card_agents.players.ppo import WEIGHTS, model_file, shipped_file
from card_envs import Game

_RUNS_MODULE = re.compile(r"-[A-Za-z]*m")
_PACKAGE_MARKS = "__init__.py", "__main__.py"
_PASSED_OVER = "__pycache__"


def files_of(agent: str, game: Game) -> dict[str, str]:
    """The files that decide how the player called ``agent`` plays ``game``, with digests of their contents.

    They are those that its name leads to: weights; the program and the files among its arguments; the modules that a
    Python program imports from its own folder; and whole packages. What else a program opens cannot be known. For a
    player of another package, the version of that package is included.
    """
    name = unwrapped(agent)
    kind, _, text = name.partition(":")
    searcher, plus, guide = name.partition("+")
    if kind == "ppo":
        return _digests(_weights(name, game))
    if plus and searcher.partition(":")[0] in SEARCHERS:
        return _digests(_weights(guide, game))
    if kind == "cmd":
        return _digests(_program(text))
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if kind in found:
        return _version(found[kind]) | _digests([*_module(found[kind].module), Path(text)])
    return _digests(_module(kind)) if is_bot(name) else {}


def _digests(paths: list[Path]) -> dict[str, str]:
    """Digests of those paths that exist: of a file, or of all files in a folder."""
    found = {}
    for path in paths:
        digest = hashlib.sha256()
        try:
            if isdir(path):
                for one in _inside(path):
                    digest.update(f"{one.relative_to(path).as_posix()}\0".encode(errors="surrogateescape"))
                    digest.update(hashlib.sha256(one.read_bytes()).digest())
            elif isfile(path):
                digest.update(path.read_bytes())
            else:
                continue
        except OSError as error:
            raise ValueError(f"{error.filename or path} cannot be read: {error.strerror}.") from None
        found[_shown(path)] = digest.hexdigest()
    return found


def _shown(path: Path) -> str:
    """A path for display: relative to the current directory or the library, if it is in one of them."""
    for folder in (Path.cwd(), WEIGHTS.parent.parent):
        if path.is_relative_to(folder) and path != folder:
            return path.relative_to(folder).as_posix()
    return str(path)


def _inside(folder: Path) -> list[Path]:
    """The files of a package, without caches and hidden files."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in paths if not any(_passed_over(part) for part in path.relative_to(folder).parts))


def _passed_over(part: str) -> bool:
    return part == _PASSED_OVER or part.startswith(".")


def _weights(name: str, game: Game) -> list[Path]:
    """The weights of ``"ppo"`` or ``"ppo:PATH"``, if the file exists."""
    _, colon, text = name.partition(":")
    with contextlib.suppress(ValueError):
        return [model_file(text) if colon else shipped_file(game)]
    return []


def _program(text: str) -> list[Path]:
    """The files in a command: its program, arguments that are files (or ``--option=FILE``), and what Python runs."""
    words = shlex.split(text)
    program = shutil.which(words[0]) if words else None
    paths = [Path(program)] if program else []
    for before, word in zip(["", *words], words, strict=False):
        if _RUNS_MODULE.fullmatch(before) and re.fullmatch(r"[\w.]+", word):
            paths += _module(word)
        for one in (word, word.partition("=")[2]):
            if one and _is_there(Path(one)):
                paths += _with_modules_beside(Path(one))
        if before == "-c" and len(word.split()) > 1:  # a shell command inside this one
            with contextlib.suppress(ValueError):
                paths += _program(word)
    return list(dict.fromkeys(paths))


def _is_there(path: Path) -> bool:
    """Whether it is a file, or a folder that Python can run or import. Other folders may serve any purpose."""
    return isfile(path) or any(isfile(path / mark) for mark in _PACKAGE_MARKS)


def _module(name: str) -> list[Path]:
    """The file of a module with the modules it imports from its own folder, or its whole package; in the current
    directory, where programs look first, or installed."""
    top = name.partition(".")[0]
    here = Path(top)
    if isdir(here) and ("." in name or _is_there(here)):
        return _with_modules_beside(here)
    if isfile(f"{top}.py"):
        return _with_modules_beside(Path(f"{top}.py"))
    try:
        found = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return []
    if found is None:
        return []
    if found.submodule_search_locations:
        return [Path(place) for place in found.submodule_search_locations]
    return [Path(found.origin)] if found.has_location and found.origin else []


def _with_modules_beside(path: Path) -> list[Path]:
    """A file and, if it is Python, the modules it imports from its own folder, directly or indirectly."""
    if isdir(path) and path.resolve() == Path.cwd():
        path /= "__main__.py"  # the current directory may hold anything, even files written during play
    if isdir(path):
        return [path]
    return [path, *sorted(_imported(path))] if _is_python(path) else [path]


def _is_python(path: Path) -> bool:
    if path.suffix == ".py":
        return True
    with contextlib.suppress(OSError), path.open("rb") as file:
        start = file.read(100).partition(b"\n")[0]
        return start.startswith(b"#!") and b"python" in start
    return False


def _imported(path: Path) -> Iterator[Path]:
    finder = ModuleFinder([str(path.parent)])
    try:
        finder.run_script(str(path))  # parses it without running it
    except Exception:  # not valid Python: running it will say so
        return
    for module in finder.modules.values():
        place = getattr(module, "__file__", None)
        if place and Path(place) != path:
            yield Path(place)


def _version(entry: EntryPoint) -> dict[str, str]:
    """The version of the package that provides a player."""
    return {} if entry.dist is None else {f"{entry.dist.name} (package)": entry.dist.version}
