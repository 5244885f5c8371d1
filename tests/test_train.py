"""Training runs: what they leave, that they can be repeated, killed and resumed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

import card_envs
from card_agents import RandomAgent, make_agent
from card_agents.cli.train import main
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.training import checkpoint
from card_agents.training.pool import Pool
from card_agents.training.run import Run
from card_agents.training.settings import Budget, Settings
from tests.test_agents import some_network

ROOT = Path(__file__).resolve().parent.parent
_TINY = {
    "tables": 32, "rollout": 16, "batch": 256, "epochs": 1, "width": 32, "layers": 1, "leg": 2, "threads": 1,
    "measure-deals": 20, "evaluate-deals": 40, "points": 4,
}  # fmt: skip
TINY = [text for name, value in _TINY.items() for text in (f"--{name}", str(value))]
LEFT = {"config.json", "metrics.json", "model.npz", "evaluation.json", "learning_curve.png", "tensorboard"}


@pytest.fixture(autouse=True)
def _threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def train(folder, *options, game="elfern"):
    assert main([game, "--out", str(folder), *TINY, *map(str, options)]) == 0
    return json.loads((folder / "metrics.json").read_text())


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("elfern", []),
        ("konchinka", []),
        ("konchinka", ["--num-players", "4", "--figures"]),
        ("elfern", ["--match", "--target", "2"]),
        ("elfern", ["--no-advice", "--follow-suit", "endgame"]),
    ],
)
def test_a_run_leaves_everything(tmp_path, capsys, name, rules):
    folder = tmp_path / "run"
    metrics = train(folder, "--steps", 4000, *rules, game=name)
    assert {path.name for path in folder.iterdir()} == LEFT | {"checkpoints"}
    assert metrics["steps"] == 4096
    assert metrics["points"][0]["steps"] == 0
    assert metrics["points"][-1]["steps"] == 4096
    config = json.loads((folder / "config.json").read_text())
    game = card_envs.make_game(name, **{k: tuple(v) if isinstance(v, list) else v for k, v in config["rules"].items()})
    assert config["settings"]["steps"] == 4000
    assert {"torch", "sb3-contrib", "card_envs"} <= config["versions"].keys()
    agent = make_agent(f"ppo:{folder / 'model.npz'}", game)
    evaluation = json.loads((folder / "evaluation.json").read_text())
    assert [(m["a"], m["b"]) for m in evaluation["meetings"]] == [
        ("learner", "greedy"),
        ("learner", "random"),
        ("greedy", "random"),
    ]
    assert evaluation["deals"] == 40
    seeds = deal_seeds(evaluation["seed"], 40)
    again = meet(game, ("ppo", "random"), (agent, RandomAgent(game)), seeds)
    assert again.points_a.mean == pytest.approx(evaluation["meetings"][1]["points_a"]["mean"])
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert any((folder / "tensorboard").iterdir())
    shown = " ".join(capsys.readouterr().out.split())
    assert "95 % intervals" in shown
    assert "model, evaluation.json and learning_curve.png are in" in shown


def test_one_seed_decides_everything(tmp_path):
    results = [train(tmp_path / name, "--steps", 3000, "--seed", seed) for name, seed in (("a", 5), ("b", 5), ("c", 6))]
    assert results[0] == results[1] != results[2]
    game = card_envs.make_game("elfern")
    a, b = (make_agent(f"ppo:{tmp_path / name / 'model.npz'}", game).network.arrays() for name in "ab")
    assert all((a[name] == b[name]).all() for name in a)


def test_a_run_that_is_killed_goes_on_as_if_nothing_had_happened(tmp_path):
    whole = train(tmp_path / "whole", "--steps", 20_000)
    folder = tmp_path / "killed"
    command = [sys.executable, str(ROOT / "scripts" / "train.py"), "elfern"]
    options = ["--out", str(folder), *TINY, "--steps", "20000"]
    log = open(tmp_path / "log", "w+")  # noqa: SIM115
    child = subprocess.Popen([*command, *options], cwd=tmp_path, stdout=log, stderr=log)
    until = time.monotonic() + 1200
    while not list(folder.glob("checkpoints/*[3-9].ckpt")) and time.monotonic() < until and child.poll() is None:
        time.sleep(0.002)
    child.send_signal(signal.SIGKILL)
    child.wait()
    log.close()
    assert not (folder / "evaluation.json").exists()
    assert list(folder.glob("checkpoints/*.ckpt")), (tmp_path / "log").read_text()
    (folder / ".metrics.json.torn").write_text("{")  # as if it had been killed while writing that
    done = subprocess.run([*command, "--resume", str(folder)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"resumed\s+after\s+\d+\s+legs", done.stdout)
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["steps"] == 20_480
    assert metrics == whole
    assert {path.name for path in folder.iterdir()} == LEFT | {"checkpoints"}
    game = card_envs.make_game("elfern")
    a, b = (make_agent(f"ppo:{tmp_path / name / 'model.npz'}", game).network.arrays() for name in ("whole", "killed"))
    assert all((a[name] == b[name]).all() for name in a)


def test_a_finished_run_can_go_on_with_a_larger_budget(tmp_path):
    folder = tmp_path / "run"
    first = train(folder, "--steps", 2000)
    assert main(["--resume", str(folder), "--steps", "4000"]) == 0
    metrics = json.loads((folder / "metrics.json").read_text())
    assert first["steps"] == 2048
    assert metrics["steps"] == 4096
    assert metrics["points"][: len(first["points"])] == first["points"]
    assert metrics["points"][-1]["steps"] == 4096
    assert (folder / "checkpoints" / f"{metrics['legs']:012d}.ckpt").exists()


def test_minutes_end_a_run(tmp_path):
    metrics = train(tmp_path / "run", "--minutes", 0.02)
    assert metrics["steps"] > 0
    assert metrics["steps"] % 512 == 0


def test_torn_checkpoints_are_never_loaded(tmp_path, capsys):
    folder = tmp_path / "run"
    train(folder, "--steps", 3000)
    newest, older = sorted((folder / "checkpoints").iterdir(), reverse=True)
    content = newest.read_bytes()
    (folder / "checkpoints" / f".{newest.name}.torn").write_bytes(content[:1000])
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    for torn in (content[:-1], content[: len(content) // 3], b"", flipped, b"nonsense"):
        newest.write_bytes(torn)
        with pytest.raises(ValueError, match=r"damaged or incomplete"):
            checkpoint.read(newest)
        assert Run.resume(folder).legs == checkpoint.read(older)["legs"] == 2
    older.write_bytes(content[:100])
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(SystemExit) as stop:
        main(["elfern", "--resume", str(folder)])
    assert stop.value.code == 2
    assert "No checkpoint in" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_checkpoint_that_fails_to_be_written_leaves_the_last_one(tmp_path, monkeypatch):
    checkpoint.write(tmp_path, 1, {"legs": 1})

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        checkpoint.write(tmp_path, 2, {"legs": 2})
    assert checkpoint.last(tmp_path) == {"legs": 1}
    assert [path.name for path in tmp_path.iterdir()] == [f"{1:012d}.ckpt"]


def test_checkpoints_execute_nothing(tmp_path):
    class Bomb:
        def __reduce__(self):
            return pytest.fail, ("something in the file was executed",)

    path = checkpoint.write(tmp_path, 1, {"legs": Bomb()})
    with pytest.raises(ValueError, match=r"does not hold a run"):
        checkpoint.read(path)


def test_only_the_last_checkpoints_stay(tmp_path):
    for number in range(1, 6):
        checkpoint.write(tmp_path, number, {"legs": number})
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{4:012d}.ckpt", f"{5:012d}.ckpt"]
    assert checkpoint.last(tmp_path) == {"legs": 5}
    assert checkpoint.last(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("elfern --minutes 0", "one of them must end"),
        ("elfern --tables 0", "tables=0"),
        ("elfern --batch 1000", "does not divide"),
        ("elfern --seed -3", "negative"),
        ("elfern --greedy-share 0.8 --random-share 0.3", "add up to more than 1"),
        ("elfern --selves 0", "nobody to play against"),
        ("elfern --reward honour", "'honour'"),
        ("elfern --learning-rate fast", "'fast'"),
        ("elfern --ranks 9", "ranks=9"),
        ("elfern --resume nowhere", "holds no training run"),
        ("--resume nowhere", "holds no training run"),
        ("--resume", "GAME"),
        ("elfern --out .", "already exists"),
        ("whist", "'whist'"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "something").touch()
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["something"]


def test_a_resumed_run_keeps_its_rules_and_settings(tmp_path, capsys):
    folder = tmp_path / "run"
    train(folder, "--steps", 512)
    for options, sentence in (
        ("elfern --follow-suit never", "follow_suit"),
        ("elfern --tables 64", "tables"),
        ("konchinka", "trains elfern"),
    ):
        with pytest.raises(SystemExit):
            main([*options.split(), "--resume", str(folder)])
        assert sentence in capsys.readouterr().err
    (folder / "config.json").write_text("{}")
    with pytest.raises(SystemExit):
        main(["elfern", "--resume", str(folder)])
    assert "not the configuration" in capsys.readouterr().err


def test_a_full_pool_thins_out_evenly():
    game = card_envs.make_game("elfern")
    pool = Pool(game, Settings(pool=5))
    network = some_network(game)
    for steps in range(0, 6400, 100):
        pool.add(steps, network)
    ages = [steps for steps, _ in pool.snapshots]
    assert len(ages) == 5
    assert ages[0] == 0
    assert ages[-1] == 6300
    assert max(np.diff(ages)) <= 3200


@pytest.mark.parametrize("players", [2, 5])
def test_opponents_get_their_shares(players):
    game = card_envs.make_game("konchinka", num_players=players)
    networks = [some_network(game) for _ in range(6)]
    seated = []

    class Tables:
        num_envs = 160

        def set_opponents(self, opponents, where):
            assert len(opponents) == players - 1
            seated.extend(opponents * int(where.sum()))

    pool = Pool(game, Settings(greedy_share=0.5, random_share=0.25))
    for steps, network in enumerate(networks):
        pool.add(steps, network)
    shares = pool.seat_opponents(Tables(), np.random.default_rng(0))
    assert len(seated) == 160 * (players - 1)
    assert abs(seated.count("greedy") / len(seated) - 0.5) < 0.04
    assert abs(seated.count("random") / len(seated) - 0.25) < 0.04
    assert shares["greedy"] == seated.count("greedy") / len(seated)
    selves = [agent for agent in seated if not isinstance(agent, str)]
    assert 1 < len({id(agent) for agent in selves}) <= 3
    newest = [agent for agent in selves if agent.network is networks[-1]]
    assert abs(len(newest) / len(selves) - 0.5) < 0.05
    alone = Pool(game, Settings(greedy_share=0.5, random_share=0.5))
    assert alone.seat_opponents(Tables(), np.random.default_rng(0))["self"] == 0


def test_the_budget_is_what_runs_out_first():
    budget = Budget(1000, 60.0, steps=100, seconds=30.0)
    assert budget.used == 0.5
    budget.steps = 1000
    assert budget.spent
    assert not Budget(0, 60.0, steps=10**9).spent


def test_a_short_training_beats_random(tmp_path):
    options = {"steps": 40_000, "tables": 128, "rollout": 16, "batch": 256, "epochs": 3, "width": 96, "leg": 8}
    given = [str(text) for name, value in options.items() for text in (f"--{name}", value)]
    folder = tmp_path / "run"
    train(folder, *given, "--evaluate-deals", 500, "--layers", 2, "--no-advice", game="konchinka")
    against_random = json.loads((folder / "evaluation.json").read_text())["meetings"][1]["points_a"]
    assert against_random["low"] > 0.5
