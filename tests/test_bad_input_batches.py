"""Bad input to the verbs over many tables: a sentence, and nothing has changed."""

from __future__ import annotations

import numpy as np

from card_envs import IllegalAction
from tests.refusals import GAME, OTHER, refused, unchanged
from tests.variants import ANY, SEVERAL, VARIANTS, every, scattered

SOME = [ANY, SEVERAL]

# Many tables


def test_states_of_another_game_or_variant_are_refused():
    others = [variant.make() for variant in VARIANTS if variant.make() != GAME]
    for other in others:
        states = other.new_states(np.arange(3, dtype=np.uint64))
        for call in verbs(GAME, states).values():
            unchanged(GAME, states, call)
    same_game = [game for game in others if game.name == OTHER.name and game != OTHER]
    for other in same_game:
        states = other.new_states(np.arange(3, dtype=np.uint64))
        for call in verbs(OTHER, states).values():
            unchanged(OTHER, states, call, f"num_players={OTHER.num_players}")


def verbs(game, states):
    """Every verb that takes states, by name."""
    zeros = np.zeros(np.size(states), np.int32)
    return {
        "sample_actions": lambda: game.sample_actions(states),
        "greedy_actions": lambda: game.greedy_actions(states),
        "step": lambda: game.step(states, zeros),
        "reset": lambda: game.reset(states),
        "draws": lambda: game.draws(states),
        "observations": lambda: game.observations(states),
        "masks": lambda: game.masks(states),
        "to_play": lambda: game.to_play(states),
        "is_over": lambda: game.is_over(states),
        "points": lambda: game.points(states),
        "returns": lambda: game.returns(states),
        "scores": lambda: game.scores(states),
        "settlement": lambda: game.settlement(states),
        "views": lambda: game.views(states),
        "history": lambda: game.history(states),
        "state": lambda: game.state(states, 0),
    }


WRITING = ("sample_actions", "step", "reset", "draws")


@every(SOME)
def test_what_are_no_states_is_refused_by_every_verb(game):
    good = game.new_states(np.arange(6, dtype=np.uint64))
    wrong = {
        "two dimensions": good.reshape(2, 3),
        "no dimension": good[0:1].reshape(()),
        "bytes": good.view(f"V{good.dtype.itemsize}"),
        "numbers": np.zeros(6),
        "a list": list(good),
        "other fields": good[["seed", "deal"]],
    }
    for states in wrong.values():
        for call in verbs(game, states).values():
            refused(call, "states")
    for call in verbs(game, [None]).values():
        refused(call, "states")
    one = good[0]  # a record, not an array
    refused(lambda: game.masks(one), "states")


@every(SOME)
def test_strided_and_read_only_states_are_read_but_not_written(game):
    whole = game.new_states(np.arange(12, dtype=np.uint64))
    strided = whole[::2]
    frozen = whole[:6].copy()
    frozen.flags.writeable = False
    backwards = whole[::-1]
    for states in (strided, frozen, backwards):
        plain = np.ascontiguousarray(states).copy()
        content = whole.tobytes()
        for name in verbs(game, states):
            call, like = verbs(game, states)[name], verbs(game, plain.copy())[name]
            if name in WRITING:
                unchanged(game, states, call, "states", "copy")
            elif name == "state":
                assert call() == like()
            else:
                assert np.asarray(call()).tobytes() == np.asarray(like()).tobytes()
        assert whole.tobytes() == content


@every(SOME)
def test_actions_of_the_wrong_shape_or_type_are_refused(game):
    states = game.new_states(np.arange(4, dtype=np.uint64))
    good = game.sample_actions(states.copy())
    wrong = [
        good.astype(float),
        good.astype(np.float32),
        np.ones(4, bool),
        good.astype(str),
        good.astype(object),
        good.astype(complex),
        good[:3],
        np.append(good, 0),
        good.reshape(2, 2),
        good.reshape(4, 1),
        good[0],
        int(good[0]),
        None,
        [None] * 4,
        "Kh",
        good.astype("timedelta64[s]"),
    ]
    for actions in wrong:
        unchanged(game, states, lambda actions=actions: game.step(states, actions), "actions")
    for big in (np.array([2**40] * 4), np.array([2**64 - 1] * 4, np.uint64), np.array([2**32] * 4, np.uint64),
                np.array([-(2**63)] * 4)):  # fmt: skip
        unchanged(game, states, lambda big=big: game.step(states, big), big[0])
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint16, np.uint64, ">i4"):
        if good.max() <= np.iinfo(kind).max:
            copy = states.copy()
            game.step(copy, good.astype(kind))
            assert copy.tobytes() != states.tobytes()
    copy = states.copy()
    game.step(copy, good.tolist())
    strided = np.repeat(good, 2)[::2]
    again = states.copy()
    game.step(again, strided)
    frozen = good.copy()
    frozen.flags.writeable = False
    third = states.copy()
    game.step(third, frozen)
    assert copy.tobytes() == again.tobytes() == third.tobytes()


@every()
def test_one_bad_action_names_its_row_and_changes_nothing(game):
    states = scattered(game, 50)
    actions = game.sample_actions(states)
    masks = game.masks(states)
    bad = actions.copy()
    for row in (17, 41):
        bad[row] = int(np.flatnonzero(masks[row] == 0)[0])
    observations = np.full((50, game.observation_size), 5, np.uint8)
    filled = np.full((50, game.num_actions), 6, np.uint8)
    call = lambda: game.step(states, bad, True, observations, filled)  # noqa: E731
    name = game.action_name(int(bad[17]))
    unchanged(game, states, call, "2 of 50", "[17, 41]", name, f"Seat {states['to_play'][17]}", error=IllegalAction)
    assert (observations == 5).all()
    assert (filled == 6).all()
    for value in (-1, -5, game.num_actions, 2**31 - 1):
        bad = actions.copy()
        bad[3] = value
        unchanged(game, states, lambda bad=bad: game.step(states, bad), "[3]", value, error=IllegalAction)
        unchanged(game, states, lambda bad=bad: game.step(states, bad, auto_reset=False), "[3]", error=IllegalAction)
    game.step(states, actions)


@every(SOME)
def test_output_arrays_of_the_wrong_type_shape_or_order_are_refused(game):
    states = game.new_states(np.arange(4, dtype=np.uint64))
    actions = game.sample_actions(states.copy())

    def wrong(width):
        good = np.empty((4, width), np.uint8)
        frozen = good.copy()
        frozen.flags.writeable = False
        return [
            good.astype(np.int8),
            good.astype(bool),
            good.astype(np.float32),
            good[:3],
            np.empty((4, width + 1), np.uint8),
            np.empty((5, width), np.uint8),
            np.empty(4 * width, np.uint8),
            np.empty((4, 0), np.uint8),
            np.empty((0, 0), np.uint8),
            np.empty((0, width), np.uint8),
            np.empty((4, width), np.uint8, order="F"),
            np.empty((8, width), np.uint8)[::2],
            np.empty((4, 2 * width), np.uint8)[:, ::2],
            frozen,
            good.tolist(),
            "out",
        ]

    for out in wrong(game.observation_size):
        unchanged(game, states, lambda out=out: game.observations(states, out=out), "out", "uint8")
        unchanged(game, states, lambda out=out: game.step(states, actions, True, out), "observations", "uint8")
    for out in wrong(game.num_actions):
        unchanged(game, states, lambda out=out: game.masks(states, out=out), "out", "uint8")
        unchanged(game, states, lambda out=out: game.step(states, actions, masks=out), "masks", "uint8")
    for out in (np.empty(4, np.int64), np.empty(3, np.int32), np.empty((4, 1), np.int32), np.empty(8, np.int32)[::2]):
        unchanged(game, states, lambda out=out: game.sample_actions(states, out=out), "out", "int32")
        unchanged(game, states, lambda out=out: game.greedy_actions(states, out=out), "out", "int32")


def test_rows_to_reset_are_marked_by_bools():
    states = GAME.new_states(np.arange(4, dtype=np.uint64))
    for where in (
        np.ones(4, int),
        np.ones(3, bool),
        np.ones((4, 1), bool),
        [0, 1, 1, 0],
        True,
        "all",
        np.array([0, 2]),
    ):
        unchanged(GAME, states, lambda where=where: GAME.reset(states, where), "bool", "(4,)")
    GAME.reset(states, [True, False, True, False])
    assert states["deal"].tolist() == [1, 0, 1, 0]


@every()
def test_rows_are_numbers_of_rows_there_are(game):
    states = game.new_states(np.arange(8, dtype=np.uint64))
    actions = game.greedy_actions(states)
    verbs = {
        "draws": lambda rows: game.draws(states, rows),
        "forfeit": lambda rows: game.forfeit(states, rows),
        "check_actions": lambda rows: game.check_actions(states, actions[:1], rows),
    }
    for call in verbs.values():
        for row in (8, 9, 10**9, -1, -8, -9, -(10**9)):
            for rows in ([row], [0, row], np.array([row, 3]), np.array([row, 2], object)[:1].astype(np.int64)):
                unchanged(game, states, lambda call=call, rows=rows: call(rows), f"no row {row}", "8")
        for rows in (2**63, 2**64 - 1):
            unchanged(game, states, lambda call=call, rows=rows: call(np.array([rows], np.uint64)), rows)
        for rows in (np.ones(8, bool), np.zeros(0, bool), [True] * 8, [1.0], np.zeros((2, 2), int), 3, "all", [None],
                     np.ma.array([1], mask=[True]), [[1], [1, 2]], {1: 2}, np.array([1], "m8[s]")):  # fmt: skip
            unchanged(game, states, lambda call=call, rows=rows: call(rows), "rows")
    unchanged(game, states, lambda: game.forfeit(states, [1, 1]), "row 1", "twice")
    unchanged(game, states, lambda: game.forfeit(states, [5, 0, 3, 5]), "row 5", "twice")


@every()
def test_no_rows_are_none_and_none_given_are_all(game):
    states = game.new_states(np.arange(8, dtype=np.uint64))
    content = states.tobytes()
    for none in ([], (), np.zeros(0, np.int64), np.zeros(0, np.uint8), np.zeros(0)):
        assert game.draws(states, none).shape == (0,)
        game.forfeit(states, none)
        game.check_actions(states, np.zeros(0, np.int32), none)
        assert states.tobytes() == content
    both = states.copy(), states.copy()
    assert game.draws(both[0]).tolist() == game.draws(both[1], np.arange(8)).tolist()
    assert both[0].tobytes() == both[1].tobytes() != content
    for kind in ("i1", "u1", "i4", "i8", "u8", ">i4"):
        again = states.copy()
        assert game.draws(again, np.arange(8).astype(kind)).tolist() == game.draws(states.copy()).tolist()
    game.forfeit(both[0], None)
    assert game.is_over(both[0]).all()
    bad = np.full(8, -1)
    refused(lambda: game.check_actions(states, bad, None), "8 of 8", error=IllegalAction)
    refused(lambda: game.check_actions(states, bad[:2], [6, 2]), "rows [6, 2]", error=IllegalAction)


def test_unknown_rewards_are_refused():
    state = GAME.new_state(seed=1)
    for call in (lambda: state.returns("money"), lambda: GAME.returns(state.record, "money")):
        refused(call, "money", "points", "win", "share", "settlement")
    refused(lambda: state.returns(None), "None", "points")


def test_rows_there_are_not_are_refused():
    states = GAME.new_states(np.arange(4, dtype=np.uint64))
    for row in (4, -5, 10**6):
        refused(lambda row=row: GAME.state(states, row), row, "-4", "3")
    refused(lambda: GAME.state(states, 1.0), "1.0")
    refused(lambda: GAME.state(states[:0], 0), "0")
    assert GAME.state(states, -1) == GAME.state(states, 3)


def test_no_states_at_all_are_fine():
    for game in (GAME, OTHER):
        states = game.new_states(np.zeros(0, np.uint64))
        rewards, over = game.step(states, np.zeros(0, np.int32))
        assert rewards.shape == (0, game.num_players)
        assert over.shape == (0,)
        assert game.observations(states).shape == (0, game.observation_size)
        assert game.masks(states).shape == (0, game.num_actions)
        assert game.history(states).shape == (0, game.max_plays)


def test_what_is_handed_out_is_the_callers_own():
    """Changing what a verb returned changes no table."""
    for game in (GAME, OTHER):
        states = game.new_states(np.arange(5, dtype=np.uint64))
        content = states.tobytes()
        for name, call in verbs(game, states).items():
            if name not in WRITING and name != "state":
                result = call()
                assert not np.shares_memory(result, states), name
                if result.dtype.names is None:
                    result[...] = 1
        state = game.state(states, 0)
        assert not state.record.flags.writeable
        state.hand(0).clear()
        state.table.clear()
        state.history.clear()
        state.legal_actions()[...] = 0
        assert states.tobytes() == content
        assert state == game.state(states, 0)
