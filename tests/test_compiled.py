"""Compiled code: its types, and the same games without it."""

from __future__ import annotations

import importlib
import json
import pkgutil
from itertools import pairwise

import numpy as np
import pytest

import card_envs
from card_envs import jit
from tests import golden
from tests.fresh_process import ROOT, run
from tests.variants import ANY, DEFAULTS, PROBES, every

# Without the compiler


@pytest.mark.slow
def test_without_the_compiler_the_same_games_are_played():
    code = "import card_envs.jit\nassert card_envs.jit.JIT_DISABLED\nfrom tests import golden\nimport sys\n"
    code += "sys.argv.append('--digests')\ngolden.main()"
    output, _ = run(code, ROOT, NUMBA_DISABLE_JIT="1")
    assert json.loads(output) == golden.digests(tables=1, greedy=True)


MEMBERS = """
import random
import numpy as np
from card_envs import bits

assert not bits._HAS_DEPOSIT
random.seed(1)
for _ in range(500):
    word = random.getrandbits(64) & random.getrandbits(64)
    listed = [k for k in range(64) if word >> k & 1]
    assert [bits.nth(np.uint64(word), k) for k in range(len(listed))] == listed
"""


@pytest.mark.parametrize(("processor", "features"), [("generic", ""), ("znver2", "+bmi2")])
def test_a_processor_that_cannot_deposit_bits_fast_finds_the_same_members(processor, features):
    run(MEMBERS, ROOT, NUMBA_CPU_NAME=processor, NUMBA_CPU_FEATURES=features)


# Types


TYPES = """
import importlib, json, pkgutil
from numba.core import types
from numba.core.dispatcher import Dispatcher
import card_envs
from card_envs.registry import GAMES, make_game
from card_envs.warmup import warm_up

for name in GAMES:
    warm_up(make_game(name))

seen = {}
def visit(thing):
    if isinstance(thing, Dispatcher) and id(thing) not in seen:
        seen[id(thing)] = thing
        visit(getattr(thing, "inner", None))
        for cell in thing.py_func.__closure__ or ():
            visit(cell.cell_contents)
        for value in thing.py_func.__globals__.values():
            visit(value)

for module in pkgutil.walk_packages(card_envs.__path__, "card_envs."):
    if module.name.startswith(("card_envs.envs", "card_envs.__main__")):
        continue
    for value in vars(importlib.import_module(module.name)).values():
        visit(value)
for name in GAMES:
    for loop in vars(make_game(name).loops).values():
        visit(loop)

def floats(kind):
    while isinstance(kind, (types.Array, types.Optional)):
        kind = kind.dtype if isinstance(kind, types.Array) else kind.type
    if isinstance(kind, (types.UniTuple, types.Tuple)):
        return any(map(floats, kind.types))
    return isinstance(kind, (types.Float, types.Complex))

found, count = {}, 0
for dispatcher in seen.values():
    name = f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__name__}"
    for result in dispatcher.overloads.values():
        count += 1
        for variable, kind in result.type_annotation.typemap.items():
            if floats(kind):
                found.setdefault(name, []).append(variable.split(".")[0])
print(json.dumps({"compiled": count, "found": {name: sorted(set(each)) for name, each in found.items()}}))
"""
REWARDS = {
    "card_envs.record": {"above_others", "lead_in", "returned_win", "returned_forfeit"},
    "card_envs.loops.playing": {"play_rows", "step", "turn"},
    "card_envs.loops.returns": {"outcome", "outcomes"},
}
OPEN_CARDS = ("open_cards", "plain_solver", "solver")
"""Modules that tell what play with open cards is worth, in floats."""


@pytest.mark.slow
def test_only_rewards_are_floats(tmp_path):
    output, _ = run(TYPES, ROOT, NUMBA_CACHE_DIR=str(tmp_path))
    report = json.loads(output)
    assert report["compiled"] > 60
    allowed = {f"{module}.{name}" for module, names in REWARDS.items() for name in names}
    wrong = {name: each for name, each in report["found"].items() if name.split(".")[-2] not in OPEN_CARDS}
    assert set(wrong) <= allowed, wrong
    assert "card_envs.record.above_others" in report["found"]  # they are looked for rightly


@every(DEFAULTS)
def test_records_have_no_padding_and_are_small(game):
    dtype = game.dtype
    assert dtype.itemsize <= 512
    assert dtype.itemsize == sum(field.itemsize for field, *_ in dtype.fields.values())
    offsets = sorted((offset, field.itemsize) for field, offset, *_ in dtype.fields.values())
    assert offsets[0][0] == 0
    for (start, size), (following, _) in pairwise(offsets):
        assert start + size == following


def test_all_variants_of_a_game_share_record_and_compiled_code():
    for name, probe in PROBES.items():
        plain, other = card_envs.make_game(name), card_envs.make_game(name, **probe.few[-1])
        assert plain.dtype is other.dtype
        assert plain.loops is other.loops
        assert plain.constants.dtype == other.constants.dtype
        if not jit.JIT_DISABLED:
            for game in (plain, other):
                states = game.new_states(np.arange(3, dtype=np.uint64))
                game.step(states, game.sample_actions(states))
            assert len(plain.loops.step.signatures) == 1
            assert len(plain.loops.sample.signatures) == 1


def test_strange_arrays_compile_nothing_new():
    game = ANY.make()
    states = game.new_states(np.arange(8, dtype=np.uint64))
    game.masks(states)
    game.step(states, game.sample_actions(states))
    before = {name: len(loop.signatures) for name, loop in vars(game.loops).items()}
    game.masks(states[::2])
    game.observations(states[::-1], np.zeros(8, np.int8))
    frozen = states.copy()
    frozen.flags.writeable = False
    game.views(frozen)
    game.returns(frozen)
    for number in range(2):
        state = game.state(states, number)
        state.view(number)
        state.observation(number)
        state.action_mask(number)
    for kind in (np.int8, np.uint64, np.int64):
        game.step(states, game.sample_actions(states).astype(kind))
    with pytest.raises(ValueError, match="actions"):
        game.step(states, np.zeros(8))
    after = {name: len(loop.signatures) for name, loop in vars(game.loops).items()}
    assert {name: count for name, count in after.items() if count > max(before[name], 1)} == {}


def test_every_module_says_what_it_is_for():
    for module in pkgutil.walk_packages(card_envs.__path__, "card_envs."):
        if not module.name.startswith("card_envs.envs"):
            assert importlib.import_module(module.name).__doc__, module.name
