"""The list of players: what is listed can be made, what cannot says why, and others' players are in it."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint

import pytest

from card_agents import names
from card_agents.cli.command_line import REFUSED
from card_agents.cli.players import main
from card_agents.names import NAMES, make_agent
from card_agents.roster import COSTS, EXTERNAL, SENTENCES, TRIED, UNTRIED, is_slow, roster, sentence_of
from card_agents.table.choices import DEFAULT, offers_of
from card_envs import GAMES, make_game
from tests.variants import ANY, FEW, every


def refusal(name, game):
    """Why a player cannot be made; "" if it can."""
    try:
        make_agent(name, game)
    except ValueError as fault:
        return str(fault)
    return ""


@every(FEW)
def test_every_player_is_listed_with_whether_it_can_be_made_and_why_not(game):
    found = {entry.name: entry for entry in roster(game)}
    assert [*found] == [*NAMES, *EXTERNAL, *sorted(names.others())]
    for name, entry in found.items():
        assert entry.sentence
        assert entry.cost
        if name in UNTRIED:
            assert (entry.playable, entry.fault) == (None, "")
            continue
        why_not = refusal(TRIED.get(name, name), game)
        assert (entry.playable, entry.fault) == (not why_not, why_not)
    assert found["random"].playable
    json.dumps([entry.to_dict() for entry in found.values()], allow_nan=False)


def test_every_player_of_the_library_has_its_sentence_and_its_cost():
    assert SENTENCES.keys() == names.OWN_KINDS
    assert COSTS.keys() - SENTENCES.keys() == {"exact"}
    assert [is_slow(name) for name in ("greedy", "ppo:a.npz", "exact+ppo", "pimc:1", "ismcts:1+ppo", "cmd:./bot")] == [
        False, False, False, True, True, True,
    ]  # fmt: skip


def test_the_page_says_of_players_what_the_list_says():
    for name, offer in offers_of(DEFAULT).items():
        assert offer.sentence == sentence_of(name)
        assert offer.is_slow == is_slow(name)


def test_players_of_other_packages_are_listed_whether_they_can_be_made_or_not(monkeypatch):
    entries = [
        EntryPoint("careful", "card_agents.players.builtin:GreedyAgent", names.GROUP),
        EntryPoint("broken", "no_such_module:make", names.GROUP),
    ]
    monkeypatch.setattr(names, "entry_points", lambda group: entries)
    broken, careful = roster(ANY.make())[-2:]
    assert (broken.name, broken.playable, broken.package) == ("broken", False, "no_such_module")
    assert "No module named 'no_such_module'" in broken.fault
    assert careful.name == "careful"
    assert "GreedyAgent" in careful.fault  # it takes no text after its name


@pytest.mark.parametrize("game", GAMES)
def test_the_command_lists_the_players_of_a_game_and_keeps_them(game, tmp_path, capsys):
    pytest.importorskip("rich")
    path = tmp_path / "players.json"
    assert main([game, "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    (told,) = json.loads(path.read_text())
    assert told["game"] == game
    assert told["players"] == [entry.to_dict() for entry in roster(make_game(game))]
    assert all(entry["name"] in printed for entry in told["players"])


def test_without_a_game_the_command_lists_the_players_of_all(tmp_path, capsys):
    pytest.importorskip("rich")
    path = tmp_path / "players.json"
    assert main(["--json", str(path)]) == 0
    assert [one["game"] for one in json.loads(path.read_text())] == list(GAMES)
    with pytest.raises(SystemExit) as stop:
        main(["--json", str(tmp_path)])
    assert stop.value.code == REFUSED
    assert "is a folder" in capsys.readouterr().err
