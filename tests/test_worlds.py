"""Worlds drawn from a view: full states that look so from that seat, and that the plays made lead to."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs.batches import copy
from tests.test_compiled import ROOT, run
from tests.variants import MANY, every, positions, scattered

TABLES = 45


def stages(game):
    """Positions at all stages of random deals, in a match also of later deals."""
    states = scattered(game, TABLES)
    later = scattered(game, TABLES, seed=1000)
    for _ in range(game.max_plays + 3):
        game.step(later, game.sample_actions(later))
    states = np.concatenate([states, later])
    return [(game.state(states, i), i % game.num_players) for i in range(len(states))]


@every(MANY)
def test_each_world_looks_as_the_view_does(game):
    for number, (state, seat) in enumerate(stages(game)):
        view = state.view(seat)
        worlds = game.sample_worlds(view, 4, number)
        assert (worlds["viewer"] == -1).all()
        assert game.views(worlds, np.full(4, seat)).tobytes() == 4 * view.record.tobytes()
        if state.to_play == seat:
            assert game.masks(worlds).tobytes() == 4 * game.masks(state.record).tobytes()


@every(MANY)
def test_the_plays_made_lead_to_each_world(game):
    """A position is read by dealing its pack and playing its plays, each of them legal."""
    for number, (state, seat) in enumerate(stages(game)[::4]):
        worlds = game.sample_worlds(state.view(seat), 2, number)
        for i in range(2):
            world = game.state(worlds, i)
            assert game.state_from_text(game.state_to_text(world)) == world
            assert world.history == state.history


@pytest.mark.parametrize("rules", [{"game": "elfern"}, {"game": "konchinka", "num_players": 4, "obligation": "hand"}])
def test_a_world_is_the_deal_of_its_pack(rules):
    game = card_envs.make_game(rules["game"], **{name: each for name, each in rules.items() if name != "game"})
    compared = 0
    for number, (state, seat) in enumerate(stages(game)[::3]):
        world = game.sample_worlds(state.view(seat), 1, number)
        deck = [game.pack.name(card) for card in world["deck"][0][: game.pack.size]]
        again = game.new_state(deck=deck, dealer=state.dealer)
        for _, name in state.history:
            again.play(name)
        record = again.record.copy()
        for field in ("seed", "choice", "deal", *game.carried):
            record[field] = world[field]
        assert record.tobytes() == world.tobytes()
        compared += 1
    assert compared > 20


@every(MANY)
def test_worlds_play_on(game):
    for number, (state, seat) in enumerate(stages(game)[::9]):
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
    for state, seat in stages(game)[::15]:
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
    for state, seat in stages(game)[::15]:
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


def test_what_worlds_cannot_be_drawn_from_gets_a_sentence():
    game, other = card_envs.make_game("elfern"), card_envs.make_game("konchinka")
    state = game.new_state(seed=1)
    for wrong in (
        state,
        other.new_state(seed=1).view(0),
        card_envs.make_game("elfern", match=True).new_state().view(0),
    ):
        with pytest.raises(ValueError, match="sample_worlds draws from a view"):
            game.sample_worlds(wrong, 1, 1)
    for count in (-1, 1.5, "many", 10**9):
        with pytest.raises(ValueError, match="n="):
            game.sample_worlds(state.view(), count, 1)
    with pytest.raises(ValueError, match="seed"):
        game.sample_worlds(state.view(), 1, "a seed")


@pytest.mark.parametrize("rules", [{}, {"follow_suit": "never"}], ids=["stock", "never"])
def test_once_all_cards_are_known_every_world_has_the_true_hands(rules):
    game = card_envs.make_game("elfern", **rules)
    found = 0
    for states in positions(game, 20, game.max_plays - 1, auto_reset=False):
        for i in np.flatnonzero(states["drawn"] == game.pack.size)[::5]:
            worlds = game.sample_worlds(game.state(copy(states), int(i)).view(), 3, int(i))
            assert (worlds["hand"] == states["hand"][i]).all()
            found += 1
    assert found > 20


DIGEST = """
import hashlib
import card_envs
from tests.walks import walk

for name, rules in (("elfern", {"hand_size": 3}), ("konchinka", {"num_players": 4, "obligation": "hand"})):
    game = card_envs.make_game(name, **rules)
    worlds = [game.sample_worlds(walk(game, k, 4 * k).view(k % 2), 2, k).tobytes() for k in range(10)]
    print(hashlib.sha256(b"".join(worlds)).hexdigest())
"""


@pytest.mark.slow
def test_without_the_compiler_the_same_worlds_are_drawn():
    compiled, _ = run(DIGEST, ROOT)
    plain, _ = run(DIGEST, ROOT, NUMBA_DISABLE_JIT="1")
    assert plain == compiled
    assert len(set(plain.split())) == 2
