"""scripts/tournament.py: the same results however they are played, and everything in the report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent
from card_agents.cli.tournament import main
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.evaluation.tournament.plan import Chunk, Job, Plan, round_robin
from card_agents.evaluation.tournament.playing import Players, _WorkerPool
from card_agents.evaluation.tournament.results import results_of, rotation_factor, rotation_parts
from card_agents.evaluation.tournament.sequential import BETTER, UNDECIDED, Sprt
from card_agents.evaluation.tournament.verdict import verdict_of
from card_agents.players.external import Limits
from tests.bots import program
from tests.commands import signals_as_in_a_shell
from tests.test_tournament_bots import none_left

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "tournament.py"
SMALL = ["--suits", "2", "--ranks", "6", "--hand-size", "3"]
LEFT = {"tournament.json", "chunks", "results.json", "report.md", "ratings.png", "payoff.png"}


def tournament(folder, *arguments, game="elfern"):
    assert main([game, "--out", str(folder), *map(str, arguments)]) == 0
    return json.loads((folder / "results.json").read_text())


def lasting(folder):
    """The results without what differs from run to run."""
    told = json.loads((folder / "results.json").read_text())
    assert told.pop("run").keys() == {"date", "seconds", "ms_per_decision", "machine", "versions"}
    return json.dumps(told)


def plan_of(game, agents, deals=6, chunk=3, sprt=None, pairs=None):
    return Plan(game, agents, pairs or round_robin(game, len(agents)), deals, 0, chunk, True, Limits(), sprt)


def allow(folder, processes):
    """Let so many more processes of the bot that "waits" begin."""
    so_far = (folder / "pids").read_text().count("\n")
    (folder / "allowed.new").write_text(str(so_far + processes))
    (folder / "allowed.new").replace(folder / "allowed")


def until(condition, process):
    deadline = time.monotonic() + 1200
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_worker_that_is_killed_is_told_of_in_a_sentence():
    plan = plan_of(card_envs.make_game("elfern", suits=2, ranks=4, hand_size=2), ("random", "greedy"))
    pool = _WorkerPool(plan, 1)
    try:
        (process,) = pool._processes.values()
        process.kill()
        process.join()
        with pytest.raises(ChildProcessError, match="A worker process ended while it played"):
            list(pool.play(plan.jobs))
    finally:
        pool.kill()


@pytest.mark.slow
def test_interruptions_and_workers_change_nothing(tmp_path):
    bot = program(tmp_path, "waits")
    arguments = ["--agents", bot, "random", "greedy", *SMALL, "--deals", "12", "--chunk", "2", "--seed", "3"]
    arguments += ["--salt", "5a" * 16, "--start-seconds", "3000"]
    tournament(tmp_path / "whole", *arguments)
    folder = tmp_path / "broken"
    for stop in (signal.SIGKILL, signal.SIGINT):
        # So many processes of the bot may start: enough for a chunk, too few to come to the end before it is stopped.
        allow(tmp_path, 8)
        before = len(list(folder.glob("chunks/*.json")))
        command = [sys.executable, SCRIPT, "elfern", "--out", folder, "--workers", "2", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   preexec_fn=signals_as_in_a_shell)  # fmt: skip
        until(lambda before=before: len(list(folder.glob("chunks/*.json"))) > before, process)
        process.send_signal(stop)
        said = process.communicate()[0]
        assert process.returncode == (130 if stop == signal.SIGINT else -stop)
        assert "Traceback" not in said, said
        if stop == signal.SIGINT:
            assert "chunks are saved" in said
        assert none_left(tmp_path)[1]
        assert not (folder / "results.json").exists()
    (tmp_path / "allowed").unlink()
    played = {path: path.stat().st_mtime_ns for path in folder.glob("chunks/[0-9]*.json")}
    assert 2 <= len(played) < 18
    tournament(folder, *arguments)
    assert all(path.stat().st_mtime_ns == when for path, when in played.items())
    assert lasting(folder) == lasting(tmp_path / "whole")
    assert none_left(tmp_path)[1]
    # once more: nothing is left to be played
    assert tournament(folder, *arguments)["forfeits"] == []


def test_results_are_those_of_the_arena(tmp_path):
    told = tournament(tmp_path / "t", "--agents", "random", "greedy", "random", "--deals", 30, "--chunk", 7, *SMALL)
    assert {path.name for path in (tmp_path / "t").iterdir()} == LEFT
    game = card_envs.make_game("elfern", suits=2, ranks=6, hand_size=3)
    seeds = deal_seeds(0, 30)
    meeting = meet(game, ("random", "greedy"), (RandomAgent(game), GreedyAgent(game)), seeds).to_dict()
    first = told["meetings"][0]
    factor = first.pop("rotation_factor")
    assert first == json.loads(json.dumps(meeting))
    assert factor > 0
    assert told["payoff"]["agents"] == ["random", "greedy", "random (2)"]
    matrix = told["payoff"]["points_of_row_against_column"]
    assert matrix[0][0] is None
    assert matrix[1][0]["mean"] == -matrix[0][1]["mean"] == meeting["points_b"]["mean"]
    assert matrix[0][2] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    assert told["anchor"] == "random"
    ratings = {row["agent"]: row["rating"] for row in told["table"]}
    assert ratings["random"] == {"rating": 0.0, "low": 0.0, "high": 0.0, "kind": "fitted"}
    assert ratings["random (2)"]["rating"] == pytest.approx(0, abs=1e-9)
    assert ratings["greedy"]["low"] > 0
    assert told["table"][0]["agent"] == "greedy"
    against = {(one["a"], one["b"]): one for one in told["meetings"]}
    means = against["random", "greedy"]["points_b"]["mean"], against["greedy", "random (2)"]["points_a"]["mean"]
    assert told["table"][0]["points"]["mean"] == pytest.approx(sum(means) / 2)
    assert told["run"]["ms_per_decision"].keys() == {"random", "greedy", "random (2)"}
    assert {"random", "greedy"} <= set((tmp_path / "t" / "report.md").read_text().split())
    assert (tmp_path / "t" / "ratings.png").read_bytes()[:4] == b"\x89PNG"


def test_the_same_agent_twice_makes_exactly_nothing():
    for game in (card_envs.make_game("elfern"), card_envs.make_game("konchinka", num_players=3, match=True, target=5)):
        plan = plan_of(game, ("random", "random"))
        players = Players(plan)
        results = results_of(plan, {job: players.play(job) for job in plan.jobs})
        for one in (*results.points, results.payoff(0, 1), results.payoff(1, 0)):
            assert one.mean == one.low == one.high == 0
        if game.num_players == 2:
            assert results.ratings[1].rating == pytest.approx(0, abs=1e-9)
        assert results.factor is None


def test_with_more_players_each_is_alone_once_and_a_game_is_one_comparison():
    game = card_envs.make_game("konchinka", num_players=3)
    plan = plan_of(game, ("greedy", "random"), deals=8, chunk=5)
    assert plan.pairs == ((0, 1), (1, 0))
    players = Players(plan)
    chunks = {job: players.play(job) for job in plan.jobs}
    results = results_of(plan, chunks)
    agents = GreedyAgent(game), RandomAgent(game)
    for meeting, order in zip(results.meetings, ((0, 1), (1, 0)), strict=True):
        names = tuple(plan.agents[one] for one in order)
        again = meet(game, names, tuple(agents[one] for one in order), deal_seeds(0, 8))
        assert meeting == again
        assert results.payoff(*order) == again.points_a
        assert results.points[order[0]].mean == pytest.approx(again.points_a.mean)
    assert results.order == [0, 1]
    assert results.ratings[0].rating > 0
    assert results.anchor == 1
    chunk = chunks[Job(0, 0)]
    assert chunk.points.shape == (5, 3)
    assert ((chunk.beaten + chunk.level) <= 2).all()


def test_forfeits_are_in_the_report_and_the_tournament_goes_on(tmp_path):
    bot = program(tmp_path, "crashes")
    told = tournament(tmp_path / "t", "--agents", "greedy", bot, "random", "--deals", 4, "--chunk", 4, *SMALL)
    (lost,) = told["forfeits"]
    assert lost["agent"] == bot
    # the second episode of every rotation of every chunk, two rotations, two opponents
    assert lost["times"] == 4
    assert (lost["against"], lost["deal"]) == ("greedy", 1)
    assert lost["reason"] == "ended with exit status 1: ZeroDivisionError: division by zero"
    assert {row["agent"]: row["forfeits"] for row in told["table"]} == {bot: 4, "greedy": 0, "random": 0}
    assert "ZeroDivisionError: division by zero" in (tmp_path / "t" / "report.md").read_text()
    kept = json.loads((tmp_path / "t" / "chunks" / "0000-000000.json").read_text())
    assert [one[:4] for one in kept["forfeits"]] == [[1, 0, 1, 1], [1, 1, 0, 1]]
    assert kept["points"][1] == [kept["points"][1][0]] * 2 > [0, 0]
    assert none_left(tmp_path)[1]


def test_rotation_shrinks_the_interval_by_the_factor_of_the_variances():
    generator = np.random.default_rng(0)
    luck, own = generator.normal(0, 2, 20000), generator.normal(0, 1, (20000, 2))
    points = np.stack([luck, -luck], axis=1) + own
    # variance of one game 5; of the mean of two rotations 1 / 2 instead of 5 / 2
    assert rotation_factor(*rotation_parts(points)) == pytest.approx(5**0.5, rel=0.02)
    assert rotation_factor(*rotation_parts(own)) == pytest.approx(1, rel=0.02)
    # what a seat is worth is not the luck of the deal
    assert rotation_factor(*rotation_parts(own + np.array([5, -5]))) == pytest.approx(1, rel=0.02)
    assert rotation_factor(*rotation_parts(np.array([[1.0, -1.0], [2.0, -2.0]]))) is None
    assert rotation_factor(*rotation_parts(np.ones((1, 2)))) is None


def test_a_sequential_test_stops_when_it_is_decided(tmp_path, capsys):
    arguments = ["elfern", "--sprt", "random", "greedy", "--margin", "0.5", "--better", "1", "--chunk", "10"]
    assert main([*arguments, "--out", str(tmp_path / "t")]) == 0
    told = json.loads((tmp_path / "t" / "verdict.json").read_text())
    assert told["verdict"] == "better"
    assert told["deals_needed"] < 200
    assert told["log_likelihood_ratio"] >= told["bounds"][1]
    assert (told["meeting"]["a"], told["meeting"]["b"]) == ("greedy", "random")
    assert told["meeting"]["deals"] == told["deals_needed"]
    assert len(list((tmp_path / "t" / "chunks").iterdir())) == -(-told["deals_needed"] // 10)
    assert "greedy is better than random by more than 0.5 points per deal" in " ".join(capsys.readouterr().out.split())
    assert main([*arguments, "--deals", "5", "--out", str(tmp_path / "few")]) == 0
    assert json.loads((tmp_path / "few" / "verdict.json").read_text())["verdict"] == "undecided"
    assert "Undecided" in capsys.readouterr().out


def test_a_verdict_counts_the_deals_in_their_order_whenever_they_came():
    game = card_envs.make_game("elfern")
    plan = plan_of(game, ("a", "b"), 400, 100, Sprt(0.0, 0.3, 0.05, 0.05, 5.0), ((1, 0),))
    generator = np.random.default_rng(1)
    chunks = {}
    for job in plan.jobs:
        points = generator.integers(-4, 5, (100, 2)) + (generator.random((100, 2)) < 0.3)
        beaten, level = (points > 0).astype(np.int64), (points == 0).astype(np.int64)
        forfeits = [(job.chunk * 100 + 99, 0, 0, 0, "crashed")]
        chunks[job] = Chunk(points, beaten, level, [1, 1], [0.1, 0.1], forfeits)
    whole = verdict_of(plan, chunks)
    assert whole.outcome == BETTER
    needed = whole.meeting.deals
    assert 100 < needed < 400
    late = {job: chunks[job] for job in plan.jobs if job.chunk != 1}
    assert verdict_of(plan, late).outcome == UNDECIDED
    assert verdict_of(plan, late).meeting.deals == 100
    early = {job: chunks[job] for job in plan.jobs if job.chunk <= needed // 100}
    assert verdict_of(plan, early).meeting == whole.meeting
    assert sum(one.times for one in whole.forfeit_summaries) == needed // 100
    assert verdict_of(plan, {}).outcome == UNDECIDED


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "GAME"),
        ("elfern", "--agents for a round robin or --sprt"),
        ("elfern --agents random", "at least two"),
        ("elfern --agents random bob", "There is no player 'bob'"),
        ("elfern --agents random greedy --sprt random greedy", "Give either --agents"),
        ("elfern --agents random greedy --margin 1", "--margin can only be used with --sprt"),
        ("elfern --sprt random", "expected 2 arguments"),
        ("elfern --sprt random greedy --better -1", "above margin"),
        ("elfern --sprt random greedy --alpha 0.7", "alpha"),
        ("elfern --sprt random greedy --better inf", "better"),
        ("elfern --sprt random greedy --better 1e400", "better"),
        ("elfern --sprt random greedy --better nan", "better"),
        ("elfern --sprt random greedy --better 99", "out of range"),
        ("elfern --sprt random greedy --margin nan", "margin"),
        ("elfern --sprt random greedy --alpha 0", "alpha"),
        ("elfern --sprt random greedy --alpha 1", "alpha"),
        ("elfern --sprt random greedy --beta nan", "beta"),
        ("elfern --agents random greedy --salt abc", "not a salt"),
        ("elfern --agents random cfr:2s --suits 2 --ranks 4 --hand-size 2 --honours 2", "number of iterations"),
        ("elfern --agents random cmd:no-such-program", "no program 'no-such-program'"),
        ("elfern --agents random no_module:make", "no module 'no_module'"),
        ("elfern --agents random greedy --deals 1", "out of range"),
        ("elfern --agents random greedy --workers 0", "out of range"),
        ("elfern --agents random greedy --move-seconds 0", "above 0"),
        ("elfern --agents random greedy --suits 5", "suits=5"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert os.listdir(tmp_path) == []
