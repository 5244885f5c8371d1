"""Agents as policies over a small game, what is refused, and scripts/exploit.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, PPOAgent, RandomAgent, make_agent
from card_agents.cli.exploit import main
from card_agents.equilibrium import TabularAgent, build_tree, build_trees, policy_of, solve, tree, uniform
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.names import refuse_unrepeatable
from tests.refusals import refused
from tests.test_agents import some_network

ROOT = Path(__file__).resolve().parent.parent
TINY = {"suits": 2, "ranks": 3, "honours": 2, "hand_size": 2, "follow_suit": "endgame"}
OPTIONS = "elfern --suits 2 --ranks 3 --honours 2 --hand-size 2 --follow-suit endgame"


@pytest.fixture(scope="module")
def game():
    return card_envs.make_game("elfern", **TINY)


@pytest.fixture(scope="module")
def trees(game):
    return build_trees(game)


class Dice:
    """A uniform player that does not say so."""

    def __init__(self, game):
        self.act = RandomAgent(game).act


# The tree


def test_each_set_of_packs_is_written_out_once(game):
    rows = tree.packs(game, 0)
    assert len(rows) == len({tuple(row) for row in rows.tolist()}) == 720 // 4
    assert tree.groups(game, 0).tolist() == [1, 0, 1, 0, -1, -1]
    assert (rows[:, 0] < rows[:, 2]).all()
    assert (rows[:, 1] < rows[:, 3]).all()
    assert np.array_equal(np.sort(rows, axis=1), np.tile(np.arange(6), (180, 1)))


def test_views_of_any_deal_are_found_in_whatever_order_the_hand_was_dealt(game, trees):
    states = game.new_states(np.arange(400, dtype=np.uint64))
    for dealer in (0, 1):
        for one in trees[dealer].views():
            assert (trees[dealer].lookup(one[1]) == np.arange(one[0].start, one[0].stop)).all()
    while True:
        states = states[~game.is_over(states)]
        if not len(states):
            break
        views, choice = game.views(states), game.masks(states).sum(axis=1) > 1
        for dealer in (0, 1):
            rows = choice & (states["dealer"] == dealer)
            numbers = trees[dealer].lookup(views[rows])
            assert (numbers >= 0).all()
            assert (trees[dealer].seat[numbers] == states["to_play"][rows]).all()
            assert (trees[1 - dealer].lookup(views[rows]) == -1).all()
        game.step(states, game.sample_actions(states), auto_reset=False)


def test_views_are_shown_the_same_in_parts_of_any_size(game, trees, monkeypatch):
    whole = [views for _, views in trees[0].views()]
    monkeypatch.setattr(tree, "CHUNK", 7)
    parts = list(trees[0].views())
    assert len(parts) == -(-trees[0].sets // 7)
    assert np.concatenate([views for _, views in parts]).tobytes() == np.concatenate(whole).tobytes()
    policy = policy_of(trees[0], Dice(game), samples=3)
    monkeypatch.setattr(tree, "CHUNK", 1 << 14)
    assert np.array_equal(policy, policy_of(trees[0], Dice(game), samples=3))


def test_the_arrays_grow_as_needed_within_the_memory_allowed(game, trees, monkeypatch):
    monkeypatch.setattr(tree, "_GROWTH", 64)
    again = build_tree(game, 0)
    for name in ("parent", "first", "seat", "action", "leaves", "payoff"):
        assert np.array_equal(getattr(again, name), getattr(trees[0], name))
    assert (again.deals, again.nodes) == (trees[0].deals, trees[0].nodes)
    refused(lambda: build_tree(game, 0, memory=30_000), "too large", "information sets", "180 deals")


@pytest.mark.parametrize(
    ("name", "rules", "words"),
    [
        ("elfern", {}, ("too large", "deals for each dealer", "nodes", "smaller pack")),
        ("elfern", TINY | {"match": True}, ("match=False",)),
        ("konchinka", {}, ("too large", "nodes")),
        ("konchinka", {"num_players": 3}, ("two players",)),
    ],
)
def test_games_that_are_too_large_are_refused_at_once(name, rules, words):
    game = card_envs.make_game(name, **rules)
    refused(lambda: build_tree(game), *words)


def test_the_size_is_known_beforehand(game, trees):
    size = tree.measure(game)
    assert size.deals == trees[0].deals
    assert size.nodes == pytest.approx(trees[0].nodes, rel=0.1)


# Agents


def test_probabilities_are_those_that_actions_are_drawn_by(game, trees):
    network = some_network(game)
    drawn, likeliest = PPOAgent(game, network, deterministic=False), PPOAgent(game, network)
    part, views = next(trees[0].views())
    seen, masks = game.observations(views), game.masks(views)
    shares = drawn.probabilities(views, seen, masks)
    assert shares.dtype == np.float64
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares[masks == 0] == 0).all()
    words = np.random.default_rng(0).integers(2**64, size=(600, len(views)), dtype=np.uint64)
    counts = np.zeros(masks.shape)
    for row in words:
        counts[np.arange(len(views)), drawn.act(views, seen, masks, row)] += 1
    deviation = (counts / 600 - shares) / np.sqrt(np.maximum(shares * (1 - shares), 1e-4) / 600)
    assert abs(deviation).max() < 6
    chosen = likeliest.probabilities(views, seen, masks)
    assert np.array_equal(chosen.argmax(axis=1), likeliest.act(views, seen, masks, words[0]))
    assert np.array_equal(np.sort(chosen, axis=1)[:, -2:], np.tile([0.0, 1.0], (len(views), 1)))
    assert np.array_equal(RandomAgent(game).probabilities(views, seen, masks), masks / masks.sum(axis=1)[:, None])
    assert policy_of(trees[0], likeliest)[2:].max() == 1
    assert part.start == 0


def test_an_agent_with_dice_is_averaged_over_its_words(game, trees):
    once = policy_of(trees[0], Dice(game))
    assert set(once[2:].tolist()) == {0.0, 1.0}
    assert np.array_equal(once, policy_of(trees[0], Dice(game)))
    assert not np.array_equal(once, policy_of(trees[0], Dice(game), seed=1))
    many = policy_of(trees[0], Dice(game), samples=400)
    assert abs(many - uniform(trees[0])).max() < 5.5 * np.sqrt(0.25 / 400)


def test_a_tabular_player_plays_its_policies(game, trees):
    copied = TabularAgent(trees, [policy_of(one, GreedyAgent(game)) for one in trees])
    meeting = meet(game, ("copy", "greedy"), (copied, GreedyAgent(game)), deal_seeds(1, 300))
    random = meet(game, ("copy", "random"), (copied, RandomAgent(game)), deal_seeds(1, 300))
    same = meet(game, ("greedy", "random"), (GreedyAgent(game), RandomAgent(game)), deal_seeds(1, 300))
    assert meeting.points_a.low == meeting.points_a.high == 0
    assert random.points_a == same.points_a
    uniform_player = TabularAgent(trees, [uniform(one) for one in trees])
    states = game.new_states(np.arange(50, dtype=np.uint64))
    views = game.views(states)
    asked = (views, None, game.masks(states))
    assert np.array_equal(uniform_player.probabilities(*asked), RandomAgent(game).probabilities(*asked))


def test_a_tabular_player_refuses_positions_it_does_not_know(game, trees):
    agent = TabularAgent(trees, [uniform(one) for one in trees])
    views = game.views(game.new_states(np.arange(3, dtype=np.uint64)))
    masks = game.masks(views)
    views["doubled"][1] = 1
    refused(lambda: agent.act(views, None, masks, np.zeros(3, np.uint64)), "Row 1", "single deals")
    refused(lambda: TabularAgent(trees[:1], [uniform(trees[0])]), "each dealer")


def test_wrong_probabilities_are_refused(game, trees):
    class Wrong(RandomAgent):
        def probabilities(self, views, observations, masks):
            return self.answer(super().probabilities(views, observations, masks))

    for answer, words in (
        (lambda shares: shares[:, :-1], "shape"),
        (lambda shares: shares * 1.1, "add up to 1"),
        (lambda shares: np.full(shares.shape, 1 / shares.shape[1]), "0 for illegal actions"),
        (lambda shares: shares * np.nan, "add up to 1"),
    ):
        agent = Wrong(game)
        agent.answer = answer
        refused(lambda agent=agent: policy_of(trees[0], agent, "bob"), "bob", words)


# The command


def test_the_command_writes_tables_json_and_a_picture(tmp_path):
    json_path, picture = tmp_path / "result.json", tmp_path / "curve.png"
    network = tmp_path / "net.npz"
    game = card_envs.make_game("elfern", **TINY)
    PPOAgent(game, some_network(game)).save(network)
    command = [sys.executable, ROOT / "scripts" / "exploit.py", *OPTIONS.split()]
    command += ["--agents", "random", "greedy", f"ppo:{network}", "cfr:2000", "--json", json_path, "--picture", picture]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"COLUMNS": "160"})
    assert done.returncode == 0, done.stderr
    assert "180 deals" in done.stdout
    assert "+0.222" in done.stdout  # the value is 2/9
    result = json.loads(json_path.read_text())
    assert result["symmetric"] is True
    by_name = {player["name"]: player for player in result["players"]}
    assert list(by_name) == ["random", "greedy", f"ppo:{network} deterministic", f"ppo:{network} sampled", "cfr:2000"]
    assert by_name["cfr:2000"]["exploitability"] < 1e-4 < 0.01 < by_name["greedy"]["exploitability"]
    assert by_name["cfr:2000"]["curve"][0][0]["iterations"] == 1
    low, high = result["value_of_the_seat_left_of_the_dealer"].values()
    assert low - 1e-12 <= 2 / 9 <= high + 1e-12
    meetings = np.array(result["meetings"])
    assert np.allclose(meetings, -meetings.T)
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "--agents"),
        ("--agents bob", "There is no player 'bob'"),
        ("--agents cfr", "'cfr:1000', say"),
        ("--agents cfr:-1", "above 0"),
        ("--agents random --json nowhere/x.json", "nowhere"),
        ("--agents random --picture .", "is a folder"),
        ("--agents random --samples 0", "out of range"),
        ("--agents random --match", "match=False"),
        ("--agents random --suits 4 --ranks 8 --honours 5 --hand-size 6", "too large"),
        ("--agents random --memory 0.0000001", "too large"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence, capsys, monkeypatch):
    monkeypatch.setattr(tree, "_GROWTH", 64)
    with pytest.raises(SystemExit) as stop:
        main([*OPTIONS.split(), *arguments.split()])
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err


def test_cfr_is_a_player_by_name(game):
    agent = make_agent("cfr:50", game)
    meeting = meet(game, ("cfr", "random"), (agent, RandomAgent(game)), deal_seeds(0, 500))
    assert meeting.points_a.low > 0
    for text in ("soon", "0", "0s", "-1s", "infs", "nans", "1e3", "1.5", "9" * 5000):
        refused(lambda text=text: make_agent(f"cfr:{text}", game), "cfr", "iterations", "seconds")


def test_iterations_find_the_same_each_time_and_seconds_are_refused_where_that_is_needed(game, trees):
    first, second = (make_agent("cfr:7", game) for _ in range(2))
    for one, other in zip(first.policies, second.policies, strict=True):
        assert one.tobytes() == other.tobytes()
    assert [run.iterations for run in solve(trees, iterations=7)[1]] == [7]
    assert make_agent("cfr:0.01s", game).policies[0].shape == first.policies[0].shape
    for name in ("cfr:7", "greedy", "exact+cfr:7", "cmd:players"):
        refuse_unrepeatable(name)
    for name in ("cfr:7s", "exact+cfr:0.5s"):
        refused(lambda name=name: refuse_unrepeatable(name), name, "iterations")


@pytest.mark.slow
def test_without_the_compiler_the_tree_is_the_same(trees):
    code = """
import card_envs, hashlib
from card_agents.equilibrium import CFR, best_responses, build_tree
tree = build_tree(card_envs.make_game("elfern", suits=2, ranks=3, honours=2, hand_size=2, follow_suit="endgame"))
digest = hashlib.sha256(tree.leaves.tobytes() + tree.first.tobytes()).hexdigest()
print(tree.nodes, digest, tree.lookup(next(tree.views())[1])[-1])
print(best_responses(tree, CFR(tree).run(iterations=2)).nash_conv)
"""
    outputs = {}
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        outputs[disabled] = done.stdout
    assert outputs["0"] == outputs["1"]
