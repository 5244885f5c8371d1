"""The rules of Konchinka one by one: K7 to K10, capturing, and K17, figures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import card_envs
from card_envs.cards import split
from card_envs.konchinka.moves import make_moves
from tests.konchinka_deals import (
    DEALER,
    ELDEST,
    GAME,
    PACK,
    RANKS,
    TAME,
    game_of,
    legal,
    of_card,
    pack,
    pile,
    play,
    start,
)

# K7 to K10: capturing


def test_k7_a_card_captures_one_of_its_own_rank():
    for rank in "A23456789TQK":
        table = " ".join([f"{rank}c", *(f"{other}d" for other in "KQT98" if other != rank)][:4])
        others = " ".join(f"{other}h" for other in "A234567" if other != rank)[:8]
        state = start([f"{rank}s {others}", "Js Jh Jd Jc"], table)
        assert f"{rank}sx{rank}" in legal(state)
        play(state, f"{rank}sx{rank}")
        assert pile(state, ELDEST) == {f"{rank}s", f"{rank}c"}
        assert f"{rank}c" not in state.table


def test_k7_or_several_that_add_up_to_its_points():
    state = start(["8c Tc 3d 2d", "Js Jh Jd Jc"], "Ac 2c 5c 7c")
    assert of_card(state, "8c") == {"8cxA7", "8cxA25"}
    assert of_card(state, "Tc") == {"TcxA27"}
    assert of_card(state, "3d") == {"3dxA2"}
    assert of_card(state, "2d") == {"2dx2"}
    play(state, "8cxA25")
    assert pile(state, ELDEST) == {"8c", "Ac", "2c", "5c"}
    assert state.table == ["7c"]


def test_k7_equal_card_or_sum_the_player_chooses():
    state = start(["8c 9c 3d 2d", "Js Jh Jd Jc"], "8h 2c 6c 7c")
    assert of_card(state, "8c") == {"8cx8", "8cx26"}
    assert of_card(state, "9c") == {"9cx27"}
    assert pile(play(state, "8cx26"), ELDEST) == {"8c", "2c", "6c"}


def test_k7_jacks_queens_and_kings_have_no_points():
    state = start(["Kc Qc Td 4c", "Js Jh Jd Jc"], "Kh 2c 9c Ac")
    assert of_card(state, "Kc") == {"KcxK"}
    assert of_card(state, "Qc") == {"Qc"}
    assert of_card(state, "Td") == {"TdxA9"}
    state = start(["Kc Qc Td 4c", "Js Jh Jd Ad"], "Qh 2c 9c Ac")
    assert of_card(state, "Kc") == {"Kc"}  # 12 + 1, without figures
    assert of_card(state, "Qc") == {"QcxQ"}


def test_k7_k8_every_table_of_ranks_gives_each_card_all_its_captures_and_no_other():
    """All 8192 sets of ranks, by brute force."""
    moves = make_moves(GAME.rules)
    names = [RANKS[rank] + name for rank, name in zip(moves.rank, moves.names, strict=True)]
    for table in range(0, 8192, 7):
        lying = [RANKS[rank] for rank in range(13) if table >> rank & 1]
        for rank, letter in enumerate(RANKS):
            bits = int(moves.options[table, rank])
            last = int(moves.first[rank + 1]) if rank < 12 else len(moves)
            found = {
                names[move] for move in range(int(moves.first[rank]), last) if bits >> move - int(moves.first[rank]) & 1
            }
            assert not bits >> last - int(moves.first[rank])
            if letter == "J":
                wanted = {"Jx*"} if lying else {"J"}
            else:
                wanted = {f"{letter}x{letter}"} if letter in lying else set()
                if letter not in "QK":
                    numbers = [other for other in lying if other not in "JQK"]
                    for size in range(2, 5):
                        for chosen in combinations(numbers, size):
                            if sum(RANKS.index(one) + 1 for one in chosen) == rank + 1:
                                wanted.add(f"{letter}x{''.join(chosen)}")
                wanted = wanted or {letter}
            assert found == wanted


def test_k8_a_card_that_captures_cannot_be_trailed_but_another_card_can_be():
    state = start(["9c 2d 3d 4d", "Js Jh Jd Jc"])
    assert of_card(state, "9c") == {"9cx9"}
    with pytest.raises(card_envs.IllegalAction):
        state.play("9c")
    play(state, "2d")
    assert "2d" in state.table
    assert not pile(state, ELDEST)


def test_k8_obligation_hand_a_player_who_can_capture_must():
    state = start(["9c 8d 3d 4d", "Js Jh 5d 6d"], obligation="hand")
    assert legal(state) == {"9cx9", "8dx8"}
    play(state, "9cx9")
    assert legal(state) == {"Jsx*", "Jhx*"}
    state = start(["Ac 2d 3d 4d", "5s 5h 6d 7d"], "Kc Qd Th 9s", obligation="hand")
    assert {name[:2] for name in legal(state)} == {"Ac", "2d", "3d", "4d"}  # nothing to take with: any card
    assert all(len(name) == 2 for name in legal(state))


def test_k8_the_table_never_holds_two_cards_of_a_rank():
    for rules in ({}, {"figures": True}, {"obligation": "hand"}, {"num_players": 7}):
        game = game_of(**rules)
        states = game.new_states(np.arange(300, dtype=np.uint64))
        for _ in range(game.max_plays):
            for table in states["table"].tolist():
                ranks = [card % 13 for card in PACK.members(table)]
                assert len(ranks) == len(set(ranks))
            game.step(states, game.sample_actions(states), auto_reset=False)


def test_k8_one_play_makes_one_capture_and_the_next_turn_another():
    state = start(["8c 8d 3d 4d", "5s 5h 6d 7d"], "8h 2c 6c Kc")
    assert of_card(state, "8c") == {"8cx8", "8cx26"}  # never both at once
    play(state, "8cx8 5s")
    assert "8dx26" in legal(state)
    play(state, "8dx26")
    assert pile(state, ELDEST) == {"8c", "8h", "8d", "2c", "6c"}


def test_k9_a_jack_takes_all_the_cards_on_the_table():
    state = start(["Jc 8d 3d 4d", "5s 5h 6d 7d"])
    assert of_card(state, "Jc") == {"Jcx*"}
    play(state, "Jcx*")
    assert pile(state, ELDEST) == {"Jc", *split(TAME)}
    assert not state.table


def test_k9_on_an_empty_table_a_jack_is_trailed_and_only_a_jack_takes_it():
    state = start(["Jc Td 3d 4d", "Js 5h 6d Ad"])
    play(state, "Jcx*")
    assert of_card(state, "Js") == {"Js"}
    play(state, "Js")
    assert state.table == ["Js"]
    assert legal(state) == {"Td", "3d", "4d"}
    play(state, "Td 6d 4d")
    assert sorted(state.table) == ["4d", "6d", "Js", "Td"]
    again = start(["Jc Jd 3d 4d", "Js 5h 6d Ad"])
    play(again, "Jcx* Js Jdx*")
    assert {"Jc", "Jd", "Js"} <= pile(again, ELDEST)


def test_k10_captured_cards_and_their_captor_go_to_the_pile():
    state = start(["Ac 8d 3d 4d", "Kd 5h 6d 7d"], "Kc Qd 9h 5s")
    play(state, "Ac KdxK")
    assert pile(state, DEALER) == {"Kd", "Kc"}
    assert not pile(state, ELDEST)
    assert sorted(state.table) == ["5s", "9h", "Ac", "Qd"]


# K17: figures


def test_k17_figures_capture_and_are_captured_in_sums():
    state = start(["Kc Qc Jc 4c", "Js Jh Ad Ac"], "Th 2h 9h Ah", figures=True)
    assert of_card(state, "Kc") == {"KcxA2T"}
    assert of_card(state, "Qc") == {"Qcx2T", "QcxA29"}
    assert of_card(state, "Jc") == {"Jcx29", "JcxAT"}
    assert of_card(state, "4c") == {"4c"}
    state = start(["Kc Qc Td 4c", "Js 3h Ad Ac"], "Qh Kh 9h Ah", figures=True)
    assert of_card(state, "Kc") == {"KcxK", "KcxAQ"}


def test_k17_the_jack_loses_its_privilege():
    state = start(["Jc Qc Td 4c", "Js 3h Ad Ac"], "Qh Kh 9h 8h", figures=True)
    assert of_card(state, "Jc") == {"Jc"}
    play(state, "Jc")
    assert of_card(state, "Js") == {"JsxJ"}


def test_k17_jacks_are_still_replaced_in_the_first_table():
    game = game_of(figures=True)
    deck = pack(["Ac 2c 3c 4c", "Ad 2d 3d 4d"], "Jc Kc Qc 9c")
    assert "Jc" not in game.new_state(deck=deck, dealer=0).table


@pytest.mark.parametrize(
    ("sums", "king", "queen", "jack"),
    [
        ((11, 12, 13), {"KcxAQ", "Kcx2J"}, {"QcxQ", "QcxAJ"}, {"JcxJ"}),
        ((11, 12, 14), {"Kcx2Q", "KcxA2J"}, {"QcxQ", "QcxAJ"}, {"JcxJ"}),
        ((12, 13, 14), {"Kcx2Q", "KcxA2J"}, {"QcxQ", "QcxAQ", "Qcx2J"}, {"JcxJ", "JcxAJ"}),
        ((14, 14, 14), {"Kcx2Q", "KcxA2J"}, {"QcxQ", "Qcx2Q", "QcxA2J"}, {"JcxJ", "Jcx2Q", "JcxA2J"}),
    ],
)
def test_k17_the_field_figure_sums(sums, king, queen, jack):
    state = start(["Kc Qc Jc 4c", "Js 3h 5d 6d"], "Qh 2h Ah 9s", later="", figures=True, figure_sums=sums)
    row = state.record.copy()
    row["table"] = sum(1 << PACK.card(card) for card in ("Qh", "2h", "Ah", "Jh"))
    state = state.game.state(row, 0)
    assert of_card(state, "Kc") == king
    assert of_card(state, "Qc") == queen
    assert of_card(state, "Jc") == jack


def test_k17_figure_sums_are_refused_without_figures():
    with pytest.raises(ValueError, match="figures=True"):
        game_of(figure_sums=(11, 12, 14))
    assert game_of(figure_sums=(11, 12, 13)).rules == GAME.rules
    for wrong in ((10, 12, 13), (11, 12, 15), (11, 12), (11, 12, 13, 14), "abc", 14, (11, 12, True)):
        with pytest.raises(ValueError, match="figure_sums"):
            game_of(figures=True, figure_sums=wrong)
