"""The guide to adding a game shows the code as it is."""

from __future__ import annotations

import re
from importlib.metadata import distributions
from pathlib import Path
from textwrap import indent

import pytest

import card_envs

ROOT = Path(card_envs.__file__).parents[1]
GUIDE = ROOT / "docs" / "adding_a_game.md"
EXCERPT = re.compile(r"^`(?P<file>[\w./-]+)`:\n\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_excerpt_is_in_its_file_line_by_line():
    text = GUIDE.read_text(encoding="utf-8")
    excerpts = list(EXCERPT.finditer(text))
    assert len(excerpts) == len(re.findall(r"^```(python|toml)$", text, re.MULTILINE)) >= 10
    for excerpt in excerpts:
        source = (ROOT / excerpt["file"]).read_text(encoding="utf-8")
        methods = indent(excerpt["text"], "    ")  # of a class, shown without it
        assert any(f"\n{text}" in f"\n{source}" for text in (excerpt["text"], methods)), excerpt["file"]


def test_every_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", GUIDE.read_text(encoding="utf-8")):
        assert (GUIDE.parent / target).exists(), target


def test_the_game_of_the_guide_is_found():
    if not any(dist.name == "card-envs-briscola" for dist in distributions()):
        pytest.skip("The game of the guide is not installed: pip install -e examples/briscola")
    assert card_envs.make_game("briscola").name == "briscola"


def test_the_game_of_the_guide_is_named_nowhere_in_the_packages():
    for folder in ("card_envs", "agents", "scripts"):
        for path in (ROOT / folder).rglob("*.py"):
            assert "briscola" not in path.read_text(encoding="utf-8").lower(), path
