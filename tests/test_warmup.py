"""What is compiled, and that no clock is charged with it."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, make_agent
from card_agents.cli.warmup import PLAYERS, notice_if_slow, warm_up_all
from card_agents.evaluation.arena import warm_up
from card_agents.evaluation.evaluating import evaluate
from card_agents.evaluation.tournament.plan import Job, Plan
from card_agents.evaluation.tournament.playing import Players
from card_agents.players.external import Limits
from card_agents.players.ppo import WEIGHTS
from card_agents.players.search import ExactAgent
from card_agents.protocol import ExternalBot
from card_envs.jit import JIT_DISABLED

SMALL = {"suits": 2, "ranks": 4, "honours": 2, "hand_size": 2}


def compiled():
    """How many signatures each compiled function has."""
    from numba.core.dispatcher import Dispatcher

    return {id(one): len(one.overloads) for one in gc.get_objects() if issubclass(type(one), Dispatcher)}


class Spy:
    """A player that notes how many tables it is asked about."""

    def __init__(self, game):
        self.game, self.asked = game, []

    def act(self, views, observations, masks, random):
        self.asked.append(len(views))
        return self.game.greedy_actions(views)


@pytest.mark.slow
@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_after_the_warm_up_commands_compile_nothing(tmp_path, capsys):
    pytest.importorskip("rich")
    from card_agents.cli.evaluate import main as evaluating
    from card_agents.cli.exploit import main as exploit

    for name in card_envs.GAMES:
        warm_up_all(card_envs.make_game(name))
    before = compiled()
    for game in card_envs.GAMES:
        trained = (WEIGHTS / f"{game}-{card_envs.make_game(game).num_players}.npz").is_file()
        players = [name for name in PLAYERS if name != "random" and (trained or "ppo" not in name)]
        options = ["--deals", "2", "--regret", "--regret-deals", "2", "--open-deals", "0", "--seed", "5"]
        assert evaluating([game, "--agents", *players, *options]) == 0
    small = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    assert exploit(["elfern", *small, "--agents", "random", "greedy", "cfr:3"]) == 0
    after = compiled()
    fresh = [one for one in gc.get_objects() if id(one) in after and after[id(one)] > before.get(id(one), 0)]
    assert [one.py_func.__qualname__ for one in fresh if hasattr(one, "py_func")] == []


def test_players_play_a_deal_before_they_are_timed():
    game = card_envs.make_game("elfern", **SMALL)
    spy = Spy(game)
    evaluate(game, [("spy", spy), ("greedy", GreedyAgent(game))], deals=7, seed=0)
    assert spy.asked[: game.max_plays] == [1] * game.max_plays
    assert sum(spy.asked) == game.max_plays + 7 * game.max_plays  # and half of the plays in each of two rotations


def test_players_of_a_tournament_are_warm_when_their_clock_starts(monkeypatch):
    game = card_envs.make_game("elfern", **SMALL)
    spies = []

    def spying(*_, **__):
        spies.append(Spy(game))
        return spies[-1]

    monkeypatch.setattr("card_agents.evaluation.tournament.playing.make_agent", spying)
    plan = Plan(game, ("a", "b"), ((0, 1),), 5, 0, 5, True, Limits())
    chunk = Players(plan).play(Job(0, 0))
    for spy, decisions in zip(spies, chunk.decisions, strict=True):
        assert spy.asked[: game.max_plays] == [1] * game.max_plays
        assert sum(spy.asked) == decisions + game.max_plays


def test_external_bots_are_left_alone_and_what_is_around_them_is_not():
    game = card_envs.make_game("elfern")
    bot = make_agent("cmd:false", game)
    assert isinstance(bot, ExternalBot)
    warm_up(game, [bot, ExactAgent(game, bot), make_agent("greedy", game)])
    assert bot.starting == 0


def test_it_is_said_what_takes_long(monkeypatch):
    told = []

    class Screen:
        def print(self, text, **_):
            told.append(text)

    monkeypatch.setattr("card_agents.cli.warmup.PATIENCE", 3600.0)
    with notice_if_slow(Screen()):
        pass
    assert told == []
    monkeypatch.setattr("card_agents.cli.warmup.PATIENCE", 0.0)
    with notice_if_slow(Screen()):
        while not told:
            np.zeros(1)
    assert "compiling" in told[0]
