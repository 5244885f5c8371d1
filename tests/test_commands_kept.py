"""What the commands need before they begin, and that results are kept whatever becomes of the output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from card_agents.cli.command_line import FAILED, REFUSED, missing, needed
from tests.commands import BEGUN, COMMANDS, KEPT, PLAYED, main_of, run, said

# What they need


def test_what_is_missing_is_named_with_the_extra_that_brings_it():
    assert missing("arena", "json", "os.path") == ""
    sentence = 'This needs no_such_module, which is not installed: run pip install "card_envs[arena]".'
    assert missing("arena", "json", "no_such_module") == sentence
    with pytest.raises(ImportError, match="no_such_module"):
        needed("train", "no_such_module")


@pytest.mark.parametrize("name", PLAYED)
def test_playing_needs_no_torch(name, tmp_path):
    pytest.importorskip("rich")
    torch = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard")
    done = run(name, *PLAYED[name], blocked=torch, cwd=tmp_path)
    assert done.returncode == 0, said(done)
    assert (tmp_path / KEPT[name]).is_file()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_extra_is_named_before_any_work(name, tmp_path):
    lacking, extra = ("torch", "train") if name == "train" else ("rich", "play")
    if name == "train":
        pytest.importorskip("rich")
    done = run(name, *BEGUN[name], blocked=[lacking], cwd=tmp_path)
    assert done.returncode == FAILED
    assert f"This needs {lacking}, which is not installed" in said(done)
    assert f'pip install "card_envs[{extra}]"' in said(done)
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_tournament_without_matplotlib_has_no_pictures(tmp_path):
    pytest.importorskip("rich")
    done = run("tournament", *PLAYED["tournament"], blocked=["matplotlib"], cwd=tmp_path)
    assert done.returncode == 0, said(done)
    assert "There will be no figures" in done.stdout
    assert "greedy" in done.stdout
    assert {"results.json", "report.md"} <= {path.name for path in (tmp_path / "cup").iterdir()}
    done = run("exploit", *PLAYED["exploit"], "--picture", "p.png", blocked=["matplotlib"], cwd=tmp_path)
    assert done.returncode == FAILED
    assert "This needs matplotlib" in said(done)
    assert not (tmp_path / "kept.json").exists()


def test_a_picture_that_cannot_be_drawn_costs_nothing_else(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    from card_agents.cli import tournament

    def broken(*_):
        raise RuntimeError("no fonts")

    monkeypatch.setattr(tournament, "draw", broken)
    monkeypatch.chdir(tmp_path)
    assert tournament.main(PLAYED["tournament"]) == FAILED
    printed = capsys.readouterr().out
    assert "The figures could not be drawn: No fonts." in printed
    assert "greedy" in printed
    assert (tmp_path / "cup" / "results.json").is_file()


# What they keep


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("evaluate", "closed"),
        ("evaluate", "a pipe that nobody reads"),
        ("evaluate", "C"),
        ("exploit", "ascii"),
        ("tournament", "a pipe that nobody reads"),
        ("tournament", "ascii"),
    ],
)
def test_results_are_kept_whatever_becomes_of_the_output(name, output, tmp_path):
    pytest.importorskip("rich")
    environment, how = dict(os.environ), {}
    if output == "closed":
        how = {"preexec_fn": lambda: os.close(1), "stdout": None, "stderr": subprocess.PIPE, "capture_output": False}
    elif output == "a pipe that nobody reads":
        reader, writer = os.pipe()
        os.close(reader)
        how = {"stdout": writer, "stderr": subprocess.PIPE, "capture_output": False}
    elif output == "ascii":
        environment["PYTHONIOENCODING"] = "ascii"
    else:
        environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run(name, *PLAYED[name], cwd=tmp_path, env=environment, **how)
    told = said(done)
    json.loads((tmp_path / KEPT[name]).read_text())
    if output == "a pipe that nobody reads":
        os.close(writer)
        assert done.returncode == FAILED
        assert "Not everything could be printed: Broken pipe." in told
    else:
        assert done.returncode == 0, told
    if output in ("ascii", "C"):
        assert done.stdout.isascii()
        assert "greedy" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("name", ["evaluate", "tournament"])
def test_results_are_kept_where_the_output_is_full(name, tmp_path):
    pytest.importorskip("rich")
    with open("/dev/full", "w") as full:
        done = run(name, *PLAYED[name], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert done.returncode == FAILED
    assert "No space left on device" in said(done)
    json.loads((tmp_path / KEPT[name]).read_text())


@pytest.mark.parametrize("name", ["evaluate", "exploit"])
def test_where_results_go_is_looked_at_before_anything_is_played(name, tmp_path, capsys, monkeypatch):
    pytest.importorskip("rich")
    module = sys.modules[main_of(name).__module__]
    monkeypatch.setattr(module, "make_agent", lambda *_, **__: pytest.fail("a player was made"))
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", tmp_path / "nowhere" / "x.json", Path("/dev/full")):
        with pytest.raises(SystemExit) as stop:
            main_of(name)([*PLAYED[name][:-1], str(path)])
        assert stop.value.code == REFUSED
        assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("name", ["evaluate", "exploit"])
def test_results_that_cannot_be_kept_after_all_are_printed(name, tmp_path, capsys, monkeypatch):
    pytest.importorskip("rich")
    from card_agents.equilibrium import results
    from card_agents.evaluation import evaluating

    def full(*_):
        raise OSError(28, "No space left on device", "kept.json")

    monkeypatch.setattr(evaluating, "write_whole", full)
    monkeypatch.setattr(results, "write_whole", full)
    assert main_of(name)([*PLAYED[name][:-1], str(tmp_path / "kept.json")]) == FAILED
    printed = capsys.readouterr()
    assert "greedy" in printed.out
    assert "kept.json: No space left on device." in printed.err
