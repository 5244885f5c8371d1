"""Players that search: legal, repeatable, blind to what their seat cannot see, and better than the greedy player."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, Network, PPOAgent, RandomAgent, make_agent
from card_agents.evaluation.arena import deal_seeds, meet
from card_agents.players.search import ExactAgent, GuidedAgent, IsmctsAgent, PimcAgent
from card_envs import batches
from tests.variants import FEW, every, scattered

SMALL = {"suits": 2, "ranks": 5, "hand_size": 3}
"""A pack whose deals are searched in no time."""


def seen(game, states):
    """What players are handed where a seat is to play: views, observations, masks and words."""
    live = batches.take(states, game.to_play(states) >= 0)
    views = game.views(live)
    return views, game.observations(views), game.masks(views), game.draws(live)


def searchers(game, worlds=2, simulations=20):
    return [
        PimcAgent(game, worlds),
        IsmctsAgent(game, simulations),
        ExactAgent(game, GreedyAgent(game)),
        ExactAgent(game, IsmctsAgent(game, simulations)),
    ]


def late(game, count, left=10, seed=0):
    """Positions near the end of their deals, where every search is short."""
    states = game.new_states(np.arange(seed, seed + count, dtype=np.uint64))
    for _ in range(game.max_plays - left):
        game.step(states, game.sample_actions(states))
    return states


@every()
def test_searchers_play_legally_to_the_end_of_a_deal_in_every_variant(game):
    states = late(game, 3, left=min(14, game.max_plays))
    for number, player in enumerate(searchers(game, 1, 5)):
        tables = batches.copy(states)
        for _ in range(16):
            if game.is_over(tables).all():
                break
            views, observations, masks, random = seen(game, tables)
            actions = player.act(views, observations, masks, random)
            assert actions.dtype == np.int32
            assert masks[np.arange(len(views)), actions].all(), number
            everyone = np.full(len(tables), -1, np.int32)
            everyone[game.to_play(tables) >= 0] = actions
            game.step(tables, everyone, auto_reset=False)


@pytest.mark.parametrize(
    ("name", "rules"), [("elfern", SMALL), ("konchinka", {}), ("konchinka", {"num_players": 12, "match": True})]
)
def test_what_is_played_depends_on_the_word_of_a_row_alone(name, rules):
    game = card_envs.make_game(name, **rules)
    views, observations, masks, random = seen(game, scattered(game, 40))
    before = views.tobytes()
    for player, fresh in zip(searchers(game), searchers(game), strict=True):
        together = player.act(views, observations, masks, random)
        backwards = player.act(views[::-1].copy(), observations[::-1], masks[::-1], random[::-1].copy())
        assert (together == backwards[::-1]).all()
        alone = [
            fresh.act(*(part[i : i + 1] for part in (views, observations, masks, random)))[0] for i in range(len(views))
        ]
        assert (together == alone).all()
        assert (player.act(views, observations, masks.astype(bool), random) == together).all()
    assert views.tobytes() == before


def test_other_words_are_other_searches():
    game = card_envs.make_game("konchinka")
    views, observations, masks, random = seen(game, game.new_states(np.arange(50, dtype=np.uint64)))
    for player in searchers(game, 1, 30)[:2]:
        answers = player.act(views, observations, masks, random)
        assert (player.act(views, observations, masks, random + np.uint64(1)) != answers).any()


def nonsense(game, states, dice):
    """The same positions with other cards in the places that the seats to play cannot see, most of them impossible."""
    views = game.views(states)
    filled = batches.copy(states)
    hidden = views["deck"] != states["deck"]
    filled["deck"][hidden] = dice.integers(0, game.pack.size, hidden.sum())
    for seat in range(game.num_players):
        other = views["viewer"] != seat
        filled["hand"][other, seat] = dice.integers(1, 2**game.pack.size, other.sum(), dtype=np.uint64)
    filled["seed"] = dice.integers(0, 2**63, len(states))
    return filled


@pytest.mark.parametrize(
    ("name", "rules"),
    [("elfern", SMALL), ("konchinka", {}), ("konchinka", {"num_players": 5, "obligation": "hand", "match": True})],
)
def test_nonsense_in_all_that_is_hidden_changes_no_play(name, rules):
    game = card_envs.make_game(name, **rules)
    states = scattered(game, 60)
    states = batches.take(states, game.to_play(states) >= 0)
    others = nonsense(game, states, np.random.default_rng(3))
    words = game.draws(states)
    others["choice"] = 7
    changed = (others["hand"] != states["hand"]).any(axis=1) & (others["deck"] != states["deck"]).any(axis=1)
    assert changed.mean() > 0.7
    assert game.views(others).tobytes() == game.views(states).tobytes()
    for player in [RandomAgent(game), GreedyAgent(game), *searchers(game)]:
        actions = []
        for tables in (states, others):
            views = game.views(tables)
            actions.append(player.act(views, game.observations(views), game.masks(views), words))
        assert (actions[0] == actions[1]).all()


def test_searchers_are_handed_views_of_the_seat_to_play():
    game = card_envs.make_game("elfern")
    states = scattered(game, 20)
    views, observations, masks, random = seen(game, states)
    full = batches.take(states, game.to_play(states) >= 0)
    other = game.views(full, 1 - game.to_play(full))
    for player in searchers(game):
        for wrong in (full, other):
            with pytest.raises(ValueError, match=r"not views of the seat to play"):
                player.act(wrong, observations, masks, random)
        with pytest.raises(ValueError, match=r"allow illegal actions"):
            player.act(views, observations, np.ones_like(masks), random)
        with pytest.raises(ValueError, match=r"allow no action"):
            player.act(views, observations, np.zeros_like(masks), random)
        with pytest.raises(ValueError, match=r"random must be uint64"):
            player.act(views, observations, masks, None)
        empty = player.act(views[:0], observations[:0], masks[:0], random[:0])
        assert empty.shape == (0,)


def test_where_there_is_no_choice_nothing_is_searched(monkeypatch):
    game = card_envs.make_game("elfern")
    views, observations, masks, random = seen(game, scattered(game, 200))
    forced = masks.sum(axis=1) == 1
    assert forced.sum() > 10
    for player in searchers(game)[:2]:
        monkeypatch.setattr(player, "weights", None)
        rows = (part[forced] for part in (views, observations, masks, random))
        assert (player.act(*rows) == masks[forced].argmax(axis=1)).all()


def test_a_mask_may_allow_less_than_the_rules():
    game = card_envs.make_game("elfern")
    views, observations, masks, random = seen(game, scattered(game, 40))
    count = masks.cumsum(axis=1, dtype=np.int64)
    last = masks * (count > count[:, -1:] - 2)  # the two highest cards
    for player in (IsmctsAgent(game, 30), ExactAgent(game, GreedyAgent(game))):
        if isinstance(player, ExactAgent):
            settled = game.is_settled(views)
            views, observations, last, random = (part[settled] for part in (views, observations, last, random))
        actions = player.act(views, observations, last, random)
        assert last[np.arange(len(views)), actions].all()


@pytest.mark.parametrize(("name", "rules"), [(variant.game, variant.rules) for variant in FEW])
def test_visits_go_to_legal_actions_and_add_up(name, rules):
    game = card_envs.make_game(name, **rules)
    views, _, masks, random = seen(game, scattered(game, 60))
    visits, means = IsmctsAgent(game, 50).search(views, random)
    assert (visits[masks == 0] == 0).all()
    assert (means[masks == 0] == 0).all()
    assert (visits.sum(axis=1) == 50).all()
    assert (visits[masks != 0] > 0).all()  # 50 simulations try each of fewer than 50 actions
    assert abs(means).max() <= 2 * game.most_points
    assert means.any()


@pytest.mark.parametrize("name", card_envs.GAMES)
def test_a_single_simulation_plays_as_the_greedy_player_does(name):
    game = card_envs.make_game(name)
    views, observations, masks, random = seen(game, scattered(game, 60))
    actions = IsmctsAgent(game, 1).act(views, observations, masks, random)
    assert (actions == game.greedy_actions(views)).all()


def test_the_tree_finds_the_best_answer_to_a_known_world():
    """Where the hidden cards can be worked out, the search comes to what exact play finds in nearly all positions (with
    five tricks to go, opponents that help would spoil one in seven)."""
    game = card_envs.make_game("elfern")
    states = late(game, 150, left=10)
    views, observations, masks, random = seen(game, states)
    values = game.open_values(states)
    worths = np.full(values.shape, -np.inf)
    for i, action in np.argwhere(masks):
        worths[i, action] = game.solver.worth(states[i], game.constants[0], values[i, action])
    best = worths.max(axis=1)
    rows = np.arange(len(states))
    chosen = IsmctsAgent(game, 1000).act(views, observations, masks, random)
    assert (worths[rows, chosen] == best).mean() > 0.95
    exactly = ExactAgent(game, RandomAgent(game)).act(views, observations, masks, random)
    assert (worths[rows, exactly] == best).all()
    assert (worths[rows, RandomAgent(game).act(views, observations, masks, random)] == best).mean() < 0.9


@pytest.mark.parametrize(
    ("name", "rules", "player", "deals"),
    [
        ("elfern", {}, "ismcts:300", 120),
        ("elfern", {}, "exact+greedy", 1500),
        ("elfern", {"suits": 2, "ranks": 6, "hand_size": 4}, "pimc:10", 400),
        ("konchinka", {}, "pimc:50", 100),
        ("konchinka", {"num_players": 4}, "pimc:20", 100),
    ],
)
def test_searching_beats_the_greedy_player(name, rules, player, deals):
    game = card_envs.make_game(name, **rules)
    pair = make_agent(player, game), make_agent("greedy", game)
    points = meet(game, (player, "greedy"), pair, deal_seeds(5, deals)).points_a
    assert points.low > 0, points


def test_nothing_is_deeply_copied(monkeypatch):
    monkeypatch.setattr(copy, "deepcopy", None)
    game = card_envs.make_game("konchinka")
    views, observations, masks, random = seen(game, scattered(game, 10))
    for player in searchers(game):
        player.act(views, observations, masks, random)


def test_a_policy_guides_the_search_and_never_past_the_rules(tmp_path):
    game = card_envs.make_game("elfern")
    dice = np.random.default_rng(5)
    wanted = dice.permutation(game.num_actions).astype(np.float32)  # a policy that ranks the cards, whatever it sees
    flat = np.zeros((game.num_actions, game.observation_size), np.float32)
    PPOAgent(game, Network([], [(flat, wanted)], [])).save(tmp_path / "model.npz")
    guided = make_agent(f"ismcts:30+ppo:{tmp_path / 'model.npz'}", game)
    assert isinstance(guided, GuidedAgent)
    assert guided.search.simulations == 30
    parts = seen(game, scattered(game, 60))
    masks = parts[2]
    rows = np.arange(len(masks))
    ranked = np.where(masks, wanted, -np.inf).argmax(axis=1)
    alone = guided.search.act(*parts)
    followed = {}
    for trust in (0.0, 0.3, 1e6):
        guided.trust = trust
        actions = guided.act(*parts)
        assert masks[rows, actions].all()
        followed[trust] = (actions == ranked).mean()
        if trust == 0:
            visits, _ = guided.search.search(batches.copy(parts[0]), parts[3])
            assert (visits[rows, actions] == visits[rows, alone])[masks.sum(axis=1) > 1].all()
    assert followed[0.0] < followed[0.3] < followed[1e6] == 1
    with pytest.raises(ValueError, match=r"No such file"):
        make_agent("ismcts:30+ppo:nowhere.npz", game)


def test_searchers_by_name():
    game = card_envs.make_game("elfern", **SMALL)
    assert make_agent("pimc:3", game).worlds == 3
    assert make_agent("pimc", game).worlds == PimcAgent(game).worlds
    assert make_agent("ismcts:70", game).simulations == 70
    assert make_agent("ismcts", game).simulations == IsmctsAgent(game).simulations
    inner = make_agent("exact+exact+ismcts:2", game).before.before
    assert inner.simulations == 2
    for name in ("pimc:", "pimc:0", "pimc:-3", "pimc:1.5", "pimc:x", "ismcts:1000001", "ismcts: 3", "exact+pimc:²"):
        with pytest.raises(ValueError, match=r"needs a whole number from 1 to 1000000"):
            make_agent(name, game)
    for name in ("exact", "exact+", "exact+careful", "pimcs:3"):
        with pytest.raises(ValueError, match=r"no player .*'pimc:N', 'ismcts:N', .*'exact\+NAME'"):
            make_agent(name, game)
    for size in (0, 2.5, "3", True):
        with pytest.raises(ValueError, match=r"worlds|simulations"):
            PimcAgent(game, size)
        with pytest.raises(ValueError, match=r"worlds|simulations"):
            IsmctsAgent(game, size)
