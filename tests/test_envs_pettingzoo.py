"""The games in PettingZoo: its own tests, and that play, rewards and views are those of the game."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Iterator
from functools import partial
from importlib import metadata
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import card_envs
from card_envs import Game, IllegalAction
from card_envs.envs import pettingzoo as ours
from card_envs.errors import MissingExtra, UnknownArgument
from card_envs.registry import rule_fields
from tests.environments import REWARDED, last_legal, same
from tests.variants import ANY, FEW, GAMES, SEVERAL, Variant, every

with warnings.catch_warnings():  # it imports a game of its own in a way that it calls deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
    from pettingzoo.test.state_test import state_test


def of_so_many_players() -> Iterator[Variant]:
    """Each game by all numbers of players that it can be played by."""
    for name in GAMES:
        for players in range(2, 13) if "num_players" in rule_fields(name) else ():
            try:
                card_envs.make_game(name, num_players=players)
            except ValueError:
                continue
            yield Variant(name, {"num_players": players})


PLAYED = [*FEW, *(variant for variant in of_so_many_players() if variant not in FEW)]
each_game = pytest.mark.parametrize("variant", PLAYED, ids=lambda variant: variant.id)
# what PettingZoo's test says of every game with masks, but for a list of its own
its_remarks = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
    r"ignore:.*options=\['options'\] are unknown and left out:UserWarning",
)


def version(variant: Variant) -> Any:
    return getattr(ours, f"{variant.game}_v0")


def make(variant: Variant, kind: str = "env", **settings: Any) -> Any:
    return getattr(version(variant), kind)(**variant.rules, **settings)


def play(env: Any, seed: int) -> Iterator[str]:
    """Play an episode by highest legal actions; yields each agent before it plays."""
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        yield agent
        env.step(None if terminated else last_legal(observation["action_mask"]))


# PettingZoo's tests


@its_remarks
@each_game
def test_passes_pettingzoos_test_of_the_interface(variant: Variant) -> None:
    api_test(make(variant), num_cycles=100)
    api_test(make(variant, "raw_env"), num_cycles=100)


@its_remarks
@each_game
def test_passes_pettingzoos_test_of_the_parallel_interface(variant: Variant) -> None:
    parallel_api_test(make(variant, "parallel_env"), num_cycles=200)


@each_game
def test_passes_pettingzoos_tests_of_seeds(variant: Variant) -> None:
    seed_test(partial(make, variant), num_cycles=60)
    parallel_seed_test(partial(make, variant, "parallel_env", illegal="lose"), num_cycles=20)


@each_game
def test_passes_pettingzoos_test_of_states(variant: Variant) -> None:
    state_test(make(variant, illegal="lose"), make(variant, "parallel_env", illegal="lose"), num_cycles=20)


@pytest.mark.parametrize("variant", [ANY, SEVERAL], ids=lambda variant: variant.id)
def test_passes_pettingzoos_test_of_render_modes(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("card_envs.envs.rendering.RENDER_FPS", 1000)
    render_test(partial(make, variant))


# Play


@every(FEW)
def test_a_seat_observes_what_its_view_of_the_same_game_shows(game: Game) -> None:
    """The game beside it is played on states of its own, and each seat is asked through its view alone."""
    env = ours.raw_env(game)
    state = game.new_state(seed=11)
    steps = 0
    for agent in play(env, seed=11):
        for seat, other in enumerate(env.possible_agents):
            view = state.view(seat)
            mask = view.action_mask(seat).astype(np.int8)
            wanted = {"observation": view.observation(seat), "action_mask": mask}
            assert same(env.observe(other), wanted)
            if other in env.infos:
                assert same(env.infos[other]["action_mask"], mask)
        if state.is_over:
            assert env.terminations[agent]
        else:
            assert agent == f"player_{state.to_play}"
            state.play(last_legal(state.action_mask()))
            steps += 1
    assert steps > 5
    assert not env.agents


@pytest.mark.parametrize(("variant", "reward"), REWARDED, ids=lambda x: getattr(x, "id", x))
def test_every_seat_is_paid_as_it_falls_due(variant: Variant, reward: str) -> None:
    env = make(variant, reward=reward)
    game = variant.make()
    for seed in range(3):
        paid = dict.fromkeys(env.possible_agents, 0.0)
        received = dict.fromkeys(env.possible_agents, 0.0)
        state = game.new_state(seed=seed)
        for agent in play(env, seed):
            received[agent] += env.last()[1]
            for other, due in env.rewards.items():
                paid[other] += due
            standing = state.returns(reward)
            assert list(paid.values()) == pytest.approx(standing.tolist())
            if not state.is_over:
                state.play(last_legal(state.action_mask()))
            else:
                assert same(env.infos[agent]["points"], state.points())
                assert same(env.infos[agent]["scores"], state.scores())
                assert same(env.infos[agent]["settlement"], state.settlement())
                assert env.infos[agent]["returns"] == pytest.approx(standing)
        assert received == pytest.approx(paid)
        assert any(paid.values()) or not state.returns(reward).any()


def test_after_an_episode_the_tables_next_one_begins() -> None:
    game, env = ANY.make(), make(ANY, "raw_env")
    states = game.new_states([5])
    env.reset(seed=5)
    for _ in range(3):
        assert same(env.observe(env.agent_selection)["observation"], game.observations(states)[0])
        env.reset()
        game.reset(states)
    fresh, other = make(ANY, "raw_env"), make(ANY, "raw_env")
    fresh.reset()
    other.reset()
    assert not np.array_equal(fresh.state(), other.state())


def test_a_deal_can_be_given() -> None:
    game, env = ANY.make(), make(ANY, "raw_env")
    deck = game.pack_of(3)
    env.reset(seed=1, options={"deck": deck, "dealer": 1})
    given = game.new_state(seed=1, deck=deck, dealer=1)
    assert env.agent_selection == f"player_{given.to_play}"
    assert same(env.observe(env.agent_selection)["observation"], given.observation())
    env.reset(options={"deal": 7})
    assert same(env.observe(env.agent_selection)["observation"], game.new_state(seed=1, deal=7).observation())
    before = env.state()
    with pytest.raises(ValueError, match="dealer"):
        env.reset(options={"dealer": 9})
    with pytest.raises(ValueError, match="seed=-1 is out of range"):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="must be a dict"):
        env.reset(options=3)
    assert np.array_equal(env.state(), before)
    with pytest.warns(UserWarning, match=r"options=\['dekc'\] are unknown and left out: there are deck, dealer, deal"):
        env.reset(options={"dekc": deck})


# Bad input


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = make(ANY)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        make(ANY, "raw_env").observe("player_0")
    env.reset(seed=2)
    before = env.state()
    for action in (int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]), -1, 10_000, 1.0, "Kh", None, True):
        with pytest.raises(IllegalAction):
            env.step(action)
    with pytest.raises(IllegalAction, match=r'by observation\["action_mask"\], or .*illegal="lose"'):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    with pytest.raises(ValueError, match="'player_77' is no agent here: there are player_0, player_1"):
        env.observe("player_77")
    assert np.array_equal(env.state(), before)


@pytest.mark.parametrize("variant", FEW, ids=lambda variant: variant.id)
def test_an_illegal_action_loses_where_it_is_so_chosen(variant: Variant) -> None:
    env = make(variant, illegal="lose", reward="win")
    env.reset(seed=2)
    loser = env.agent_selection
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    others = [agent for agent in env.agents if agent != loser]
    assert env.rewards[loser] == -1.0
    assert [env.rewards[agent] for agent in others] == pytest.approx([1.0 / len(others)] * len(others))
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_invalid_settings_are_refused() -> None:
    for error in (UnknownArgument, TypeError, ValueError):
        with pytest.raises(error, match=r"unexpected keyword argument 'max_cycles'.*reward, illegal, render_mode"):
            make(ANY, max_cycles=10)
    with pytest.raises(ValueError, match="reward='chips' is unknown"):
        make(ANY, reward="chips")
    with pytest.raises(ValueError, match="illegal='pass' is unknown"):
        make(ANY, illegal="pass")
    with pytest.raises(UnknownArgument, match="render_mode='video' is unknown"):
        make(ANY, render_mode="video")
    with pytest.raises(AttributeError, match=f"There is no 'chess_v6' in .*: there are {GAMES[0]}_v0"):
        _ = ours.chess_v6
    env = make(ANY)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="Without a render mode nothing is rendered"):
        assert env.render() is None


def test_a_missing_or_old_pettingzoo_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "1.24.3")
    with pytest.raises(MissingExtra, match=r'1\.25 or later, and 1\.24\.3 is installed: .*card_envs\[pettingzoo\]"'):
        ours.require()

    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    with pytest.raises(ImportError, match=r"need pettingzoo 1\.25 or later, which is not installed"):
        ours.require()


# Where libraries look


def test_every_game_can_be_imported_by_its_name() -> None:
    assert set(ours.VERSIONS) == {f"{name}_v0" for name in GAMES}
    for variant in PLAYED:
        env = make(variant, "raw_env")
        assert env.game == variant.make()
        assert str(env) == f"{variant.game}_v0"
        assert env.max_num_agents == variant.make().num_players


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a register from 1.27 on")
def test_every_game_is_in_pettingzoos_register() -> None:
    ours.register_all()  # again: it neither warns nor changes anything
    for variant in FEW:
        env = pettingzoo.make("aec", f"card_envs/{variant.game}_v0", **variant.rules)
        assert isinstance(env, pettingzoo.AECEnv)
        assert env.unwrapped.game == variant.make()
        both = pettingzoo.make("parallel", f"card_envs/{variant.game}_v0", reward="win", **variant.rules)
        assert isinstance(both, pettingzoo.ParallelEnv)
        both.reset(seed=1)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_made_in_mid_game_goes_on_identically(duplicate: Any) -> None:
    env = make(SEVERAL, "raw_env")
    playing = play(env, seed=4)
    for _ in range(5):
        next(playing)
    again = duplicate(env)
    while not any(env.terminations.values()):
        action = last_legal(env.last()[0]["action_mask"])
        env.step(action)
        again.step(action)
        assert same(again.last(), env.last())
        assert np.array_equal(again.state(), env.state())


def test_what_is_handed_out_is_the_callers_own() -> None:
    env = make(ANY, "raw_env")
    env.reset(seed=6)
    kept = env.state()
    agent = env.agent_selection
    for array in (*env.observe(agent).values(), env.infos[agent]["action_mask"], env.state()):
        array[:] = 1
    assert np.array_equal(env.state(), kept)
    assert not env.observe(agent)["action_mask"].all()
    with pytest.raises(IllegalAction):
        env.step(int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0]))
