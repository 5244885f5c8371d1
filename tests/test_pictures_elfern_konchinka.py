"""Pictures of Elfern and Konchinka: hidden hands, cards put back, captures and the names of cards."""

from __future__ import annotations

import re
import runpy
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

import card_envs
from card_envs.cards import NAMES, SYMBOLS, rank_name
from card_envs.render.plays import said
from tests.test_pictures import SVG, cards, parts, visible

ROOT = Path(card_envs.__file__).parent.parent


def test_a_match_that_ends_in_the_middle_of_a_deal_keeps_hidden_hands_hidden():
    """K15."""
    game = card_envs.make_game("konchinka", num_players=3, match=True)
    ended = 0
    for seed in range(300):
        state = game.new_state(seed=seed, scores=[14, 14, 14])
        while not state.is_over:
            state.play(state.greedy_action())
        if sum(len(state.hand(seat)) for seat in range(3)):
            ended += 1
            assert set(cards(state.to_svg(1))) == visible(state, 1)
            assert cards(state.to_svg("all")) == Counter(game.pack.names)
    assert ended > 5


def test_cards_put_back_openly_are_shown_to_everybody():
    """K4."""
    game = card_envs.make_game("konchinka", num_players=5)
    state = next(state for state in map(game.new_state, range(50)) if state.record["open"][0])
    put_back = [
        game.pack.name(state.record["deck"][0, place])
        for place in range(52)
        if int(state.record["open"][0]) >> place & 1
    ]
    for seat in range(5):
        assert set(put_back) <= set(cards(state.to_svg(seat)))


def test_captures_have_an_arrow_to_every_card_they_take():
    game = card_envs.make_game("konchinka", num_players=4)
    checked = 0
    for seed in range(8):
        state = game.new_state(seed=seed)
        while not state.is_over:
            for action in state.legal_actions().tolist():
                after = state.clone()
                after.play(action)
                taken = set(state.table) - set(after.table)
                if after.is_over or after.dealer != state.dealer:
                    continue
                card, goals = game.cards_of(state.record[0], action)
                assert card == game.action_name(action)[:2]
                assert set(goals) == taken
                assert len(parts(state.to_svg(marks={action: 0.5}), "arrow")) == len(taken)
                checked += bool(taken)
            state.play(state.greedy_action())
    assert checked > 50


@pytest.mark.parametrize("names", NAMES)
def test_names_in_three_languages_are_written_and_read(names):
    for game in (card_envs.make_game("elfern"), card_envs.make_game("konchinka", figures=True)):
        for action in range(game.num_actions):
            written = said(game.action_name(action), names)
            assert game.action_id(written) == game.action_id(written.lower()) == action
        state = game.new_state(seed=3)
        titles = {part.text for part in ElementTree.fromstring(state.to_svg("all", names=names)).iter(f"{SVG}title")}
        assert titles == {rank_name(card[0], names) + SYMBOLS[card[1]] for card in game.pack.names}
        page = state.text(names=names)
        assert [game.pack.card(card) for card in re.findall(r"\w+[♣♦♥♠]", page)] == [
            game.pack.card(card) for card in re.findall(r"\w+[♣♦♥♠]", state.text())
        ]
    assert state.text(names="en") == state.text()


def test_the_pictures_of_the_docs_are_those_drawn_now():
    for name, picture in runpy.run_path(str(ROOT / "scripts" / "pictures.py"))["pictures"]().items():
        assert (ROOT / "docs" / f"{name}.svg").read_text(encoding="utf-8") == picture + "\n"
