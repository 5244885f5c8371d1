"""The command: see ``tests.mutations``."""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from card_envs.code_cache import cache_folder
from tests.mutations import Mutant, Tests
from tests.mutations.agents import AGENTS
from tests.mutations.elfern import ELFERN
from tests.mutations.environments import ENVIRONMENTS
from tests.mutations.konchinka import EQUIVALENT, KONCHINKA
from tests.mutations.protocol import PROTOCOL
from tests.mutations.tables import TABLES

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*"))
"""Games of other packages, which come with their own mutants."""

COPIED = ("card_envs", "agents", "tests", "scripts", "docs", "notebooks", "examples", "pyproject.toml", "README.md",
          "CHANGELOG.md")  # fmt: skip
MUTANTS = (
    *ELFERN,
    *KONCHINKA,
    *TABLES,
    *ENVIRONMENTS,
    *AGENTS,
    *PROTOCOL,
    *(
        mutant
        for folder in EXAMPLES
        for path in folder.glob("tests/*_mutants.py")
        for mutant in runpy.run_path(str(path))["MUTANTS"]
    ),
)

CAUGHT, SURVIVED, MISSING, BROKEN = "caught", "SURVIVED", "NOT FOUND", "BROKEN"

PATIENCE = 3600
"""Seconds after which a run is taken for one that goes on for ever, which is a fault that was seen."""

WHERE = "import {0}; print({0}.__file__)"
PACKAGES = ("card_envs", "card_agents", *(folder.name for folder in EXAMPLES))


def copy_tree(source: Path, folder: Path) -> None:
    """The sources that lie in a folder, without anything compiled."""
    folder.mkdir()
    for name in COPIED:
        if (source / name).is_dir():
            shutil.copytree(source / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "golden"))
        elif (source / name).exists():
            shutil.copy(source / name, folder / name)


def found(mutant: Mutant, root: Path = ROOT) -> int:
    """How often the snippet of a mutant stands in its file."""
    path = root / mutant.file
    return path.read_text().count(mutant.old) if path.is_file() else 0


def run(folder: Path, words: Sequence[str], *, plain: bool, cache: Path) -> tuple[int | None, str]:
    """Run ``python -m`` in a copy; its exit status (None: it went on for ever) and the last line that says anything."""
    paths = os.pathsep.join(map(str, (folder, folder / "agents", *sorted(folder.glob("examples/*")))))
    environment = dict(os.environ, PYTHONPATH=paths, NUMBA_CACHE_DIR=str(cache), PYTHONDONTWRITEBYTECODE="1")
    environment["NUMBA_DISABLE_JIT"] = "1" if plain else "0"
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        log.seek(0)
        lines = [line for line in log.read().splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("FAILED", "ERROR")) or "Differs:" in line]
    return status, (told or lines or [""])[-1][:150]


class Runs:
    """Copies of the sources as they were at the beginning, and what was found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.origin = folder / "sound"
        copy_tree(ROOT, self.origin)
        self.sound: dict[Tests, str] = {}
        """By selection of tests: "" if they pass without a mutant, else what they say."""
        self.said: Counter[str] = Counter()
        self._lock = Lock()

    @property
    def cache(self) -> Path:
        """The compiled code of the sources as they are; from the end of ``begin`` on nothing changes it."""
        return self.folder / "cache"

    def _cache_of(self, folder: Path) -> Path:
        """The place for the compiled code of a mutant, with that of the sources as they are.

        The links are safe: a file of compiled code is replaced, never written into.
        """
        own = folder / "cache"
        shutil.copytree(self.cache, own, copy_function=os.link)
        return own

    def begin(self, selections: Sequence[Tests], jobs: int) -> None:
        """See that the tests pass without a mutant, and that it is the copy that they test."""
        folder = self.origin
        compiled = cache_folder()
        if compiled is not None:  # what has been compiled already need not be compiled here
            shutil.copytree(compiled, self.cache / "card_envs" / compiled.name)
        for package in PACKAGES:
            _, where = run(folder, ["-c", WHERE.format(package)], plain=True, cache=self.cache)
            if str(folder) not in where:
                raise SystemExit(f"The tests of a copy would test {where} instead of {folder}.")
        with ThreadPoolExecutor(jobs) as pool:
            ended = pool.map(lambda one: run(folder, ["-m", *one.words], plain=one.plain, cache=self.cache), selections)
            for number, (selection, (status, line)) in enumerate(zip(selections, ended, strict=True), 1):
                self.sound[selection] = "" if status == 0 else f"without a mutant: status {status}, {line}"
                print(f"[{number}/{len(selections)}] {'passes' if status == 0 else 'FAILS'}: {selection}", flush=True)

    def test(self, mutant: Mutant) -> None:
        """Put one mutant in and say what became of it."""
        times = found(mutant, self.origin)
        if times != 1:
            self._say(mutant, MISSING, f"{times} times in {mutant.file}")
            return
        folder = self.folder / mutant.name
        copy_tree(self.origin, folder)
        path = folder / mutant.file
        path.write_text(path.read_text().replace(mutant.old, mutant.new))
        cache = self._cache_of(folder)
        fate, why = SURVIVED, "by " + "; ".join(map(str, mutant.tests))
        for selection in mutant.tests:
            if self.sound[selection]:
                fate, why = BROKEN, self.sound[selection]
                break
            status, line = run(folder, ["-m", *selection.words], plain=selection.plain, cache=cache)
            if status != 0:
                ended = "it goes on for ever" if status is None else line
                fate, why = (BROKEN, f"status {status}: {line}") if status in (2, 3, 4, 5) else (CAUGHT, ended)
                break
        shutil.rmtree(folder, ignore_errors=True)
        self._say(mutant, fate, why)

    def _say(self, mutant: Mutant, fate: str, why: str) -> None:
        with self._lock:
            self.said[fate] += 1
            print(f"{fate:9} {mutant.name}: {why}", flush=True)


def main() -> int:
    """Run the command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description="Do the tests see these faults?")
    parser.add_argument("--only", action="append", metavar="WORD", help="mutants with this in name or file; repeatable")
    parser.add_argument("--list", action="store_true", help="names, files and tests; nothing is run")
    parser.add_argument("--snippets", action="store_true", help="only see whether every snippet is found")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tested side by side")
    arguments = parser.parse_args()
    only = arguments.only or [""]
    chosen = [mutant for mutant in MUTANTS if any(word in f"{mutant.name} {mutant.file}" for word in only)]
    if arguments.list:
        for mutant in chosen:
            print(f"{mutant.name}  ({mutant.file})\n    {'; '.join(map(str, mutant.tests))}")
        for same in EQUIVALENT:
            print(f"{same.name}  ({same.file}) is equivalent: {same.reason}")
        return 0
    if arguments.snippets:
        lost = [mutant for mutant in chosen if found(mutant) != 1]
        for mutant in lost:
            print(f"{MISSING} {mutant.name}: {found(mutant)} times in {mutant.file}")
        print(f"{len(chosen) - len(lost)} of {len(chosen)} snippets found")
        return 1 if lost else 0
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        runs = Runs(Path(folder))
        runs.begin(list(dict.fromkeys(test for mutant in chosen for test in mutant.tests)), arguments.jobs)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(runs.test, chosen))
    print(", ".join(f"{count} {fate}" for fate, count in runs.said.items()))
    return 0 if set(runs.said) <= {CAUGHT} else 1


if __name__ == "__main__":
    sys.exit(main())
