"""The sample bots play legally in any game, as well as they claim, and stand in the guide as they are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import card_envs
from card_agents import RandomAgent, make_agent
from card_agents.cli.tournament import main as tournament
from card_agents.evaluation.arena import Log, deal_seeds, play_out
from card_agents.players.external import lines
from card_agents.protocol import Clock
from card_agents.seeds import SALT_BYTES
from card_envs import public
from card_envs.registry import game_class

ROOT = Path(card_envs.__file__).parents[1]
FOLDER = ROOT / "agents" / "bots"
GUIDE = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")

PLAYERS = {
    "agent.py": "agent:make",
    "program.py": f"cmd:{sys.executable} -S -E program.py",
    "program.sh": "cmd:sh program.sh",
    "program.c": "cmd:./program",
}
COMPILER = shutil.which("cc")
HERE = [name for name in PLAYERS if name != "program.c" or COMPILER]

CASES = [(name, rules) for name in card_envs.GAMES for rules in game_class(name).probe().variants]
SALT = "0" * 2 * SALT_BYTES
CLAIMS = [
    ("program.py", "elfern"),
    *((bot, "konchinka") for bot in ("program.py", "program.sh", "program.c")),
    *(("agent.py", name) for name in card_envs.GAMES),
]
"""Who plays which game better than chance."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The bots in the current directory, the one in C compiled if there is a compiler."""
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    if COMPILER:
        build = [COMPILER, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2", "-o", "program", "program.c"]
        subprocess.run(build, check=True)
    return tmp_path


def test_each_bot_has_its_player():
    assert {path.name for path in FOLDER.iterdir() if path.suffix} == set(PLAYERS)


@pytest.mark.parametrize("name", card_envs.GAMES)
@pytest.mark.parametrize("bot", PLAYERS)
def test_each_plays_a_tournament_without_a_forfeit_and_as_well_as_it_claims(bot, name, here):
    if bot not in HERE:
        pytest.skip("there is no C compiler")
    claims = (bot, name) in CLAIMS
    deals = 40 if claims else 10
    patience = ["--move-seconds", "600", "--start-seconds", "600", "--salt", SALT]
    size = ["--deals", str(deals), "--chunk", str(deals), "--workers", "1"]
    assert tournament([name, "--agents", f"bot={PLAYERS[bot]}", "random", *size, *patience, "--out", "run"]) == 0
    results = json.loads((here / "run" / "results.json").read_text())
    assert results["forfeits"] == []
    (meeting,) = results["meetings"]
    assert (meeting["a"], meeting["deals"]) == ("bot", deals)
    assert meeting["points_a"]["low" if claims else "high"] > 0


@pytest.mark.parametrize("bot", [bot for bot in PLAYERS if bot.startswith("program")])
@pytest.mark.parametrize(("name", "rules"), CASES)
def test_programs_play_legally_under_all_rules(name, rules, bot, here):
    if bot not in HERE:
        pytest.skip("there is no C compiler")
    game = card_envs.make_game(name, **rules)
    seating = [1, *[0] * (game.num_players - 2), 1]
    log = Log([Clock(), Clock()])
    with make_agent(PLAYERS[bot], game) as player:
        play_out(game, [RandomAgent(game), player], seating, deal_seeds(5, 3), None, log)
    assert log.forfeits == []
    assert log.clocks[1].decisions > 0


# Programs on their own


def told(*messages):
    return "".join(lines.line(message).decode() for message in messages)


def answers(bot, text):
    command = {"program.py": [sys.executable, "program.py"], "program.sh": ["sh", "program.sh"]}.get(bot, ["./program"])
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("bot", ["program.py", "program.sh", "program.c"])
def test_programs_pass_over_what_they_do_not_know_and_end_with_their_input(bot, here):
    if bot not in HERE:
        pytest.skip("there is no C compiler")
    position = {"game": "poker", "news": [{"legal": "no", "x": ["]", "}"]}, '"legal":['], "legal": ["Ah"]}
    messages = [
        {"type": "hello", "protocol": 1, "protocols": [1, 2, 3], "actions": ["Ah", "AhxA"], "type2": "move"},
        {"type": "news", "legal": []},
        {"type": "move", "random": 2**48 - 1, "position": position},
        {"type": "end", "position": {"legal": []}},
    ]
    found = [json.loads(line) for line in answers(bot, told(*messages))]
    assert found == [{"ready": True, "protocol": 2}, {"action": "Ah"}]


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_the_program_in_c_reads_any_json_and_survives_what_is_none(here):
    build = [COMPILER, "-g", "-o", "program", "program.c"]
    checked = subprocess.run([*build, "-fsanitize=address,undefined"], capture_output=True)
    if checked.returncode:
        subprocess.run(build, check=True)
    position = {'a\\"b': '\\"]}', "n": [[], {}, -1.5e3, None, True], "legal": ["5c", "9sx36", "Jcx*"]}
    message = {"legal": ["5cxA4"], "random": 5, "position": position, "type": "move"}
    good = json.dumps(message, indent=1).replace("\n", "\t ")
    assert answers("program.c", good + "\n") == ['{"action":"9sx36"}']
    assert answers("program.c", good.replace("9sx36", "9s") + "\n") == ['{"action":"Jcx*"}']
    for end in range(good.rindex('"')):  # then all is there but the end of the message
        done = subprocess.run(["./program"], input=good[:end] + "\n", capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), good[:end]
    for wrong in ("[]", "{}", "7", '"5c"', '["5c', '{"a": ["5c"]}'):
        line = '{"type": "move", "random": "x", "position": {"legal": ' + wrong + "\n"
        done = subprocess.run(["./program"], input=line, capture_output=True, text=True)
        assert done.stderr == "This move has no legal actions that I can read.\n", wrong
    deep = '{"type":"move","position":' + "[" * 10**6 + "\n"
    assert "no legal actions" in subprocess.run(["./program"], input=deep, capture_output=True, text=True).stderr


# The guide

EXCERPT = re.compile(r"^`(?P<file>agents/bots/[\w.]+)`:\n\n```\w+\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_guide_shows_the_bots_as_they_are():
    shown = list(EXCERPT.finditer(GUIDE))
    assert {one["file"].rpartition("/")[2] for one in shown} == set(PLAYERS)
    assert len(re.findall(r"^```(?:python|c|shell)$", GUIDE, re.MULTILINE)) == len(shown)
    for one in shown:
        source = (ROOT / one["file"]).read_text(encoding="utf-8")
        assert f"\n{one['text']}" in f"\n{source}", one["file"]


def rows(heading):
    """First cells of the table that follows a line of the guide which begins so, and the rest of each row."""
    _, found, rest = GUIDE.partition(f"\n{heading}")
    assert found, heading
    table = rest[rest.index("\n|") + 1 :].partition("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|", 1)] for line in table.splitlines()[2:]]
    return {name.strip("`"): text for names, text in cells for name in names.split(", ")}


def test_the_guide_tells_of_every_entry():
    schema = json.loads((ROOT / "docs" / "protocol.schema.json").read_text(encoding="utf-8"))
    for kind in ("hello", "move", "end"):
        assert list(rows(f"**`{kind}`**")) == [name for name in schema["$defs"][kind]["properties"] if name != "type"]
    assert rows("**In every game**") == {name: meaning for name, (_, meaning) in public.COMMON.items()}
    for name, game in ((name, game_class(name)) for name in card_envs.GAMES):
        if game.__module__.startswith("card_envs."):
            meanings = {name: " ".join(method.__doc__.split()) for name, method in public.facts(game).items()}
            assert rows(f"**{name.capitalize()}**") == meanings
