"""Bad input gets a ``ValueError`` with a sentence that names the value and the choices, and changes nothing."""

from __future__ import annotations

import re

import numpy as np
import pytest

import card_envs
from card_envs import IllegalAction
from tests.variants import every, scattered

ELFERN = card_envs.make_game("elfern")
MATCH = card_envs.make_game("elfern", match=True)
KONCHINKA = card_envs.make_game("konchinka", num_players=3)


def refused(call, *words, error=ValueError):
    """The call raises, with a sentence that has these words."""
    with pytest.raises(error) as caught:
        call()
    sentence = str(caught.value)
    assert re.match(r"\S+ .+", sentence), sentence
    assert sentence.rstrip().endswith((".", "!")) or ":" in sentence, sentence
    for word in words:
        assert str(word) in sentence, (word, sentence)


def unchanged(game, states, call, *words, error=ValueError):
    """The same, and the states keep every byte."""
    content = states.tobytes()
    refused(call, *words, error=error)
    assert states.tobytes() == content


# Games and rules


def test_an_unknown_game_is_refused():
    refused(lambda: card_envs.make_game("whist"), "whist", "elfern", "konchinka")
    refused(lambda: card_envs.make_game(None), "None", "elfern")
    refused(lambda: card_envs.make_game(""), "elfern")
    refused(lambda: card_envs.make_game(["elfern"]), "elfern")


@pytest.mark.parametrize("name", ["elfern", "konchinka"])
def test_an_unknown_rule_is_refused_with_those_there_are(name):
    refused(lambda: card_envs.make_game(name, trumps="h"), "trumps", "match", "target")


@pytest.mark.parametrize(
    ("name", "field", "value", "words"),
    [
        ("elfern", "follow_suit", "sometimes", ("sometimes", "stock", "endgame", "always", "never")),
        ("elfern", "follow_suit", None, ("None", "stock")),
        ("elfern", "follow_suit", True, ("True", "stock")),
        ("elfern", "match", 1, ("1", "True", "False")),
        ("elfern", "match", "yes", ("yes", "True", "False")),
        ("elfern", "match", None, ("None", "True")),
        ("elfern", "target", 0, ("0", "1", "100")),
        ("elfern", "target", -3, ("-3",)),
        ("elfern", "target", 10**30, ("1000", "100")),
        ("elfern", "target", 20.0, ("20.0", "whole number")),
        ("elfern", "target", True, ("True", "whole number")),
        ("elfern", "target", "20", ("'20'", "whole number")),
        ("elfern", "target", None, ("None", "whole number")),
        ("elfern", "suits", 0, ("0", "1", "4")),
        ("elfern", "suits", 5, ("5", "4")),
        ("elfern", "suits", True, ("True",)),
        ("elfern", "ranks", 1, ("1", "2", "8")),
        ("elfern", "ranks", 9, ("9", "8")),
        ("elfern", "honours", 0, ("0", "1", "8")),
        ("elfern", "honours", 9, ("9", "8")),
        ("elfern", "honours", 2.5, ("2.5",)),
        ("elfern", "hand_size", 0, ("0", "1")),
        ("elfern", "hand_size", 17, ("17",)),
        ("elfern", "hand_size", [6], ("[6]",)),
        ("konchinka", "num_players", 1, ("1", "2", "12")),
        ("konchinka", "num_players", 13, ("13", "12")),
        ("konchinka", "num_players", 2.0, ("2.0",)),
        ("konchinka", "num_players", True, ("True",)),
        ("konchinka", "figures", 1, ("1", "True", "False")),
        ("konchinka", "figures", "no", ("no", "True")),
        ("konchinka", "figure_sums", (11, 12, 14), ("figures=True", "(11, 12, 14)")),
        ("konchinka", "obligation", "table", ("table", "card", "hand")),
        ("konchinka", "match", 0, ("0", "True")),
        ("konchinka", "target", 0, ("0",)),
        ("konchinka", "settlement", "money", ("money", "points", "stakes")),
        ("konchinka", "chip", 0, ("0",)),
        ("konchinka", "chip", 1.5, ("1.5",)),
        ("konchinka", "stake", -50, ("-50",)),
        ("konchinka", "stake", False, ("False",)),
    ],
)
def test_a_rule_out_of_range_or_of_the_wrong_type_is_refused(name, field, value, words):
    refused(lambda: card_envs.make_game(name, **{field: value}), field, *words)


@pytest.mark.parametrize("value", [np.int64(2), np.uint8(2), 2])
def test_numbers_of_numpy_are_numbers(value):
    assert card_envs.make_game("elfern", suits=value) is card_envs.make_game("elfern", suits=2)
    assert card_envs.make_game("elfern", match=np.True_) is MATCH


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"suits": 1, "ranks": 7, "hand_size": 1}, ("suits=1", "ranks=7", "7", "even")),
        ({"suits": 3, "ranks": 5, "hand_size": 1}, ("15", "even")),
        ({"suits": 1, "ranks": 8}, ("hand_size=6", "12", "8", "at most 4")),
        ({"suits": 2, "ranks": 2, "hand_size": 3}, ("hand_size=3", "6", "4", "at most 2")),
    ],
)
def test_a_size_that_cannot_be_dealt_is_refused_with_the_reason(rules, words):
    refused(lambda: card_envs.make_game("elfern", **rules), *words)


def test_rules_cannot_be_changed_afterwards():
    with pytest.raises(AttributeError):
        ELFERN.rules.target = 3
    with pytest.raises(ValueError, match="read-only"):
        ELFERN.constants["target"] = 3


# Packs and new states


def test_a_pack_with_a_card_missing_or_repeated_or_foreign_is_refused():
    for game in (ELFERN, KONCHINKA):
        deck = game.pack_of(3)
        refused(lambda deck=deck, game=game: game.new_state(deck=deck[1:]), "lacks", deck[0])
        refused(lambda deck=deck, game=game: game.new_state(deck=[*deck, deck[0]]), "repeats", deck[0])
        twice = [deck[1], *deck[1:]]
        refused(lambda deck=twice, game=game: game.new_state(deck=deck), "repeats", deck[1], "lacks", deck[0])
        refused(lambda game=game: game.new_state(deck=""), "lacks")
        refused(lambda game=game: game.new_state(deck="nonsense"), "nonsense")
        refused(lambda deck=deck, game=game: game.new_state(deck=["Zz", *deck[1:]]), "Zz")
        refused(lambda deck=deck, game=game: game.new_state(deck=[7, *deck[1:]]), "7")
        refused(lambda game=game: game.new_state(deck=7), "7")
    refused(lambda: ELFERN.new_state(deck=["2c", *ELFERN.pack_of(0)[1:]]), "2c", "A K Q J T 9 8 7"[-1])


def test_a_void_deal_given_by_hand_is_refused():
    game = card_envs.make_game("konchinka", num_players=12)
    deck = [card for card in game.pack.names if card != "Jc"] + ["Jc"]
    refused(lambda: game.new_state(deck=deck, dealer=0), "void", "K4")


def test_impossible_starts_are_refused():
    refused(lambda: ELFERN.new_state(dealer=2), "dealer", "2", "0", "1")
    refused(lambda: ELFERN.new_state(dealer=-1), "dealer", "-1")
    refused(lambda: ELFERN.new_state(dealer=True), "dealer", "True")
    refused(lambda: ELFERN.new_state(dealer="0"), "dealer", "'0'")
    refused(lambda: ELFERN.new_state(seed=1.0), "seed", "1.0")
    refused(lambda: ELFERN.new_state(seed="7"), "seed", "'7'")
    refused(lambda: ELFERN.new_state(seed=True), "seed", "True")
    refused(lambda: ELFERN.new_state(seed=1, deal=-1), "deal", "-1")
    refused(lambda: ELFERN.new_state(seed=1, deal=0.5), "deal", "0.5")
    refused(lambda: ELFERN.new_state(seed=1, deal=0.0), "deal", "0.0")
    refused(lambda: ELFERN.new_state(seed=1, deal=None), "deal", "None")
    refused(lambda: MATCH.new_state(doubled="yes"), "doubled", "yes")
    refused(lambda: ELFERN.new_state(scores=[1, 2]), "match=True")
    refused(lambda: ELFERN.new_state(doubled=True), "doubled")
    refused(lambda: card_envs.make_game("konchinka", match=True).new_state(doubled=True), "doubled")
    refused(lambda: MATCH.new_state(scores=[1, 2, 3]), "[1, 2, 3]", "2")
    refused(lambda: MATCH.new_state(scores=[1]), "[1]")
    refused(lambda: MATCH.new_state(scores=[20, 3]), "20", "over")
    refused(lambda: MATCH.new_state(scores=[-1, 3]), "-1")
    refused(lambda: MATCH.new_state(scores=[1.5, 3]), "1.5")
    refused(lambda: MATCH.new_state(scores=5), "5")
    match = card_envs.make_game("konchinka", match=True)
    refused(lambda: match.new_state(scores=[15, 3]), "15", "over")
    assert match.new_state(scores=[15, 15]).scores().tolist() == [15, 15]


def test_packs_there_are_not_are_refused():
    for deal in (-1, 1.5, 2**64, None, True):
        refused(lambda deal=deal: ELFERN.pack_of(0, deal), "deal", deal)
    for seed in ("a", 1.5, None):
        refused(lambda seed=seed: ELFERN.pack_of(seed), "seed", seed)
    assert ELFERN.pack_of(-1) == ELFERN.pack_of(2**64 - 1)


def test_actions_there_are_not_have_no_name():
    for game in (ELFERN, KONCHINKA):
        for action in (-1, game.num_actions, 10**30, 1.5, None, "Kh", True):
            refused(lambda game=game, action=action: game.action_name(action), "action", action, game.num_actions - 1)
        for name in (5, None, b"Kh", ["Kh"]):
            refused(lambda game=game, name=name: game.action_id(name), name)
        assert game.action_name(np.int32(3)) == game.action_name(3)


def test_seeds_of_a_batch_are_whole_numbers_in_a_row():
    for wrong in (np.array([1.0]), np.array([True]), np.zeros((2, 2), np.uint64), "abc", 7, [1.5], [None]):
        refused(lambda wrong=wrong: ELFERN.new_states(wrong), "seed")
    assert len(ELFERN.new_states(np.zeros(0, np.uint64))) == 0
    assert ELFERN.new_states([3, 4]).tobytes() == ELFERN.new_states(np.array([3, 4], np.uint8)).tobytes()
    assert ELFERN.new_states([-1]).tobytes() == ELFERN.new_states([2**64 - 1]).tobytes()


# One table


@every()
def test_an_illegal_move_is_refused_with_the_legal_ones(game):
    state = game.new_state(seed=6)
    content = state.record.tobytes()
    mask = state.action_mask()
    wrong = int(np.flatnonzero(mask == 0)[0])
    legal = [game.action_name(int(action)) for action in np.flatnonzero(mask)]
    for action in (wrong, game.action_name(wrong), np.int64(wrong)):
        refused(lambda action=action: state.play(action), game.action_name(wrong), f"Seat {state.to_play}", *legal,
                error=IllegalAction)  # fmt: skip
    for action in (-1, game.num_actions, 10**6, 2**31, 2**63, -(2**70), 10**30):
        refused(lambda action=action: state.play(action), action, *legal, error=IllegalAction)
    for action in (1.0, None, [1], np.array([1, 2]), b"Kh", {}, True, False, object()):
        refused(lambda action=action: state.play(action), str(game.num_actions - 1))
    for name in ("", "Zz", "K", "Kh Kd", "♥K", "Khx"):
        refused(lambda name=name: state.play(name), repr(name))
    assert state.record.tobytes() == content


@every()
def test_a_finished_table_refuses_to_go_on(game):
    states = game.new_states(np.arange(40, dtype=np.uint64))
    for _ in range(300 * game.max_plays):
        game.step(states, game.sample_actions(states), auto_reset=False)
        if game.is_over(states).any():
            break
    over = np.flatnonzero(game.is_over(states))
    assert len(over)
    state = game.state(states, int(over[0]))
    content = state.record.tobytes()
    for action in (0, game.action_name(0), -1):
        refused(lambda action=action: state.play(action), "over", error=IllegalAction)
    assert state.record.tobytes() == content
    assert len(state.legal_actions()) == 0
    finished = states[over].copy()
    zeros = np.zeros(len(finished), np.int32)
    unchanged(game, finished, lambda: game.step(finished, zeros), "over", "rows [0", error=IllegalAction)
    unchanged(game, finished, lambda: game.step(finished, zeros - 1), "over", error=IllegalAction)
    unchanged(game, finished, lambda: game.step(finished, zeros, auto_reset=False), "over", error=IllegalAction)
    game.step(finished, zeros - 1, auto_reset=False)


@every()
def test_a_wrong_seat_is_refused_with_the_seats_there_are(game):
    state = game.new_state(seed=6)
    states = game.new_states(np.arange(4, dtype=np.uint64))
    last = game.num_players - 1
    for seat in (game.num_players, -1, 10**6):
        for verb in (state.observation, state.action_mask, state.hand, state.view, state.text, state.legal_actions):
            refused(lambda verb=verb, seat=seat: verb(seat), seat, last)
        for verb in (game.observations, game.masks, game.views, game.history):
            unchanged(game, states, lambda verb=verb, seat=seat: verb(states, np.array([0, 0, 0, seat])), seat, last)
    for seats in (1.0, "0", True, np.zeros(3, np.int64), np.zeros((4, 1), np.int64), np.zeros(4), [None] * 4):
        for verb in (game.observations, game.masks, game.views, game.history):
            refused(lambda verb=verb, seats=seats: verb(states, seats), "seats")


# Many tables


def test_states_of_another_game_or_variant_are_refused():
    others = [
        card_envs.make_game("elfern", follow_suit="never"),
        MATCH,
        card_envs.make_game("elfern", suits=2, ranks=6, hand_size=3),
        KONCHINKA,
        card_envs.make_game("konchinka", num_players=4),
    ]
    for other in others:
        states = other.new_states(np.arange(3, dtype=np.uint64))
        for call in verbs(ELFERN, states).values():
            unchanged(ELFERN, states, call)
    three, four = KONCHINKA, others[-1]
    states = four.new_states(np.arange(3, dtype=np.uint64))
    for call in verbs(three, states).values():
        unchanged(three, states, call, "num_players=3")


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


@pytest.mark.parametrize("game", [ELFERN, KONCHINKA], ids=["elfern", "konchinka"])
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


@pytest.mark.parametrize("game", [ELFERN, KONCHINKA], ids=["elfern", "konchinka"])
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


@pytest.mark.parametrize("game", [ELFERN, KONCHINKA], ids=["elfern", "konchinka"])
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


@pytest.mark.parametrize("game", [ELFERN, KONCHINKA], ids=["elfern", "konchinka"])
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
    states = ELFERN.new_states(np.arange(4, dtype=np.uint64))
    for where in (
        np.ones(4, int),
        np.ones(3, bool),
        np.ones((4, 1), bool),
        [0, 1, 1, 0],
        True,
        "all",
        np.array([0, 2]),
    ):
        unchanged(ELFERN, states, lambda where=where: ELFERN.reset(states, where), "bool", "(4,)")
    ELFERN.reset(states, [True, False, True, False])
    assert states["deal"].tolist() == [1, 0, 1, 0]


def test_unknown_rewards_are_refused():
    state = ELFERN.new_state(seed=1)
    for call in (lambda: state.returns("money"), lambda: ELFERN.returns(state.record, "money")):
        refused(call, "money", "points", "win", "share", "settlement")
    refused(lambda: state.returns(None), "None", "points")


def test_rows_there_are_not_are_refused():
    states = ELFERN.new_states(np.arange(4, dtype=np.uint64))
    for row in (4, -5, 10**6):
        refused(lambda row=row: ELFERN.state(states, row), row, "-4", "3")
    refused(lambda: ELFERN.state(states, 1.0), "1.0")
    refused(lambda: ELFERN.state(states[:0], 0), "0")
    assert ELFERN.state(states, -1) == ELFERN.state(states, 3)


def test_no_states_at_all_are_fine():
    for game in (ELFERN, KONCHINKA):
        states = game.new_states(np.zeros(0, np.uint64))
        rewards, over = game.step(states, np.zeros(0, np.int32))
        assert rewards.shape == (0, game.num_players)
        assert over.shape == (0,)
        assert game.observations(states).shape == (0, game.observation_size)
        assert game.masks(states).shape == (0, game.num_actions)
        assert game.history(states).shape == (0, game.max_plays)


def test_what_is_handed_out_is_the_callers_own():
    """Changing what a verb returned changes no table."""
    for game in (ELFERN, KONCHINKA):
        states = game.new_states(np.arange(5, dtype=np.uint64))
        content = states.tobytes()
        for name, call in verbs(game, states).items():
            if name not in WRITING and name != "state":
                result = call()
                assert not np.shares_memory(result, states), name
                if result.dtype.names is None:
                    result[...] = 1
        state = game.state(states, 0)
        state.record["seed"] = 1
        state.hand(0).clear()
        state.table.clear()
        state.history.clear()
        state.legal_actions()[...] = 0
        assert states.tobytes() == content
        assert state == game.state(states, 0)
