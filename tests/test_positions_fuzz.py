"""Lines that are almost positions: read exactly or refused with a sentence, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.variants import VARIANTS
from tests.walks import SEEDS, VARIANT, walk

NUMBERS = st.one_of(
    st.sampled_from([0, 1, 2, 127, 128, 255, 256, 999, 1000, 1001, 32767, 32768, 65535, 65536, 2**31, 2**32, 2**52,
                     2**63 - 1, 2**63, 2**64 - 1, 2**64, -1, -128, -32768]),
    st.integers(-300, 70_000),
)  # fmt: skip
LETTERS = st.text(alphabet="0123456789,=-+_ .|eKhTdAxX*\t\x00٣é", max_size=6)


def read_or_refused(game, line):
    """The position read, or None."""
    faults = []
    try:
        state = game.state_from_text(line)
    except ValueError as error:
        faults.append(error)
    if faults:
        assert type(faults[0]) is ValueError
        assert " " in str(faults[0])
        assert len(str(faults[0])) < 3000
        return None
    assert game.state_from_text(game.state_to_text(state)) == state
    return state


def plays_on(state):
    """Points never fall and counts never wrap while the deal and the next two are played."""
    for _ in range(3 * state.game.max_plays):
        if state.is_over:
            return
        before = state.record
        state.play(state.sample_action())
        now = state.record
        assert (now["total"] >= before["total"]).all()
        assert now["deals"][0] in (before["deals"][0], before["deals"][0] + 1)
        assert (now["taken_before"] >= before["taken_before"]).all()


def line_of(variant, seed, plays):
    game = variant.make()
    return game, game.state_to_text(walk(game, seed, plays))


@given(VARIANT, SEEDS, st.integers(0, 60), st.data())
def test_a_line_with_other_numbers_is_read_exactly_or_refused(variant, seed, plays, data):
    game, line = line_of(variant, seed, plays)
    parts = line.split(" | ")
    words = parts[1].split()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(words) - 1))
        name, _, value = words[place].partition("=")
        count = value.count(",") + 1
        words[place] = f"{name}={','.join(str(data.draw(NUMBERS)) for _ in range(count))}"
    parts[1] = " ".join(words)
    state = read_or_refused(game, " | ".join(parts))
    if state is not None:
        plays_on(state)


@given(VARIANT, SEEDS, st.integers(0, 60), st.integers(0, 2**16), st.integers(0, 4), LETTERS)
def test_a_line_with_other_letters_is_read_exactly_or_refused(variant, seed, plays, at, cut, letters):
    game, line = line_of(variant, seed, plays)
    at %= len(line) + 1
    state = read_or_refused(game, line[:at] + letters + line[at + cut :])
    if state is not None:
        plays_on(state)


@given(st.sampled_from(VARIANTS), st.text(max_size=200))
def test_any_text_is_read_exactly_or_refused(variant, text):
    read_or_refused(variant.make(), text)
    read_or_refused(variant.make(), "|".join(text[k : k + 5] for k in (0, 5, 10, 15)))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_a_field_written_in_another_way_is_refused(variant):
    """One position, one line: other spellings of a number are not taken for it."""
    game = variant.make()
    line = game.state_to_text(game.new_state(seed=7, dealer=0))
    for spelled in ("07", "+7", "7_0", "٧", "7.0", "0x7", " 7", "7,", "1e1"):
        with pytest.raises(ValueError, match=r"position|fields"):
            game.state_from_text(line.replace("seed=7", f"seed={spelled}"))
