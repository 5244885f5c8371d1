"""Worlds drawn from a view: full states that look so from that seat, and that the plays made lead to."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.record import BLANK
from tests.fresh_process import ROOT, run
from tests.variants import DEFAULTS, FEW, MANY, PROBES, SINGLE_DEALS, Variant, every, stages, whole
from tests.walks import walk
from tests.worlds import all_packs, deviation


def watched(game):
    """Positions at all stages of random deals, and a seat that looks at each."""
    states = stages(game, 45)
    return [(game.state(states, i), i % game.num_players) for i in range(len(states))]


@every(MANY)
def test_each_world_looks_as_the_view_does(game):
    for number, (state, seat) in enumerate(watched(game)):
        view = state.view(seat)
        worlds = game.sample_worlds(view, 4, number)
        assert (worlds["viewer"] == -1).all()
        assert game.views(worlds, np.full(4, seat)).tobytes() == 4 * view.record.tobytes()
        if state.to_play == seat:
            assert game.masks(worlds).tobytes() == 4 * game.masks(state.record).tobytes()


@every(MANY)
def test_the_plays_made_lead_to_each_world(game):
    """A position is read by dealing its pack and playing its plays, each of them legal."""
    for number, (state, seat) in enumerate(watched(game)[::4]):
        worlds = game.sample_worlds(state.view(seat), 2, number)
        for i in range(2):
            world = game.state(worlds, i)
            assert game.state_from_text(game.state_to_text(world)) == world
            assert world.history == state.history


@every(SINGLE_DEALS)
def test_a_world_is_the_deal_of_its_pack(game):
    for number, (state, seat) in enumerate(watched(game)[::3]):
        world = game.sample_worlds(state.view(seat), 1, number)
        again = game.new_state(deck=whole(world["deck"][0], game), dealer=state.dealer)
        for _, name in state.history:
            again.play(name)
        record = again.record.copy()
        for field in ("seed", "choice", "deal", *game.carried):
            record[field] = world[field]
        assert record.tobytes() == world.tobytes()


@every(MANY)
def test_worlds_play_on(game):
    for number, (state, seat) in enumerate(watched(game)[::9]):
        worlds = game.sample_worlds(state.view(seat), 3, number)
        assert len(np.unique(worlds["choice"])) == 3
        assert len(np.unique(worlds["seed"])) == 3
        if state.is_over:
            continue
        for _ in range(game.max_plays + 5):
            game.step(worlds, game.sample_actions(worlds))
        assert (worlds["deal"] > state.record["deal"]).all()


@every(MANY)
def test_equal_seeds_give_equal_worlds_however_many(game):
    for state, seat in watched(game)[::15]:
        view = state.view(seat)
        ten = game.sample_worlds(view, 10, 3)
        assert game.sample_worlds(view, 10, 3).tobytes() == ten.tobytes()
        assert game.sample_worlds(view, 5, 3).tobytes() == ten[:5].tobytes()
        assert game.sample_worlds(view, 10, 3 + 2**64).tobytes() == ten.tobytes()
        assert game.sample_worlds(view, 10, 4).tobytes() != ten.tobytes()
        dice = [np.random.default_rng(7) for _ in range(2)]
        first, second = (game.sample_worlds(view, 2, each) for each in dice)
        assert first.tobytes() == second.tobytes()
        assert game.sample_worlds(view, 2, dice[0]).tobytes() != first.tobytes()


@every(MANY)
def test_worlds_do_not_depend_on_what_the_seat_cannot_see(game):
    """From the views of two worlds the same worlds are drawn: the view is all there is to go by."""
    for state, seat in watched(game)[::15]:
        view = state.view(seat)
        content = view.record.tobytes()
        drawn = {
            game.sample_worlds(game.state(game.sample_worlds(view, 2, 1), i).view(seat), 3, 5).tobytes() for i in (0, 1)
        }
        assert drawn == {game.sample_worlds(view, 3, 5).tobytes()}
        assert view.record.tobytes() == content


@every(MANY)
def test_none_are_drawn_where_none_are_asked_for(game):
    worlds = game.sample_worlds(game.new_state(seed=1).view(0), 0, 1)
    assert worlds.shape == (0,)
    assert worlds.dtype == game.dtype


@every(DEFAULTS)
def test_what_worlds_cannot_be_drawn_from_gets_a_sentence(game):
    others = [variant.make() for variant in DEFAULTS] + [Variant(game.name, {"match": True}).make()]
    state = game.new_state(seed=1)
    for wrong in (state, *(other.new_state(seed=1).view(0) for other in others if other != game)):
        with pytest.raises(ValueError, match="sample_worlds draws from a view"):
            game.sample_worlds(wrong, 1, 1)
    for count in (-1, 1.5, "many", 10**9):
        with pytest.raises(ValueError, match="n="):
            game.sample_worlds(state.view(), count, 1)
    with pytest.raises(ValueError, match="seed"):
        game.sample_worlds(state.view(), 1, "a seed")


# Uniform


SMALLEST = [Variant(name, probe.smallest) for name, probe in PROBES.items() if probe.smallest is not None]
EACH = 20  # samples for each pack


def few_packs(game, wanted, seed=0):
    """Views from random play, at all stages, with few enough cards hidden to try every pack; the states of these."""
    found = 0
    while found < wanted:
        seed += 1
        state = walk(game, seed, 2 + seed % (game.max_plays - 2))
        view = state.view(seed % game.num_players)
        if state.is_over or (view.record["deck"][0, : game.pack.size] == BLANK).sum() > 7:
            continue
        states = all_packs(game, view)
        if 3 <= len(states) <= 3000:
            found += 1
            yield view, states


def packs(game, states):
    return [deck.tobytes() for deck in states["deck"][:, : game.pack.size]]


@every(SMALLEST)
def test_worlds_are_uniform_over_all_packs_of_the_smallest_size(game):
    for number, (view, states) in enumerate(few_packs(game, 10)):
        worlds = game.sample_worlds(view, max(EACH * len(states), 2000), number)
        assert abs(deviation(packs(game, worlds), packs(game, states))) < 4, view.history


@every(SMALLEST)
def test_worlds_that_prefer_some_packs_would_be_found_out(game):
    """The test above can fail: one pack of three dropped for another."""
    for view, states in few_packs(game, 3):
        wanted = packs(game, states)
        worlds = packs(game, game.sample_worlds(view, max(EACH * len(states), 2000), 5))
        biased = [wanted[0] if world in wanted[1 : 1 + len(wanted) // 3] else world for world in worlds]
        assert abs(deviation(biased, wanted)) > 4


DIGEST = """
import hashlib
from tests.variants import FEW
from tests.walks import walk

for variant in FEW:
    game = variant.make()
    worlds = [game.sample_worlds(walk(game, k, 4 * k).view(k % 2), 2, k).tobytes() for k in range(7)]
    print(hashlib.sha256(b"".join(worlds)).hexdigest())
"""


@pytest.mark.slow
def test_without_the_compiler_the_same_worlds_are_drawn():
    compiled, _ = run(DIGEST, ROOT)
    plain, _ = run(DIGEST, ROOT, NUMBA_DISABLE_JIT="1")
    assert plain == compiled
    assert len(set(plain.split())) == len(FEW)
