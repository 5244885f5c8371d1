"""Rules where they are rarely met: many replacements, many players, level scores, odd sums."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.cards import split
from tests.konchinka_deals import DEALER, PACK, game_of, legal, of_card, pile, play, start
from tests.oracle.konchinka import KonchinkaOracle
from tests.test_rules_konchinka_counting import cards_of, counted, near_the_end

# K4: replacements

GOOD = ("5c", "6c", "7c", "8c")
PUT_BACK = split("Jc Jd 5d 5h 5s Jh 6d 6h 6s Js 7d 7h 7s")
FILLERS = split("Kc Qc Tc 9c 4c 3c 2c Ac Kd Qd Td 9d 4d 3d 2d Ad")


def before_replacements(upper, counts):
    """The places and the upper half of a pack that ``counts`` replacements at the four places turn into these.

    Each replacement is undone: the card put back last leaves the middle, and the one in its place goes on top.
    """
    places, upper = list(GOOD), list(upper)
    for place in (3, 2, 1, 0):
        for _ in range(counts[place]):
            upper.insert(0, places[place])
            places[place] = upper.pop()
    return places, upper


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_k4_all_thirteen_replacements_that_can_be_needed_are_made(players):
    """Four jacks and three cards of each of three ranks can be put back, each once: then the fourth place holds."""
    half = (48 - 4 * players) // 2
    upper = FILLERS[: half - len(PUT_BACK)] + PUT_BACK
    places, before = before_replacements(upper, (1, 4, 4, 4))
    others = [card for card in PACK.names if card not in {*places, *before}]
    deck = others[: 4 * players] + places + before + others[4 * players :]
    game = game_of(num_players=players)
    state = game.new_state(deck=deck, dealer=DEALER)
    assert set(state.table) == set(GOOD)
    top = 4 * players + 4
    after = [PACK.name(card) for card in state.record["deck"][0]]
    assert after[top : top + half] == upper
    assert after[top + half :] == others[4 * players :]
    known = [place for place in range(52) if int(state.record["open"][0]) >> place & 1]
    assert [after[place] for place in known] == PUT_BACK
    oracle = KonchinkaOracle(lambda number: deck, DEALER, num_players=players)
    assert oracle.deck == after
    assert list(oracle.open_pack) == known


@pytest.mark.parametrize("players", [6, 8, 10, 11])
def test_k4_the_whole_upper_half_may_be_put_back(players):
    """With a small pack the card on top of the lower half never comes up, and the last of the upper half does."""
    half = (48 - 4 * players) // 2
    last = PUT_BACK[-half:]
    places, before = before_replacements(
        last, {12: (0, 4, 4, 4), 8: (0, 0, 4, 4), 4: (0, 0, 0, 4), 2: (0, 0, 0, 2)}[half]
    )
    others = [card for card in PACK.names if card not in {*places, *before}]
    deck = others[: 4 * players] + places + before + others[4 * players :]
    state = game_of(num_players=players).new_state(deck=deck, dealer=DEALER)
    assert set(state.table) == set(GOOD)
    top = 4 * players + 4
    assert [PACK.name(card) for card in state.record["deck"][0, top : top + half]] == last


# K5, K12: what is left


@pytest.mark.parametrize(("players", "left"), [(5, 3), (7, 6), (9, 3), (10, 8), (11, 4)])
def test_k5_k12_in_a_match_what_was_left_counts_for_the_last_to_capture(players, left):
    game = game_of(num_players=players, match=True, target=100)
    for seed in range(5):
        state = game.new_state(seed=seed)
        while int(state.record["deals"][0]) == 0:
            before = state.clone()
            state.play(int(state.legal_actions()[0]))
        record = before.record[0]
        undealt = [PACK.name(card) for card in record["deck"][52 - left :].tolist()]
        assert int(record["dealt"]) == 52 - left
        assert int(record["in_hands"]) == 1
        name = game.action_name(int(before.legal_actions()[0]))
        last = before.to_play if "x" in name else int(record["last_capturer"])
        piles = [pile(before, seat) for seat in range(players)]
        piles[last] |= {*before.table, *undealt, name[:2]}
        counts = [len(cards) for cards in piles]
        assert sum(counts) == 52
        assert state.record["taken_before"][0, :players].tolist() == counts
        assert state.dealer == (before.dealer + 1) % players
        assert not state.record["pile"].any()


# K13, K14: level


def four_piles():
    """Points 1 (2 of clubs), 0, 1 (10 of diamonds) and 0: thirteen cards each, and four clubs to three of them."""
    hearts, spades = cards_of("h").split(), cards_of("s").split()
    clubs, diamonds = cards_of("c").split(), cards_of("d").split()
    piles = [
        clubs[0:4] + hearts[0:9],
        clubs[4:8] + hearts[9:13] + diamonds[0:5],
        clubs[8:12] + diamonds[5:13] + spades[0:1],
        clubs[12:13] + spades[1:12],  # and the king of spades, who is left on the table
    ]
    return [" ".join(cards) for cards in piles]


def test_k13_three_level_at_the_top_score_nobody_and_the_second_most_do_not_either():
    state = counted(four_piles(), 3)
    assert [len(pile(state, seat)) for seat in range(4)] == [13] * 4
    assert state.points().tolist() == [1, 0, 1, 0]  # the 2 of clubs, the 10 of diamonds
    assert state.returns("win").tolist() == [0.5, -0.5, 0.5, -0.5]


def three_piles():
    """Points 4 (cards, clubs, 2 of clubs), 1 (10 of diamonds) and 0."""
    return cards_of("ch", but="Kh") + " 2s", cards_of("ds", but="2s 3s"), "3s"


@pytest.mark.parametrize(
    ("scores", "over", "after"),
    [
        ([11, 14, 14], False, [15, 15, 14]),  # two reach the target together: nobody has won
        ([12, 14, 14], True, [16, 15, 14]),
        ([12, 15, 15], False, [16, 16, 15]),  # past it, two of them level
        ([11, 15, 15], True, [15, 16, 15]),  # the others have reached the target too, and pay nothing
        ([0, 16, 16], True, [4, 17, 16]),
        ([10, 13, 14], False, [14, 14, 14]),
    ],
)
def test_k14_level_at_the_top_with_three(scores, over, after):
    state = counted(list(three_piles()), scores=scores)
    assert state.scores().tolist() == after
    assert state.is_over is over
    top = max(after)
    winners = [seat for seat in range(3) if after[seat] == top]
    assert state.returns("win").tolist() == (
        [1.0 if seat in winners else -0.5 for seat in range(3)] if over else [0.0] * 3
    )
    owed = [0 if seat in winners else max(0, 15 - score) for seat, score in enumerate(after)]
    paid = [sum(owed) if seat in winners else -owed[seat] for seat in range(3)] if over else [0, 0, 0]
    assert state.settlement().tolist() == paid


@pytest.mark.parametrize(
    ("scores", "over", "after"),
    [
        ([14, 15, 14, 15], False, [15, 15, 15, 15]),  # all four level, and nobody has won
        ([14, 15, 15, 2], True, [15, 15, 16, 2]),
        ([14, 3, 14, 14], False, [15, 3, 15, 14]),
        ([0, 15, 0, 15], False, [1, 15, 1, 15]),  # two who made nothing are level still
        ([15, 15, 0, 15], True, [16, 15, 1, 15]),
    ],
)
def test_k14_level_at_the_top_with_four(scores, over, after):
    state = counted(four_piles(), 3, scores=scores)
    assert state.scores().tolist() == after
    assert state.is_over is over
    assert state.returns("win").any() == over
    if over:
        assert state.settlement()[np.argmax(after)] == sum(max(0, 15 - score) for score in after)
    else:
        assert not state.settlement().any()


# K15: the corners


def test_k15_by_the_seventh_club_itself_and_by_a_captured_konchinka():
    seventh = near_the_end([14, 9], "9c 5s", "9d Kd", own="Ac 3c 4c 5c 6c 7c")
    assert play(seventh, "9cx9").is_over
    taken = near_the_end([14, 9], "Tc 5s", "Td Kd")
    assert play(taken, "TcxT").is_over
    by_sum = near_the_end([14, 9], "5s 9h", "2c 3d Kd")
    assert play(by_sum, "5sx23").is_over
    assert by_sum.table == ["Kd"]


def test_k15_one_konchinka_and_seven_clubs_are_enough_for_two_points_and_more_is_counted():
    state = near_the_end([13, 9], "Tc 5s", "Td Kd", own="2c Ac 3c 4c 5c 6c")
    assert play(state, "TcxT").is_over
    assert state.points().tolist() == [3, 0]  # both konchinki, and the tenth makes seven clubs
    assert state.scores().tolist() == [16, 9]


def test_k15_another_may_have_reached_as_much_in_the_deal_and_the_captor_wins():
    state = near_the_end([14, 13], "2d 5s", "2c Kd", other="Td Tc")
    assert play(state, "2dx2").is_over
    assert state.scores().tolist() == [15, 14]


def test_k15_the_last_capture_of_a_deal_goes_before_counting_with_many_players():
    """Not once anybody stands at the target: then all is counted, K12 and K13."""
    for scores, early in (([14, 9, 3], True), ([14, 15, 15], False)):
        state = near_the_end(scores, "2d", "2c Kd")
        row = state.record.copy()
        row["hand"][0, 1:] = 0
        row["in_hands"], row["dealt"], row["plays"] = 1, 52, 47
        last = play(state.game.state(row, 0), "2dx2")
        assert bool(last.table == ["Kd"]) is early
        assert last.is_over or last.record["deals"][0] == 1


# K16: several losers


@pytest.mark.parametrize("players", [3, 5, 8, 12])
def test_k16_every_loser_pays_the_one_winner(players):
    scores = [11, *(range(players - 1))]
    piles = [*three_piles()[:2], *[""] * (players - 3), "3s"]
    by_points = counted(piles, scores=scores, chip=3)
    assert by_points.is_over
    after = by_points.scores().tolist()
    assert after == [15, 1, *range(1, players - 1)]
    owed = [3 * (15 - score) for score in after[1:]]
    assert by_points.settlement().tolist() == [sum(owed), *(-each for each in owed)]
    by_stakes = counted(piles, scores=scores, settlement="stakes", stake=999_999)
    assert by_stakes.settlement().tolist() == [999_999 * (players - 1), *[-999_999] * (players - 1)]


def test_k16_the_winner_is_paid_wherever_it_sits():
    for seat in range(3):
        scores = [2, 3, 4]
        scores[seat] = 14
        piles = ["", "", ""]
        piles[seat], piles[(seat + 1) % 3], piles[(seat + 2) % 3] = three_piles()
        paid = counted(piles, last_capturer=seat, scores=scores).settlement().tolist()
        others = [other for other in range(3) if other != seat]
        assert all(paid[other] < 0 for other in others)
        assert paid[seat] == -sum(paid[other] for other in others) > 0


# K17: figures


@pytest.mark.parametrize("sums", [(11, 12, 13), (11, 12, 14), (12, 13, 14), (14, 14, 14), (14, 11, 13)])
def test_k17_the_sums_are_of_any_distinct_cards_that_make_them(sums):
    """A jack, queen and king capture their equal, or any set of ranks that makes their sum; and all of these."""
    game = game_of(figures=True, figure_sums=sums)
    worth = {rank: number for number, rank in enumerate("A23456789TJQK", start=1)}
    for figure, goal in zip("JQK", sums, strict=True):
        found = {name[2:] for name in map(game.action_name, range(game.num_actions)) if name[:2] == figure + "c"}
        assert {"", "x" + figure} <= found
        for ranks in (set(name[1:]) for name in found - {"", "x" + figure}):
            assert sum(worth[rank] for rank in ranks) == goal
            assert len(ranks) > 1
        assert len(found) == 2 + sum(1 for _ in ways(goal))
    if sums == (14, 14, 14):
        state = start(["Kc Jc Qc 3d", "8s 8h 7s 6s"], "Kh Ah 9h 5h", figures=True, figure_sums=sums)
        assert of_card(state, "Kc") == {"KcxK", "KcxAK", "Kcx59"}
        assert of_card(state, "Jc") == {"JcxAK", "Jcx59"}
        assert legal(state) >= {"QcxAK", "Qcx59", "3d"}


def ways(goal, least=1, parts=()):
    """All sets of at least two different numbers from 1 to 13 that add up to ``goal``."""
    if goal == 0 and len(parts) > 1:
        yield parts
    for part in range(least, min(goal, 13) + 1):
        yield from ways(goal - part, part + 1, (*parts, part))


@pytest.mark.parametrize("players", [9, 12])
def test_k17_many_players_with_figures_play_a_match_to_its_end(players):
    game = game_of(num_players=players, figures=True, match=True, target=2, figure_sums=(14, 14, 14))
    states = game.new_states(np.arange(20, dtype=np.uint64))
    while not game.is_over(states).all():
        game.step(states, game.sample_actions(states), auto_reset=False)
    scores = np.sort(game.scores(states), axis=1)
    assert (scores[:, -1] >= 2).all()
    assert (scores[:, -1] > scores[:, -2]).all()
    assert (game.settlement(states).sum(axis=1) == 0).all()
