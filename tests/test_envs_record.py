"""``env.record()``: the episode as it was played, whoever played and whatever else drew from the table's stream."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from card_agents.names import make_agent
from card_envs import GameRecord
from card_envs.envs.single import CardEnv
from tests.bots import program
from tests.variants import ANY, FEW, SEVERAL, every


class Last:
    """An opponent that plays its last legal action."""

    def act(self, views, observations, masks, random):
        return np.array([np.flatnonzero(mask)[-1] for mask in masks], np.int32)


class Fails(Last):
    """One that fails whenever ``failing`` says so."""

    failing = False

    def act(self, *given):
        if self.failing:
            raise RuntimeError("no idea")
        return super().act(*given)


def as_played(env):
    """The table of an environment without its stream, which a record does not have."""
    row = env.full_state.record.copy()
    row["choice"] = 0
    return row.tobytes()


def as_recorded(record):
    row = record.position.record.copy()
    row["choice"] = 0
    return row.tobytes()


def episode(env, dice, **how):
    """Play an episode, now by the environment's own sampling, now otherwise, and look at its record after each step."""
    _, info = env.reset(**how)
    over = False
    while not over:
        action = env.sample_action() if dice.random() < 0.5 else int(dice.choice(np.flatnonzero(info["action_mask"])))
        _, _, over, _, info = env.step(action)
        assert as_recorded(env.record()) == as_played(env)
    return info


@every(FEW)
@pytest.mark.parametrize("opponents", ["random", "greedy", "objects", "mixed"])
def test_the_record_is_the_episode_that_was_played(game, opponents):
    others = game.num_players - 1
    given = {"objects": [Last()] * others, "mixed": (["random", Last(), "greedy"] * 4)[:others]}.get(
        opponents, opponents
    )
    env, dice = CardEnv(game, opponents=given), np.random.default_rng(1)
    for number in range(3):
        info = episode(env, dice, seed=number if number < 2 else None)
        record = env.record()
        assert record.is_over
        assert record.results["returns"] == pytest.approx(info["returns"].tolist())
        assert record.players[info["seat"]] == "learner"
        assert GameRecord.from_line(record.to_line()) == record
    names = {name for seat, name in enumerate(record.players) if seat != info["seat"]}
    assert names <= {"random", "greedy", "Last"}


def test_the_record_begins_where_the_options_say():
    game = SEVERAL.make()
    env, dice = CardEnv(game, opponents="random"), np.random.default_rng(1)
    deck = [game.pack.names[card] for card in game.new_state(seed=99).record["deck"][0]]
    for options in ({"deal": 5}, {"deck": deck}, {"dealer": game.num_players - 1}, {"seat": 1}):
        episode(env, dice, seed=4, options=options)
        episode(env, dice, options=options)
    assert env.record().players[1] == "learner"


def test_an_illegal_action_that_loses_ends_the_record_with_a_forfeit():
    env = CardEnv(ANY.make(), opponents="random", illegal="lose")
    _, info = env.reset(seed=1)
    over = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))[2]
    assert over
    record = env.record()
    assert record.forfeited == info["seat"]
    assert as_recorded(record) == as_played(env)


def test_an_opponent_that_forfeits_does_so_in_the_record(tmp_path):
    with make_agent(program(tmp_path, "crashes"), ANY.make()) as bot:
        env, dice = CardEnv(ANY.make(), opponents=bot, seat=0), np.random.default_rng(1)
        forfeited = []
        for seed in (1, None, None):  # in the second episode the learner leads, so it is one that the bot can lose
            episode(env, dice, seed=seed)
            forfeited.append(env.record().forfeited)
    assert forfeited == [None, 1, None]


def test_a_step_that_failed_is_not_in_the_record():
    opponent = Fails()
    env, dice = CardEnv(ANY.make(), opponents=opponent), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for act in (lambda: env.step(int(np.flatnonzero(info["action_mask"])[0])), lambda: env.reset(seed=8)):
        before = env.record()
        opponent.failing = True
        failed = False
        try:
            act()
        except RuntimeError:
            failed = True
        opponent.failing = False
        assert env.record() == before or not failed
        assert as_recorded(env.record()) == as_played(env)
    episode(env, dice, seed=3)


def test_before_the_first_episode_there_is_no_record():
    with pytest.raises(gymnasium.error.ResetNeeded):
        CardEnv(ANY.make()).record()
