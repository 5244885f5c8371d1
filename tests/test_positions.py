"""Positions, actions and cards as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_envs.cards import SUITS, SYMBOLS, Pack, split
from tests.variants import every
from tests.walks import SEEDS, VARIANT, changed, walk

# Text


@given(VARIANT, SEEDS, st.integers(0, 150), st.booleans())
def test_a_position_goes_to_text_and_back_exactly(variant, seed, plays, own_pack):
    game = variant.make()
    more = {}
    if game.rules.match:
        scores = [(seed >> 3 * seat) % game.rules.target for seat in range(game.num_players)]
        more = {"scores": scores} if game.match_goes_on(scores) else {}
        more |= {extra: bool(seed & 1) for extra in game.match_extras}
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
