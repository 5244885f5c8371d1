"""Bad rules, packs and starts that only Elfern or only Konchinka can have: a sentence each."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from tests.refusals import refused

ELFERN = card_envs.make_game("elfern")
MATCH = card_envs.make_game("elfern", match=True)


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


def test_a_void_deal_given_by_hand_is_refused():
    game = card_envs.make_game("konchinka", num_players=12)
    deck = [card for card in game.pack.names if card != "Jc"] + ["Jc"]
    refused(lambda: game.new_state(deck=deck, dealer=0), "void", "K4")


def test_a_card_of_another_pack_is_refused_with_those_there_are():
    refused(lambda: ELFERN.new_state(deck=["2c", *ELFERN.pack_of(0)[1:]]), "2c", "7")


def test_impossible_starts_are_refused():
    refused(lambda: MATCH.new_state(doubled="yes"), "doubled", "yes")
    refused(lambda: ELFERN.new_state(doubled=True), "doubled")
    match = card_envs.make_game("konchinka", match=True)
    refused(lambda: match.new_state(doubled=True), "doubled")
    refused(lambda: match.new_state(scores=[15, 3]), "15", "over")
    assert match.new_state(scores=[15, 15]).scores().tolist() == [15, 15]
