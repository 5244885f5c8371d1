"""What players say of each legal action: one shape for all, from the view alone, and what they then play."""

from __future__ import annotations

import json

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent, make_agent
from card_agents.judgement import COLUMNS, judgement_of
from card_agents.players.search import ExactAgent, IsmctsAgent, PimcAgent
from card_envs import batches
from tests.bots import program
from tests.test_leaks import shuffled
from tests.variants import ANY, FEW, VARIANTS, every, scattered

PLAYERS = ("random", "greedy", "pimc:4", "ismcts:12", "exact+greedy", "exact+ismcts:12")


def in_play(game, count=12):
    """Positions all over a deal."""
    states = scattered(game, count)
    return [state for i in range(count) if not (state := game.state(states, i)).is_over]


def same(one, other):
    """Whether two judgements are the same, name of the player aside."""
    return one.rows() == other.rows() and one.seat == other.seat


@every(VARIANTS)
def test_every_player_judges_the_legal_actions_and_plays_the_one_it_says(game):
    for state in in_play(game, 6):
        for name in PLAYERS:
            judgement = make_agent(name, game).evaluate(state, seed=5)
            assert judgement.actions.tolist() == state.legal_actions().tolist()
            assert judgement.chosen == state.ask(name, seed=5)
            assert judgement.seat == state.to_play
            for column in COLUMNS:
                known = getattr(judgement, column)
                assert known.shape == judgement.actions.shape
                assert known.dtype == np.float64
            json.dumps(judgement.rows(), allow_nan=False)
            assert state.to_svg(marks=judgement.marks())
            assert sum(row["chosen"] for row in judgement.rows()) == 1


@every(FEW)
def test_a_state_and_its_view_are_judged_alike_and_stay_as_they_were(game):
    for state in in_play(game, 6):
        before, view = state.clone(), state.view()
        for name in PLAYERS:
            player = make_agent(name, game)
            assert same(player.evaluate(state), player.evaluate(view))
            assert state.ask(name) == view.ask(name)
        assert state == before
        assert view == before.view()


@every(FEW)
def test_nothing_that_is_hidden_changes_a_judgement(game):
    dice = np.random.default_rng(3)
    for state in in_play(game, 8):
        other = game.state(shuffled(game, state.record.copy(), state.to_play, dice)[0], 0)
        for name in PLAYERS:
            player = make_agent(name, game)
            assert same(player.evaluate(state), player.evaluate(other))


@every(FEW)
def test_perfect_information_monte_carlo_gives_means_over_the_worlds_it_plays_in(game):
    player = PimcAgent(game, 5, tie=0.0)
    for state in in_play(game):
        judgement = player.evaluate(state, seed=2)
        settled = bool(game.is_settled(state.record)[0])
        assert np.isnan(judgement.exact).all() != settled
        assert (judgement.spread >= 0).all()
        if settled:
            worth = [game.solver.worth(state.record[0], game.constants[0], value) for value in open_values(state)]
            assert judgement.exact.tolist() == judgement.value.tolist() == worth
        if len(judgement.actions) > 1:
            best = judgement.value[judgement.actions == judgement.chosen]
            assert best == pytest.approx(judgement.value.max())


def open_values(state):
    """Values with open cards of the legal actions; all worlds of a settled position are this one."""
    return state.game.open_values(state.record)[0, state.legal_actions()]


@every(FEW)
def test_a_standard_error_is_that_of_the_worlds(game):
    player = PimcAgent(game, 6, tie=0.0)
    state = game.new_state(seed=4)
    views = state.view().record.copy()
    words = np.array([77], np.uint64)
    values = player.world_values(batches.copy(views), words)
    judged = player.judge(views, game.observations(views), game.masks(views), words)
    legal = state.legal_actions()
    assert values.shape == (6, 1, game.num_actions)
    assert judged["value"][0, legal] == pytest.approx(values[:, 0, legal].mean(axis=0))
    if not game.is_settled(state.record)[0]:
        assert judged["spread"][0, legal] == pytest.approx(values[:, 0, legal].std(axis=0, ddof=1) / 6**0.5)


@every(FEW)
def test_visits_of_a_tree_search_add_up_and_the_most_visited_action_is_played(game):
    player = IsmctsAgent(game, 40)
    for state in in_play(game):
        judgement = player.evaluate(state)
        assert judgement.visits.sum() == 40
        assert np.isnan(judgement.value[judgement.visits == 0]).all()
        if len(judgement.actions) > 1:
            assert judgement.visits[judgement.actions == judgement.chosen] == judgement.visits.max()
            assert sum(judgement.marks().values()) == pytest.approx(1)


@every(FEW)
def test_exact_play_says_what_it_knows_and_before_that_what_its_player_knows(game):
    player = ExactAgent(game, IsmctsAgent(game, 9))
    kinds = set()
    for state in in_play(game, 20):
        judgement = player.evaluate(state)
        settled = bool(game.is_settled(state.record)[0])
        kinds.add(settled)
        assert np.isnan(judgement.exact).any() != settled
        assert np.isnan(judgement.visits).all() == settled
    assert kinds


@pytest.mark.parametrize("name", card_envs.GAMES)
def test_a_network_gives_its_probabilities_and_plays_the_likeliest(name):
    game = card_envs.make_game(name)
    try:
        player = make_agent("ppo", game)
    except ValueError:
        pytest.skip(f"No trained player comes with {name}.")
    for state in in_play(game):
        judgement = player.evaluate(state)
        assert judgement.probability.sum() == pytest.approx(1)
        assert judgement.probability[judgement.actions == judgement.chosen] == judgement.probability.max()
        guided = make_agent("ismcts:9+ppo", game).evaluate(state)
        assert guided.probability.tolist() == pytest.approx(judgement.probability.tolist())
        assert guided.visits.sum() == 9


def test_other_seeds_are_other_searches_and_the_same_seed_the_same():
    game = ANY.make()
    state, player = game.new_state(seed=1), IsmctsAgent(game, 30)
    assert same(player.evaluate(state, seed=1), player.evaluate(state, seed=1))
    assert any(not same(player.evaluate(state, seed=1), player.evaluate(state, seed=seed)) for seed in range(2, 6))
    assert len({state.ask("random", seed=seed) for seed in range(60)}) == len(state.legal_actions())


def test_players_that_say_nothing_are_asked_what_they_play(tmp_path):
    game = ANY.make()
    state = game.new_state(seed=1)

    class Last:
        def act(self, views, observations, masks, random):
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)

    class Sure(Last):
        def probabilities(self, views, observations, masks):
            return np.eye(masks.shape[1])[self.act(views, observations, masks, None)]

    last = int(state.legal_actions()[-1])
    judgement = judgement_of(Last(), state, "the last one")
    assert (judgement.player, judgement.chosen, judgement.marks()) == ("the last one", last, {last: 1.0})
    assert all(np.isnan(getattr(judgement, column)).all() for column in COLUMNS)
    assert judgement_of(Sure(), state).probability.tolist() == [0.0] * (len(judgement.actions) - 1) + [1.0]
    assert state.ask(Last()) == last
    name = program(tmp_path, "good")
    with make_agent(name, game) as bot:
        assert bot.evaluate(state, seed=3).chosen == state.ask(name, seed=3)


def test_a_judgement_is_a_table_to_read():
    game = ANY.make()
    state = game.new_state(seed=1)
    lines = str(IsmctsAgent(game, 30).evaluate(state)).splitlines()
    assert lines[0] == f"IsmctsAgent, seat {state.to_play} to play (* its choice)"
    assert lines[1].split() == ["play", "value", "visits"]
    assert [line.split()[0] for line in lines[2:]] == [game.action_name(a) for a in state.legal_actions().tolist()]
    assert sum(" * " in line for line in lines[2:]) == 1


def test_what_cannot_be_judged_is_refused_with_a_sentence(tmp_path):
    game = ANY.make()
    state = game.new_state(seed=1)
    player = RandomAgent(game)
    other = card_envs.make_game(game.name, match=True)
    with pytest.raises(ValueError, match=r"RandomAgent plays .*, but this is a position of"):
        player.evaluate(other.new_state(seed=1))
    with pytest.raises(ValueError, match="seat"):
        player.evaluate(state.view(1 - state.to_play))
    with pytest.raises(ValueError, match="There is no player 'clever'"):
        state.ask("clever")
    with pytest.raises(ValueError, match="gave no action: it could not be started"):
        state.ask(program(tmp_path, "crashes at the start"))
    while not state.is_over:
        state.play(state.ask(GreedyAgent(game)))
    with pytest.raises(ValueError, match="over"):
        player.evaluate(state)
    with pytest.raises(ValueError, match="over"):
        state.ask("greedy")
