"""What Elfern and Konchinka tell of a position in words of their own."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs

# Elfern


def test_elfern_tells_lead_tricks_honours_and_limits():
    game = card_envs.make_game("elfern")
    deck = ["Ah", "Kh", "7c", "8c", "9c", "Tc", "Jc", "Qc", "Kc", "Ac", "7d", "8d"]
    state = game.new_state(deck=deck + [name for name in game.pack.names if name not in deck], dealer=0)
    state.play("Ah")
    told = state.public()
    assert (told["lead"], told["table"], told["must_follow"], told["stock_size"]) == ("Ah", ["Ah"], True, 20)
    assert told["hand_sizes"] == [6, 5]
    assert told["suit_limits"][0] == {"c": 6, "d": 6, "h": 6, "s": 6}
    assert told["legal"] == ["Kh"]
    state.play("Kh")
    told = state.public()
    assert (told["lead"], told["won"], told["honours"], told["to_play"]) == (None, [[], ["Kh", "Ah"]], [0, 2], 1)
    assert (told["hand_sizes"], told["stock_size"], told["doubled"]) == ([6, 6], 18, False)


def test_elfern_tells_voids_when_they_show():
    game = card_envs.make_game("elfern", suits=2, ranks=4, hand_size=2)
    # Seat 1 leads a heart where seat 0 has clubs alone.
    state = game.new_state(deck="Ad Kc Kd Qc Qd Jd Ac Jc", dealer=0)
    state.play("Ad")
    assert state.public(1)["suit_limits"][0] == {"c": 2, "d": 2}
    state.play("Qc")
    assert state.public(1)["suit_limits"] == [{"c": 2, "d": 1}, {"c": 2, "d": 2}]  # void, but for the card drawn since
    match = card_envs.make_game("elfern", match=True).new_state(seed=1, doubled=True)
    assert match.public()["doubled"] is True
    assert card_envs.make_game("elfern", follow_suit="endgame").new_state(seed=1).public()["must_follow"] is False


# Konchinka


def test_konchinka_tells_captures_clubs_and_konchinki():
    game = card_envs.make_game("konchinka")
    top = ["2c", "Td", "3c", "3d", "4c", "4d", "5c", "5d", "2d", "Th", "7h", "8h"]
    state = game.new_state(deck=top + [name for name in game.pack.names if name not in top], dealer=0)
    told = state.public()
    assert (told["pack_size"], told["dealt_later"], told["last_capturer"]) == (40, 20, None)
    assert told["captured"] == [[], []]
    state.play("2cx2")
    state.play("TdxT")
    told = state.public()
    assert told["captured"] == [["Td", "Th"], ["2c", "2d"]]
    assert (told["clubs"], told["konchinki"], told["last_capturer"]) == ([0, 1], [1, 1], 0)
    assert (told["table"], told["hand_sizes"], told["denied"]) == (["7h", "8h"], [3, 3], [[], []])


def test_konchinka_tells_ranks_that_a_seat_has_denied():
    game = card_envs.make_game("konchinka", obligation="hand")
    top = ["2c", "9d", "3c", "3d", "4c", "4d", "6c", "6d", "2d", "Th", "Kh", "Qh"]
    state = game.new_state(deck=top + [name for name in game.pack.names if name not in top], dealer=0)
    state.play("2cx2")
    state.play("9d")
    assert set("TQKJ") <= set(state.public()["denied"][0])
    assert state.public()["denied"][1] == []


@pytest.mark.parametrize("players", [4, 9, 10, 11])
def test_konchinka_tells_where_cards_lie_that_were_put_back_openly(players):
    """K4: in the pack, then in the hand of the seat that it was dealt to, until it is played; K5: those that are left
    over belong to nobody."""
    game = card_envs.make_game("konchinka", num_players=players)
    states = game.new_states(np.arange(300, dtype=np.uint64))
    checked = 0
    for i in np.flatnonzero(states["open"])[:5].tolist():
        state = game.state(states, i)
        pack = [game.pack.name(card) for card in state.record["deck"][0]]
        while not state.is_over:
            dealt = int(state.record["dealt"][0])
            for seat in range(players):
                public = state.public(seat)
                for found in public["put_back"]:
                    card, place, owner = found["card"], found["place"], found["seat"]
                    assert place is None or pack[dealt + place - 1] == card
                    assert (place is None) == (owner is not None and card in state.hand(owner))
                    assert (owner is None) == (place is not None and place > players * public["dealt_later"])
                    checked += 1
            gone = {name[:2] for _, name in state.history} - set(state.table)
            assert not gone & {found["card"] for found in state.public()["put_back"]}
            state.play(state.sample_action())
    assert checked > 200
