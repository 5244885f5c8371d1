"""The folder of a tournament: it goes on with the same tournament only, and takes no chunk that is not of it."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import tracemalloc
from datetime import datetime
from pathlib import Path

import pytest

import card_envs
from card_agents.cli import tournament as command
from card_agents.cli.tournament import main
from card_agents.evaluation.tournament import folder
from card_agents.evaluation.tournament.folder import DamagedChunk, Folder
from card_agents.evaluation.tournament.plan import Chunk, Job
from card_agents.evaluation.tournament.playing import Players
from card_agents.files import locked
from tests.bots import program
from tests.test_tournament import SMALL, lasting, plan_of, tournament

ARGUMENTS = ["--agents", "random", "greedy", "--deals", "6", "--chunk", "3", *SMALL]
ELFERN = card_envs.make_game("elfern")


def refusal(capsys, *arguments):
    """What the command says when it refuses these."""
    with pytest.raises(SystemExit) as stop:
        main([str(one) for one in arguments])
    assert stop.value.code == 2
    return " ".join(capsys.readouterr().err.split())


def edited(path, change):
    """The content of a file of JSON after a change of its object."""
    told = json.loads(path.read_text())
    change(told)
    return json.dumps(told)


def sealed(path, change):
    """The same, with the checksum that fits."""
    told = json.loads(path.read_text())
    change(told)
    del told["checksum"]
    return json.dumps({**told, "checksum": folder._checksum(told)})


def raised(told):
    told["points"][0][0] += 1


DAMAGES = {
    "cut": lambda path: path.read_text()[:40],
    "empty": lambda path: "",
    "zeros": lambda path: "\0" * 200,
    "no object": lambda path: "[1, 2]",
    "deep": lambda path: "[" * 100_000,
    "deep and closed": lambda path: '{"a":' * 100_000 + "1" + "}" * 100_000,
    "many digits": lambda path: '{"points": ' + "9" * 10_000 + "}",
    "no text": lambda path: "\udcff\udcfe",
    "large": lambda path: '{"a": "' + "x" * (1 << 22) + '"}',
    "edited": lambda path: edited(path, raised),
    "without a checksum": lambda path: edited(path, lambda told: told.pop("checksum")),
    "only a checksum": lambda path: json.dumps({"checksum": folder._checksum({})}),
    "its neighbour": lambda path: (path.parent / "0000-000000.json").read_text(),
    "another plan": lambda path: sealed(path, lambda told: told.update(plan="0" * 64)),
    "no points": lambda path: sealed(path, lambda told: told.pop("points")),
    "another shape": lambda path: sealed(path, lambda told: told["points"].pop()),
    "impossible points": lambda path: sealed(path, lambda told: told["points"][0].__setitem__(0, 99)),
    "huge points": lambda path: sealed(path, lambda told: told["points"][0].__setitem__(0, 10**30)),
    "halves": lambda path: sealed(path, lambda told: told["points"][0].__setitem__(0, 0.5)),
    "impossible rank": lambda path: sealed(path, lambda told: told["level"][0].__setitem__(0, 2)),
    "endless time": lambda path: sealed(path, lambda told: told["seconds"].__setitem__(0, float("inf"))),
    "no games": lambda path: sealed(path, lambda told: told.pop("games")),
    "a game too many": lambda path: sealed(path, lambda told: told["games"].append("{}")),
    "no time": lambda path: sealed(path, lambda told: told.update(seconds=None)),
    "strange forfeit": lambda path: sealed(path, lambda told: told["forfeits"].append([0, 0, 0, 0, "it"])),
    "odd forfeit": lambda path: sealed(path, lambda told: told["forfeits"].append("lost")),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("tournament") / "t"
    tournament(path, *ARGUMENTS)
    return path


def plan_of_whole():
    return plan_of(card_envs.make_game("elfern", suits=2, ranks=6, hand_size=3), ("random", "greedy"), 6, 3)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_chunk_that_is_not_what_was_written_is_not_taken(whole, damage, tmp_path):
    mine = tmp_path / "t"
    shutil.copytree(whole, mine)
    kept = Folder(mine, plan_of_whole())
    kept.begin()
    assert [type(found) for _, found in kept.played()] == [Chunk, Chunk]
    path = mine / "chunks" / "0000-000001.json"
    content = DAMAGES[damage](path)
    path.write_bytes(content.encode(errors="surrogateescape"))
    (_, first), (job, said) = kept.played()
    assert isinstance(first, Chunk)
    assert job == Job(0, 1)
    assert said.startswith(f"{path} ")
    assert said.endswith(": this chunk will be played again.")


def test_chunks_that_changed_places_are_played_again(whole, tmp_path, capsys):
    mine = tmp_path / "t"
    shutil.copytree(whole, mine)
    first, second = paths = [mine / "chunks" / f"0000-00000{number}.json" for number in (0, 1)]
    before = [json.loads(path.read_text()) for path in paths]
    first.rename(tmp_path / "kept")
    second.rename(first)
    (tmp_path / "kept").rename(second)
    tournament(mine, *ARGUMENTS)
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("holds another chunk of this tournament: this chunk will be played again.") == 2
    assert lasting(mine) == lasting(whole)
    after = [json.loads(path.read_text()) for path in paths]
    for told in (*before, *after):
        del told["seconds"], told["checksum"]
    assert after == before


def test_what_is_no_chunk_of_the_plan_is_not_looked_at(whole, tmp_path, capsys):
    mine = tmp_path / "t"
    shutil.copytree(whole, mine)
    shutil.copy(mine / "chunks" / "0000-000001.json", mine / "chunks" / "0000-000002.json")
    (mine / "chunks" / "notes.txt").write_text("mine")
    (mine / "chunks" / ".0000-000000.json.ab12").write_text("torn")
    tournament(mine, *ARGUMENTS)
    assert "played again" not in capsys.readouterr().out
    assert not (mine / "chunks" / ".0000-000000.json.ab12").exists()
    assert lasting(mine) == lasting(whole)


@pytest.mark.skipif(os.name != "posix", reason="there are named pipes on Linux and macOS")
def test_a_pipe_in_the_place_of_a_chunk_holds_nobody_up(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "t")
    path = tmp_path / "t" / "chunks" / "0000-000000.json"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(DamagedChunk, match="not a file"):
        Folder(tmp_path / "t", plan_of_whole()).read(Job(0, 0))


def test_a_chunk_is_read_as_it_was_written(tmp_path):
    played = plan_of(ELFERN, ("random", "greedy"), 6, 3)
    kept = Folder(tmp_path / "t", played)
    kept.begin()
    chunk = Players(played).play(Job(0, 1))
    chunk.forfeits.append((4, 1, 0, 1, "said \udce9\x1b[1m"))
    kept.write(Job(0, 1), chunk)
    ((job, found),) = kept.played()
    assert job == Job(0, 1)
    assert isinstance(found, Chunk)
    for name, value in vars(chunk).items():
        assert getattr(found, name) is not value
        assert str(getattr(found, name)) == str(value)
    with pytest.raises(DamagedChunk, match="cannot be read"):
        kept.read(Job(0, 0))
    other = Folder(tmp_path / "t", dataclasses.replace(played, seed=9))
    with pytest.raises(DamagedChunk, match="belongs to another tournament"):
        other.read(Job(0, 1))


def test_a_forfeit_is_told_with_the_number_of_its_deal_in_the_tournament(tmp_path):
    bot = program(tmp_path, "crashes")  # in the second episode of every rotation of every chunk
    tournament(tmp_path / "t", "--agents", "random", bot, "--deals", 4, "--chunk", 2, *SMALL)
    for chunk, deal in ((0, 1), (1, 3)):
        told = json.loads((tmp_path / "t" / "chunks" / f"0000-00000{chunk}.json").read_text())
        assert [one[:2] for one in told["forfeits"]] == [[deal, 0], [deal, 1]]


# The plan


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        (["--seed", "1"], "differs in seed:"),
        (["--deals", "7"], "differs in deals:"),
        (["--chunk", "2"], "differs in chunk:"),
        (["--sample"], "differs in deterministic:"),
        (["--move-seconds", "9"], "differs in limits (move):"),
        (["--follow-suit", "never"], "differs in rules (follow_suit)"),
        (["--salt", "ab" * 16], "differs in salt:"),
    ],
)
def test_a_folder_goes_on_with_the_same_tournament_only(whole, changed, word, capsys):
    said = refusal(capsys, "elfern", "--out", whole, *ARGUMENTS, *changed)
    assert f"holds a tournament that {word}" in said


@pytest.mark.parametrize("name", ["layout", "files", "library", "agents", "pairs", "game", "deterministic", "sprt"])
def test_whatever_decides_a_result_is_part_of_the_plan(whole, name, tmp_path, capsys):
    shutil.copytree(whole, tmp_path / "t")
    path = tmp_path / "t" / "tournament.json"
    path.write_text(edited(path, lambda told: told.update({name: {"odd": 1}})))
    assert f"differs in {name}" in refusal(capsys, "elfern", "--out", tmp_path / "t", *ARGUMENTS)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (lambda path: "{", "not JSON"),
        (lambda path: "[]", "not a JSON object"),
        (lambda path: "[" * 100_000, "not JSON"),
        (lambda path: "{}", "it lacks 'agents', 'chunk'"),
        (lambda path: " " * (1 << 21), "longer than"),
        (lambda path: edited(path, lambda told: told.update(wind=3)), "this version does not know its 'wind'"),
        (lambda path: edited(path, lambda told: told.pop("layout")), "it lacks 'layout'"),
        (lambda path: edited(path, lambda told: told.update(salt=7)), "not a salt"),
        (lambda path: edited(path, lambda told: told.update(deals="six")), "differs in deals"),
        (lambda path: edited(path, lambda told: told.update(deals=1e999)), "differs in deals"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(whole, content, word, tmp_path, capsys):
    shutil.copytree(whole, tmp_path / "t")
    path = tmp_path / "t" / "tournament.json"
    path.write_text(content(path))
    before = {one: one.read_bytes() for one in (tmp_path / "t").rglob("*.json")}
    said = refusal(capsys, "elfern", "--out", tmp_path / "t", *ARGUMENTS)
    assert word in said
    assert "another --out" in said
    assert {one: one.read_bytes() for one in (tmp_path / "t").rglob("*.json")} == before


def test_where_no_tournament_can_be_there_is_a_sentence(tmp_path, capsys):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("Dear")
    assert "holds no tournament" in refusal(capsys, "elfern", "--out", tmp_path / "other", *ARGUMENTS)
    assert os.listdir(tmp_path / "other") == ["letter.txt"]
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refusal(capsys, "elfern", "--out", tmp_path / "file", *ARGUMENTS)
    assert "cannot be written" in refusal(capsys, "elfern", "--out", tmp_path / "file" / "t", *ARGUMENTS)
    assert "cannot be written" in refusal(capsys, "elfern", "--out", tmp_path / ("n" * 300), *ARGUMENTS)
    for name in ("results.json", "ratings.png"):
        (tmp_path / "taken" / name).mkdir(parents=True)
        (tmp_path / "taken" / "tournament.json").unlink(missing_ok=True)
        assert "holds no tournament" in refusal(capsys, "elfern", "--out", tmp_path / "taken", *ARGUMENTS)
    tournament(tmp_path / "t", *ARGUMENTS)
    (tmp_path / "t" / "report.md").unlink()
    (tmp_path / "t" / "report.md").mkdir()
    assert "report.md is a folder" in refusal(capsys, "elfern", "--out", tmp_path / "t", *ARGUMENTS)
    (tmp_path / "t" / "tournament.json").unlink()
    (tmp_path / "t" / "tournament.json").mkdir()
    assert "tournament.json cannot be read (it is not a file)" in refusal(
        capsys, "elfern", "--out", tmp_path / "t", *ARGUMENTS
    )


# Who works in it


def test_two_cannot_play_in_one_folder(whole, capsys):
    with locked(whole, "playing"):
        said = refusal(capsys, "elfern", "--out", whole, *ARGUMENTS)
    assert f"(pid {os.getpid()}) is playing in {whole}" in said
    tournament(whole, *ARGUMENTS)
    assert not (whole / ".lock").exists()


def test_tournaments_begun_in_the_same_second_have_folders_of_their_own(tmp_path, monkeypatch):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 2, 3, 4, 5)

    monkeypatch.setattr(command, "datetime", Clock)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main(["elfern", *ARGUMENTS]) == 0
    made = sorted(path.name for path in Path("runs").iterdir())
    assert made == ["tournament-elfern-20260102-030405", "tournament-elfern-20260102-030405-2"]
    assert all((Path("runs") / name / "results.json").exists() for name in made)


def test_a_number_of_deals_that_will_never_be_played_takes_no_room(tmp_path):
    played = plan_of(ELFERN, ("random", "greedy", "random"), 2**32, 100)
    assert len(played.jobs) == 3 * 42949673
    assert list(zip(played.jobs, range(2), strict=False)) == [(Job(0, 0), 0), (Job(0, 1), 1)]
    left = played.left({Job(0, 0), Job(2, 5)})
    assert len(left) == 3 * 42949673 - 2
    assert next(iter(left)) == Job(0, 1)
    assert Job(0, 0) not in left
    assert Job(2, 42949672) in left
    assert Job(3, 0) not in left
    test = ["--sprt", "random", "greedy", "--margin", "0.5", "--better", "1", "--chunk", "10"]
    tracemalloc.start()
    try:
        assert main(["elfern", *test, "--deals", "1000000000", "--out", str(tmp_path / "t")]) == 0
        assert tracemalloc.get_traced_memory()[1] < 2**27
    finally:
        tracemalloc.stop()
    assert json.loads((tmp_path / "t" / "verdict.json").read_text())["verdict"] == "better"
