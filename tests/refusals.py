"""How the tests look at a refusal: its sentence, and that nothing has changed."""

from __future__ import annotations

import re

import pytest

from tests.variants import ANY, SEVERAL, Variant

GAME = ANY.make()
MATCH = Variant(ANY.game, {"match": True}).make()
OTHER = SEVERAL.make()


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
