"""External bots keep their promises, and what they are promised, wherever they play: behind other players, too."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent, make_agent
from card_agents.cli.evaluate import main as evaluate
from card_agents.evaluation.arena import deal_seeds, meet, play_out, play_rotations
from card_agents.evaluation.regret import measure
from card_agents.names import split_label
from card_agents.players.external import Limits, make_bot
from card_envs.envs.single import CardEnv
from card_envs.envs.vector import CardVectorEnv
from tests.refusals import refused

GAME = card_envs.make_game("elfern", suits=2, ranks=6, hand_size=3)
SMALL = ["elfern", "--suits", "2", "--ranks", "6", "--hand-size", "3"]

PROGRAM = """
import json, os, sys
pid = os.getpid()
for line in sys.stdin:
    with open({log!r}, "a") as file: file.write(json.dumps([pid, json.loads(line)]) + "\\n")
    m = json.loads(line)
    if m["type"] == "hello":
        print('{{"ready": true, "protocol": 2}}', flush=True)
    elif m["type"] == "move":
        p = m["position"]
        if {fails}: raise SystemExit("enough")
        print(json.dumps({{"action": p["legal"][m["random"] % len(p["legal"])]}}), flush=True)
"""


def recorder(folder, fails="False"):
    """A program that writes down all it is told, by process; the player ``cmd:...``."""
    path = folder / "recorder.py"
    path.write_text(PROGRAM.format(log=str(folder / "log"), fails=fails))
    return f"cmd:{sys.executable} -S -E {path}"


def told(folder):
    """What each process was told, in order; what a position says stands beside the rest of its message."""
    found: dict[int, list] = {}
    for line in (folder / "log").read_text().splitlines():
        pid, message = json.loads(line)
        found.setdefault(pid, []).append(message | message.get("position", {}))
    return list(found.values())


def check_promises(lines, deals, returns=None):
    """A process meets one seat, one episode after the other, is told of each end, and meets no deal twice."""
    assert lines[0]["type"] == "hello"
    assert len({line["seat"] for line in lines[1:]}) == 1
    episode = 1
    for line in lines[1:]:
        assert line["episode"] == episode
        episode += line["type"] == "end"
    assert episode == deals + 1


@pytest.mark.parametrize("before", ["", "exact+", "exact+exact+"])
def test_a_program_meets_every_deal_from_one_seat_and_is_told_of_ends_wherever_it_plays(before, tmp_path):
    bot = make_agent(before + recorder(tmp_path), GAME)
    meet(GAME, ("bot", "greedy"), (bot, GreedyAgent(GAME)), deal_seeds(0, 6))
    processes = told(tmp_path)
    assert len(processes) == 2
    for lines in processes:
        check_promises(lines, 6)
    assert {lines[1]["seat"] for lines in processes} == {0, 1}


def test_evaluate_and_its_regret_play_with_programs_as_the_tournament_does(tmp_path):
    name = recorder(tmp_path)
    options = ["--deals", "4", "--regret", "--regret-deals", "3", "--open-deals", "0"]
    assert evaluate([*SMALL, "--agents", "greedy", name, *options, "--json", str(tmp_path / "out.json")]) == 0
    processes = told(tmp_path)
    assert len(processes) == 4  # a seat in two rotations, and both seats of the regret
    assert sorted(max(line.get("episode", 0) for line in lines) for lines in processes) == [3, 3, 4, 4]
    for lines in processes:
        check_promises(lines, max(line.get("episode", 0) for line in lines))
    assert json.loads((tmp_path / "out.json").read_text())["meetings"][0]["forfeits"] == []


def test_two_seats_of_one_bot_have_a_process_each_and_the_same_deals_come_to_others(tmp_path):
    game = card_envs.make_game("konchinka", num_players=3)
    bot = make_agent(recorder(tmp_path), game)
    meet(game, ("greedy", "bot"), (GreedyAgent(game), bot), deal_seeds(0, 2))
    processes = told(tmp_path)
    assert len(processes) == 6
    for lines in processes:
        check_promises(lines, 2)


REMEMBERS = """
import os
from card_agents import GreedyAgent
SEEN = set()

class Bot(GreedyAgent):
    def act(self, views, observations, masks, random):
        with open("seen", "a") as file:
            file.write(f"{os.getpid()} {int(views['to_play'][0])}\\n")
        return super().act(views, observations, masks, random)
"""


@pytest.mark.parametrize("before", ["", "exact+"])
def test_a_module_has_a_process_for_each_seat_and_rotation(before, tmp_path, monkeypatch):
    (tmp_path / "remembering_bots.py").write_text(REMEMBERS)
    monkeypatch.chdir(tmp_path)
    bot = make_agent(f"{before}remembering_bots:Bot", GAME)
    plain = meet(GAME, ("bot", "random"), (GreedyAgent(GAME), RandomAgent(GAME)), deal_seeds(0, 4))
    found = meet(GAME, ("bot", "random"), (bot, RandomAgent(GAME)), deal_seeds(0, 4))
    if not before:
        assert found == plain
    seen = {tuple(line.split()) for line in (tmp_path / "seen").read_text().splitlines()}
    assert len(seen) == len({pid for pid, _ in seen}) == 2
    assert {seat for _, seat in seen} == {"0", "1"}


@pytest.mark.parametrize("before", ["", "exact+"])
def test_a_failure_is_a_forfeit_with_its_reason_in_a_meeting_and_in_its_regret(before, tmp_path):
    name = before + recorder(tmp_path, 'm["episode"] == 2')
    bot = make_agent(name, GAME)
    meeting = meet(GAME, ("bot", "greedy"), (bot, GreedyAgent(GAME)), deal_seeds(0, 4), batch=3)
    (lost,) = meeting.forfeits
    assert (lost.agent, lost.against, lost.times) == ("bot", "greedy", 2)
    assert (lost.deal, lost.seat) == (1, 0)
    assert "ended with exit status 1: enough" in lost.reason
    assert meeting.to_dict()["forfeits"] == [vars(lost)]
    found = measure(GAME, (name, bot), ("greedy", GreedyAgent(GAME)), seeds=deal_seeds(0, 4))
    assert [one.times for one in found.forfeits] == [2]
    assert found.decisions > 0
    assert found.to_dict()["forfeits"][0]["agent"] == name


def test_forfeits_tell_the_deal_counted_over_all_chunks(tmp_path):
    bot = make_agent(recorder(tmp_path, 'm["episode"] == 2'), GAME)
    games = play_rotations(GAME, ("bot", "greedy"), (bot, GreedyAgent(GAME)), deal_seeds(0, 3), first_deal=100)
    assert [one[:4] for one in games.forfeits] == [(101, 0, 0, 0), (101, 1, 1, 0)]
    assert [clock.decisions > 0 for clock in games.clocks] == [True, True]
    assert bot.starting > games.clocks[0].seconds / 1000 > 0


def test_evaluate_goes_on_where_a_bot_never_answers_a_position(tmp_path, capsys):
    name = recorder(tmp_path, "True")
    options = ["--deals", "2", "--regret", "--regret-deals", "2", "--open-deals", "0", "--json", str(tmp_path / "out")]
    assert evaluate([*SMALL, "--agents", name, "greedy", *options]) == 0
    result = json.loads((tmp_path / "out").read_text())
    assert [one["times"] for one in result["meetings"][0]["forfeits"]] == [4]
    assert "forfeited 4 times: it ended with exit status 1: enough." in " ".join(capsys.readouterr().out.split())
    settled = result["regret"]["agents"][0]["settled"]
    assert settled["decisions"] == 0
    assert settled["per_deal"]["mean"] is None
    assert [one["times"] for one in settled["forfeits"]] == [2]
    assert result["regret"]["agents"][1]["settled"]["decisions"] > 0


def test_exact_figures_of_a_bot_that_fails_are_refused_with_its_reason(tmp_path):
    from card_agents.equilibrium import build_tree
    from card_agents.equilibrium.tabular import policy_of

    game = card_envs.make_game("elfern", suits=2, ranks=3, honours=2, hand_size=2)
    tree = build_tree(game, dealer=0)
    for before in ("", "exact+"):
        bot = make_agent(before + recorder(tmp_path, 'm["episode"] == 9'), game)
        refused(
            lambda bot=bot: policy_of(tree, bot, "mine"), "mine", "cannot be measured exactly", "exit status 1: enough"
        )
    bot = make_agent(recorder(tmp_path), game)
    (tmp_path / "log").unlink()
    policy_of(tree, bot)
    moves = [line for lines in told(tmp_path) for line in lines if line["type"] == "move"]
    assert len(moves) == tree.sets
    assert len({move["episode"] for move in moves}) == tree.sets


class Peeping(RandomAgent):
    """Looks for more than it is handed behind all arrays."""

    def __init__(self, game):
        super().__init__(game)
        self.found = 0

    def act(self, views, observations, masks, random):
        for array in (views, observations, masks, random):
            behind = array
            while isinstance(behind, np.ndarray):
                assert behind.nbytes == array.nbytes
                assert behind.tobytes() == array.tobytes()
                behind = behind.base
        self.found += len(views)
        return super().act(views, observations, masks, random)


def test_what_an_agent_is_handed_has_nothing_more_behind_it():
    peeping = Peeping(GAME)
    play_out(GAME, [peeping], [0, 0], deal_seeds(0, 20))
    assert peeping.found > 100
    found = peeping.found
    play_out(GAME, [make_agent("exact+random", GAME), peeping], [0, 1], deal_seeds(0, 20))
    assert peeping.found > found


@pytest.mark.parametrize(
    ("text", "label", "player"),
    [
        ("mine=cmd:./bot --fast", "mine", "cmd:./bot --fast"),
        ("my bot-2.1_b=greedy", "my bot-2.1_b", "greedy"),
        ("Löwe=ppo:x=1.npz", "Löwe", "ppo:x=1.npz"),
        ("a=b=c", "a", "b=c"),
        ("a=", "a", ""),
        ("greedy", None, "greedy"),
        ("ppo:x=1.npz", None, "ppo:x=1.npz"),
        ("cmd:./bot --a=b", None, "cmd:./bot --a=b"),
        ("exact+ppo:a=b.npz", None, "exact+ppo:a=b.npz"),
        ("=greedy", None, "=greedy"),
        (" a=greedy", None, " a=greedy"),
        ("a =greedy", None, "a =greedy"),
        ("a[1]=greedy", None, "a[1]=greedy"),
        ("a\nb=greedy", None, "a\nb=greedy"),
        ("\ud800=greedy", None, "\ud800=greedy"),
        ("mine=cmd:sh -c 'a\nb'", "mine", "cmd:sh -c 'a\nb'"),
    ],
)
def test_labels_of_players(text, label, player):
    assert split_label(text) == (label, player)


# Environments


def test_an_environment_tells_a_program_of_ends_and_one_that_fails_loses_the_episode(tmp_path):
    with make_bot(recorder(tmp_path, 'm["episode"] == 3 and p["history"][1:]'), GAME) as bot:
        env = CardEnv(GAME, opponents=bot, seat=0)
        env.reset(seed=5)
        rewards = []
        for _ in range(5):
            over = False
            while not over:
                _, reward, over, *_ = env.step(env.sample_action())
            rewards.append(reward)
            env.reset()
        env.close()
    assert rewards[2] == -GAME.min_return
    processes = told(tmp_path)
    assert [lines[0]["type"] for lines in processes] == ["hello", "hello"]
    episodes = [line["episode"] for lines in processes for line in lines if line["type"] == "move"]
    assert episodes == sorted(episodes)
    assert set(episodes) >= {1, 2, 3, 4, 5}
    ends = [line for lines in processes for line in lines if line["type"] == "end"]
    assert [line["episode"] for line in ends] == [1, 2, 4, 5]
    assert all(line["returns"][0] == -line["returns"][1] for line in ends)


def test_a_program_that_plays_one_episode_after_the_other_has_a_table_of_its_own(tmp_path):
    bots = [make_agent(recorder(tmp_path), GAME) for _ in range(3)]
    refused(lambda: CardVectorEnv(GAME, num_envs=3, opponents=bots[0]), "one episode at a time", "3 tables")
    env = CardVectorEnv(GAME, num_envs=3)
    for place, bot in enumerate(bots):
        env.set_opponents(make_agent("random", GAME), where=np.arange(3) == place)
        env.set_opponents(bot, where=np.arange(3) == place)
    refused(lambda: env.set_opponents(bots[0], where=np.arange(3) == 1), "one episode at a time", "2 tables")
    env.reset(seed=1)
    for _ in range(12):
        env.step(env.sample_actions())
    for bot in bots:
        bot.close()
    processes = told(tmp_path)
    assert 3 <= len(processes) <= 6
    for lines in processes:
        plays = [(line["episode"], len(line["history"])) for line in lines if line["type"] == "move"]
        assert plays == sorted(set(plays))
        assert any(line["type"] == "end" for line in lines)


# Training


def trained(folder, name, *options):
    from card_agents.cli.train import main

    budget = "--steps 128 --tables 4 --rollout 16 --batch 64 --epochs 1 --leg 1 --points 2 --measure-deals 2"
    size = "--evaluate-deals 2 --width 8 --layers 1 --threads 1"
    given = [*SMALL, "--against", name, "--out", str(folder / "run"), *budget.split(), *size.split(), *options]
    return main(given)


def test_training_goes_on_where_the_rival_fails_and_keeps_the_reasons(tmp_path):
    pytest.importorskip("sb3_contrib")
    name = recorder(tmp_path, 'm["episode"] % 3 == 2 and p["seat"] == 1')
    assert trained(tmp_path, name) == 0
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    (reason,) = metrics["forfeits_of_the_rival"]
    assert "exit status 1: enough" in reason
    for lines in told(tmp_path):
        plays = [(line["episode"], len(line["history"])) for line in lines if line["type"] == "move"]
        assert plays == sorted(set(plays))


@pytest.mark.parametrize(
    ("fails", "options", "word"),
    [("True", [], "exit status 1: enough"), ("False", ["--tables", "128"], "give --tables 64 or fewer")],
)
def test_a_rival_that_cannot_be_is_refused_before_training(fails, options, word, tmp_path, capsys):
    pytest.importorskip("sb3_contrib")
    with pytest.raises(SystemExit) as stop:
        trained(tmp_path, recorder(tmp_path, fails), *options)
    assert stop.value.code == 2
    assert word in capsys.readouterr().err
    assert not (tmp_path / "run" / "config.json").exists()


# What a bot may say


def test_limits_may_be_long_and_must_be_limits(tmp_path):
    with make_bot(recorder(tmp_path), GAME, Limits(3e6, 1e300)) as bot:
        play_out(GAME, [bot], [0, 0], deal_seeds(0, 1))
        assert not bot.given_up
    for wrong in (0, -1.0, float("nan"), float("inf"), "5"):
        refused(lambda wrong=wrong: Limits(move=wrong), "move", "above 0")
        refused(lambda wrong=wrong: Limits(start=wrong), "start", "above 0")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("python " + "x" * 70_000, "a word may have"),
        ("python " + "word " * 300_000, "a word may have"),
        ("x" * 5000, "There is no program"),
        ("python a\0b", "character 0"),
        ("python \ud800", "cannot be encoded"),
        ("''", "needs the program"),
    ],
)
def test_commands_that_no_system_runs_are_refused(text, word):
    with pytest.raises(ValueError, match=word) as refusal:
        make_agent(f"cmd:{text}", GAME)
    assert len(str(refusal.value)) < 400


def test_a_module_with_a_name_longer_than_any_file_is_refused():
    refused(lambda: make_agent(f"{'m' * 5000}:make", GAME), "There is no module")
