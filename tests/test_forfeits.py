"""A seat that loses by an illegal action: what each reward pays then, in whatever deal, and that nothing is settled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from card_envs.record import REWARDS
from tests.environments import make, rewards_of
from tests.variants import FEW, MATCHES, Variant, drawn, every

PLAYED = [variant for variant in MATCHES if variant.rules.get("target") != 1]
ALL = [*PLAYED, *drawn(7, seed=2)]


def in_play(game, tables=40):
    """Tables in all deals of an episode, with at least one in a later deal of a match, and what they have counted."""
    states = game.new_states(np.arange(tables, dtype=np.uint64))
    for step in range(2 * game.max_plays + 1):
        moving = (np.arange(tables) * (2 * game.max_plays + 1) // tables >= step) & ~game.is_over(states)
        actions = np.where(moving, game.sample_actions(states), -1).astype(np.int32)
        some = states[moving]
        game.step(some, actions[moving], auto_reset=False)
        states[moving] = some
    return states[~game.is_over(states)]


def least_of(game, states, reward):
    """What the offender gets: the least return of an episode; of the share, that of taking nothing in any deal."""
    least = game.min_returns[reward]
    return least * (states["deals"].astype(np.float64) + 1) if reward == "share" else np.full(len(states), least)


@every(ALL)
def test_the_offender_gets_the_least_of_every_reward_and_the_others_share_it(game):
    states = in_play(game)
    assert len(states) > 3
    assert game.rules.match is False or states["deals"].max() > 0 or game.rules.target < 6
    turns = game.to_play(states).astype(int)
    before = {reward: game.returns(states, reward) for reward in REWARDS}
    lost = states.copy()
    game.forfeit(lost, np.arange(len(lost)))
    assert game.is_over(lost).all()
    assert (game.to_play(lost) == -1).all()
    rows = np.arange(len(lost))
    for reward in REWARDS:
        least = least_of(game, states, reward)
        returns = game.returns(lost, reward)
        assert np.allclose(returns[rows, turns], least)
        assert np.allclose(returns.sum(axis=1), 0, atol=1e-6 * max(1, abs(least).max()))
        for seat in range(game.num_players):
            others = turns != seat
            assert np.allclose(returns[others, seat], -least[others] / (game.num_players - 1))
        if reward == "share":  # nobody can have made less by playing
            assert (before[reward] >= least[:, None] - 1e-9).all()


@every(ALL)
def test_a_forfeited_match_is_not_settled(game):
    """K16 settles a match that is won; one lost by an illegal action is not, whatever the scores were."""
    states = in_play(game)
    lost = states.copy()
    game.forfeit(lost, np.arange(len(lost)))
    assert not game.settlement(lost).any()
    assert game.scores(lost).tolist() == game.scores(states).tolist()
    assert game.points(lost).tolist() == game.points(states).tolist()
    for i in range(0, len(lost), 7):
        assert not game.state(lost, i).settlement().any()


@every(ALL)
def test_nothing_of_a_forfeit_is_left_in_the_next_episode(game):
    states = in_play(game)
    lost = states.copy()
    game.forfeit(lost, None)
    game.reset(lost)
    game.reset(states)
    assert lost.tobytes() == states.tobytes()


@pytest.mark.parametrize(
    ("variant", "reward"),
    [(variant, reward) for variant in FEW if variant.rules.get("match") for reward in rewards_of(variant)],
    ids=lambda each: getattr(each, "id", each),
)
def test_an_environment_pays_the_offender_the_least_in_any_deal_of_a_match(variant: Variant, reward: str) -> None:
    game = variant.make()
    env: Any = make(variant, reward=reward, illegal="lose", opponents="random")
    later = 0
    for seed in range(6):
        _, info = env.reset(seed=seed)
        total, over = 0.0, False
        for _ in range(game.max_plays + 3):
            if over:
                break
            _, gained, over, _, info = env.step(env.unwrapped.sample_action())
            total += gained
        if over:
            continue
        deals = int(env.unwrapped.full_state.record["deals"][0]) + 1
        later += deals > 1
        seat = info["seat"]
        _, gained, over, _, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
        assert over
        least = game.min_returns[reward] * (deals if reward == "share" else 1)
        assert total + gained == pytest.approx(least, rel=1e-5)
        assert info["returns"][seat] == pytest.approx(least)
        assert info["settlement"].tolist() == [0] * game.num_players
    assert later > 0 or game.rules.target < 6
