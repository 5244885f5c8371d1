"""Elfern rule by rule (docs/rules.md, E1 to E12), each on packs laid by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import card_envs
from card_envs.cards import split

FULL = card_envs.make_game("elfern")
MATCH = card_envs.make_game("elfern", match=True)
ELDER, DEALER = 1, 0  # seat 0 deals in all packs of this page


def pack(elder, dealer, stock="", game=FULL):
    """A pack that deals these hands when seat 0 is the dealer; the stock is filled up in the order of the pack."""
    elder, dealer, stock = split(elder), split(dealer), split(stock)
    dealt = [card for pair in zip(elder, dealer, strict=True) for card in pair]
    rest = [card for card in game.pack.names if card not in {*dealt, *stock}]
    return dealt + stock + rest


def start(elder, dealer, stock="", game=FULL, **more):
    return game.new_state(deck=pack(elder, dealer, stock, game), dealer=DEALER, seed=0, **more)


def legal(state):
    return [state.game.action_name(action) for action in state.legal_actions()]


def play(state, moves):
    for name in split(moves):
        state.play(name)
    return state


def test_e1_two_players_and_32_cards_ace_high_in_four_suits():
    assert FULL.num_players == 2
    assert FULL.pack.size == 32 == FULL.num_actions
    assert sorted(FULL.pack.names) == sorted(rank + suit for rank in "AKQJT987" for suit in "cdhs")
    order = "789TJQKA"
    for led, answer in [(a, b) for a in order for b in order if a != b]:
        others_a = [card for card in FULL.pack.names if card[1] == "d"][:5]
        others_b = [card for card in FULL.pack.names if card[1] == "h"][:5]
        state = start(f"{led}c{''.join(others_a)}", f"{answer}c{''.join(others_b)}")
        play(state, f"{led}c {answer}c")
        assert state.to_play == (DEALER if order.index(answer) > order.index(led) else ELDER)


def test_e1_no_trumps_no_suit_beats_another():
    for led in "cdhs":
        for other in set("cdhs") - {led}:
            rest = [card for card in FULL.pack.names if card[1] == other and card[0] != "A"]
            elder = [f"7{led}", *(f"{r}{led}" for r in "89TJQ")]
            state = start("".join(elder), f"A{other}" + "".join(rest[:5]))
            play(state, f"7{led} A{other}")
            assert state.to_play == ELDER


def test_e2_the_twenty_honours_are_a_k_q_j_10():
    honours = {card for card in FULL.pack.names if int(FULL.constants["honours"][0]) >> FULL.pack.card(card) & 1}
    assert honours == {rank + suit for rank in "AKQJT" for suit in "cdhs"}


def test_e3_the_first_dealer_is_a_fair_coin_and_the_deal_alternates():
    dealers = FULL.new_states(np.arange(20_000, dtype=np.uint64))["dealer"]
    assert abs(dealers.mean() - 0.5) < 4 * 0.5 / np.sqrt(20_000)
    state = MATCH.new_state(seed=5)
    seen = [(0, state.dealer)]
    while not state.is_over:
        state.play(int(state.legal_actions()[0]))
        deal = int(state.record["deal"][0])
        if deal != seen[-1][0]:
            seen.append((deal, state.dealer))
    assert len(seen) > 3
    assert [dealer for _, dealer in seen] == [(seen[0][1] + k) % 2 for k in range(len(seen))]


@pytest.mark.parametrize("dealer", [0, 1])
def test_e4_one_card_at_a_time_opponent_first_and_the_rest_is_the_stock(dealer):
    deck = FULL.pack_of(3)
    state = FULL.new_state(deck=deck, dealer=dealer)
    assert set(state.hand(1 - dealer)) == set(deck[0:12:2])
    assert set(state.hand(dealer)) == set(deck[1:12:2])
    drawn = []
    while len(drawn) < 20:
        hands = [set(state.hand(0)), set(state.hand(1))]
        played = legal(state)[0]
        seat = state.to_play
        state.play(played)
        hands[seat].discard(played)
        winner = state.to_play
        if not state.table:
            for drawer in (winner, 1 - winner):
                (card,) = set(state.hand(drawer)) - hands[drawer]
                drawn.append(card)
    assert drawn == deck[12:]


def test_e5_the_opponent_leads_first_then_the_winner_and_any_card_may_be_led():
    state = start("Ac 7c 8d 9h Ts Js", "Kc Qc Ad Ah As Ks", "7d 8c")
    assert state.to_play == ELDER
    assert sorted(legal(state)) == sorted(state.hand(ELDER))
    play(state, "7c Qc")
    assert state.to_play == DEALER
    assert sorted(legal(state)) == sorted(state.hand(DEALER))
    play(state, "Kc Ac")
    assert state.to_play == ELDER
    assert sorted(legal(state)) == sorted(state.hand(ELDER))


def test_e6_the_second_player_follows_suit_if_able_while_the_stock_lasts():
    state = start("Ac 7c 8d 9h Ts Js", "Kc Qc 9c Ah As Ks")
    play(state, "7c")
    assert sorted(legal(state)) == ["9c", "Kc", "Qc"]
    with pytest.raises(card_envs.IllegalAction):
        state.play("Ah")


def test_e6_with_no_card_of_the_suit_led_any_card_may_be_thrown():
    state = start("Ac 7c 8d 9h Ts Js", "Kc Qc 9c Ah As Ks")
    play(state, "8d")
    assert sorted(legal(state)) == sorted(["Kc", "Qc", "9c", "Ah", "As", "Ks"])


def test_e6_the_higher_card_of_the_suit_led_wins_and_another_suit_never_does():
    assert play(start("Qc 7c 8d 9h Ts Js", "Kc Tc 9c Ah As Ks"), "Qc Kc").to_play == DEALER
    assert play(start("Qc 7c 8d 9h Ts Js", "Kc Tc 9c Ah As Ks"), "Qc Tc").to_play == ELDER
    assert play(start("Qc 7c 8d 9h Ts Js", "Kc Tc 9c Ah As Ks"), "8d Ah").to_play == ELDER


def test_e7_each_draws_one_the_winner_first_and_only_its_drawer_sees_it():
    state = start("Qc 7c 8d 9h Ts Js", "Kc Tc 9c Ah As Ks", "Qd Jd")
    play(state, "Qc Kc")
    assert "Qd" in state.hand(DEALER)
    assert "Jd" in state.hand(ELDER)
    other = start("Qc 7c 8d 9h Ts Js", "Kc Tc 9c Ah As Ks", "Kd Jd")
    play(other, "Qc Kc")
    assert state.view(ELDER) == other.view(ELDER)
    assert state.view(DEALER) != other.view(DEALER)
    assert bytes(state.observation(ELDER)) == bytes(other.observation(ELDER))


def test_e8_no_suit_duty_after_the_stock():
    state = FULL.new_state(seed=4)
    while state.record["drawn"][0] < 32 or state.table:
        state.play(int(state.legal_actions()[0]))
    assert len(state.hand(0)) == len(state.hand(1)) == 6
    for card in legal(state):
        second = state.clone()
        second.play(card)
        assert sorted(legal(second)) == sorted(second.hand(second.to_play))
        for answer in legal(second):
            third = second.clone()
            third.play(answer)
            higher = answer[1] == card[1] and "789TJQKA".index(answer[0]) > "789TJQKA".index(card[0])
            assert third.to_play == (second.to_play if higher else state.to_play)


@pytest.mark.parametrize(
    ("follow_suit", "with_stock", "without"),
    [("stock", True, False), ("endgame", False, True), ("always", True, True), ("never", False, False)],
)
def test_e6_e8_the_field_follow_suit(follow_suit, with_stock, without):
    game = card_envs.make_game("elfern", follow_suit=follow_suit)
    state = start("Ac 7c 8d 9h Ts Js", "Kc Qc 9c Ah As Ks", game=game)
    play(state, "7c")
    assert (len(legal(state)) == 3) is with_stock
    empty = card_envs.make_game("elfern", follow_suit=follow_suit, suits=4, ranks=3, hand_size=6)
    state = start("Ac Kc Ad Kd Ah Kh", "Qc Qd Qh Qs As Ks", game=empty)
    play(state, "Kc")
    assert (legal(state) == ["Qc"]) is without


def test_e8_holds_from_the_first_trick_where_there_is_no_stock():
    game = card_envs.make_game("elfern", ranks=3, hand_size=6)
    state = play(start("Ac Kc Ad Kd Ah Kh", "Qc Qd Qh Qs As Ks", game=game), "Kc")
    assert len(legal(state)) == 6


def fixed_result(honours, match=False, **more):
    """Play a deal, all cards in hand and no duty to follow, in which the elder wins so many honours (10 to 20).

    The elder holds clubs and diamonds but for the sevens, the dealer the other two suits but for theirs. So the
    elder's leads win, onto which the dealer throws honours (doubles) or blanks (singles), until it leads the seven
    of hearts; from then on the dealer's leads win.
    """
    doubles = max(5, honours - 10)
    singles = min(honours - 10, 20 - honours)
    game = card_envs.make_game("elfern", hand_size=16, follow_suit="never", match=match)
    high = {suits: [rank + suit for suit in suits for rank in "AKQJT"] for suits in ("cd", "sh")}
    low = {suits: [rank + suit for suit in suits for rank in "98"] for suits in ("cd", "sh")}
    elder, dealer = [*high["cd"], *low["cd"], "7s", "7h"], [*high["sh"], "7c", "7d", *low["sh"]]
    state = start("".join(elder), "".join(dealer), game=game, **more)
    thrown = high["sh"][:doubles] + ["7c", "7d", *low["sh"]][:singles]
    kept = [card for card in dealer if card not in thrown]
    for lead, answer in zip(elder, thrown, strict=False):
        play(state, lead + answer)
    heart = next(card for card in kept if card[1] == "h")
    play(state, "7h" + heart)
    kept.remove(heart)
    rest = elder[len(thrown) : -1]
    for lead, answer in zip(sorted(kept, key=lambda card: card[1] in "cd"), rest, strict=True):
        play(state, lead + answer)
    return state


@pytest.mark.parametrize(
    ("honours", "points"),
    [(10, 0), (11, 1), (12, 1), (13, 1), (14, 2), (15, 2), (16, 3), (17, 3), (18, 4), (19, 4), (20, 5)],
)
def test_e9_e10_honours_are_counted_and_scored(honours, points):
    state = fixed_result(honours)
    assert state.is_over
    won = [len([c for c in FULL.pack.set_names(cards) if c[0] in "AKQJT"]) for cards in state.record["won"][0]]
    assert won == [20 - honours, honours]
    assert state.points().tolist() == [0, points]
    assert state.returns().tolist() == [-points, points]
    assert state.returns("win").tolist() == ([-1, 1] if points else [0, 0])


@pytest.mark.parametrize("honours", range(10, 21))
def test_e11_the_deal_after_a_draw_counts_double_once(honours):
    once = fixed_result(honours, match=True)
    double = fixed_result(honours, match=True, doubled=True)
    assert double.points().tolist() == [2 * points for points in once.points()]
    assert double.points()[ELDER] in (0, 2, 4, 6, 8, 10)
    for state in (once, double):  # a draw doubles the next deal, a decided deal does not
        assert bool(state.record["doubled"][0]) is (honours == 10)
        assert state.scores().tolist() == state.points().tolist()


def test_e11_two_draws_in_a_row_double_only_once():
    state = fixed_result(10, match=True, doubled=True)
    assert state.points().tolist() == [0, 0]
    assert state.record["doubled"][0] == 1
    again = fixed_result(15, match=True, doubled=True)
    assert again.points().tolist() == [0, 4]


def test_e12_a_match_ends_at_twenty_points_or_more():
    going_on = fixed_result(17, match=True, scores=[19, 16])
    assert not going_on.is_over
    assert going_on.scores().tolist() == [19, 19]
    assert going_on.dealer == ELDER  # E3: the deal has passed on
    over = fixed_result(17, match=True, scores=[19, 17])
    assert over.is_over
    assert over.to_play == -1
    assert over.scores().tolist() == [19, 20]
    assert over.points().tolist() == [0, 3]
    assert over.returns().tolist() == [-3, 3]
    assert over.returns("win").tolist() == [-1, 1]
    more = fixed_result(20, match=True, scores=[19, 19], doubled=True)
    assert more.is_over
    assert more.scores().tolist() == [19, 29]
    assert over.settlement().tolist() == [0, 0]


def test_e12_the_target_is_a_field():
    game = card_envs.make_game("elfern", match=True, target=1)
    state = game.new_state(seed=1)
    while not state.is_over:
        state.play(int(state.legal_actions()[0]))
    assert max(state.scores()) >= 1
    assert min(state.scores()) == 0


def test_sizes_are_taken_from_the_ace_down_in_the_order_c_d_h_s():
    for suits in (1, 2, 3, 4):
        for ranks in range(2, 9):
            if suits * ranks % 2:
                continue
            game = card_envs.make_game("elfern", suits=suits, ranks=ranks, hand_size=1)
            assert set(game.pack.names) == {r + s for r in "AKQJT987"[:ranks] for s in "cdhs"[:suits]}
            assert game.num_actions == suits * ranks
            assert game.rules.honours == min(5, ranks)
            assert game.rules.all_honours == suits * min(5, ranks)


def test_e10_other_sizes_score_one_for_more_honours_and_nothing_for_level():
    game = card_envs.make_game("elfern", suits=2, ranks=6, hand_size=3)
    seen = Counter()
    for seed in range(300):
        state = game.new_state(seed=seed)
        while not state.is_over:
            state.play(state.sample_action() if state.to_play else int(state.legal_actions()[-1]))
        honours = [len([c for c in game.pack.set_names(w) if c[0] != "9"]) for w in state.record["won"][0]]
        assert sum(honours) == 10
        wanted = [int(honours[0] > honours[1]), int(honours[1] > honours[0])]
        assert state.points().tolist() == wanted
        seen[tuple(wanted)] += 1
    assert len(seen) == 3


def test_e10_the_scale_applies_wherever_there_are_twenty_honours():
    game = card_envs.make_game("elfern", suits=4, ranks=5, hand_size=10, follow_suit="never")
    elder = [r + s for s in "cd" for r in "AKQJT"]
    dealer = [r + s for s in "hs" for r in "AKQJT"]
    state = start("".join(elder), "".join(dealer), game=game)
    for lead, answer in zip(elder, dealer, strict=True):
        play(state, lead + answer)
    assert state.points().tolist() == [0, 5]
    smaller = card_envs.make_game("elfern", suits=4, ranks=5, honours=4, hand_size=10, follow_suit="never")
    state = start("".join(elder), "".join(dealer), game=smaller)
    for lead, answer in zip(elder, dealer, strict=True):
        play(state, lead + answer)
    assert state.points().tolist() == [0, 1]


def test_facts_32_plays_16_tricks_ten_rounds_of_drawing_20_honours():
    for seed in range(50):
        state = FULL.new_state(seed=seed)
        plays = drawing = 0
        while not state.is_over:
            before = int(state.record["drawn"][0])
            state.play(state.sample_action())
            plays += 1
            drawing += int(state.record["drawn"][0]) > before
        assert plays == 32 == FULL.max_plays
        assert drawing == 10
        won = FULL.pack.set_names(state.record["won"][0, 0]), FULL.pack.set_names(state.record["won"][0, 1])
        assert len(won[0]) + len(won[1]) == 32
        assert len(won[0]) % 2 == 0
        assert sum(card[0] in "AKQJT" for side in won for card in side) == 20


def test_facts_with_the_stock_used_up_the_other_hand_can_be_worked_out():
    layout = FULL.observation_layout
    for seed in range(50):
        state = FULL.new_state(seed=seed)
        while not state.is_over:
            if state.record["drawn"][0] == 32:
                for seat in (0, 1):
                    unseen = state.observation(seat)[layout["unseen"]]
                    held = [FULL.pack.name(card) for card in np.flatnonzero(unseen)]
                    assert sorted(held) == sorted(state.hand(1 - seat))
            state.play(state.sample_action())
