"""What compiled code depends on: an edit makes anew what it is a part of, and nothing else."""

from __future__ import annotations

import enum
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from card_envs import code_cache, jit
from card_envs.fingerprint import _source, fingerprint

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled")

ROOT = Path(__file__).resolve().parents[1]
LOOPS = """
import json
import card_envs
from card_envs import loops
from card_envs.fingerprint import fingerprint
from card_envs.open_cards import build_open_loops

found = {"all games": {name: fingerprint(getattr(loops, name)) for name in ("draws", "forfeit", "take_seats")}}
for name in ("elfern", "konchinka"):
    game = card_envs.make_game(name)
    compiled = vars(game.loops) | vars(build_open_loops(game.kernel, game.solver, name))
    found[name] = {verb: fingerprint(loop) for verb, loop in compiled.items() if hasattr(loop, "py_func")}
print(json.dumps({"file": card_envs.__file__, "found": found}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package."""
    folder = tmp_path_factory.mktemp("copy") / "card_envs"
    shutil.copytree(ROOT / "card_envs", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def fingerprints(package):
    """By game and verb."""
    environment = os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", LOOPS]
    done = subprocess.run(
        command, cwd=package.parent, env=environment, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert Path(answer["file"]).parent == package
    return answer["found"]


@pytest.fixture(scope="module")
def before(package):
    found = fingerprints(package)
    assert all(digest is not None for loops in found.values() for digest in loops.values())
    assert len(found["elfern"]) == len(found["konchinka"]) >= 20
    assert found == fingerprints(package)
    return found


def changed_by(package, before, edits):
    """Verbs that are made anew, by game, when these files are edited: (old, new) text each."""
    sources = {}
    try:
        for file, (old, new) in edits.items():
            source = sources[file] = (package / file).read_text(encoding="utf-8")
            assert source.count(old) == 1, (file, old)
            (package / file).write_text(source.replace(old, new), encoding="utf-8")
        after = fingerprints(package)
    finally:
        for file, source in sources.items():
            (package / file).write_text(source, encoding="utf-8")
    return {game: {verb for verb in loops if after[game].get(verb) != loops[verb]} for game, loops in before.items()}


def added(package, folder):
    """An edit of every file of a folder: a line more at its end, which changes nothing that is there."""
    files = sorted((package / folder).glob("*.py")) if (package / folder).is_dir() else [package / folder]
    assert files
    edits = {}
    for path in files:
        last = path.read_text(encoding="utf-8").splitlines()[-1]
        edits[path.relative_to(package).as_posix()] = (
            path.read_text(encoding="utf-8"),
            f"{path.read_text(encoding='utf-8')}\n\nEDITED = {last!r}\n",
        )
    return edits


@pytest.mark.slow
@pytest.mark.parametrize(("game", "other"), [("elfern", "konchinka"), ("konchinka", "elfern")])
def test_an_edit_of_one_game_makes_nothing_of_another_anew(package, before, game, other):
    rule = {"elfern": ("    s.to_play = winner\n", "    s.to_play = 1 - winner\n")}
    rule["konchinka"] = ("    s.dealt = 0\n", "    s.dealt = 1\n")
    file = {"elfern": "elfern/kernel.py", "konchinka": "konchinka/dealing.py"}[game]
    changed = changed_by(package, before, {file: rule[game]})
    assert changed[other] == changed["all games"] == set()
    assert {"step", "play", "turn", "retrace"} <= changed[game]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "some"),
    [
        ("bits.py", "0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17", {"new", "step", "sample", "turn"}),
        ("bits.py", "store.align = 1", "store.align = 2", {"look", "look_shared", "step"}),  # what an intrinsic writes
        ("record.py", "NOTHING, COUNTED, OVER = 0, 1, 2", "NOTHING, COUNTED, OVER = 0, 1, 3", {"step", "turn", "play"}),
        ("record.py", "    return own - (everyone", "    return own + (everyone", {"step", "turn", "outcomes"}),
        ("threads.py", "LEAST_CHUNK = 512", "LEAST_CHUNK = 511", {"step", "sample", "greedy", "look_shared"}),
        ("threads.py", '_atomic("add",', '_atomic("sub",', {"step", "sample", "greedy", "look_shared"}),
    ],
)  # fmt: skip
def test_an_edit_of_what_all_games_share_makes_all_anew_that_it_is_a_part_of(package, before, file, old, new, some):
    changed = changed_by(package, before, {file: (old, new)})
    for game in ("elfern", "konchinka"):
        assert some <= changed[game]


@pytest.mark.slow
def test_a_number_that_a_game_hands_to_the_loops_counts(package, before):
    changed = changed_by(package, before, {"elfern/game.py": ("worlds, words=1)", "worlds, words=2)")})
    assert changed["konchinka"] == set()
    assert {"look", "step"} <= changed["elfern"]


@pytest.mark.slow
def test_an_edit_of_what_is_not_compiled_makes_nothing_anew(package, before):
    edits = {}
    for place in (
        "envs", "render", "game.py", "verbs.py", "state.py", "registry.py", "positions.py", "definition.py", "probe.py",
        "elfern/game.py", "elfern/probe.py", "elfern/rules.py", "konchinka/game.py", "konchinka/probe.py", "warmup.py",
    ):  # fmt: skip
        edits |= added(package, place)
    assert not any(changed_by(package, before, edits).values())


# Single values


class Phase(enum.IntEnum):
    LEAD = 0


def made(source, **values):
    """A compiled function ``f`` of this source, with these globals."""
    namespace = {"__name__": __name__, "np": np, "njit": jit.njit} | values
    exec(source, namespace)
    return namespace["f"]


F = "@njit\ndef f():\n    return VALUE\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2), (1, True), (1, 1.0), (np.int8(1), np.int64(1)), ("a", "b"), ((1, (2,)), (1, (3,))), (None, 0),
        (np.arange(3), np.arange(1, 4)), (np.arange(3), np.arange(3, dtype=np.int8)), ({"a": 1}, {"a": 2}),
        (Phase, enum.IntEnum("Phase", {"LEAD": 1})), (Phase.LEAD, 0), (frozenset("ab"), frozenset("ac")),
    ],
)  # fmt: skip
def test_every_kind_of_value_counts(one, other):
    assert fingerprint(made(F, VALUE=one)) == fingerprint(made(F, VALUE=one)) != fingerprint(made(F, VALUE=other))


def test_defaults_constants_and_functions_inside_count():
    sources = [
        "@njit\ndef f(n=1):\n    return n\n",
        "@njit\ndef f(n=2):\n    return n\n",
        "@njit\ndef f(n=1):\n    return n + 1\n",
        "@njit\ndef f(n=1):\n    def g():\n        return n\n    return g()\n",
        "@njit\ndef f(n=1):\n    def g():\n        return n + VALUE\n    return g()\n",
        "def g(n):\n    return n\n@njit\ndef f(n=1):\n    return n\n",
    ]
    found = [fingerprint(made(source, VALUE=1)) for source in sources]
    assert len(set(found[:5])) == 5
    assert found[5] == found[0]
    assert fingerprint(made(sources[4], VALUE=2)) != found[4]


def test_a_line_of_comment_or_another_place_in_the_file_does_not_count():
    assert fingerprint(made(F, VALUE=1)) == fingerprint(made(f"\n\n# a comment\n{F}", VALUE=1))


def test_what_is_called_counts_however_it_is_reached():
    inner = "@njit\ndef g():\n    return VALUE\n"
    used = f"{inner}\n@njit\ndef f():\n    return g()\n"
    closed = f"{inner}\ndef make(h):\n    @njit\n    def f():\n        return h()\n    return f\nf = make(g)\n"
    for source in (used, closed):
        assert fingerprint(made(source, VALUE=1)) == fingerprint(made(source, VALUE=1))
        assert fingerprint(made(source, VALUE=1)) != fingerprint(made(source, VALUE=2))
        assert made(source, VALUE=2)() == 2


def test_two_functions_that_change_places_are_seen_to():
    source = (
        "def make(n):\n    @njit\n    def g():\n        return n\n    return g\n"
        "one, other = make(VALUE), make(3 - VALUE)\n"
        "@njit\ndef f():\n    return one() - 2 * other()\n"
    )
    assert fingerprint(made(source, VALUE=1)) != fingerprint(made(source, VALUE=2))
    assert fingerprint(made(source, VALUE=1)) == fingerprint(made(source, VALUE=1))


def test_what_no_digest_can_be_made_of_is_compiled_and_not_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(code_cache, "cache_folder", lambda: tmp_path)
    lost = made("@njit\ndef f(n):\n    return n.real\n", real=(each for each in ()))
    assert fingerprint(lost) is None
    assert lost(3) == 3
    assert list(tmp_path.iterdir()) == []
    kept = made("@njit\ndef f(n):\n    return n.real\n", real=0)
    assert kept(3) == 3
    assert len(list(tmp_path.iterdir())) == 1


def test_a_module_that_has_changed_since_it_was_loaded_passes_nothing_off_as_new(monkeypatch, tmp_path):
    """Of functions that stand for compiled ones (``bits.put``) the text counts, so it must be that of what runs."""
    file = tmp_path / "helping.py"
    file.write_text("def helper():\n    pass\n")
    os.utime(file, (0, 0))
    monkeypatch.syspath_prepend(tmp_path)
    import helping

    source = "@njit\ndef f(n):\n    return n if n else helper()\n"
    before = fingerprint(made(source, helper=helping.helper))
    assert before is not None
    assert before == fingerprint(made(source, helper=helping.helper))
    _source.cache_clear()
    file.write_text("def helper():\n    return 1\n")
    assert fingerprint(made(source, helper=helping.helper)) is None
    _source.cache_clear()
    os.utime(file, (1, 1))
    assert fingerprint(made(source, helper=helping.helper)) != before
    sys.modules.pop("helping")
