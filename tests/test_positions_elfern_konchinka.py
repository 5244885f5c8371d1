"""Positions as text: what a line of Elfern or of Konchinka may not say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import card_envs
from card_envs import cards
from card_envs.positions import MOST_DEALS
from tests.test_positions_fuzz import plays_on
from tests.walks import changed


def test_a_broken_line_is_refused_with_a_sentence():
    game = card_envs.make_game("elfern", match=True)
    state = game.new_state(seed=7, scores=[3, 4], dealer=0)
    for _ in range(5):
        state.play(int(state.legal_actions()[0]))
    line = game.state_to_text(state)
    assert game.state_from_text(line) == state
    head, fields, deck, plays = line.split(" | ")
    first = plays.split()[0]
    deal = next(word for word in fields.split() if word.startswith("deal="))
    broken = {
        "other rules": changed(line, 0, "match=true", "match=true follow_suit=never"),
        "no rules": changed(line, 0, "elfern match=true", "elfern"),
        "another game": changed(line, 0, "elfern", "whist"),
        "a missing field": changed(line, 1, deal + " ", ""),
        "a field too many": changed(line, 1, deal, deal + " colour=3"),
        "a word for a number": changed(line, 1, "seed=7", "seed=seven"),
        "a number too large": changed(line, 1, "seed=7", f"seed={2**64}"),
        "a negative seed": changed(line, 1, "seed=7", "seed=-7"),
        "no such dealer": changed(line, 1, "dealer=0", "dealer=2"),
        "a score past the target": changed(line, 1, "start=3,4", "start=20,4"),
        "too many scores": changed(line, 1, "start=3,4", "start=3,4,5"),
        "points before any deal": changed(line, 1, "points=0,0", "points=3,0"),
        "a total before any deal": changed(line, 1, "total=0,0", "total=5,0"),
        "a negative total": changed(line, 1, "total=0,0", "total=-1,0"),
        "honours before any deal": changed(line, 1, "taken_before=0,0", "taken_before=12,8"),
        "deals without honours": changed(line, 1, "deals=0", "deals=1"),
        "neither double nor not": changed(line, 1, "doubled=0", "doubled=2"),
        "a forfeit of the other seat": changed(line, 1, "forfeit=-1", f"forfeit={1 - state.to_play}"),
        "a seat that is none": changed(line, 1, "forfeit=-1", "forfeit=2"),
        "a repeated card": changed(line, 2, deck[:2], deck[2:4]),
        "a missing card": changed(line, 2, deck[:2], ""),
        "a foreign card": changed(line, 2, deck[:2], "2c"),
        "no card": changed(line, 2, deck[:2], "xx"),
        "an illegal play": f"{line} {first}",
        "no such play": f"{line} Zz",
        "two lines": f"{line}\n{line}",
        "three parts": " | ".join([head, fields, deck]),
        "nothing": "",
    }
    for what, text in broken.items():
        with pytest.raises(ValueError, match=r"\w+ .*\.$|\w+ .*\."):
            pytest.fail(f"{what} was read: {game.state_from_text(text)!r}")
    with pytest.raises(ValueError, match="not a position"):
        game.state_from_text(None)
    with pytest.raises(ValueError, match="view"):
        game.state_to_text(state.view())


def test_a_line_with_scores_that_cannot_be_is_refused():
    game = card_envs.make_game("elfern", match=True)
    state = game.new_state(seed=7, scores=[3, 4], dealer=0)
    while state.record["deals"][0] < 2:
        state.play(int(state.legal_actions()[0]))
    line = game.state_to_text(state)
    assert game.state_from_text(line) == state
    total, points, taken = (
        f"{name}=" + ",".join(str(int(one)) for one in state.record[name][0])
        for name in ("total", "points", "taken_before")
    )
    for old, new in (
        (total, "total=20,0"),
        (total, "total=0,0" if any(state.points()) else "total=9,9"),
        (total, "total=15,16"),
        (points, "points=1,1"),
        (points, "points=0,11"),
        (points, "points=-1,0"),
        (taken, "taken_before=20,19"),
        ("deals=2", "deals=1"),
        ("start=3,4", "start=19,19"),
    ):
        with pytest.raises(ValueError, match=r"position"):
            pytest.fail(f"{new} was read: {game.state_from_text(changed(line, 1, old, new))!r}")


def two_put_back(state):
    """Whether two cards were put back, and the one above them is of no rank on the table."""
    deck, known = state.record["deck"][0], int(state.record["open"][0])
    above = known.bit_length() - 3
    return known.bit_count() == 2 and deck[above] % 13 not in {10, *(card % 13 for card in deck[12:16])}


def test_a_line_with_other_cards_put_back_is_refused():
    """K4: which cards of the pack are openly known is part of the position."""
    game = card_envs.make_game("konchinka", num_players=3)
    state = game.new_state(seed=next(seed for seed in range(8, 99) if two_put_back(game.new_state(seed=seed))))
    line = game.state_to_text(state)
    assert game.state_from_text(line) == state
    known = int(state.record["open"][0])
    lower = known & known - 1
    assert game.state_from_text(changed(line, 1, f"open={known}", f"open={lower}")).record["open"][0] == lower
    for wrong in (1, known >> 1, known << 1, known ^ lower, known | known >> 1, 1 << 63, 2**52 - 1):
        with pytest.raises(ValueError, match=r"open=\d+ in the position"):
            game.state_from_text(changed(line, 1, f"open={known}", f"open={wrong}"))


@pytest.mark.parametrize("total", [32767, 32766, 5 * MOST_DEALS, 20_000])
def test_level_totals_that_no_number_of_deals_can_make_are_refused(total):
    """Seats level at the top play on (K14), so no target bounds their totals."""
    game = card_envs.make_game("konchinka", match=True)
    state = game.new_state(seed=7, scores=[200, 200], dealer=0)
    line = game.state_to_text(state)
    for deals in (65535, 32767, MOST_DEALS + 1, MOST_DEALS, 1, 0):
        changed = line.replace("total=0,0", f"total={total},{total}").replace("deals=0", f"deals={deals}")
        changed = changed.replace("taken_before=0,0", f"taken_before={26 * deals},{26 * deals}")
        with pytest.raises(ValueError, match=r"(deals|total|taken_before)=.* in the position"):
            game.state_from_text(changed)


def test_the_longest_match_that_is_read_plays_on():
    game = card_envs.make_game("konchinka", match=True)
    line = game.state_to_text(game.new_state(seed=7, scores=[255, 255], dealer=0))
    total = 5 * MOST_DEALS // 2
    line = line.replace("total=0,0", f"total={total},{total}").replace("deals=0", f"deals={MOST_DEALS}")
    line = line.replace("taken_before=0,0", f"taken_before={52 * MOST_DEALS},0")
    state = game.state_from_text(line)
    assert state.scores().tolist() == [255 + total] * 2
    plays_on(state)


@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_names_of_actions_are_read_however_they_are_spelled(number, dice):
    game = card_envs.make_game("konchinka", figures=True)
    action = number % game.num_actions
    card, cross, ranks = game.action_name(action).partition("x")
    shuffled = list(ranks)
    dice.shuffle(shuffled)
    spelled = "".join("10" if rank == "T" and dice.random() < 0.5 else rank for rank in shuffled)
    card = ("10" if card[0] == "T" else card[0]) + cards.SYMBOLS[card[1]]
    assert game.action_id(f" \t{card}{dice.choice('xX×') if cross else ''}{spelled.lower()}\n") == action
