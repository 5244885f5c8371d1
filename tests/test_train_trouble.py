"""What may go wrong with a training run: it diverges, is stopped, meets another, its files are not what they were."""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

import card_envs
from card_agents import PPOAgent
from card_agents.cli.train import main
from card_agents.evaluation.arena import deal_seeds
from card_agents.training import checkpoint
from card_agents.training import run as training
from card_agents.training.config import read_config
from card_agents.training.run import Diverged, Run
from card_agents.training.settings import Settings
from tests.test_agents import some_network

RULES = {"suits": 2, "ranks": 4, "honours": 2, "hand_size": 2}
TINY = {
    "steps": 1024, "minutes": 0.0, "tables": 16, "rollout": 16, "batch": 256, "epochs": 1, "width": 8, "layers": 1,
    "leg": 1, "threads": 1, "measure_deals": 4, "evaluate_deals": 4, "points": 2, "seed": 5,
}  # fmt: skip
GIVEN = [text for name, value in {**RULES, **TINY}.items() for text in (f"--{name.replace('_', '-')}", str(value))]


@pytest.fixture(autouse=True)
def _threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def game():
    return card_envs.make_game("elfern", **RULES)


@pytest.fixture
def begun(tmp_path, game):
    with Run.begin(tmp_path / "run", game, Settings(**TINY)) as run:
        yield run


@pytest.fixture(scope="module")
def whole(tmp_path_factory, game):
    """The metrics and the player of a run that nothing happened to."""
    with Run.begin(tmp_path_factory.mktemp("whole") / "run", game, Settings(**TINY)) as run:
        run.train()
    return result_of(run.folder)


def result_of(folder):
    with np.load(folder / "model.npz") as model:
        arrays = {name: model[name].tolist() for name in model.files if name != "metadata"}
    return json.loads((folder / "metrics.json").read_text()), arrays


def resumed_result(folder):
    with Run.resume(folder) as run:
        run.train()
    return result_of(folder)


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Stop(Exception):
    pass


def stop_after(legs, error=Stop):
    def watch(run):
        if run.legs == legs:
            raise error

    return watch


# Training that diverges


@pytest.mark.parametrize("setting", ["value_weight", "entropy"])
def test_training_that_diverges_says_so_and_leaves_nothing_of_it(tmp_path, capsys, setting):
    folder = tmp_path / "run"
    status = main(["elfern", "--out", str(folder), *GIVEN, f"--{setting.replace('_', '-')}", "1e39"])
    assert status == 1
    said = capsys.readouterr().err
    assert "raining diverged at step 256: the loss is" in said
    assert "no checkpoint yet" in said
    assert "Traceback" not in said
    assert {path.name for path in folder.iterdir()} == {"config.json", "tensorboard"}


@pytest.mark.parametrize("what", ["weights", "nan", "optimizer", "large"])
def test_the_last_good_checkpoint_stays_when_training_diverges(begun, whole, what):
    def spoil(run):
        if run.legs == 2:
            policy = run.model.policy
            with torch.no_grad():
                if what == "optimizer":
                    next(iter(policy.optimizer.state.values()))["exp_avg"].fill_(float("inf"))
                elif what == "large":
                    policy.action_net.bias.uniform_(-1e12, 1e12)
                else:
                    next(policy.parameters()).fill_(1e38 if what == "weights" else float("nan"))

    with pytest.raises(Diverged, match=r"diverged at step \d+: .*last good checkpoint is .*0002\.ckpt"):
        begun.train(spoil)
    begun.close()
    kept = files(begun.folder)
    assert [path.name for path in kept if path.suffix == ".ckpt"]
    assert not any(b"NaN" in content for path, content in kept.items() if path.suffix == ".json")
    PPOAgent.load(begun.folder, begun.game)
    assert checkpoint.last(begun.folder / "checkpoints")["legs"] == 2
    assert resumed_result(begun.folder) == whole


def test_nothing_that_is_not_finite_is_written(tmp_path, begun):
    for content in ({"a": torch.tensor([1.0, float("nan")])}, {"a": [{"b": torch.tensor(float("inf"))}]}):
        with pytest.raises(ValueError, match="only finite numbers"):
            checkpoint.write(tmp_path, 1, content)
    assert not list(tmp_path.glob("*.ckpt"))
    with torch.no_grad():
        next(begun.model.policy.parameters()).fill_(float("nan"))
    for act in (begun.save, begun.agent, begun.finish):
        with pytest.raises(Diverged):
            act()
    assert [path.name for path in begun.folder.glob("*.*") if path.name != ".lock"] == ["config.json"]


@pytest.mark.parametrize("name", ["learning_rate", "clip"])
def test_settings_that_float32_cannot_hold_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=1e.300 is more than float32 holds"):
        Settings(**{name: 1e300})


@pytest.mark.parametrize("name", ["tables", "rollout", "width", "layers", "threads", "leg", "measure_deals"])
def test_settings_that_no_memory_would_do_for_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}="):
        Settings(**{name: 2**40})


# Training that is stopped


@pytest.mark.parametrize("error", [KeyboardInterrupt, Stop, OSError])
@pytest.mark.parametrize("within", ["step", "write"])
def test_a_run_that_is_stopped_anywhere_goes_on_as_if_nothing_had_happened(begun, whole, monkeypatch, error, within):
    calls = []

    def failing(function, times):
        def call(*args, **kwargs):
            calls.append(None)
            if len(calls) == times:
                raise error
            return function(*args, **kwargs)

        return call

    if within == "step":
        monkeypatch.setattr(begun._env, "step_wait", failing(begun._env.step_wait, 40))
    else:
        monkeypatch.setattr(os, "fsync", failing(os.fsync, 9))  # a checkpoint is there, its player is not
    with pytest.raises(error):
        begun.train()
    monkeypatch.undo()
    begun.close()
    assert resumed_result(begun.folder) == whole


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 1)])
def test_who_stops_a_run_is_told_how_to_go_on(tmp_path, capsys, monkeypatch, error, status):
    folder = tmp_path / "a run"
    write, calls = checkpoint.write, []

    def failing(folder, number, content):
        if number == 3 and not calls:
            calls.append(None)
            raise error
        return write(folder, number, content)

    monkeypatch.setattr(checkpoint, "write", failing)
    assert main(["elfern", "--out", str(folder), *GIVEN]) == status
    told = capsys.readouterr()
    said = " ".join((told.out + told.err).split())
    assert re.search(rf"[23] legs are saved; .*--resume '{folder}' continues from there\.", said)
    assert "Traceback" not in said
    assert sorted(path.stem for path in (folder / "checkpoints").iterdir()) == [f"{number:012d}" for number in (1, 2)]
    assert main(["--resume", str(folder)]) == 0
    assert (folder / "evaluation.json").is_file()


def test_a_full_disk_leaves_the_last_checkpoint(begun, whole, monkeypatch):
    with pytest.raises(Stop):
        begun.train(stop_after(2))
    kept = files(begun.folder / "checkpoints")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        begun.train()
    monkeypatch.undo()
    begun.close()
    assert files(begun.folder / "checkpoints") == kept
    assert resumed_result(begun.folder) == whole


def test_a_picture_that_cannot_be_drawn_costs_nothing_else(tmp_path, capsys, monkeypatch):
    def broken(*_):
        raise ImportError("no pictures today")

    monkeypatch.setattr(training, "draw_curve", broken)
    folder = tmp_path / "run"
    assert main(["elfern", "--out", str(folder), *GIVEN, "--steps", "256"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "learning_curve.png could not be drawn: ImportError: no pictures today" in said
    assert "model and evaluation.json are in" in said
    assert (folder / "evaluation.json").is_file()
    assert (folder / "model.npz").is_file()


def test_all_is_saved_before_anything_is_printed(tmp_path, monkeypatch):
    from card_agents.evaluation.evaluating import Evaluation

    folder = tmp_path / "run"
    found = []
    table = Evaluation.table
    monkeypatch.setattr(Evaluation, "table", lambda self: found.extend(os.listdir(folder)) or table(self))
    assert main(["elfern", "--out", str(folder), *GIVEN, "--steps", "256"]) == 0
    assert {"model.npz", "evaluation.json", "metrics.json", "learning_curve.png"} <= set(found)


# Two at once


def test_one_run_at_a_time_has_a_folder(tmp_path, game, begun):
    before = files(begun.folder)
    for another in (
        lambda: Run.resume(begun.folder),
        lambda: Run.begin(begun.folder, game, Settings(**TINY)),
    ):
        with pytest.raises(ValueError, match=r"Another process|already exists"):
            another()
    assert files(begun.folder) == before
    begun.close()
    with Run.resume(begun.folder), pytest.raises(ValueError, match=r"Another process.*training"):
        Run.resume(begun.folder)
    Run.resume(begun.folder).close()


def test_two_that_are_about_to_begin_in_one_folder_do_not_mix(tmp_path, game, monkeypatch):
    """Both have seen that it is empty."""
    monkeypatch.setattr(training, "_refuse_used", lambda folder: None)
    with Run.begin(tmp_path / "run", game, Settings(**TINY)), pytest.raises(ValueError, match="Another process"):
        Run.begin(tmp_path / "run", game, Settings(**{**TINY, "seed": 6}))
    assert read_config(tmp_path / "run")["settings"]["seed"] == 5


def test_two_runs_begun_in_one_second_get_folders_of_their_own(tmp_path, game):
    with (
        Run.begin(tmp_path / "run", game, Settings(**TINY), numbered=True) as one,
        Run.begin(tmp_path / "run", game, Settings(**TINY), numbered=True) as other,
    ):
        assert one.folder != other.folder


def test_a_finished_run_lets_others_in(tmp_path, game):
    run = Run.begin(tmp_path / "run", game, Settings(**{**TINY, "steps": 256}))
    run.train()
    run.finish()
    Run.resume(run.folder).close()


@pytest.mark.parametrize("out", ["file", "file/run", "/proc/nothing", "/dev/null/run"])
def test_a_folder_that_cannot_be_written_is_refused_before_training(tmp_path, capsys, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as stop:
        main(["elfern", "--out", out, *GIVEN])
    assert stop.value.code == 2
    assert re.search(r"already exists|cannot be written", capsys.readouterr().err)


@pytest.mark.parametrize("option", ["--reward settlement", "--against ppo:nowhere", "--width 16384 --layers 9"])
def test_what_cannot_be_trained_is_refused_before_anything_is_made(tmp_path, capsys, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["elfern", *GIVEN, *option.split()])
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# Configurations and checkpoints that are not what they were


def edited(folder, edit):
    config = json.loads((folder / "config.json").read_text())
    edit(config)
    (folder / "config.json").write_text(json.dumps(config))


EDITS = {
    "settings lack": lambda config: config["settings"].clear(),
    "settings lack tables": lambda config: config["settings"].pop("tables"),
    "settings name 'courage'": lambda config: config["settings"].update(courage=3),
    "rules lack": lambda config: config["rules"].clear(),
    "rules lack suits": lambda config: config["rules"].pop("suits"),
    "rules name 'joker'": lambda config: config["rules"].update(joker=True),
    "'settings' is missing or invalid": lambda config: config.update(settings=[1]),
    "'rules' is missing or invalid": lambda config: config.pop("rules"),
    "'identity' is missing or invalid": lambda config: config.update(identity=None),
    "no game 'whist'": lambda config: config.update(game="whist"),
    "'game' is missing or invalid": lambda config: config.update(game=[]),
    "tables='many'": lambda config: config["settings"].update(tables="many"),
    "tables=16.5": lambda config: config["settings"].update(tables=16.5),
    "entropy=nan": lambda config: config["settings"].update(entropy=float("nan")),
    "advice=1 ": lambda config: config["settings"].update(advice=1),
    "tables=-1": lambda config: config["settings"].update(tables=-1),
    "suits": lambda config: config["rules"].update(suits="x"),
    "hand_size": lambda config: config["rules"].update(hand_size=10**40),
    "follow_suit": lambda config: config["rules"].update(follow_suit={}),
    "another observation layout": lambda config: config["identity"].update(actions="x"),
}


@pytest.mark.parametrize("fault", EDITS)
def test_an_edited_configuration_is_refused(begun, capsys, fault):
    begun.close()
    edited(begun.folder, EDITS[fault])
    before = files(begun.folder)
    with pytest.raises(ValueError, match=re.escape(fault)) as refused:
        Run.resume(begun.folder)
    assert str(begun.folder) in str(refused.value)
    with pytest.raises(SystemExit) as stop:
        main(["--resume", str(begun.folder)])
    assert stop.value.code == 2
    assert fault in capsys.readouterr().err
    assert files(begun.folder) == before


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe\x00", b"[" * 10**5, b'{"a":' * 10**5, b" " * 2**21, b"1" * 10**5],
)
def test_a_file_that_is_no_configuration_is_refused(begun, text):
    begun.close()
    (begun.folder / "config.json").write_bytes(text)
    with pytest.raises(ValueError, match=r"config\.json is not the configuration of a training run: .*\.$"):
        Run.resume(begun.folder)


def test_a_damaged_checkpoint_gives_way_to_the_one_before_and_is_named(begun, whole):
    with pytest.raises(Stop):
        begun.train(stop_after(3))
    begun.close()
    newest = checkpoint.newest(begun.folder / "checkpoints")
    content = newest.read_bytes()
    dice = np.random.default_rng(0)
    for _ in range(20):
        place = int(dice.integers(len(content)))
        newest.write_bytes(content[:place] + bytes([content[place] ^ 1 << dice.integers(8)]) + content[place + 1 :])
        with Run.resume(begun.folder) as run:
            assert run.legs == 2
            assert str(newest) in run.remarks[0]
    assert resumed_result(begun.folder) == whole


def test_a_checkpoint_of_another_run_or_leg_is_not_gone_on_with(tmp_path, game, begun):
    with pytest.raises(Stop):
        begun.train(stop_after(3))
    begun.close()
    with Run.begin(tmp_path / "other", game, Settings(**{**TINY, "seed": 6})) as other, pytest.raises(Stop):
        other.train(stop_after(3))
    mine, theirs = (checkpoint.newest(run.folder / "checkpoints") for run in (begun, other))
    kept = mine.read_bytes()
    mine.write_bytes(theirs.read_bytes())
    with pytest.raises(ValueError, match="another run"):
        Run.resume(begun.folder)
    mine.write_bytes(kept)
    mine.rename(mine.with_name(f"{7:012d}.ckpt"))
    with Run.resume(begun.folder) as run:
        assert run.legs == 2
        assert "another leg" in run.remarks[0]


def test_a_run_is_not_gone_on_with_against_a_player_that_has_changed(tmp_path, game):
    rival = tmp_path / "rival.npz"
    PPOAgent(game, some_network(game, width=8)).save(rival)
    settings = Settings(**TINY, against=f"ppo:{rival}")
    with Run.begin(tmp_path / "run", game, settings) as run, pytest.raises(Stop):
        run.train(stop_after(2))
    Run.resume(run.folder).close()
    PPOAgent(game, some_network(game, width=8, seed=1)).save(rival)
    with pytest.raises(ValueError, match="--against has changed"):
        Run.resume(run.folder)


# What chance decides


def test_every_leg_has_dice_of_its_own(begun, monkeypatch):
    """Known numbers: what one version began, the next goes on with."""
    thrown = []
    monkeypatch.setattr(training, "set_random_seed", lambda seed: thrown.append(seed))
    monkeypatch.setattr(begun._tables, "seed", lambda seed: thrown.append(seed))
    dealt = []
    for begun.legs in (0, 1, 2, 1):
        begun._begin_leg()
        dealt.append((thrown[-2], thrown[-1]))
    words = [np.random.SeedSequence([5, leg]).generate_state(4, np.uint64) for leg in range(3)]
    assert dealt[:3] == [(int(word[0] % 2**32), int(word[2])) for word in words]
    assert dealt[3] == dealt[1]
    assert len({number for pair in dealt for number in pair}) == 6


def test_a_resumed_run_throws_the_dice_of_its_next_leg(begun, monkeypatch):
    def deals_of(run, legs):
        seen = []
        reset = run._env.reset

        def watched():
            observations = reset()
            seen.append((run.legs, observations.tobytes()))
            return observations

        monkeypatch.setattr(run._env, "reset", watched)
        with pytest.raises(Stop):
            run.train(stop_after(legs))
        run.close()
        return seen

    first = deals_of(begun, 2)
    then = deals_of(Run.resume(begun.folder), 4)
    assert [legs for legs, _ in first + then] == [0, 1, 2, 3]
    assert len({states for _, states in first + then}) == 4


def test_the_curve_the_evaluation_and_the_training_play_different_deals(begun, monkeypatch):
    measured, evaluated = [], []
    meet, evaluate = training.meet, training.evaluate

    def watched_meet(game, names, agents, seeds):
        measured.append([int(seed) for seed in seeds[:]])
        return meet(game, names, agents, seeds)

    def watched_evaluate(*args, seed, deals, **kwargs):
        evaluated.extend(deal_seeds(seed, deals).tolist())
        return evaluate(*args, seed=seed, deals=deals, **kwargs)

    monkeypatch.setattr(training, "meet", watched_meet)
    monkeypatch.setattr(training, "evaluate", watched_evaluate)
    begun.train()
    begun.finish()
    assert all(seeds == measured[0] for seeds in measured)  # points of one curve are of the same deals
    assert len(set(measured[0])) == len(set(evaluated)) == 4
    assert not set(measured[0]) & set(evaluated)
    packs = [{begun.game.new_state(seed=seed).text() for seed in seeds} for seeds in (measured[0], evaluated)]
    assert len(packs[0] | packs[1]) > len(packs[0])
