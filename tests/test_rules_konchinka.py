"""The rules of Konchinka one by one: K1 to K6, the deal, and the facts that docs/rules.md states."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.cards import SUITS, split
from tests.konchinka_deals import DEALER, GAME, PACK, RANKS, game_of, legal, pile, play_out, start

# K1 to K6: the deal


def test_k1_52_cards_and_2_to_12_players():
    assert sorted(GAME.pack.names) == sorted(rank + suit for rank in RANKS for suit in SUITS)
    for players in range(2, 13):
        assert game_of(num_players=players).num_players == players
    for players in (0, 1, 13):
        with pytest.raises(ValueError, match=f"num_players={players} .* 2 to 12"):
            game_of(num_players=players)


def test_k2_the_first_dealer_is_drawn_by_lot_and_the_deal_passes_to_the_left():
    for players in (2, 3, 5, 12):
        game = game_of(num_players=players)
        dealers = game.new_states(np.arange(6000, dtype=np.uint64))["dealer"]
        counts = np.bincount(dealers, minlength=players)
        expected = 6000 / players
        assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()
    game = game_of(num_players=5, match=True)
    state = game.new_state(seed=1)
    dealers = [state.dealer]
    while not play_out(state).is_over and len(dealers) < 12:
        dealers.append(state.dealer)
    assert len(dealers) > 3
    assert dealers == [(dealers[0] + k) % 5 for k in range(len(dealers))]


def test_k2_the_same_dealer_deals_until_the_pack_is_used_up():
    state = start(["Ac 2d 3h 4s", "Ad 2h 3s 5c"])
    play_out(state, lambda s: (s.dealer == DEALER or pytest.fail("another dealer")) and int(s.legal_actions()[0]))
    assert state.is_over
    assert state.dealer == DEALER


def test_k3_four_cards_one_at_a_time_from_the_eldest_hand_then_four_to_the_table():
    for players in (2, 3, 7):
        game = game_of(num_players=players)
        deck = next(
            deck for deck in map(game.pack_of, range(99)) if len({c[0] for c in deck[4 * players :][:4]} - {"J"}) == 4
        )
        for dealer in range(players):
            state = game.new_state(deck=deck, dealer=dealer)
            for place in range(4 * players):
                assert deck[place] in state.hand((dealer + 1 + place) % players)
            assert set(state.table) == set(deck[4 * players : 4 * players + 4])


def dealt(places, rest, players=2):
    """The state and pack after dealing this table; the first hands are filled up."""
    places, rest = split(places), split(rest)
    others = [card for card in PACK.names if card not in {*places, *rest}]
    hands, tail = others[: 4 * players], others[4 * players :]
    game = game_of(num_players=players)
    state = game.new_state(deck=hands + places + rest + tail, dealer=DEALER)
    deck = [PACK.name(card) for card in state.record["deck"][0]]
    return state, deck, rest + tail


def test_k4_a_jack_goes_to_the_exact_middle_and_the_top_card_replaces_it():
    state, deck, before = dealt("Kc Jd 9h 8s", "7c 6d 5h")
    assert set(state.table) == {"Kc", "7c", "9h", "8s"}
    after = deck[12:]
    assert len(after) == 40
    assert after.index("Jd") == 19  # of the 40 before the top card went: 20 above it, 20 below
    assert after == [*before[1:20], "Jd", *before[20:]]
    assert after[20:] == before[20:]


def test_k4_of_two_cards_of_a_rank_the_later_place_is_replaced():
    state, deck, _ = dealt("Kc 9h Kd 8s", "7c 6d 5h")
    assert set(state.table) == {"Kc", "9h", "7c", "8s"}
    assert deck[8:12] == ["Kc", "9h", "7c", "8s"]
    assert deck[12 + 19] == "Kd"


def test_k4_again_and_again_until_the_place_holds():
    state, deck, _ = dealt("Kc Jd 9h 8s", "Jc Kd 9s Kh 7c")
    # place 1: jack, jack, king (as place 0), then 9s holds; place 2 (9h) is now of the rank of place 1
    assert deck[8:12] == ["Kc", "9s", "7c", "8s"]
    assert [place for place, card in enumerate(deck) if card in ("Jd", "Jc", "Kd", "9h", "Kh")] == [27, 28, 29, 30, 31]
    assert deck[27:32] == ["Jd", "Jc", "Kd", "9h", "Kh"]
    known = [place for place in range(52) if int(state.record["open"][0]) >> place & 1]
    assert known == [27, 28, 29, 30, 31]
    assert "J♦" in state.text(0)


def test_k4_the_places_are_looked_at_in_the_order_dealt():
    _, deck, _ = dealt("Jc Jd Jh Js", "2c 3c 4c 5c")
    assert deck[8:12] == ["2c", "3c", "4c", "5c"]
    assert deck[28:32] == ["Jc", "Jd", "Jh", "Js"]


def void_pack(players):
    """A first round whose table can never be replaced: the 52 replacements go round in a circle (6 to 11 players).

    A card put back lies in the middle, so only the upper half of the pack comes up, with the card replaced: all
    of these are jacks or of the rank of a card lying before. With 12 players the pack is empty at once.
    """
    table = ["Kc", "Qc", "9c", "Jc"]
    bad = ["Jd", "Jh", "Js", *(rank + suit for suit in "dhs" for rank in "KQ9")]
    half = (48 - 4 * players) // 2
    assert half <= len(bad)
    top = bad[:half]
    hands = [card for card in PACK.names if card not in {*table, *top}]
    return hands[: 4 * players] + table + top + hands[4 * players :]


@pytest.mark.parametrize("players", range(6, 13))
def test_k4_a_void_pack_given_by_hand_is_refused(players):
    game = game_of(num_players=players)
    deck = void_pack(players)
    assert sorted(deck) == sorted(PACK.names)
    for dealer in (0, players - 1):
        with pytest.raises(ValueError, match="void"):
            game.new_state(deck=deck, dealer=dealer)


@pytest.mark.parametrize("players", range(6, 12))
def test_k4_one_good_card_in_the_upper_half_and_the_deal_holds(players):
    game = game_of(num_players=players)
    deck = void_pack(players)
    last = 4 * players + 4 + (48 - 4 * players) // 2 - 1  # the lowest place of the upper half
    good = next(place for place in range(4 * players) if deck[place][0] not in "KQ9J")
    deck[last], deck[good] = deck[good], deck[last]
    state = game.new_state(deck=deck, dealer=0)
    assert deck[last] in state.table


@pytest.mark.parametrize("players", range(2, 6))
def test_k4_no_deal_is_void_with_few_players(players):
    """There are at most 13 cards that cannot lie in a place, and more than that come up."""
    assert (48 - 4 * players) // 2 + 1 > 4 + 9
    game = game_of(num_players=players)
    table = ["Kc", "Qc", "9c", "Jc"]
    top = ["Jd", "Jh", "Js", *(rank + suit for suit in "dhs" for rank in "KQ9")]
    others = [card for card in PACK.names if card not in {*table, *top}]
    state = game.new_state(deck=others[: 4 * players] + table + top + others[4 * players :], dealer=0)
    assert len(state.table) == 4


def test_k4_with_twelve_players_there_is_nothing_to_replace_with():
    game = game_of(num_players=12)
    table = ["2c", "3c", "4c", "5c"]
    hands = [card for card in PACK.names if card not in table]
    assert sorted(game.new_state(deck=hands + table, dealer=3).table) == table
    for bad in ("Jc", "2d"):
        place = hands.index(bad)
        with pytest.raises(ValueError, match="void"):
            game.new_state(deck=[*hands[:place], "5c", *hands[place + 1 :], "2c", "3c", "4c", bad], dealer=3)


@pytest.mark.parametrize(("players", "share"), [(12, 0.53), (11, 0.06), (10, 0.003)])
def test_k4_a_void_deal_is_dealt_again_by_the_same_dealer_with_the_next_pack(players, share):
    game = game_of(num_players=players)
    seeds = np.arange(20_000, dtype=np.uint64)
    states = game.new_states(seeds)
    again = states["deal"] > 0
    assert abs(again.mean() - share) < 5 * np.sqrt(share / 20_000) + 0.005
    for i in np.flatnonzero(again)[:20].tolist():
        deal = int(states["deal"][i])
        dealer = int(states["dealer"][i])
        for earlier in range(deal):
            with pytest.raises(ValueError, match="void"):
                game.new_state(deck=game.pack_of(i, earlier), dealer=dealer)
        held = game.new_state(deck=game.pack_of(i, deal), dealer=dealer)
        assert held.record["deck"].tobytes() == states["deck"][i].tobytes()
    assert (states["deals"] == 0).all()


DEALS = {2: (48, 0), 3: (48, 0), 4: (48, 0), 5: (45, 3), 6: (48, 0), 7: (42, 6), 8: (48, 0), 9: (45, 3), 10: (40, 8),
         11: (44, 4), 12: (48, 0)}  # fmt: skip


@pytest.mark.parametrize("players", DEALS)
def test_k5_plays_in_a_deal_and_cards_left_undealt(players):
    plays, left = DEALS[players]
    game = game_of(num_players=players)
    assert game.max_plays == plays
    state = game.new_state(seed=3)
    hands = [4] * players
    made = 0
    while not state.is_over:
        assert [len(state.hand(seat)) for seat in range(players)] == hands
        seat = state.to_play
        state.play(int(state.legal_actions()[0]))
        hands[seat] -= 1
        made += 1
        if not any(hands) and not state.is_over:
            hands = [len(state.hand(0))] * players
            assert hands[0] == min(4, (52 - 4 - made) // players)
    assert made == plays
    assert 52 - int(state.record["dealt"][0]) == left


def test_k5_the_same_dealer_gives_four_more_to_each_in_the_same_order_and_none_to_the_table():
    game = game_of(num_players=3)
    deck = game.pack_of(0)
    state = game.new_state(deck=deck, dealer=2)
    order = [PACK.name(card) for card in state.record["deck"][0]]
    for _ in range(12):
        state.play(int(state.legal_actions()[0]))
    assert state.to_play == 0  # K6: the eldest hand
    for place in range(12):
        assert order[16 + place] in state.hand(place % 3)
    assert not set(order[16:28]) & set(state.table)


def test_k5_cards_that_are_not_enough_for_everyone_go_with_the_table_at_the_end():
    state = game_of(num_players=5).new_state(seed=8)
    order = [PACK.name(card) for card in state.record["deck"][0]]
    play_out(state)
    last = int(state.record["last_capturer"][0])
    assert set(order[49:]) <= pile(state, last)
    assert not state.table
    assert sum(len(pile(state, seat)) for seat in range(5)) == 52


@pytest.mark.parametrize("players", [2, 3, 5, 12])
def test_k6_the_eldest_plays_first_in_every_round_and_all_in_turn_one_card_each(players):
    game = game_of(num_players=players)
    for dealer in (0, players - 1):
        state = game.new_state(deck=game.pack_of(7 if players < 12 else 2), dealer=dealer)
        seats = []
        while not state.is_over:
            seats.append(state.to_play)
            before = len(state.hand(state.to_play))
            seat = state.to_play
            state.play(int(state.legal_actions()[0]))
            assert len(state.hand(seat)) == before - 1 or not seats or len(seats) % (4 * players) == 0 or state.is_over
        assert seats == [(dealer + 1 + k) % players for k in range(game.max_plays)]


def test_k6_any_card_of_the_hand_may_be_played():
    state = start(["Ac 2d 3h 9s", "Ad 2h 3s 5c"])
    assert {name[:2] for name in legal(state)} == {"Ac", "2d", "3h", "9s"}


# Facts


@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        ({}, 58),
        ({"figures": True}, 100),
        ({"figures": True, "figure_sums": (11, 12, 14)}, 104),
        ({"figures": True, "figure_sums": (12, 13, 14)}, 110),
        ({"figures": True, "figure_sums": (14, 14, 14)}, 121),
    ],
)
def test_facts_rank_moves_and_actions(rules, moves):
    game = game_of(**rules)
    assert len(game.moves) == moves
    assert game.num_actions == 4 * moves


def test_facts_ways_to_write_a_sum_of_distinct_points():
    ways = [1, 1, 2, 2, 3, 4, 5, 6, 8, 10]
    names = [GAME.action_name(action) for action in range(len(GAME.moves))]
    for rank, count in zip("A23456789T", ways, strict=True):
        assert sum(name.startswith(rank + "c" + "x") for name in names) == count
    figures = {11: 12, 12: 15, 13: 18, 14: 21}
    for worth, count in figures.items():
        game = game_of(figures=True, figure_sums=(worth, worth, worth))
        of_jack = [game.action_name(a) for a in range(len(game.moves)) if game.action_name(a).startswith("Jcx")]
        # Up to 13 one of the ways is a single figure; beside the sums the jack captures the equal card.
        assert len(of_jack) == (count if worth < 14 else count + 1)


def test_action_names_read_as_in_the_contract():
    for name in ("5c", "KhxK", "8cxA25", "Jcx*"):
        assert GAME.action_name(GAME.action_id(name)) == name
    for other in ("8cx52A", "8♣xA25", "8cXa25", "8c×A25"):
        assert GAME.action_id(other) == GAME.action_id("8cxA25")
    assert GAME.action_id("10dx10") == GAME.action_id("TdxT")
    for wrong in ("8cxA26", "5cxx", "KhxQ", "Jcx", "5", "", "Jcx**", "8cxA2255", "5c x", None, "JcxJ"):
        with pytest.raises(ValueError, match="is no action"):
            GAME.action_id(wrong)


def test_a_pack_given_by_hand_is_the_deal_asked_for_even_where_the_seeds_own_is_void():
    game = game_of(num_players=12)
    whole = game.pack_of(2)  # not void
    numbers = set()
    for seed in range(20):
        numbers.add(int(game.new_state(seed=seed).record["deal"][0]))
        assert game.new_state(seed=seed, deck=whole).record["deal"][0] == 0
        assert game.new_state(seed=seed, deck=whole, deal=3).record["deal"][0] == 3
    assert max(numbers) > 0
