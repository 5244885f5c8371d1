"""Packs, play and pages are what they always were: ``tests/golden.py`` says how to write the records anew."""

from __future__ import annotations

import json

import pytest

from tests import golden


def read(name):
    return json.loads((golden.FOLDER / name).read_text())


def test_seeds_give_the_packs_they_always_gave():
    assert golden.packs() == read("packs.json")


@pytest.mark.parametrize("what", ["plays", "sights"])
def test_whole_games_go_as_they_always_went(what):
    found, wanted = golden.digests(episodes=3), read("digests.json")
    assert {name: each[what] for name, each in found.items()} == {name: each[what] for name, each in wanted.items()}


@pytest.mark.parametrize("name", golden.PLAYTHROUGHS)
def test_playthroughs_read_as_they_always_did(name):
    wanted = (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert golden.playthrough(name, golden.PLAYTHROUGHS[name]) == wanted
