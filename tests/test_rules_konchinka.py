"""Konchinka rule by rule (RULES.md, K1 to K17), each on packs laid by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import card_envs
from card_envs.cards import SUITS, Pack, split
from card_envs.konchinka.moves import make_moves

RANKS = "A23456789TJQK"
PACK = Pack(SUITS, RANKS)
GAME = card_envs.make_game("konchinka")
DEALER, ELDEST = 0, 1  # seat 0 deals in all packs of this page
TAME = "Kc Qd 9h 8s"  # a table that none of the small cards below captures from by itself


def game_of(**rules):
    return card_envs.make_game("konchinka", **rules)


def pack(hands, table=TAME, later="", last=""):
    """A pack that deals these first hands (eldest first), this table, then ``later``, and ``last`` at the end."""
    hands, table, later, last = [split(hand) for hand in hands], split(table), split(later), split(last)
    dealt = [card for four in zip(*hands, strict=True) for card in four] + table + later
    assert len(set(dealt + last)) == len(dealt + last), "a card twice"
    rest = [card for card in PACK.names if card not in {*dealt, *last}]
    return dealt + rest + last


def start(hands, table=TAME, later="", last="", scores=None, seed=0, **rules):
    """A deal of seat 0 with these hands, the eldest's (seat 1) first."""
    game = game_of(num_players=len(hands), match=scores is not None, **rules)
    return game.new_state(deck=pack(hands, table, later, last), dealer=DEALER, seed=seed, scores=scores)


def legal(state):
    return {state.game.action_name(action) for action in state.legal_actions()}


def of_card(state, card):
    return {name for name in legal(state) if name.startswith(card)}


def play(state, moves):
    for name in moves.split():
        state.play(name)
    return state


def pile(state, seat):
    return set(PACK.set_names(int(state.record["pile"][0, seat])))


def play_out(state, choose=lambda state: int(state.legal_actions()[0])):
    """Play to the end of the deal; the positions met."""
    deal = state.record["deal"][0]
    while not state.is_over and state.record["deal"][0] == deal:
        state.play(choose(state))
    return state


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


# K11 to K13: counting


def counted(piles, last_capturer=0, table="", undealt="", scores=None, **rules):
    """Points of a deal that ends with these cards in the piles; the last card played is trailed.

    Set up in the record itself: what is counted is all that matters here.
    """
    game = game_of(num_players=len(piles), match=scores is not None, **rules)
    row = game.new_state(seed=2, dealer=DEALER, scores=scores).record
    piles = [split(cards) for cards in piles]
    lying, rest = split(table), split(undealt)
    used = {card for cards in piles for card in cards} | set(lying) | set(rest)
    row["hand"] = 0
    (last,) = [card for card in PACK.names if card not in used]  # the last card to be played, by the dealer
    row["hand"][0, DEALER] = 1 << PACK.card(last)
    for seat, cards in enumerate(piles):
        row["pile"][0, seat] = sum(1 << PACK.card(card) for card in cards)
    row["table"] = sum(1 << PACK.card(card) for card in lying)
    row["deck"][0, 52 - len(rest) :] = [PACK.card(card) for card in rest]
    row["dealt"] = 52 - len(rest)
    row["in_hands"], row["to_play"], row["last_capturer"] = 1, DEALER, last_capturer
    row["plays"] = game.max_plays - 1
    state = game.state(row, 0)
    assert legal(state) == {last}, "the last card is to be trailed"
    state.play(last)
    return state


def cards_of(suits, ranks=RANKS, but=""):
    return " ".join(rank + suit for suit in suits for rank in ranks if rank + suit not in split(but))


def test_k11_k13_the_2_of_clubs_and_the_10_of_diamonds_count_one_each():
    # 25 cards and six clubs each for the first two, the rest for the third: only the konchinki score.
    first = cards_of("c", "A23456") + " " + cards_of("d", but="Td") + " Ts " + cards_of("h", "A23456")
    second = cards_of("c", "789TJQ") + " " + cards_of("s", but="Ts") + " Td " + cards_of("h", "789TJQ")
    state = counted([first, second, "Kc"], 2)
    assert state.points().tolist() == [1, 1, 0]
    state = counted([first.replace("2c", "Kc"), second, "2c"], 2)
    assert state.points().tolist() == [0, 1, 1]


@pytest.mark.parametrize("players", [2, 3, 5])
def test_k12_k13_random_deals_count_as_the_rules_say(players):
    game = game_of(num_players=players)
    seen = Counter()
    for seed in range(150):
        state = game.new_state(seed=seed)
        last = -1
        while not state.is_over:
            table = set(state.table)
            seat = state.to_play
            action = int(game.sample_actions(state.record)[0])
            name = game.action_name(action)
            before = [pile(state, s) for s in range(players)]
            state.play(action)
            if "x" in name:
                last = seat
            if state.is_over:
                mine = before[seat]
                final = table if "x" not in name else set()
                assert pile(state, last) >= final | (mine if last == seat else set())
        assert last == state.record["last_capturer"][0]
        piles = [pile(state, s) for s in range(players)]
        assert sum(map(len, piles)) == 52
        sizes, clubs = [len(p) for p in piles], [sum(c[1] == "c" for c in p) for p in piles]
        wanted = [
            (2 if sizes.count(max(sizes)) == 1 and sizes[s] == max(sizes) else 0)
            + (1 if clubs.count(max(clubs)) == 1 and clubs[s] == max(clubs) else 0)
            + len(piles[s] & {"2c", "Td"})
            for s in range(players)
        ]
        assert state.points().tolist() == wanted
        assert sum(wanted) <= 5
        seen[sum(wanted)] += 1
    assert len(seen) > 1


def test_k13_most_cards_two_most_clubs_one():
    state = counted([cards_of("ch", but="Kh") + " 2s", cards_of("ds", but="2s")], 0)
    assert state.points().tolist() == [2 + 1 + 1, 1]
    assert state.returns().tolist() == [3, -3]
    assert state.returns("win").tolist() == [1, -1]


def test_k13_level_at_the_top_scores_nobody():
    # 26 cards each (the king of hearts falls to seat 0), clubs 6 and 6 with one to the third seat.
    first = cards_of("c", "A23456") + " " + cards_of("d", "A23456789TJQK") + " " + cards_of("h", "A23456")
    second = cards_of("c", "789TJQ") + " " + cards_of("s") + " " + cards_of("h", "789TJQ")
    third = "Kc"
    assert len(split(first)) == len(split(second)) == 25
    state = counted([first, second, third], 2)
    assert [len(pile(state, seat)) for seat in range(3)] == [25, 25, 2]
    assert state.points().tolist() == [2, 0, 0]  # the konchinki alone
    assert state.returns().tolist() == [2, -1, -1]


def test_k12_cards_left_on_the_table_and_undealt_go_to_the_last_to_capture():
    first, second = cards_of("c"), cards_of("d", but="Td")
    rest = cards_of("s", but="Ks Qs As") + " " + cards_of("h", but="9h 2h 3h 4h 5h Ah")
    state = counted([first, second, rest, "2h 3h 4h", "5h"], 1, table="Qs Ks", undealt="Td As Ah")
    assert pile(state, 1) == {*split(second), "Qs", "Ks", "Td", "As", "Ah", "9h"}
    assert not state.table
    assert state.points().tolist()[1] == 1 + 2 * (len(pile(state, 1)) > len(pile(state, 2)))


def test_a_deal_always_has_a_capture_and_five_points_at_most():
    for players in (2, 6, 12):
        game = game_of(num_players=players)
        states = game.new_states(np.arange(500, dtype=np.uint64))
        for _ in range(game.max_plays):
            game.step(states, game.sample_actions(states), auto_reset=False)
        assert game.is_over(states).all()
        assert (states["last_capturer"] >= 0).all()
        assert game.points(states).sum(axis=1).max() <= 5


# K14 to K16: the match


ALL_FOUR = (cards_of("ch", but="Kh") + " 2s", cards_of("ds", but="2s"))  # 4 points and 1


@pytest.mark.parametrize(
    ("scores", "over", "after"),
    [
        ([0, 0], False, [4, 1]),
        ([11, 0], True, [15, 1]),
        ([10, 14], True, [14, 15]),
    ],
)
def test_k14_totals_run_and_the_first_to_reach_15_wins(scores, over, after):
    state = counted(list(ALL_FOUR), scores=scores)
    assert state.scores().tolist() == after
    assert state.is_over is over
    assert state.points().tolist() == [4, 1]


def test_k14_level_at_the_top_they_play_on():
    state = counted(list(ALL_FOUR), scores=[12, 15], target=16)
    assert state.scores().tolist() == [16, 16]
    assert not state.is_over
    assert state.dealer == ELDEST
    assert not state.settlement().any()
    assert state.game.match_goes_on([16, 16])
    # From level at the top the next count may decide it, and K15 no longer applies.
    later = counted(list(ALL_FOUR), scores=[16, 16], target=16)
    assert later.scores().tolist() == [20, 17]
    assert later.is_over


def test_k14_the_highest_total_wins_not_the_first_seat_past_15():
    state = counted(list(ALL_FOUR), scores=[11, 13])
    assert state.scores().tolist() == [15, 14]
    assert state.is_over
    state = counted(list(ALL_FOUR), scores=[12, 14])
    assert state.scores().tolist() == [16, 15]
    assert state.returns("win").tolist() == [1, -1]


def near_the_end(scores, hand, table, own="", other="", **rules):
    """A match in the middle of a deal: the dealer's turn, with a card in hand and cards in the piles already."""
    game = game_of(match=True, num_players=len(scores), **rules)
    row = game.new_state(seed=2, dealer=DEALER, scores=scores).record
    row["hand"] = 0
    hand, table = split(hand), split(table)
    names = set(hand) | set(table) | set(split(own)) | set(split(other))
    fill = [card for card in PACK.names if card not in names and card[1] == "h"][:4]
    row["hand"][0, DEALER] = sum(1 << PACK.card(card) for card in hand)
    row["hand"][0, ELDEST] = sum(1 << PACK.card(card) for card in fill[: len(hand)])
    row["in_hands"] = len(hand) + len(fill[: len(hand)])
    row["table"] = sum(1 << PACK.card(card) for card in table)
    row["pile"][0, DEALER] = sum(1 << PACK.card(card) for card in split(own))
    row["pile"][0, ELDEST] = sum(1 << PACK.card(card) for card in split(other))
    row["to_play"], row["last_capturer"] = DEALER, ELDEST
    return game.state(row, 0)


def test_k15_a_konchinka_ends_the_match_for_one_who_needs_one_point():
    state = near_the_end([14, 9], "2d 5s", "2c Kd", other="9c 9d")
    play(state, "2dx2")
    assert state.is_over
    assert state.to_play == -1
    assert state.scores().tolist() == [15, 9]
    assert state.points().tolist() == [1, 0]


def test_k15_both_konchinki_end_it_for_one_who_needs_two():
    one = near_the_end([13, 9], "2d 5s", "2c Kd")
    assert not play(one, "2dx2").is_over
    both = near_the_end([13, 9], "2d 5s", "2c Kd", own="Td Tc")
    assert play(both, "2dx2").is_over
    assert both.scores().tolist() == [15, 9]


def test_k15_seven_clubs_count_one():
    six = near_the_end([14, 9], "9d 5s", "9c Kd", own="Ac 3c 4c 5c 6c")
    assert not play(six, "9dx9").is_over
    seven = near_the_end([14, 9], "9d 5s", "9c Kd", own="Ac 3c 4c 5c 6c 7c")
    assert play(seven, "9dx9").is_over
    assert seven.points().tolist() == [1, 0]
    with_one = near_the_end([13, 9], "9d 5s", "9c Kd", own="2c 3c 4c 5c 6c 7c")
    assert play(with_one, "9dx9").is_over
    assert with_one.points().tolist() == [2, 0]


def test_k15_not_for_one_who_needs_three():
    state = near_the_end([12, 9], "9d 5s", "9c Kd", own="2c 3c 4c 5c 6c 7c Td Ts")
    assert not play(state, "9dx9").is_over


def test_k15_only_the_captors_own_total_counts():
    state = near_the_end([9, 14], "9d 5s", "9c Kd", own="2c", other="Td Tc")
    assert not play(state, "9dx9").is_over  # seat 1 holds its point already but has not captured now


def test_k15_only_konchinki_and_seven_clubs_of_the_deal_count_for_everyone_alike():
    state = near_the_end([14, 9, 3], "2d 5s", "2c Kd", own="Ah As Ad 3d 4d 5d 6d 7d 8d", other="Td Tc")
    play(state, "2dx2")
    assert state.is_over
    assert state.points().tolist() == [1, 1, 0]
    assert state.scores().tolist() == [15, 10, 3]
    assert state.returns().tolist() == pytest.approx([0.5, 0.5, -1])


def test_k15_not_while_anyone_stands_at_the_target():
    state = near_the_end([14, 15, 15], "2d 5s", "2c Kd")
    assert not play(state, "2dx2").is_over


def test_k15_is_checked_at_the_last_capture_before_k12_and_k13():
    game = game_of(match=True)
    row = game.new_state(seed=2, dealer=DEALER, scores=[14, 14]).record
    row["hand"] = 0
    row["hand"][0, DEALER] = 1 << PACK.card("2d")
    rest = [card for card in PACK.names if card not in ("2d", "2c", "Kd")]
    row["pile"][0, ELDEST] = sum(1 << PACK.card(card) for card in rest)
    row["table"] = 1 << PACK.card("2c") | 1 << PACK.card("Kd")
    row["dealt"], row["in_hands"], row["to_play"], row["plays"] = 52, 1, DEALER, 47
    state = game.state(row, 0)
    state.play("2dx2")
    assert state.is_over
    # By K13 seat 1 would have won 18 to 15. Its konchinka and its clubs count, its many cards do not.
    assert state.points().tolist() == [1, 2]
    assert state.table == ["Kd"]


def test_k15_not_in_a_single_deal_and_not_by_a_trail():
    game = game_of()
    for target in (15, 1):
        state = start(["2c 8d 3d 4d", "Td 5h 6d 7d"], "Kc Qd Ts 2s", target=target)
        play(state, "2cx2 TdxT")
        assert not state.is_over
    state = near_the_end([14, 9], "5s 2d", "2c Kd", own="Td Tc")
    assert not play(state, "5s").is_over
    assert game.max_return == 5


def test_k16_settlement_by_points():
    state = counted(list(ALL_FOUR), scores=[11, 9], chip=3)
    assert state.scores().tolist() == [15, 10]
    assert state.settlement().tolist() == [15, -15]  # five points short, three chips each
    assert state.returns("settlement").tolist() == [15, -15]


def test_k16_each_loser_pays_the_winner_and_never_less_than_nothing():
    deal = [ALL_FOUR[0], *(cards_of("ds", but="2s 3s"), "3s")]
    state = counted(list(deal), scores=[14, 15, 15])
    assert state.scores().tolist() == [18, 16, 15]
    assert state.is_over
    assert state.settlement().tolist() == [0, 0, 0]
    state = counted(list(deal), scores=[11, 9, 3])
    assert state.settlement().tolist() == [17, -5, -12]


def test_k16_settlement_by_stakes():
    deal = [ALL_FOUR[0], *(cards_of("ds", but="2s 3s"), "3s")]
    state = counted(list(deal), scores=[11, 9, 3], settlement="stakes")
    assert state.settlement().tolist() == [100, -50, -50]
    state = counted(list(deal), scores=[11, 9, 3], settlement="stakes", stake=7)
    assert state.settlement().tolist() == [14, -7, -7]
    going_on = counted(list(deal), scores=[0, 0, 0], settlement="stakes")
    assert going_on.settlement().tolist() == [0, 0, 0]


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
    row = state.record
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
