"""What a game must say is checked when it is defined, and games of other packages cost nobody anything."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_envs import definition, jit
from card_envs.elfern import greedy, kernel, observation, worlds
from card_envs.elfern.game import Elfern
from card_envs.elfern.rules import ElfernRules
from card_envs.kernel import Kernel
from card_envs.record import state_dtype

ROOT = Path(card_envs.__file__).parents[1]


def module(name="game.kernel", **functions):
    made = types.ModuleType(name)
    vars(made).update(functions)
    return made


def without(source, *names):
    left_out = {"__name__", *names}
    return module(**{name: value for name, value in vars(source).items() if name not in left_out})


# The kernel


@pytest.mark.parametrize("name", ["lay_out", "play", "taken", "hide"])
def test_a_kernel_without_one_of_its_functions_gets_a_sentence(name):
    with pytest.raises(ValueError, match=f"kernel of game has no function .*'{name}'"):
        Kernel.of(without(kernel, name), observation, greedy, worlds, words=1)


def test_a_function_with_other_arguments_gets_a_sentence():
    @jit.njit
    def taken(s, g):
        return 0

    with pytest.raises(ValueError, match="'taken' in the kernel of game takes 2 arguments, but is called as"):
        Kernel.of(module(taken=taken), kernel, observation, greedy, worlds, words=1)


@pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled then")
def test_a_function_that_is_not_compiled_gets_a_sentence():
    with pytest.raises(ValueError, match="'taken' in the kernel of game is not compiled"):
        Kernel.of(module(taken=lambda s, g, seat: 0), kernel, observation, greedy, worlds, words=1)


# The class


def define(**changed):
    """A game like Elfern but for what is given; None leaves an attribute out."""
    names = ("name", "rules_class", "dtype", "constants_dtype", "kernel", "carried", "match_extras")
    body = {name: getattr(Elfern, name) for name in names} | changed
    own = {name: value for name, value in body.items() if value is not None}
    return type("Trial", (card_envs.Game,), own)


@pytest.mark.parametrize("name", ["name", "rules_class", "dtype", "constants_dtype", "kernel"])
def test_a_class_that_leaves_something_out_gets_a_sentence(name):
    with pytest.raises(ValueError, match=f"The game Trial has no '{name}'"):
        define(**{name: None})


@pytest.mark.parametrize("name", ["deck", "history", "hand", "plays", "viewer", "taken_before"])
def test_a_record_without_a_field_that_every_game_needs_gets_a_sentence(name):
    own = [(field, *Elfern.dtype.descr[number][1:]) for number, field in enumerate(Elfern.dtype.names)]
    dtype = np.dtype((np.record, [field for field in own if field[0] != name]))
    with pytest.raises(ValueError, match=f"has no field '{name}'"):
        define(dtype=dtype, carried=(), match_extras={})


def test_constants_without_the_common_fields_get_a_sentence():
    with pytest.raises(ValueError, match="constants_dtype of Trial has no field 'rules_id'"):
        define(constants_dtype=np.dtype([("size", "i8")]))


@pytest.mark.parametrize("name", ["Trial", "two words", "9", "", 3])
def test_a_name_that_no_id_can_hold_gets_a_sentence(name):
    with pytest.raises(ValueError, match="must be lower-case letters"):
        define(name=name)


def test_what_is_carried_must_be_a_field_and_extras_must_be_carried():
    with pytest.raises(ValueError, match="carries 'luck', which is no field"):
        define(carried=("luck",), match_extras={})
    with pytest.raises(ValueError, match="'doubled' among its match_extras"):
        define(carried=())


def test_rules_that_are_not_frozen_or_lack_a_default_or_a_field_get_a_sentence():
    @dataclasses.dataclass
    class Loose:
        match: bool = False

    @dataclasses.dataclass(frozen=True)
    class NoTarget:
        match: bool = False
        num_players: int = 2

    @dataclasses.dataclass(frozen=True)
    class NoDefault:
        match: bool
        target: int = 2
        num_players: int = 2

    for rules, sentence in (
        (Loose, "frozen"),
        (NoTarget, "no 'target'"),
        (NoDefault, "'match' of Trial has no default"),
    ):
        with pytest.raises(ValueError, match=sentence):
            define(rules_class=rules)


# The object


def constants():
    game = card_envs.make_game("elfern")
    return {name: game.constants[name][0] for name in game.constants_dtype.names}


def test_a_constant_that_nobody_fills_gets_a_sentence_and_so_does_one_without_a_field():
    values = constants()
    assert definition.filled("trial", Elfern.constants_dtype, values)["honours"][0] == values["honours"]
    with pytest.raises(ValueError, match="constants of trial lack 'scale'"):
        definition.filled("trial", Elfern.constants_dtype, {k: v for k, v in values.items() if k != "scale"})
    with pytest.raises(ValueError, match="no field for 'luck'"):
        definition.filled("trial", Elfern.constants_dtype, values | {"luck": 7})


def test_a_constant_of_another_shape_gets_a_sentence():
    """Numpy would fill a table with one number."""
    with pytest.raises(ValueError, match=re.escape("'scale' of trial has the shape (), its field (33,)")):
        definition.filled("trial", Elfern.constants_dtype, constants() | {"scale": 1})


def test_what_must_be_set_before_gets_a_sentence():
    class Trial(Elfern):
        def __init__(self, rules):
            card_envs.Game.__init__(self, rules, {}, [])

    with pytest.raises(ValueError, match="Trial must set 'pack' before it calls"):
        Trial(ElfernRules())


def test_a_field_too_small_for_the_game_gets_a_sentence():
    fields = [(name, *kernel.STATE.descr[k][1:]) for k, name in enumerate(kernel.STATE.names)]
    common = state_dtype(1, []).names
    own = [("history", "u1", (8,)) if field[0] == "history" else field for field in fields if field[0] not in common]

    class Trial(Elfern):
        dtype = state_dtype(2, own)

    with pytest.raises(ValueError, match="32 plays of a deal in 'history', which has room for 8"):
        Trial(ElfernRules())


# What a match carries, and void deals


def test_only_what_a_game_carries_can_be_handed_to_a_new_state():
    match = card_envs.make_game("elfern", match=True)
    assert match.new_state(seed=1, doubled=True).record["doubled"][0] == 1
    assert match.new_state(seed=1, doubled=False) == match.new_state(seed=1)
    single = card_envs.make_game("elfern")
    assert single.new_state(seed=1, doubled=False) == single.new_state(seed=1)
    with pytest.raises(ValueError, match="doubled=True needs match=True"):
        card_envs.make_game("elfern").new_state(doubled=True)
    with pytest.raises(ValueError, match="doubled=2 is neither True nor False"):
        match.new_state(doubled=2)
    for game in (match, card_envs.make_game("konchinka", match=True)):
        with pytest.raises(ValueError, match=f"luck=3 is no argument of a deal of {game.name}"):
            game.new_state(luck=3)
    with pytest.raises(ValueError, match="doubled=True is no argument of a deal of konchinka"):
        card_envs.make_game("konchinka", match=True).new_state(doubled=True)


def test_why_a_deal_is_void_is_the_games_to_say():
    game = card_envs.make_game("konchinka", num_players=12)
    jacks = [name for name in game.pack.names if name[0] == "J"]
    deck = [name for name in game.pack.names if name not in jacks] + jacks
    with pytest.raises(ValueError, match=r"void deal: the table cards cannot be replaced \(K4\)"):
        game.new_state(deck=deck)


# Functions that call themselves


def test_a_function_that_calls_itself_is_refused():
    source = "def climb(n):\n    return 0 if n == 0 else climb(n - 1)\n"
    inner = "def climb(n):\n    return max([climb(k) for k in range(n)])\n"
    for text in (source, inner):
        space = {"__name__": __name__}
        exec(text, space)
        with pytest.raises(ValueError, match=r"climb calls itself\. Compiled, it would run"):
            jit.njit(space["climb"])

    def climb(n):
        return 0 if n == 0 else climb(n - 1)

    with pytest.raises(ValueError, match="calls itself"):
        jit.njit(climb)


def test_a_function_with_a_field_or_a_variable_of_its_name_is_not_refused():
    space = {"__name__": __name__}
    exec("def lead(s):\n    return s.lead\ndef total(n):\n    total = n\n    return total\n", space)
    for name in ("lead", "total"):
        assert callable(jit.njit(space[name]))


# Games of other packages


def install(folder, package, entries, source=""):
    """A package without a wheel: its module, and the metadata that tell of its entry points."""
    (folder / f"{package}.py").write_text(source)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = {value}" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[card_envs.games]\n{lines}\n")


def run(code, folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-W", "error", *(arguments or ("-c", code))],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{folder}", "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done


FOUND = """
from card_envs.elfern.game import Elfern
class Twelve(Elfern):
    name = "twelve"
"""


def test_a_game_of_another_package_is_found_and_made_and_has_an_id(tmp_path):
    install(tmp_path, "twelvepack", {"twelve": "twelvepack:Twelve"}, FOUND)
    code = (
        "import sys, card_envs, gymnasium\n"
        "assert 'twelvepack' not in sys.modules\n"
        "assert 'twelve' in card_envs.GAMES and 'card_envs/Twelve-v0' in gymnasium.registry\n"
        "print(card_envs.make_game('twelve', hand_size=3))\n"
    )
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("twelve(follow_suit='stock'")


BROKEN = {
    "absent": ("nowhere:Game", "The game 'absent' (nowhere:Game of faulty) cannot be loaded: ModuleNotFoundError"),
    "missing": ("faulty:Nothing", "cannot be loaded: AttributeError"),
    "number": ("faulty:NUMBER", "is no card_envs.Game, but 3"),
    "renamed": ("faulty:Renamed", "calls itself 'elfern'"),
    "undefined": ("undefined_game:Bad", "cannot be loaded: ValueError: The game Bad has no 'name'"),
    "Loud-Name": ("faulty:Renamed", "must have a name of lower-case letters"),
}


def test_a_broken_game_gets_a_sentence_when_it_is_asked_for_and_is_in_nobodys_way(tmp_path):
    source = "from card_envs.elfern.game import Elfern as Renamed\nNUMBER = 3\n"
    entries = {name: value for name, (value, _) in BROKEN.items()}
    install(tmp_path, "faulty", entries | {"elfern": "faulty:NUMBER"}, source)
    (tmp_path / "undefined_game.py").write_text("import card_envs\nclass Bad(card_envs.Game):\n    pass\n")
    code = (
        "import card_envs, gymnasium\n"
        "print(card_envs.make_game('elfern'))\n"
        f"for name in {list(BROKEN)}:\n"
        "    try:\n"
        "        card_envs.make_game(name)\n"
        "    except ValueError as error:\n"
        "        print(error)\n"
        "from card_envs.registry import shadowed\n"
        "print(*shadowed())\n"
    )
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    first, *sentences = done.stdout.splitlines()
    assert first.startswith("elfern(")
    for sentence, (_, wanted) in zip(sentences, BROKEN.values(), strict=False):
        assert wanted in sentence
    assert sentences[-1].startswith("The game 'elfern' of faulty:NUMBER of faulty cannot be reached")
    asked = run("", tmp_path, "scripts/evaluate.py", "number", "--agents", "random", "greedy")
    assert asked.returncode == 2
    assert "is no card_envs.Game" in asked.stderr
    assert run("", tmp_path, "scripts/evaluate.py", "elfern", "--help").returncode == 0


def test_two_packages_with_one_name_get_a_sentence(tmp_path):
    install(tmp_path, "onepack", {"twelve": "onepack:Twelve"}, FOUND)
    install(tmp_path, "twopack", {"twelve": "twopack:Twelve"}, FOUND)
    done = run("import card_envs\ncard_envs.make_game('twelve')", tmp_path)
    assert "is defined more than once: uninstall all but one" in done.stderr


def test_an_edit_of_a_game_of_another_package_makes_its_compiled_code_anew(tmp_path):
    """Also the loops, which are functions of this package that close over the game's."""
    install(tmp_path, "stamped", {"twelve": "stamped:Twelve"}, FOUND)
    code = (
        "from card_envs.jit import njit\nimport stamped\n"
        "def made(inner):\n"
        "    def loop(n):\n        return inner(n)\n"
        "    loop.__module__ = 'card_envs.loops'\n"
        "    return njit(loop)\n"
        "def inner(n):\n    return n\n"
        "inner.__module__ = 'stamped'\n"
        "from card_envs.fingerprint import fingerprint\n"
        "print(fingerprint(made(made(njit(inner)))))\n"
    )
    before = run(code, tmp_path)
    assert before.returncode == 0, before.stderr
    code = code.replace("return n\n", "return n + 1\n")
    after = run(code, tmp_path)
    assert after.returncode == 0, after.stderr
    assert before.stdout != after.stdout
