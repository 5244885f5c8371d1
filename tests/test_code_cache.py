"""The cache of compiled code: never an old rule, never a torn file, and what is said of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import card_envs
from card_envs import code_cache, jit
from tests.fresh_process import ROOT, compiled, run

PLAY = """
import card_envs
game = card_envs.make_game(next(iter(card_envs.GAMES)))
state = game.new_state(seed=7)
while not state.is_over:
    state.play(int(state.legal_actions()[0]))
print(card_envs.__file__, state.points().tolist(), sorted(state.history))
"""


def install(folder):
    """A copy of the package in this folder."""
    shutil.copytree(ROOT / "card_envs", folder / "card_envs", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "card_envs"


@pytest.mark.slow
def test_an_edited_rule_is_never_served_from_an_old_cache_and_a_cut_file_not_at_all(tmp_path):
    package = install(tmp_path)
    cache = tmp_path / "cache"
    cache.mkdir()
    before, warnings = run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert str(package) in before
    assert "CacheWarning" not in warnings
    files = {path: path.read_bytes() for path in cache.rglob("*.bin")}
    assert len(files) > 10

    # With the cache as it is nothing is compiled again.
    again, _ = run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert again == before
    assert {path: path.read_bytes() for path in cache.rglob("*.bin")} == files

    # Files cut short, emptied or spoilt are made again.
    loops = [path for path in files if path.name.startswith("card_envs.loops.")]
    assert len(loops) > 5
    for number, path in enumerate(loops):
        content = files[path]
        path.write_bytes([content[: len(content) // 2], b"", content[:-1] + b"?"][number % 3])
    again, _ = run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert again == before
    assert all(len(path.read_bytes()) > 32 for path in loops)
    mended, _ = run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert mended == before

    # The verb is in loops, the rule in the kernel of a game: who won a trick leads the next one.
    kernel = package / next(iter(card_envs.GAMES)) / "kernel.py"
    rule, other = "    s.to_play = winner\n", "    s.to_play = 1 - winner\n"
    source = kernel.read_text(encoding="utf-8")
    assert source.count(rule) == 1
    kernel.write_text(source.replace(rule, other), encoding="utf-8")
    edited, _ = run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert edited != before
    assert {path.name for path in cache.rglob("*.bin")} > {path.name for path in files}  # neither drives out the other
    kernel.write_text(source, encoding="utf-8")
    assert run(PLAY, tmp_path, NUMBA_CACHE_DIR=str(cache))[0] == before


def test_the_digest_of_the_sources_covers_all_of_them(tmp_path):
    package = install(tmp_path)
    digest = jit.source_digest(package)
    assert digest == jit.source_digest(package) == jit.source_digest()
    for path in sorted(package.rglob("*.py"))[::4]:
        source = path.read_bytes()
        path.write_bytes(source + b"\n# another line\n")
        assert jit.source_digest(package) != digest
        path.write_bytes(source)
    (package / "new.py").write_text("")
    assert jit.source_digest(package) != digest


@pytest.mark.slow
@pytest.mark.parametrize("unwritable", ["package and home", "NUMBA_CACHE_DIR"])
def test_where_no_cache_can_be_written_it_works_with_one_warning(tmp_path, unwritable):
    package = install(tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    (package / "__pycache__").write_text("")  # a file in the way stops even root
    under_a_file = str(file / "folder")
    environment = {"NUMBA_CACHE_DIR": under_a_file} if unwritable == "NUMBA_CACHE_DIR" else {"HOME": under_a_file}
    output, warnings = run(PLAY, tmp_path, **environment)
    assert str(package) in output
    assert warnings.count("CacheWarning") == 1, warnings
    assert "NUMBA_CACHE_DIR" in warnings
    assert not list(tmp_path.rglob("*.bin"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_installed_read_only_and_run_by_somebody_without_a_home_it_works_with_one_warning():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package = install(folder)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        # Python itself may be root's alone: what it needs is loaded before.
        loaded = "import card_envs, numba, os\nnumba.njit(lambda number: number + 1)(1)\n"
        code = f"{loaded}os.setgid(65534)\nos.setuid(65534)\n{PLAY}"
        output, warnings = run(code, folder)
        assert str(package) in output
        assert warnings.count("CacheWarning") == 1, warnings


def test_the_cache_folder_falls_back_to_the_users(monkeypatch, tmp_path):
    monkeypatch.setattr(code_cache.config, "CACHE_DIR", "")
    monkeypatch.setattr(code_cache, "PACKAGE", tmp_path / "file" / "package")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert code_cache.cache_folder.__wrapped__() == tmp_path / "xdg" / "card_envs" / "compiled"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = code_cache.cache_folder.__wrapped__()
    assert found == tmp_path / "home" / ".cache" / "card_envs" / "compiled"
    assert found.is_dir()


def compile_version(number, folder, name="version"):
    """Compile a function of this name that says another number."""
    namespace = {"__name__": __name__, "NUMBER": number}
    exec(f"def {name}():\n    return NUMBER\n", namespace)
    assert jit.njit(namespace[name])() == number
    return {path.name for path in folder.glob("*version-*.bin")}


@compiled
def test_old_versions_of_a_function_are_cleared_away_and_those_in_use_are_not(monkeypatch, tmp_path):
    monkeypatch.setattr(code_cache, "cache_folder", lambda: tmp_path)
    (kept,) = compile_version(0, tmp_path)
    (other,) = compile_version(0, tmp_path, "another_version") - {kept}
    for number in range(1, 9):
        for age, path in enumerate(sorted(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)):
            os.utime(path, (1e6 - age, 1e6 - age))
        compile_version(0, tmp_path)  # from the file, which thereby stays
        left = compile_version(number, tmp_path)
        assert {kept, other} < left
        assert len(left) <= code_cache.KEPT + 1


@compiled
def test_a_cache_that_another_process_clears_away_at_the_same_time_is_no_fault(monkeypatch, tmp_path):
    """Each step finds gone what the one before has seen."""
    monkeypatch.setattr(code_cache.config, "CACHE_DIR", str(tmp_path))
    folder = tmp_path / "card_envs" / "compiled"
    temporary, glob = code_cache.tempfile.TemporaryFile, Path.glob
    cleared = []

    def cleared_once(dir):
        if not cleared:
            cleared.append(dir)
            shutil.rmtree(dir)
        return temporary(dir=dir)

    def gone(self, pattern):
        found = list(glob(self, pattern))
        shutil.rmtree(self, ignore_errors=True)
        return found

    monkeypatch.setattr(code_cache.tempfile, "TemporaryFile", cleared_once)
    assert code_cache.cache_folder.__wrapped__() == folder
    assert cleared == [folder]
    assert folder.is_dir()
    monkeypatch.setattr(code_cache, "cache_folder", lambda: folder)
    monkeypatch.setattr(Path, "glob", gone)
    for number in range(4):
        compile_version(number, folder)


@compiled
def test_it_is_said_once_to_a_terminal_that_something_is_compiled(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(code_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(code_cache, "_said", [])
    compile_version(0, tmp_path)
    assert capsys.readouterr().err == ""  # no terminal
    monkeypatch.setattr(code_cache, "_said", [])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    compile_version(0, tmp_path)
    assert capsys.readouterr().err == ""  # nothing to compile
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    compile_version(1, tmp_path)
    compile_version(2, tmp_path)
    said = capsys.readouterr().err
    assert said.count("\n") == said.count("compiling") == 1
    assert str(tmp_path) in said
    monkeypatch.setattr(code_cache, "_said", [])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(code_cache.multiprocessing, "parent_process", lambda: "somebody")
    compile_version(3, tmp_path)
    assert capsys.readouterr().err == ""


def one_more(number):
    return number + 1


def two_more(number):
    return number + 2


@compiled
def test_compiled_code_is_kept_in_a_folder_that_was_cleared_away(monkeypatch, tmp_path):
    folder = tmp_path / "jit"
    monkeypatch.setattr(code_cache, "cache_folder", lambda: folder)
    assert jit.njit(one_more)(1) == 2
    assert [path.suffix for path in folder.iterdir()] == [".bin"]
    monkeypatch.setattr(code_cache.os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    assert jit.njit(two_more)(1) == 3
    assert [path.suffix for path in folder.iterdir()] == [".bin"]  # nothing half written is left


INSIDE = """
from card_envs.jit import njit

@njit
def half(n):
    if n % 2:
        print("odd:", n)
        raise ValueError("odd")
    if n < 0:
        raise ValueError(f"below 0: {n}")
    return n // 2

@njit
def quarter(n):
    return half(half(n))

print(quarter(8))
for n in (2, -4):
    try:
        quarter(n)
    except ValueError as error:
        print(error)
print(half(6))
"""


@compiled
def test_what_inner_functions_raise_and_print_comes_out_with_and_without_the_cache(tmp_path):
    (tmp_path / "inside.py").write_text(INSIDE)
    paths = os.pathsep.join((str(tmp_path), str(ROOT)))
    outputs = [
        run("import inside", tmp_path, PYTHONPATH=paths, NUMBA_CACHE_DIR=str(tmp_path / "cache"))[0] for _ in range(2)
    ]
    assert outputs == ["2\nodd: 1\nodd\nbelow 0: -4\n3\n"] * 2
    kept = sorted(path.name.split("-")[0] for path in (tmp_path / "cache").rglob("*.bin"))
    assert kept == ["inside.half", "inside.half.inner", "inside.quarter"]
    source = INSIDE.replace("half(half(n))", "half(half(n)) + 100")  # what has been kept becomes a part of it
    (tmp_path / "inside.py").write_text(source)
    edited, _ = run("import inside", tmp_path, PYTHONPATH=paths, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert edited == outputs[0].replace("2\n", "102\n", 1)
    assert len(list((tmp_path / "cache").rglob("*.bin"))) == 4


START = """
import sys
from card_envs import code_cache
sys.stdin.readline()
print(code_cache.cache_folder())
"""


@pytest.mark.slow
def test_processes_that_start_at_once_find_their_folder(tmp_path):
    for attempt in range(3):
        cache = tmp_path / str(attempt) / "card_envs"
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache.parent)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        processes = [
            subprocess.Popen([sys.executable, "-c", START], cwd=ROOT, env=environment, text=True, **pipes)
            for _ in range(6)
        ]
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            output, faults = process.communicate()
            assert (output.strip(), faults) == (str(cache / "compiled"), "")
