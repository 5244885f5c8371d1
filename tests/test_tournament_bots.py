"""External bots: they play, and whatever they do wrong costs them the deal and nobody anything else."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent, make_agent
from card_agents.evaluation.arena import Log, deal_seeds, play_out
from card_agents.players.external import Limits, is_bot, make_bot
from card_agents.players.external.lines import line, move
from card_agents.protocol import Clock
from tests.bots import BOTS, program
from tests.refusals import refused

ELFERN = card_envs.make_game("elfern", suits=2, ranks=6, hand_size=3)
GENEROUS = Limits(move=600.0, start=600.0)
HASTY = Limits(move=5.0, start=600.0)  # for programs that hang: the moves before that must not take so long
HASTY_AT_THE_START = Limits(move=600.0, start=1.0)


def gone(pid):
    """Whether no process has this number any more."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z"


def none_left(folder):
    """All processes that wrote their numbers are gone."""
    pids = [int(word) for word in (folder / "pids").read_text().split()]
    deadline = time.monotonic() + 120
    while not all(map(gone, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return pids, all(map(gone, pids))


def alternate(game, bot, deals, log):
    """Final states of single deals of the bot in seat 0 against greedy players."""
    seating = [0] + [1] * (game.num_players - 1)
    return play_out(game, [bot, GreedyAgent(game)], seating, deal_seeds(3, deals), ["bot", "greedy"], log)


def test_a_bot_is_handed_a_number_that_every_program_can_read_and_no_part_of_its_word(tmp_path):
    """Below 2**48, as JSON keeps whole numbers; what is known of the word could lead on to the generator."""
    states = ELFERN.new_states(np.arange(3, dtype=np.uint64))
    words = np.array([5, 2**63 + 5, 2**64 - 1], np.uint64)
    views = ELFERN.views(states)
    with make_bot(program(tmp_path, "tells"), ELFERN, GENEROUS) as bot:
        bot.act(views, ELFERN.observations(views), ELFERN.masks(views), words)
    told = [int(line) for line in (tmp_path / "tells.py.told").read_text().splitlines()]
    assert len(set(told)) == 3
    assert max(told) < 2**48
    parts = {int(word) >> shift & 2**48 - 1 for word in words for shift in range(17)}
    assert not parts & set(told)


@pytest.mark.parametrize("name", sorted(name for name in BOTS if BOTS[name][3] and name != "never ready"))
def test_a_bad_program_forfeits_the_deal_and_the_next_is_played(name, tmp_path):
    reason = BOTS[name][3]
    log = Log([Clock(), Clock()])
    with make_bot(program(tmp_path, name), ELFERN, HASTY if "within 5 s" in reason else GENEROUS) as bot:
        final = alternate(ELFERN, bot, 3, log)
    pids, ended = none_left(tmp_path)
    assert ended
    at_start = "could not be started" in reason
    lost = [True, True, True] if at_start else [False, True, False]
    assert (final["forfeit"] == 0).tolist() == lost
    assert (ELFERN.returns(final)[lost, 0] == ELFERN.min_return).all()
    assert [one[:3] for one in log.forfeits] == [(deal, 0, 0) for deal in np.flatnonzero(lost)]
    assert all(reason in one[3] for one in log.forfeits)
    assert bot.given_up == at_start
    processes = {"illegal": 1, "hangs with a child": 3}
    assert len(set(pids)) == (3 if at_start else processes.get(name, 2))


def test_a_program_that_never_starts_is_not_waited_for_again(tmp_path):
    log = Log([Clock(), Clock()])
    with make_bot(program(tmp_path, "never ready"), ELFERN, HASTY_AT_THE_START) as bot:
        final = alternate(ELFERN, bot, 40, log)
    assert BOTS["never ready"][3] in log.forfeits[0][3]
    assert (final["forfeit"] == 0).all()
    pids, ended = none_left(tmp_path)
    assert len(pids) == 3
    assert ended


def test_a_program_plays_any_game_the_same_every_time(tmp_path):
    rules = [("elfern", {"match": True, "target": 2}), ("konchinka", {"num_players": 3})]
    for name, chosen in rules:
        game = card_envs.make_game(name, **chosen)
        finals = []
        for _ in range(2):
            with make_bot(program(tmp_path, "good"), game) as bot:
                log = Log([Clock(), Clock()])
                finals.append(alternate(game, bot, 3, log).tobytes())
            assert not log.forfeits
            assert log.clocks[0].decisions > 0
        assert finals[0] == finals[1]
    assert none_left(tmp_path)[1]


def test_each_seat_has_a_process_and_a_new_rotation_new_ones(tmp_path):
    game = card_envs.make_game("konchinka", num_players=3)
    with make_bot(program(tmp_path, "good"), game) as bot:
        for _ in range(2):
            play_out(game, [bot, RandomAgent(game)], [0, 1, 0], deal_seeds(0, 1), None, Log([Clock(), Clock()]))
    pids, ended = none_left(tmp_path)
    assert len(set(pids)) == 4
    assert ended


def test_lines_tell_what_the_seat_sees_and_nothing_hidden():
    for name, rules in (("elfern", {}), ("konchinka", {"num_players": 3})):
        game = card_envs.make_game(name, **rules)
        state = game.new_state(seed=11)
        generator = np.random.default_rng(5)
        cards = [game.pack.name(card) for card in range(game.pack.size)]
        while not state.is_over:
            told = json.loads(line(move(game, state.view().record, 4, 17)))
            seat, position = state.to_play, told["position"]
            assert (position["seat"], position["deal"]) == (seat, 1)
            assert (told["episode"], told["random"]) == (4, 17)
            assert position["hand"] == state.hand(seat)
            assert position["table"] == state.table
            assert [tuple(play) for play in position["history"]] == state.history
            assert position["legal"] == [game.action_name(action) for action in state.legal_actions().tolist()]
            # the same is told whatever the hidden cards are
            for world in game.sample_worlds(state.view(), 1, generator):
                other = game.state(np.array([world], game.dtype), 0)
                assert line(move(game, other.view().record, 4, 17)) == line(move(game, state.view().record, 4, 17))
            row = state.record[0]
            left = row["deck"][int(row["drawn" if name == "elfern" else "dealt"]) : game.pack.size]
            hidden = {game.pack.name(card) for card in left if name == "elfern"}
            hidden |= {card for other in range(game.num_players) if other != seat for card in state.hand(other)}
            if name == "konchinka":  # all have seen where cards lie that were put back (K4), also in a hand
                put_back = [place for place in range(52) if int(row["open"]) >> place & 1]
                hidden -= {game.pack.name(row["deck"][place]) for place in put_back}
            text = json.dumps(told)
            assert not [card for card in hidden if re.search(rf"\b{card}\b", text)]
            assert hidden < set(cards)
            state.play(int(generator.choice(state.legal_actions())))


def test_random_numbers_do_not_give_the_generator_away(tmp_path):
    from card_agents.players.external.bot import _one_way

    words = np.arange(2000, dtype=np.uint64)
    numbers = _one_way(words)
    assert max(numbers) < 2**48
    assert len(set(numbers)) == 2000
    assert abs(np.mean(numbers) / 2**48 - 0.5) < 0.03


MODULE = """
import os, time
from card_agents import GreedyAgent

class Bot(GreedyAgent):
    def act(self, views, observations, masks, random):
        print("noise")
        return super().act(views, observations, masks, random)

class Wide(Bot):
    batch = 64

class Bad(Bot):
    def act(self, *seen):
        with open("calls", "a+") as file:
            file.write("x")
            calls = file.tell()
        actions = super().act(*seen)
        if calls == 2: raise KeyError("oops")
        if calls == 4: return ["Kh"]
        if calls == 6: return actions + 1000
        if calls == 8: os._exit(7)
        if calls == 10: time.sleep(999)
        return actions

def nothing(game):
    return 7
"""

FAULTS = {
    1: "raised KeyError: 'oops'",
    3: "raised TypeError: act returned",
    5: "which is illegal; legal were",
    7: "ended with exit status 7",
    9: "gave no answer within 5 s",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "own_bots.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def against_random(bot, deals):
    log = Log([Clock(), Clock()])
    return play_out(ELFERN, [bot, RandomAgent(ELFERN)], [0, 1], deal_seeds(0, deals), None, log), log


def test_an_agent_of_a_module_plays_as_it_would_here(here):
    plain, _ = against_random(GreedyAgent(ELFERN), 6)
    for name in ("Bot", "Wide"):
        with make_agent(f"own_bots:{name}", ELFERN) as bot:
            final, log = against_random(bot, 6)
        assert final.tobytes() == plain.tobytes()
        assert log.forfeits == []


def test_an_agent_of_a_module_forfeits_the_deals_in_which_it_fails(here):
    game = card_envs.make_game("konchinka")
    states = game.new_states(deal_seeds(0, 60))
    seeds = deal_seeds(0, 60)[game.to_play(states) == 0][:12]  # so that the first twelve calls are of twelve deals
    log = Log([Clock(), Clock()])
    with make_bot("own_bots:Bad", game, HASTY) as bot:
        final = play_out(game, [bot, RandomAgent(game)], [0, 1], seeds, None, log)
    assert [(table, seat) for table, seat, _, _ in log.forfeits] == [(table, 0) for table in FAULTS]
    for (_, _, _, why), reason in zip(log.forfeits, FAULTS.values(), strict=True):
        assert reason in why
    assert np.flatnonzero(final["forfeit"] == 0).tolist() == list(FAULTS)


def test_a_factory_that_makes_no_agent_is_named(here):
    with make_bot("own_bots:nothing", ELFERN) as bot:
        _, log = against_random(bot, 1)
    assert len(log.forfeits) == 1
    assert "could not be started: it raised TypeError: own_bots:nothing returned a int" in log.forfeits[0][3]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("cmd:", "needs the program"),
        ("cmd:no-such-program-here", "no program 'no-such-program-here'"),
        ("cmd:python 'quoted", "cannot be taken apart"),
        ("no_such_module_here:make", "no module 'no_such_module_here'"),
        ("a.b.c", "There is no player 'a.b.c'"),
        ("bob:", "There is no player 'bob:'"),
    ],
)
def test_players_that_cannot_be_are_refused(name, word):
    refused(lambda: make_agent(name, ELFERN), word)


def test_names_of_external_bots():
    assert is_bot("cmd:./bot --fast")
    assert is_bot("my.module:make")
    assert not is_bot("ppo")
    assert not is_bot("my module:make")
    assert not is_bot("module:path/to/file.npz")


def test_forfeit_gives_the_least_return_and_refuses_what_is_over():
    game = card_envs.make_game("konchinka", num_players=3)
    states = game.new_states(np.arange(3))
    turn = game.to_play(states)[1]
    before = states.tobytes()
    game.forfeit(states, np.array([1]))
    assert game.is_over(states).tolist() == [False, True, False]
    returns = game.returns(states)[1]
    assert returns[turn] == game.min_return == -2.5
    assert returns.sum() == 0
    size = game.dtype.itemsize
    assert states.tobytes()[:size] == before[:size]
    refused(lambda: game.forfeit(states, np.array([0, 1])), "row 1", "over already")
    assert not game.is_over(states)[0]
