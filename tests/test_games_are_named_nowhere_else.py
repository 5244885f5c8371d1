"""A new game is tested without editing any list: no test names a game, but for its own and those that show one."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

import card_envs
from card_envs.registry import BUILT_IN

TESTS = Path(__file__).parent
SOURCES = sorted(path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py"))

BY_EXAMPLE = {
    "what plays games is shown on one of them, with rules that make the test short": (
        "test_agents*", "test_player*", "test_baselines*", "test_warmup*",
        "test_evaluate*", "test_regret*", "test_equilibrium*", "test_tournament*", "test_benchmark*",
        "test_external_bots*", "test_bots*", "test_train*", "*commands*", "test_readme*",
    ),
    "a whole game to leave something out of": ("test_definition.py",),
    "faults are planted in the files of a game, and looked for by its tests": ("mutations/*", "test_fingerprint.py"),
}  # fmt: skip
"""Why tests may name a game of this package that are not its own, and which."""

OF_THE_GUIDE = ("test_guides.py",)
"""What may name the game of another package that the guide builds."""


def is_own(source, game):
    """Whether a file is about this game by its name, ``test_rules_<game>.py`` say."""
    return game in source


@pytest.mark.parametrize("game", card_envs.GAMES)
def test_no_test_names_a_game_but_its_own_and_the_examples(game):
    allowed = (
        [pattern for patterns in BY_EXAMPLE.values() for pattern in patterns] if game in BUILT_IN else OF_THE_GUIDE
    )
    naming = [
        source
        for source in SOURCES
        if game in (TESTS / source).read_text(encoding="utf-8").lower() and not is_own(source, game)
    ]
    assert [source for source in naming if not any(fnmatch(source, pattern) for pattern in allowed)] == []


def test_every_exception_is_needed():
    for pattern in (*(pattern for patterns in BY_EXAMPLE.values() for pattern in patterns), *OF_THE_GUIDE):
        texts = [(TESTS / source).read_text(encoding="utf-8").lower() for source in SOURCES if fnmatch(source, pattern)]
        assert any(game in text for game in card_envs.GAMES for text in texts), pattern
