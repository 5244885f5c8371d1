"""Who plays and which packs: a changed player is another one, and nobody can know packs that are to be secret."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import card_envs
from card_agents.evaluation.tournament import identity, plan
from card_agents.evaluation.tournament.folder import Folder
from card_agents.evaluation.tournament.identity import files_of
from card_agents.evaluation.tournament.plan import round_robin
from card_agents.players import ppo
from tests.bots import program
from tests.test_tournament import SMALL, lasting, plan_of, tournament
from tests.test_tournament_folder import edited, refusal

ELFERN = card_envs.make_game("elfern")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current directory with programs of Python in it."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "bot.py": "import helper\n",
        "helper.py": "from pack import part\n",
        "pack/__init__.py": "",
        "pack/part.py": "",
        "pack/weights.bin": "",
        "other.py": "",
        "bot": "#!/usr/bin/env python\nimport helper\n",
        "run/model.npz": "",
        "model.npz": "",
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    Path("bot").chmod(0o755)
    return tmp_path


OWN = [
    ("cmd:python bot.py", "bot.py helper.py pack/part.py"),
    ("cmd:python -m bot --fast", "bot.py helper.py pack/part.py"),
    ("cmd:python -um pack", "pack/part.py pack/weights.bin pack/__init__.py"),
    ("cmd:python -m pack.part", "pack/part.py pack/weights.bin"),
    ("cmd:python pack", "pack/part.py"),
    ("cmd:./bot", "bot helper.py"),
    ("cmd:sh -c 'exec python bot.py'", "bot.py helper.py"),
    ("cmd:./bot other.py --weights=model.npz", "other.py model.npz"),
    ("bot:make", "bot.py helper.py pack/part.py"),
    ("pack:make", "pack/part.py pack/weights.bin"),
    ("pack.part:make", "pack/part.py pack/weights.bin"),
    ("ppo:model.npz", "model.npz"),
    ("ppo:run", "run/model.npz"),
    ("ismcts:10+ppo:model.npz", "model.npz"),
]


@pytest.mark.parametrize(("agent", "files"), OWN + [(f"exact+{agent}", files) for agent, files in OWN])
def test_a_changed_file_makes_another_player(here, agent, files):
    for name in files.split():
        before = files_of(agent, ELFERN)
        with open(name, "a") as file:
            file.write("# changed\n")
        after = files_of(agent, ELFERN)
        assert before.keys() == after.keys()
        assert before != after
    Path("unrelated.py").write_text("")
    (here / "pack" / "__pycache__").mkdir()
    (here / "pack" / "__pycache__" / "part.pyc").write_text("")
    assert files_of(agent, ELFERN) == after
    assert not any(Path(name).is_absolute() and name.startswith(str(here)) for name in after)


def test_a_changed_program_is_refused_with_its_name(tmp_path):
    played = plan_of(ELFERN, ("random", f"exact+{program(tmp_path, 'good')}"))
    Folder(tmp_path / "t", played).begin()
    Folder(tmp_path / "t", plan_of(ELFERN, played.agents)).begin()
    path = tmp_path / "good.py"
    path.write_text(path.read_text() + "# another\n")
    with pytest.raises(ValueError, match=r"differs in files \(.*good\.py\)"):
        Folder(tmp_path / "t", plan_of(ELFERN, played.agents)).begin()


def test_a_program_that_changes_while_it_plays_is_told(tmp_path, monkeypatch, capsys):
    bot = program(tmp_path, "good")
    played = plan_of(ELFERN, ("random", bot))
    assert list(played.files)
    assert played.changed() == []
    arguments = ["--agents", "random", bot, "--deals", "2", *SMALL]
    tournament(tmp_path / "t", *arguments)
    assert "changed during play" not in capsys.readouterr().out
    (tmp_path / "good.py").write_text((tmp_path / "good.py").read_text() + "# another\n")
    ((changed,),) = [played.changed()]
    assert changed.endswith("good.py")
    monkeypatch.setattr(plan.Plan, "changed", lambda self: ["good.py"])
    tournament(tmp_path / "other", *arguments)
    assert "changed during play: good.py." in " ".join(capsys.readouterr().out.split())


def test_weights_and_sources_of_the_library_are_part_of_the_plan(tmp_path, monkeypatch):
    shutil.copytree(ppo.WEIGHTS, tmp_path / "weights")
    monkeypatch.setattr(ppo, "WEIGHTS", tmp_path / "weights")
    for agent in ("ppo", "exact+ppo", "ismcts:5+ppo"):
        Folder(tmp_path / agent, plan_of(ELFERN, ("random", agent))).begin()
    with open(tmp_path / "weights" / "elfern-2.npz", "ab") as file:
        file.write(b"more")
    for agent in ("ppo", "exact+ppo", "ismcts:5+ppo"):
        with pytest.raises(ValueError, match=r"differs in files \(.*elfern-2\.npz\)"):
            Folder(tmp_path / agent, plan_of(ELFERN, ("random", agent))).begin()
    Folder(tmp_path / "t", plan_of(ELFERN, ("random", "greedy"))).begin()
    told = plan.sources()
    monkeypatch.setattr(plan, "sources", lambda: {**told, "card_agents": "another"})
    with pytest.raises(ValueError, match=r"differs in library \(card_agents\)"):
        Folder(tmp_path / "t", plan_of(ELFERN, ("random", "greedy"))).begin()


def test_a_player_of_another_package_is_known_by_its_version(monkeypatch, here):
    class Package:
        name, version = "plays", "1.0"

    entry = EntryPoint("careful", "pack.part:make", identity.GROUP)
    monkeypatch.setattr(identity, "entry_points", lambda group: [entry])
    object.__setattr__(entry, "dist", Package())
    before = files_of("exact+careful:model.npz", ELFERN)
    assert before["plays (package)"] == "1.0"
    assert before.keys() == {"plays (package)", "pack", "model.npz"}
    Package.version = "1.1"
    assert files_of("exact+careful:model.npz", ELFERN) == {**before, "plays (package)": "1.1"}


def test_players_without_files_have_none():
    for agent in ("random", "greedy", "cfr:5", "pimc:3", "ismcts:5", "exact+greedy"):
        assert files_of(agent, ELFERN) == {}


def test_the_plan_is_for_its_owner_alone(tmp_path):
    Folder(tmp_path / "t", plan_of(ELFERN, ("random", program(tmp_path, "good")))).begin()
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "t" / "tournament.json").stat().st_mode) == 0o600


# The salt

SPY = """
import json, os, sys
seen = [json.dumps(dict(os.environ)), " ".join(sys.argv)]
process = os.getpid()
while os.path.exists(f"/proc/{process}/stat") and process > 1:
    for name in ("cmdline", "environ"):
        try:
            seen.append(open(f"/proc/{process}/{name}").read())
        except OSError:
            pass
    process = int(open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[1])
with open(SEEN, "a") as file:
    file.write("\\n".join(seen) + "\\n")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"ready": true, "protocol": 2}', flush=True)
    elif message["type"] == "move":
        with open(SEEN, "a") as file:
            file.write(line)
        print(json.dumps({"action": message["position"]["legal"][0]}), flush=True)
"""


def test_packs_are_secret_where_others_play_and_can_be_played_again(tmp_path):
    (tmp_path / "spy.py").write_text(f"SEEN = {str(tmp_path / 'seen')!r}\n{SPY}")
    bot = f"cmd:{sys.executable} {tmp_path / 'spy.py'}"
    arguments = ["--agents", "random", f"exact+{bot}", "--deals", "4", "--chunk", "2", *SMALL]
    first, second = (tournament(tmp_path / name, *arguments, "--workers", "2") for name in ("first", "second"))
    assert first["salt"] != second["salt"]
    assert first["meetings"] != second["meetings"] or first["first_table_seed"] != second["first_table_seed"]
    seen = (tmp_path / "seen").read_text()
    for told in (first, second):
        assert json.loads((tmp_path / "first" / "tournament.json").read_text())["salt"] == first["salt"]
        assert told["salt"] not in seen
        assert str(told["first_table_seed"]) not in seen
    assert '"type":"move"' in seen
    again = tournament(tmp_path / "again", *arguments, "--salt", first["salt"].upper())
    assert lasting(tmp_path / "again") == lasting(tmp_path / "first")
    assert again["salt"] == first["salt"]


def test_a_tournament_goes_on_with_its_salt(tmp_path, capsys):
    arguments = ["--agents", "random", program(tmp_path, "good"), "--deals", "4", "--chunk", "2", *SMALL]
    tournament(tmp_path / "t", *arguments)
    kept = lasting(tmp_path / "t")
    salt = json.loads(kept)["salt"]
    for path in (tmp_path / "t" / "chunks").iterdir():
        path.unlink()
    (tmp_path / "t" / "results.json").unlink()
    tournament(tmp_path / "t", *arguments)
    tournament(tmp_path / "t", *arguments, "--salt", salt)
    assert lasting(tmp_path / "t") == kept
    assert "differs in salt" in refusal(capsys, "elfern", "--out", tmp_path / "t", *arguments, "--salt", "00" * 16)
    path = tmp_path / "t" / "tournament.json"
    path.write_text(edited(path, lambda told: told.update(salt=None)))
    assert "it lacks 'salt'" in refusal(capsys, "elfern", "--out", tmp_path / "t", *arguments)


def test_our_own_players_alone_play_what_the_seed_says(tmp_path):
    arguments = ["--agents", "random", "greedy", "--deals", "6", *SMALL]
    told = tournament(tmp_path / "plain", *arguments)
    assert told["salt"] is None
    assert told["first_table_seed"] == 0
    salted = tournament(tmp_path / "salted", *arguments, "--salt", "ab" * 16)
    assert salted["salt"] == "ab" * 16
    assert salted["meetings"] != told["meetings"]
    for agent, secret in (("greedy", False), ("exact+ppo", False), ("exact+m:f", True), ("cmd:./bot", True)):
        assert plan_of(ELFERN, ("random", agent), pairs=round_robin(ELFERN, 2)).is_secret == secret
