"""What is read from text: work that grows with its length and no faster, lengths that are capped, short refusals."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import card_envs
from card_envs import cards
from card_envs.cards import MOST_NAMES, SUITS, Pack, canonical, split
from card_envs.checks import shown
from card_envs.errors import UnknownArgument
from tests.variants import ANY, GAMES, every

MEGABYTES = 10_000_000
LONG = {
    "blanks": " " * MEGABYTES,
    "blanks around a card": f"{' ' * MEGABYTES}Kh{' ' * MEGABYTES}!",
    "line feeds": "\n" * MEGABYTES,
    "crosses": "x" * MEGABYTES,
    "a capture of blanks": f"8cxA{' ' * MEGABYTES}2",
    "ranks": "8cx" + "A" * MEGABYTES,
    "tens": "10" * (MEGABYTES // 2),
    "cards": "Kh" * (MEGABYTES // 2),
    "commas": "," * MEGABYTES,
    "zeros": "\0" * MEGABYTES,
    "ligatures": "ﬁ" * MEGABYTES,
    "brackets": f"{ANY.game}(" + "(" * MEGABYTES,
    "bars": "|" * MEGABYTES,
}
long_text = pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())


def short_refusal(call, error=ValueError):
    with pytest.raises(error) as caught:
        call()
    assert len(str(caught.value)) < 1500
    return str(caught.value)


@long_text
@pytest.mark.parametrize("name", GAMES)
def test_megabytes_of_text_are_refused_in_a_short_sentence(name, text):
    game = card_envs.make_game(name)
    state = game.new_state(seed=1)
    for call in (
        lambda: game.action_id(text),
        lambda: state.play(text),
        lambda: game.pack.card(text),
        lambda: game.new_state(deck=text),
        lambda: game.new_state(deck=[text]),
        lambda: game.new_state(deck=text, scores=text),
        lambda: game.state_from_text(text),
        lambda: game.state_from_text(game.state_to_text(state) + text),
        lambda: card_envs.make_game(text),
        lambda: card_envs.make_game(name, match=text),
        lambda: game.new_state(seed=text),
        lambda: game.returns(game.new_states([1]), reward=text[:70]),
    ):
        short_refusal(call)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_cards_are_looked_for_no_more_often_than_there_are_names(monkeypatch, size):
    """Reading is linear: as many matches of the pattern as cards, each from where the last one ended."""
    starts = []

    class Counted:
        def match(self, text, at):
            starts.append(at)
            return PATTERN.match(text, at)

    PATTERN = cards._CARD
    monkeypatch.setattr(cards, "_CARD", Counted())
    text = "Kh 10♦,," * (100 * size) + " " * 10_000
    assert split(text) == ["Kh", "Td"] * (100 * size)
    assert len(starts) == 200 * size
    assert starts == sorted(set(starts))


def test_no_more_of_a_deck_is_read_than_a_pack_has_cards():
    for name in GAMES:
        game = card_envs.make_game(name)
        taken = []

        def endless(names, taken=taken):
            for one in names:
                taken.append(one)
                yield one

        for deck in (itertools.repeat("Kh"), itertools.cycle(game.pack.names)):
            taken.clear()
            sentence = short_refusal(lambda deck=deck, game=game: game.new_state(deck=endless(deck)))
            assert "repeats" in sentence
            assert f"each of its {game.pack.size} cards once" in sentence
            assert len(taken) == game.pack.size + 1
        short_refusal(lambda game=game: game.new_state(deck=itertools.count()))
        short_refusal(lambda game=game: game.new_state(deck=(letter for letter in itertools.repeat("KhKd"))))
        whole = iter(game.pack_of(3))
        assert game.new_state(seed=1, deck=whole, dealer=0) == game.new_state(seed=1, deck=game.pack_of(3), dealer=0)


def test_a_run_of_cards_without_end_is_refused():
    pack = Pack(SUITS, "KA")
    assert len(pack.cards(["Kh"] * MOST_NAMES)) == MOST_NAMES
    for run in (itertools.repeat("Kh"), "Kh" * (MOST_NAMES + 1), ["Kh"] * (MOST_NAMES + 1)):
        assert f"more than {MOST_NAMES} cards" in short_refusal(lambda run=run: pack.cards(run))


@given(st.text(alphabet="KhTd10♦xX×*A25 ,\n\tz", max_size=60))
def test_names_are_read_as_a_plain_reading_reads_them(text):
    """The reader against a slow and simple one, which tries card after card."""
    words = text.replace(",", " ").split()
    wanted = []
    try:
        for word in words:
            while word:
                match = re.match("(10|[2-9A-Z])([cdhs♣♦♥♠])", word, re.IGNORECASE)
                wanted.append(canonical(match.group()))
                word = word[match.end() :]
    except AttributeError:
        with pytest.raises(ValueError, match="is not a card"):
            split(text)
    else:
        assert split(text) == wanted


@pytest.mark.parametrize(
    "name",
    [5, None, b"Kh", ["Kh"], 10**6000, object(), b" " * MEGABYTES, [" "] * MEGABYTES],
    ids=["int", "None", "bytes", "list", "huge", "object", "long bytes", "long list"],
)
def test_what_is_no_text_is_no_name(name):
    for game in map(card_envs.make_game, GAMES):
        short_refusal(lambda game=game: game.action_id(name))
        short_refusal(lambda game=game: game.pack.card(name))
        short_refusal(lambda game=game: game.state_from_text(name))
        short_refusal(lambda game=game: game.new_state(deck=[name]))
        short_refusal(lambda: card_envs.make_game(name))


@pytest.mark.parametrize("number", [10**6000, -(10**6000), 2**64, 2**63, -(2**63) - 1, 2**31, -1], ids="abcdefg")
def test_huge_numbers_are_refused_in_a_sentence_everywhere(number):
    game = card_envs.make_game(ANY.game, match=True)
    state = game.new_state(seed=1)
    content = state.record.tobytes()
    short_refusal(lambda: state.play(number), card_envs.IllegalAction)
    short_refusal(lambda: game.action_name(number))
    short_refusal(lambda: game.new_state(dealer=number))
    short_refusal(lambda: game.new_state(scores=[number, 0]))
    short_refusal(lambda: game.new_state(scores=number))
    short_refusal(lambda: game.state(game.new_states([1]), number - 1))
    for name in GAMES:
        short_refusal(lambda name=name: card_envs.make_game(name, target=number))
    if not 0 <= number < 2**64:
        short_refusal(lambda: game.new_state(seed=1, deal=number))
    assert state.record.tobytes() == content


def test_deals_of_every_number_are_dealt():
    for name in GAMES:
        game = card_envs.make_game(name)
        for deal in (0, 2**63 - 1, 2**63, 2**64 - 1):
            state = game.new_state(seed=1, deal=deal)
            assert state.record["deal"][0] == deal
            assert [game.pack.name(card) for card in state.record["deck"][0][: game.pack.size]][:4] == (
                game.pack_of(1, deal)[:4]
            )


def test_values_are_shown_in_a_line():
    assert shown("Kh") == "'Kh'"
    assert shown([1, 2, 3]) == "[1, 2, 3]"
    assert shown(10**30) == str(10**30)
    assert "bits" in shown(10**6000)
    for value in ("a" * MEGABYTES, ["a" * 1000] * MEGABYTES, {1: "b" * MEGABYTES}, b"c" * MEGABYTES, range(10**9)):
        assert len(shown(value)) <= 200
        assert "\n" not in shown(value)


# Games by description


@every()
def test_a_described_game_is_made_again(game):
    assert card_envs.make_game(game.describe()) is card_envs.make_game(game.name, **vars(game.rules))
    assert card_envs.make_game(f"  {game.describe()} ") == game
    assert card_envs.make_game(repr(game)) == game


@pytest.mark.parametrize("name", GAMES)
def test_a_description_may_be_short_and_go_with_rules_beside_it(name):
    make = card_envs.make_game
    assert make(f"{name}()") is make(name)
    assert make(f"{name}(match=True)", target=5) is make(name, match=True, target=5)
    with pytest.raises(ValueError, match="target are given twice"):
        make(f"{name}(target=5)", target=5)
    with pytest.raises(UnknownArgument, match="unexpected keyword argument 'trumps'"):
        make(f"{name}(trumps='h')")


@pytest.mark.parametrize(
    "text",
    ["NAME(", "NAME)", "NAME(match)", "NAME(True)", "NAME(match=true)", "NAME(match=print(1))",
     "NAME(**{'match': True})", "NAME(*[1])", "NAME(match=True, match=True)", "(NAME)", "NAME()()",
     "NAME.x()", "NAME(target=2**9)", "NAME(target=[i for i in (1, 2)])", "NAME(target=1) + 1", "NAME(\0)",
     "NAME(target=" + "(" * 500 + ")" * 500 + ")", "NAME(target=" + "9" * 900 + ")", "whist(match=True)", "()"],
)  # fmt: skip
def test_nothing_in_a_description_is_carried_out(text, capsys):
    sentence = short_refusal(lambda: card_envs.make_game(text.replace("NAME", ANY.game)))
    assert sentence.endswith(".")
    assert capsys.readouterr().out == ""
