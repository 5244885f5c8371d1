"""Pictures of positions: what is seen is there once, what is hidden is not, and they stand in any page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest

import card_envs
from card_envs import IllegalAction
from card_envs.cards import NAMES, Pack
from card_envs.render.lettering import Pen, text_width, write
from tests.variants import ANY, GAMES, MANY, VARIANTS, every, scattered

SVG = "{http://www.w3.org/2000/svg}"
POSITIONS = 4
WIDTHS = (300, 720)
"""In pixels, of a picture for a phone and one for a desk."""


def stages(game):
    """Positions from the first play of a deal to the last, of several tables, and one that is over."""
    states = scattered(game, game.max_plays + 1)
    chosen = np.unique(np.linspace(0, game.max_plays, POSITIONS).astype(int))
    yield from (game.state(states, int(row)) for row in chosen)
    last = game.new_state(seed=1)
    while not last.is_over:
        last.play(last.sample_action())
    yield last


def cards(picture):
    """Names of the cards of a picture, each as often as it is there."""
    return Counter(part.get("data-card") for part in ElementTree.fromstring(picture).iter() if part.get("data-card"))


def visible(state, seat):
    """The cards that a seat sees: its hand, the table, all that was won, and cards of the pack openly known."""
    game, probe, row = state.game, state.game.probe(), state.record[0]
    seats = range(game.num_players)
    won = {card for s in seats for card in game.pack.set_names(probe.won(row, s))}
    lies = set(state.table) | won
    rest = set(game.pack.names) - lies - {card for s in seats for card in state.hand(s)}
    return set(state.hand(seat)) | lies | public(state) & rest


def public(state):
    """The cards that everybody has seen, or sees; some may be in a hand by now."""
    game, row = state.game, state.record[0]
    places = [place for place in range(game.pack.size) if game.probe().public(game, row, place)]
    return {game.pack.name(row.deck[place]) for place in places}


@every(MANY)
def test_what_a_seat_sees_is_in_its_picture_once_and_nothing_else(game):
    for state in stages(game):
        for seat, width in product({0, game.num_players - 1, max(state.to_play, 0)}, WIDTHS):
            found = cards(state.to_svg(seat, width=width))
            assert visible(state, seat) <= set(found) <= visible(state, seat) | public(state)
            assert set(found.values()) <= {1}


@every(VARIANTS)
def test_the_picture_of_all_has_every_card_once(game):
    for state, width in product(stages(game), WIDTHS):
        assert cards(state.to_svg("all", width=width)) == Counter(game.pack.names)


@every(VARIANTS)
def test_what_a_seat_cannot_see_changes_no_byte_of_its_picture(game):
    for state in stages(game):
        if state.is_over:
            continue
        for seat in {state.to_play, (state.to_play + 1) % game.num_players}:
            picture = state.to_svg(seat)
            view = state.view(seat)
            assert view.to_svg() == picture == view.to_svg(seat)
            worlds = game.sample_worlds(view, 2, 5)
            assert {game.state(worlds, i).to_svg(seat) for i in range(len(worlds))} == {picture}
        assert state.to_svg() == state._repr_svg_() == state.to_svg(state.to_play)


@every(VARIANTS)
def test_hidden_hands_are_as_many_backs_as_they_hold_cards(game):
    for state in stages(game):
        for viewer in (0, game.num_players - 1):
            for seat in parts(state.to_svg(viewer), "seat"):
                number = int(seat.get("data-seat"))
                backs = sum(part.get("class") == "back" for part in seat.iter())
                assert backs == (0 if number == viewer else len(state.hand(number)))


@every(VARIANTS)
def test_pictures_of_a_game_are_all_of_one_even_size_and_no_larger_than_a_photograph(game):
    sizes = set()
    for state in stages(game):
        for seat in (0, game.num_players - 1):
            picture = state.to_svg(seat)
            root = ElementTree.fromstring(picture)
            sizes.add((root.get("width"), root.get("height"), root.get("viewBox")))
            assert len(picture) < 120_000
            for card in root.iter(f"{SVG}g"):
                if card.get("data-card"):
                    assert card.find(f"{SVG}title").text
    assert len(sizes) == 1
    width, height, _ = sizes.pop()
    assert int(width) == 720
    assert int(height) % 2 == 0


def test_a_picture_needs_nothing_from_outside_and_disturbs_no_page():
    for name in GAMES:
        picture = card_envs.make_game(name).new_state(seed=3).to_svg("all")
        tags = {part.tag.removeprefix(SVG) for part in ElementTree.fromstring(picture).iter()}
        assert tags <= {"svg", "desc", "title", "g", "path", "rect"}  # no text, style, script, image or use
        assert not re.search(r'\b(id|href|class="(?!card|back|seat|marks|arrow))', picture.replace("xmlns", ""))


# What is asked for


def test_all_is_shown_only_by_a_word_for_it():
    state = ANY.make().new_state(seed=7)
    assert len(cards(state.to_svg())) == len(cards(state.view().to_svg())) == 6
    with pytest.raises(ValueError, match="the view of seat 0, so it cannot show all"):
        state.view(0).to_svg("all")
    with pytest.raises(ValueError, match="seat='everything' is unknown"):
        state.to_svg("everything")
    with pytest.raises(ValueError, match="view"):
        state.view(0).to_svg(1)
    with pytest.raises(ValueError, match="seats must be from 0 to 1"):
        state.to_svg(2)


@every(VARIANTS)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_card_lies_within_the_picture(game, width):
    for state in stages(game):
        root = ElementTree.fromstring(state.to_svg("all", width=width))
        _, _, wide, high = map(float, root.get("viewBox").split())
        for card in root.iter(f"{SVG}rect"):
            x, y, w, h = (float(card.get(name)) for name in ("x", "y", "width", "height"))
            assert min(x, y) >= 0
            assert x + w <= wide
            assert y + h <= high


def test_a_picture_for_a_phone_is_higher_than_wide():
    for name in GAMES:
        root = ElementTree.fromstring(card_envs.make_game(name).new_state(seed=7).to_svg(width=WIDTHS[0]))
        assert int(root.get("height")) > int(root.get("width"))


@pytest.mark.parametrize("width", [300, 720, 1920])
def test_the_width_is_that_asked_for(width):
    root = ElementTree.fromstring(ANY.make().new_state(seed=7).to_svg(width=width))
    assert root.get("width") == str(width)
    _, _, wide, high = map(int, root.get("viewBox").split())
    assert abs(int(root.get("height")) - width * high / wide) < 2


@pytest.mark.parametrize(("how", "sentence"), [({"width": 5}, "width=5"), ({"names": "fr"}, "names='fr' is unknown")])
def test_sizes_and_languages_that_there_are_not_get_a_sentence(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        ANY.make().new_state(seed=7).to_svg(**how)


# Marks


def parts(picture, kind):
    return [part for part in ElementTree.fromstring(picture).iter() if part.get("class") == kind]


def test_marks_are_drawn_for_actions_by_number_or_name():
    state = ANY.make().new_state(seed=7)
    first, second = state.legal_actions()[:2].tolist()
    by_number = state.to_svg(marks={first: 0.75, second: 0.25})
    assert by_number == state.to_svg(marks={state.game.action_name(first): 0.75, second: 0.25})
    assert by_number == state.view().to_svg(marks={first: 0.75, second: 0.25})
    assert by_number != state.to_svg(marks={first: 0.25, second: 0.75})
    assert len(parts(by_number, "marks")) == 1
    assert not parts(state.to_svg(), "marks")
    assert cards(by_number) == cards(state.to_svg())
    assert state.to_svg(marks={}) == state.to_svg()
    assert parts(state.to_svg("all", marks={first: 3}), "marks")


def test_every_action_of_every_game_can_be_marked():
    for name in GAMES:
        for state in stages(card_envs.make_game(name)):
            marks = dict.fromkeys(state.legal_actions().tolist(), 0.1)
            assert cards(state.to_svg(marks=marks)) == cards(state.to_svg())


def test_marks_that_cannot_be_get_a_sentence():
    state = ANY.make().new_state(seed=7)
    action = int(state.legal_actions()[0])
    other = next(a for a in range(32) if a not in state.legal_actions())
    with pytest.raises(IllegalAction, match="There can be no mark: Seat"):
        state.to_svg(marks={other: 1})
    with pytest.raises(
        ValueError, match=f"seat {1 - state.to_play} cannot have marks: seat {state.to_play} is to play"
    ):
        state.to_svg(1 - state.to_play, marks={action: 1})
    for weight in (-1, float("nan"), float("inf"), "much"):
        with pytest.raises(ValueError, match=r"The weight .* must be a number, 0 or more"):
            state.to_svg(marks={action: weight})
    with pytest.raises(ValueError, match="is not a card"):
        state.to_svg(marks={"Zz": 1})
    with pytest.raises(ValueError, match="must map actions to weights"):
        state.to_svg(marks=[action])


# Languages


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Тт Кб Дч Вп 10т", "Ac Kd Qh Js Tc"),
        ("тТ кБ дЧ вП", "Ac Kd Qh Js"),
        ("AKr KKa DHe BPi 10kr", "Ac Kd Qh Js Tc"),
        ("D♥, B♠ Т♣", "Qh Js Ac"),
        ("AhKrTd", None),
        ("QhEd", None),
    ],
)
def test_russian_and_german_letters_are_read(text, wanted):
    pack = Pack("cdhs", "23456789TJQKA")
    if wanted is None:
        with pytest.raises(ValueError, match="not a card"):
            pack.cards(text)
    else:
        assert pack.cards(text) == pack.cards(wanted)


def test_a_pack_with_ranks_of_its_own_keeps_them():
    assert Pack("cd", "BD").cards("Dc Bd") == [1, 2]


# Letters


def test_every_letter_of_a_page_is_drawn_and_text_keeps_to_its_room():
    letters = "".join(map(chr, range(33, 127)))
    assert set(letters) - set("#$&@\\^`{|}~") <= {
        letter for letter in letters if write(letter, 0, 0, 10) != write("§", 0, 0, 10)
    }
    for name in GAMES:
        for names in NAMES:
            for letter in set(card_envs.make_game(name).new_state(seed=1).text(names=names)) - {" ", "\n"}:
                assert write(letter, 0, 0, 10) != write("§", 0, 0, 10), letter
    assert text_width("wide enough", 20) == pytest.approx(2 * text_width("wide enough", 10))
    assert write("wide enough", 0, 5, 10, room=20) == write(
        "wide enough", 0, 5 + 5 * (1 - 20 / (w := text_width("wide enough", 10))), 200 / w
    )
    assert 'stroke="#123456"' in write("A", 0, 0, 10, Pen("#123456"))


def test_the_same_picture_is_drawn_in_every_process():
    code = f"import card_envs; print(card_envs.make_game('{ANY.game}').new_state(seed=9).to_svg('all'))"
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(drawn) == 1
