"""The rules of Konchinka one by one: K11 to K16, counting, matches and settling."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from card_envs.cards import split
from tests.konchinka_deals import DEALER, ELDEST, PACK, RANKS, game_of, legal, pile, play, start

# K11 to K13: counting


def counted(piles, last_capturer=0, table="", undealt="", scores=None, **rules):
    """Points of a deal that ends with these cards in the piles; the last card played is trailed.

    Set up in the record itself: what is counted is all that matters here.
    """
    game = game_of(num_players=len(piles), match=scores is not None, **rules)
    row = game.new_state(seed=2, dealer=DEALER, scores=scores).record.copy()
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
            action = state.sample_action()
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
    row = game.new_state(seed=2, dealer=DEALER, scores=scores).record.copy()
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
    row = game.new_state(seed=2, dealer=DEALER, scores=[14, 14]).record.copy()
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
