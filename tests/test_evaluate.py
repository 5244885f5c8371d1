"""scripts/evaluate.py: the table, the JSON, and what bad arguments get."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent
from card_agents.cli.evaluate import main
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.seeds import table_seeds
from tests.bots import program

ROOT = Path(__file__).resolve().parent.parent


def test_the_command_writes_a_table_and_json(tmp_path):
    path = tmp_path / "result.json"
    command = [sys.executable, ROOT / "scripts" / "evaluate.py", "elfern", "--agents", "random", "greedy"]
    command += ["--deals", "200", "--seed", "4", "--json", path, "--follow-suit", "never", "--no-match"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "random" in done.stdout
    assert "±" in done.stdout
    result = json.loads(path.read_text())
    game = card_envs.make_game("elfern", follow_suit="never")
    pair = RandomAgent(game), GreedyAgent(game)
    meeting = meet(game, ("random", "greedy"), pair, deal_seeds(4, 200))
    assert result["meetings"] == [json.loads(json.dumps(meeting.to_dict()))]
    assert result["rules"]["follow_suit"] == "never"
    assert (result["game"], result["unit"], result["seed"], result["deals"]) == ("elfern", "deal", 4, 200)
    assert result["rotations"] == 2
    assert result["deterministic"] is True
    assert result["first_table_seed"] == 4 << 32
    assert {"python", "card_envs", "numpy", "numba"} <= result["versions"].keys()
    assert result["date"]


def test_every_rule_has_an_option(tmp_path, capsys):
    path = tmp_path / "result.json"
    options = "--num-players 3 --figures --figure-sums 14,14,14 --obligation hand --match --target 5"
    options += " --settlement stakes --chip 2 --stake 10 --deals 3 --sample"
    assert main(["konchinka", "--agents", "random", "greedy", "--json", str(path), *options.split()]) == 0
    result = json.loads(path.read_text())
    assert result["rules"] == {
        "num_players": 3,
        "figures": True,
        "figure_sums": [14, 14, 14],
        "obligation": "hand",
        "match": True,
        "target": 5,
        "settlement": "stakes",
        "chip": 2,
        "stake": 10,
    }
    assert result["unit"] == "match"
    assert result["deterministic"] is False
    assert [(meeting["a"], meeting["b"]) for meeting in result["meetings"]] == [
        ("random", "greedy"),
        ("greedy", "random"),
    ]
    assert [seat["seat"] for seat in result["meetings"][0]["seats_a"]] == [0, 1, 2]
    assert sum(result["meetings"][0]["outcomes_a"].values()) == 9
    small = "--suits 2 --ranks 4 --honours 2 --hand-size 2 --target 7 --deals 3"
    assert main(["elfern", "--agents", "random", "random", *small.split()]) == 0
    assert "+0.000 ± 0.000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "GAME"),
        ("poker --agents random greedy", "'poker'"),
        ("elfern", "--agents"),
        ("elfern --agents random", "at least two"),
        ("elfern --agents random bob", "There is no player 'bob'"),
        ("elfern --agents random ppo:none.npz", "No such file"),
        ("elfern --agents random greedy --deals 1", "out of range"),
        ("elfern --agents random greedy --deals many", "not a whole number"),
        ("elfern --agents random greedy --seed -1", "out of range"),
        ("elfern --agents random greedy --suits 5", "suits=5"),
        ("elfern --agents random greedy --follow-suit often", "'often'"),
        ("elfern --agents random greedy --trumps h", "--trumps"),
        ("elfern --agents random greedy --ranks 7 --suits 3", "pack of 21 cards"),
        ("konchinka --agents random greedy --figure-sums 1;2", "list of whole numbers"),
        ("konchinka --agents random greedy --figure-sums 14,14,14", "figure_sums"),
        ("konchinka --agents random greedy --num-players 13", "num_players=13"),
        ("elfern --agents random greedy --json nowhere/x.json", "nowhere"),
        ("elfern --agents random greedy --json .", "is a folder"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err


def test_packs_are_secret_where_an_external_bot_plays_and_can_be_played_again(tmp_path):
    def evaluated(*more):
        path = tmp_path / "result.json"
        arguments = ["--agents", "random", f"exact+{program(tmp_path, 'good')}", "--deals", "3", "--suits", "2"]
        assert main(["elfern", *arguments, "--ranks", "6", "--hand-size", "3", "--json", str(path), *more]) == 0
        told = json.loads(path.read_text())
        for varying in ("seconds", "date"):
            told.pop(varying)
        return told

    first, second = evaluated(), evaluated()
    assert first["salt"] != second["salt"]
    assert first["first_table_seed"] != second["first_table_seed"]
    assert evaluated("--salt", first["salt"]) == first
    assert first["first_table_seed"] == table_seeds(0, 1, first["salt"])[0]
