"""How the tests look at a refusal: its sentence, and that nothing has changed."""

from __future__ import annotations

import re

import pytest

import card_envs

ELFERN = card_envs.make_game("elfern")
MATCH = card_envs.make_game("elfern", match=True)
KONCHINKA = card_envs.make_game("konchinka", num_players=3)


def refused(call, *words, error=ValueError):
    """The call raises, with a sentence that has these words."""
    with pytest.raises(error) as caught:
        call()
    sentence = str(caught.value)
    assert re.match(r"\S+ .+", sentence), sentence
    assert sentence.rstrip().endswith((".", "!")) or ":" in sentence, sentence
    for word in words:
        assert str(word) in sentence, (word, sentence)


def unchanged(game, states, call, *words, error=ValueError):
    """The same, and the states keep every byte."""
    content = states.tobytes()
    refused(call, *words, error=error)
    assert states.tobytes() == content
