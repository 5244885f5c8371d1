"""Arguments of every kind to the verbs over many tables: integers are taken, else the same sentence comes always."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import GAME, MATCH, OTHER, refused, unchanged
from tests.variants import GAMES, every, scattered

ROOT = Path(__file__).resolve().parents[1]
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u8")


@every()
def test_integers_of_every_kind_are_taken_by_every_verb(game):
    states = scattered(game, 30)
    states = states[~game.is_over(states)]
    size = len(states)
    actions = game.greedy_actions(states)
    seats = np.arange(size) % game.num_players
    whole = states.copy()
    game.step(whole, actions)

    def kinds(values):
        for kind in INTEGERS:
            if values.max() <= np.iinfo(kind).max:
                yield values.astype(kind)
                yield np.repeat(values.astype(kind), 2)[::2]
                frozen = values.astype(kind)
                frozen.flags.writeable = False
                yield frozen
        yield values.tolist()
        yield tuple(values.tolist())

    for given in kinds(actions):
        stepped = states.copy()
        game.step(stepped, given)
        assert stepped.tobytes() == whole.tobytes()
        game.check_actions(states, given)
        threaded = states.copy()
        game.step(threaded, given, threads=2)
        assert threaded.tobytes() == whole.tobytes()
    for verb in (game.observations, game.masks, game.views, game.history):
        wanted = verb(states, seats).tobytes()
        for given in kinds(seats):
            assert verb(states, given).tobytes() == wanted


def test_other_integers_cost_no_failed_call(monkeypatch):
    """What the compiled step would refuse is not tried on it: each such refusal takes a millisecond."""
    for game in (GAME, OTHER):
        states = game.new_states(np.arange(8, dtype=np.uint64))
        actions = game.greedy_actions(states)
        game.step(states, actions)
        tried: list[tuple] = []
        fast = game.loops.step_fast

        def noted(*given, tried=tried, fast=fast):
            tried.append(given)
            return fast(*given)

        monkeypatch.setattr(game.loops, "step_fast", noted)
        for kind in ("i2", "i4", "i8", "u2", "u4", "u8", ">i4"):
            game.step(states, game.greedy_actions(states).astype(kind))
            game.step(states, np.repeat(game.greedy_actions(states), 2)[::2])
        game.step(states, game.greedy_actions(states).tolist())
        assert all(given[2].dtype is np.dtype(np.int32) and given[2].flags.carray for given in tried)
        assert len(tried) == 15  # none took the slow way, which costs more than the conversion
        monkeypatch.undo()


REFUSALS = """
import json
import sys
import numpy as np
import card_envs

game = card_envs.make_game(sys.argv[1])
states = game.new_states(np.arange(4))
actions = game.greedy_actions(states)
frozen = actions.copy()
frozen.flags.writeable = False
fields = np.ma.array(np.zeros(4, int), mask=[1, 0, 0, 0])
odd = [[], None, "no", 1.5, [1.5] * 4, {}, object(), fields, [[1], [1, 2]], np.zeros((2, 2)), np.ma.array(states),
       [None] * 4, np.array(3), b"", np.zeros(4, bool), np.array(["a"] * 4), 1, 2.0, True, np.zeros(4, "M8[s]")]

class Fails:
    def __array__(self, *_, **__):
        raise RuntimeError("not today")

odd.append(Fails())
calls = {
    "actions": lambda thing: game.step(states, thing),
    "states": lambda thing: game.step(thing, actions),
    "auto_reset": lambda thing: game.step(states.copy(), actions, thing),
    "observations": lambda thing: game.step(states.copy(), actions, observations=thing),
    "masks": lambda thing: game.step(states.copy(), actions, masks=thing),
    "threads": lambda thing: game.step(states.copy(), actions, threads=thing),
    "sampled states": lambda thing: game.sample_actions(thing),
    "sampled out": lambda thing: game.sample_actions(states.copy(), thing),
    "sampled threads": lambda thing: game.sample_actions(states.copy(), threads=thing),
    "greedy states": lambda thing: game.greedy_actions(thing),
    "greedy out": lambda thing: game.greedy_actions(states, thing),
    "greedy threads": lambda thing: game.greedy_actions(states, threads=thing),
    "looked at": lambda thing: game.observations(thing),
    "seats": lambda thing: game.observations(states, thing),
    "out": lambda thing: game.masks(states, out=thing),
    "look threads": lambda thing: game.masks(states, threads=thing),
    "where": lambda thing: game.reset(states.copy(), thing),
    "rows": lambda thing: game.draws(states.copy(), thing),
    "forfeit": lambda thing: game.forfeit(states.copy(), thing),
    "reward": lambda thing: game.returns(states, thing),
    "seeds": lambda thing: game.new_states(thing),
    "row": lambda thing: game.state(states, thing),
    "view": lambda thing: game.sample_worlds(thing, 1, 1),
    "checked": lambda thing: game.check_actions(states, thing),
    "pass_over": lambda thing: game.check_actions(states, actions, pass_over=thing),
    "n": lambda thing: game.sample_worlds(game.state(states, 0).view(), thing, 1),
    "random": lambda thing: game.sample_worlds(game.state(states, 0).view(), 1, thing),
    "values": lambda thing: game.open_worth(states, thing),
}

def told():
    found = {}
    for name, call in calls.items():
        for number, thing in enumerate(odd):
            try:
                call(thing)
                found[f"{name} {number}"] = "fine"
            except Exception as fault:
                found[f"{name} {number}"] = f"{type(fault).__name__}: {fault}"
    return found

before = told()
for threads in (1, 1):
    game.step(states.copy(), game.sample_actions(states.copy(), threads=threads), threads=threads)
print(json.dumps([before, told()]))
"""


@pytest.mark.parametrize("name", GAMES)
def test_arguments_of_the_wrong_kind_get_the_same_sentence_before_and_after_the_first_good_call(name):
    command = [sys.executable, "-c", REFUSALS, name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    before, after = json.loads(done.stdout)
    assert {what: said for what, said in before.items() if after[what] != said} == {}
    assert {
        what: said for what, said in before.items() if not said.startswith(("ValueError", "IllegalAction", "fine"))
    } == {}
    fine = {what for what, said in before.items() if said == "fine"}
    assert {what.partition(" ")[0] for what in fine} >= {"observations", "out", "rows", "seats"}  # None is fine there
    assert len(fine) < 60, sorted(fine)


def test_worlds_are_drawn_from_views_of_this_game_alone():
    for game in (GAME, OTHER):
        state = game.new_state(seed=1)
        for wrong in (state, state.record, state.view().record, None, 7, "view", game):
            refused(lambda wrong=wrong, game=game: game.sample_worlds(wrong, 1, 1), "state.view(seat)")
    refused(lambda: GAME.sample_worlds(OTHER.new_state(seed=1).view(), 1, 1), GAME.name)


def test_values_there_are_not_have_no_worth():
    for game in (GAME, MATCH, OTHER):
        states = game.new_states(np.arange(3))
        least, most = game.solver.bounds(game)
        for wrong in (1e12, -1e12, np.nan, np.inf, -np.inf, most + 0.5, least - 0.5, 2**63):
            call = partial(game.open_worth, states, [0, wrong, 0])
            unchanged(game, states, call, "row 1", game.solver.unit)
        for wrong in ([1], [[1] * 3], "abc", [None] * 3, [1j] * 3, [True] * 3, np.ma.array([1.0] * 3)):
            unchanged(game, states, partial(game.open_worth, states, wrong), "values")
        assert np.isfinite(game.open_worth(states, [least, most, 0])).all()
        for kind in ("f4", "f8", ">f8", "i1", "u8"):
            assert (
                game.open_worth(states, np.array([1, 2, 0], kind)).tolist()
                == game.open_worth(states, [1, 2, 0]).tolist()
            )


def test_masked_arrays_and_other_arrays_like_arrays():
    game = GAME
    states = game.new_states(np.arange(4, dtype=np.uint64))
    actions = game.greedy_actions(states)
    masked = np.ma.array(actions, mask=[True, False, False, False])
    unchanged(game, states, lambda: game.step(states, masked), "actions", "masked")
    unchanged(game, states, lambda: game.step(np.ma.array(states), actions), "states", "masked")
    unchanged(game, states, lambda: game.sample_actions(states, np.ma.array(actions)), "out", "masked")
    plain, record = states.copy(), states.copy().view(np.recarray)
    out = np.empty(4, np.int32)
    game.step(plain, actions)
    game.step(record, actions)
    assert plain.tobytes() == record.tobytes()
    assert game.sample_actions(record, out) is out
    assert out.tolist() == game.sample_actions(plain).tolist()
