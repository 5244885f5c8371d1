"""Positions, actions and cards as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import card_envs
from card_envs.cards import SUITS, SYMBOLS, Pack, split
from tests.variants import every
from tests.walks import SEEDS, VARIANT, walk

# Text


@given(VARIANT, SEEDS, st.integers(0, 150), st.booleans())
def test_a_position_goes_to_text_and_back_exactly(variant, seed, plays, own_pack):
    game = variant.make()
    more = {}
    if game.rules.match:
        scores = [(seed >> 3 * seat) % game.rules.target for seat in range(game.num_players)]
        more = {"scores": scores} if game.match_goes_on(scores) else {}
        if game.name == "elfern":
            more["doubled"] = bool(seed & 1)
    if own_pack:
        try:
            state = game.new_state(seed=seed, deck=game.pack_of(seed + 1), dealer=seed % game.num_players, **more)
        except ValueError:
            return  # a void pack (K4)
    else:
        state = game.new_state(seed=seed, **more)
    row = state.record.copy()
    for _ in range(plays):
        if row["over"][0]:
            break
        game.step(row, game.sample_actions(row), auto_reset=False)
    state = game.state(row, 0)
    line = game.state_to_text(state)
    assert "\n" not in line
    back = game.state_from_text(line)
    assert back.record.tobytes() == state.record.tobytes()
    assert game.state_to_text(back) == line
    assert game.state_from_text(f"  {line}  ") == state


def changed(line, part, old, new):
    parts = line.split(" | ")
    assert old in parts[part], (old, parts[part])
    parts[part] = parts[part].replace(old, new, 1)
    return " | ".join(parts)


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


@every()
def test_a_line_does_not_go_on_after_its_deal(game):
    state = game.new_state(seed=5)
    while not state.is_over:
        last = game.state_to_text(state)
        state.play(int(state.legal_actions()[0]))
        if state.record["deal"][0] != 0:
            break
        name = state.history[-1][1]
    line = f"{last} {name}"
    with pytest.raises(ValueError, match=r"."):
        game.state_from_text(f"{line} {name}")
    over = game.state_to_text(state)
    if state.is_over:
        assert game.state_from_text(over) == state
        with pytest.raises(ValueError, match="after its deal has ended"):
            game.state_from_text(f"{over} {name}")


@every()
def test_a_single_deal_carries_no_scores_in_its_line(game):
    line = game.state_to_text(game.new_state(seed=5, dealer=0))
    zeros = "start=" + ",".join("0" * game.num_players)
    ones = "start=" + ",".join("1" * game.num_players)
    if game.rules.match and game.match_goes_on([1] * game.num_players):
        assert game.state_from_text(changed(line, 1, zeros, ones)).scores().tolist() == [1] * game.num_players
    else:
        with pytest.raises(ValueError, match=r"match"):
            game.state_from_text(changed(line, 1, zeros, ones))


@every()
def test_every_action_has_one_name_and_every_name_its_action(game):
    names = [game.action_name(action) for action in range(game.num_actions)]
    assert len(set(names)) == game.num_actions
    for action, name in enumerate(names):
        assert game.action_id(name) == action
        symbol = name[0] + SYMBOLS[name[1]] + name[2:]
        assert game.action_id(symbol) == action
        assert game.action_id(name.lower()) == action
        assert game.action_id(name.upper()) == action
        assert game.action_id(f" {name} ") == action
        if name[0] == "T":
            assert game.action_id("10" + name[1:]) == action


@every()
def test_pages_show_what_there_is_to_see(game):
    state = walk(game, 9, 3)
    page = str(state)
    for seat in range(game.num_players):
        for card in state.hand(seat):
            assert card[0] + SYMBOLS[card[1]] in page
        assert str(state.view(seat)) == state.text(seat)
    assert state.text(0) != page


@pytest.mark.parametrize("suit", SUITS)
def test_cards_are_read_as_letters_or_symbols_in_any_case(suit):
    pack = Pack(SUITS, "A23456789TJQK")
    for rank in pack.ranks:
        card = pack.card(rank + suit)
        for name in (rank + SYMBOLS[suit], (rank + suit).lower(), (rank + suit).upper(), f" {rank}{suit}"):
            assert pack.card(name) == card
    assert pack.card(f"10{suit}") == pack.card(f"10{SYMBOLS[suit]}") == pack.card(f"T{suit}")
    assert pack.name(pack.card(f"K{suit}")) == f"K{suit}"


def test_runs_of_cards_are_read_with_or_without_blanks():
    for text in ("Kh10dAcQs", "Kh 10d Ac Qs", "kh,TD, a♣ q♠", "K♥T♦A♣Q♠"):
        assert split(text) == ["Kh", "Td", "Ac", "Qs"]
    for wrong in ("Kh 1d", "Khh", "K", "Kh;Ac", "11h", "Kx"):
        with pytest.raises(ValueError, match="is not a card"):
            split(wrong)


@given(st.lists(st.integers(0, 51), max_size=60))
def test_written_cards_are_read_back(cards):
    pack = Pack(SUITS, "A23456789TJQK")
    names = [pack.name(card) for card in cards]
    assert pack.cards("".join(names)) == cards
    assert pack.cards(" ".join(names)) == cards
    assert pack.set_names(sum(1 << card for card in set(cards))) == [pack.name(card) for card in sorted(set(cards))]
