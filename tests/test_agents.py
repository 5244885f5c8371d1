"""Players: the protocol, the built-in ones, trained ones and their files, and names."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_agents import Agent, GreedyAgent, Network, PPOAgent, RandomAgent, make_agent, names
from card_agents.evaluation.arena import deal_seeds, play_out
from card_agents.players.ppo import draw_actions
from tests.variants import FEW

GAMES = [(variant.game, variant.rules) for variant in FEW]
ROOT = Path(__file__).resolve().parent.parent


def some_network(game, seed=0, width=32, activation="relu"):
    dice = np.random.default_rng(seed)

    def layer(inputs, outputs):
        weight = dice.normal(size=(outputs, inputs)) * 3 / inputs**0.5
        return weight.astype(np.float32), dice.normal(size=outputs).astype(np.float32)

    return Network(
        [layer(game.observation_size, width)],
        [layer(width, width), layer(width, game.num_actions)],
        [layer(width, 1)],
        activation,
    )


def positions(game, size=200, plays=7):
    states = game.new_states(np.arange(size, dtype=np.uint64))
    for _ in range(plays):
        game.step(states, game.sample_actions(states))
    views = game.views(states)
    return views, game.observations(views), game.masks(views), game.draws(states)


def players(game):
    network = some_network(game)
    return [
        RandomAgent(game),
        GreedyAgent(game),
        PPOAgent(game, network),
        PPOAgent(game, network, deterministic=False),
    ]


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_answers_are_legal_int32_and_repeatable(name, rules):
    game = card_envs.make_game(name, **rules)
    views, observations, masks, random = positions(game)
    for player in players(game):
        assert isinstance(player, Agent)
        actions = player.act(views, observations, masks, random)
        assert actions.dtype == np.int32
        assert actions.shape == (200,)
        assert masks[np.arange(200), actions].all()
        assert (player.act(views, observations, masks.astype(bool), random) == actions).all()


@pytest.mark.parametrize("number", range(4))
def test_masks_that_are_missing_or_allow_nothing_are_refused(number):
    game = card_envs.make_game("elfern")
    player = players(game)[number]
    views, observations, masks, random = positions(game, 5)
    empty = masks.copy()
    empty[3] = 0
    bad = [None, empty, masks[:4], masks[:, :-1], masks.astype(float), masks.tolist()]
    for mask in bad:
        with pytest.raises(ValueError, match=r"mask"):
            player.act(views, observations, mask, random)


@pytest.mark.parametrize("number", [0, 3])
def test_players_with_dice_need_words_of_the_tables(number):
    game = card_envs.make_game("elfern")
    views, observations, masks, random = positions(game, 5)
    for words in (None, random[:4], random.astype(np.int64)):
        with pytest.raises(ValueError, match=r"random must be uint64"):
            players(game)[number].act(views, observations, masks, words)


def test_random_plays_every_legal_action_as_often():
    game = card_envs.make_game("elfern")
    size = 60_000
    masks = np.zeros((size, 32), np.uint8)
    masks[:, [3, 4, 31]] = 1
    words = np.random.default_rng(1).integers(2**64, size=size, dtype=np.uint64)
    actions = RandomAgent(game).act(np.empty(size, game.dtype), None, masks, words)
    counts = np.bincount(actions, minlength=32)
    assert set(np.flatnonzero(counts)) == {3, 4, 31}
    assert abs(counts[[3, 4, 31]] - size / 3).max() < 5 * (size * 2 / 9) ** 0.5


def test_drawn_actions_follow_the_softmax():
    size = 100_000
    logits = np.tile(np.array([0.0, -np.inf, 1.0, -2.0, -np.inf], np.float32), (size, 1))
    words = np.random.default_rng(2).integers(2**64, size=size, dtype=np.uint64)
    chances = np.exp(logits[0].astype(float))
    chances /= chances.sum()
    counts = np.bincount(draw_actions(logits, words), minlength=5)
    assert counts[1] == counts[4] == 0
    assert (abs(counts / size - chances) < 5 * (chances * (1 - chances) / size) ** 0.5 + 1e-12).all()
    ends = np.array([0, 2**64 - 1], np.uint64)
    assert draw_actions(logits[:2], ends).tolist() == [0, 3]


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("name", card_envs.GAMES)
def test_an_untrained_network_plays_a_thousand_games_legally(name, deterministic):
    game = card_envs.make_game(name)
    agent = PPOAgent(game, some_network(game), deterministic=deterministic)
    final = play_out(game, [agent], [0] * game.num_players, deal_seeds(3, 1000))
    assert game.is_over(final).all()


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_a_saved_player_plays_on_as_before(tmp_path, activation):
    game = card_envs.make_game("konchinka", num_players=4)
    agent = PPOAgent(game, some_network(game, activation=activation), deterministic=False)
    agent.network.notes["steps"] = 12
    agent.save(tmp_path / "model.npz")
    again = PPOAgent.load(tmp_path / "model.npz", game, deterministic=False)
    for name, array in agent.network.arrays().items():
        assert (again.network.arrays()[name] == array).all()
    assert again.network.notes == {"steps": 12}
    views, observations, masks, random = positions(game)
    assert (again.act(views, observations, masks, random) == agent.act(views, observations, masks, random)).all()
    assert (again.network.values(observations) == agent.network.values(observations)).all()
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def test_files_for_something_else_are_refused(tmp_path):
    path = tmp_path / "model.npz"
    elfern = card_envs.make_game("elfern")
    PPOAgent(elfern, some_network(elfern)).save(path)
    with pytest.raises(ValueError, match=r"plays elfern, not konchinka"):
        PPOAgent.load(path, card_envs.make_game("konchinka"))
    with pytest.raises(ValueError, match=r"other rules: follow_suit='stock'; here it is follow_suit='never'"):
        PPOAgent.load(path, card_envs.make_game("elfern", follow_suit="never"))
    with np.load(path) as archive:
        arrays = dict(archive)
    metadata = json.loads(str(arrays["metadata"]))
    metadata["identity"]["layout"][0][0] = "hands"
    arrays["metadata"] = np.array(json.dumps(metadata))
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"another observation layout"):
        PPOAgent.load(path, elfern)
    with pytest.raises(ValueError, match=r"inputs"):
        PPOAgent(card_envs.make_game("konchinka"), some_network(elfern))


def test_unreadable_files_are_refused(tmp_path):
    game = card_envs.make_game("elfern")
    path = tmp_path / "model.npz"
    PPOAgent(game, some_network(game)).save(path)
    whole = path.read_bytes()
    broken = [b"", b"nonsense", whole[: len(whole) // 2], whole[:-1], whole[:5000] + b"\0\0\0\0" + whole[5004:]]
    for content in broken:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"cannot be read as a player"):
            PPOAgent.load(path, game)
    with pytest.raises(ValueError, match=r"No such file"):
        PPOAgent.load(tmp_path / "none.npz", game)
    with pytest.raises(ValueError, match=r"cannot be read"):
        PPOAgent.load(tmp_path, game)


@pytest.mark.parametrize("fault", ["pickle", "missing", "nan", "dtype", "format"])
def test_files_with_wrong_content_are_refused_and_nothing_in_them_runs(tmp_path, fault):
    game = card_envs.make_game("elfern")
    path = tmp_path / "model.npz"
    PPOAgent(game, some_network(game)).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    weight = arrays["policy.0.weight"]
    if fault == "pickle":
        arrays["policy.0.weight"] = np.array([Bomb()], object)
    elif fault == "missing":
        del arrays["policy.0.weight"]
    elif fault == "nan":
        weight[0, 0] = np.nan
    elif fault == "dtype":
        arrays["policy.0.weight"] = weight.astype(np.float64)
    else:
        arrays["metadata"] = np.array(str(arrays["metadata"]).replace('"format": 1', '"format": 2'))
    np.savez(path, allow_pickle=True, **arrays)
    with pytest.raises(ValueError, match=r"cannot be read as a player"):
        PPOAgent.load(path, game)


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("something in the file was executed",)


def test_the_archive_holds_arrays_alone(tmp_path):
    game = card_envs.make_game("elfern")
    PPOAgent(game, some_network(game)).save(tmp_path / "model.npz")
    with zipfile.ZipFile(tmp_path / "model.npz") as archive:
        assert all(name.endswith(".npy") for name in archive.namelist())


@pytest.mark.parametrize("net", ["advised", "ours", "plain"])
@pytest.mark.parametrize("name", card_envs.GAMES)
def test_numpy_plays_as_torch_does(name, net):
    torch = pytest.importorskip("torch")
    from sb3_contrib import MaskablePPO

    from card_agents.training.learner import LearnerVecEnv
    from card_agents.training.policy import PartsPolicy, Trunk
    from card_agents.training.torch_agent import TorchAgent
    from card_envs.envs.sb3 import CardVecEnv

    tables = CardVecEnv(name, 64, seed=0)
    game = tables.game
    advice = net == "advised"
    env = LearnerVecEnv(tables, 1.0, advice)
    kind, options = "MlpPolicy", {}
    if net != "plain":
        kind = PartsPolicy
        options = {"net_arch": {"pi": [], "vf": []}, "activation_fn": torch.nn.ReLU, "game": game, "advice": advice}
        told = game.num_actions if advice else 0
        options |= {
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"widths": [48, 32], "advice_bits": told},
        }
    model = MaskablePPO(kind, env, n_steps=4, batch_size=256, policy_kwargs=options, seed=3, device="cpu")
    agent = PPOAgent.from_model(model, game)
    seen = env.reset()
    views, masks = game.views(tables._tables.states), tables.action_masks()
    observations = game.observations(views)
    with torch.no_grad():
        tensor = torch.from_numpy(seen)
        logits = model.policy.get_distribution(tensor).distribution.logits.numpy()
        values = model.policy.predict_values(tensor).numpy()[:, 0]
    ours = agent.logits(views, observations)
    ours = ours - np.log(np.exp(ours).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(ours, logits, atol=1e-5)
    np.testing.assert_allclose(agent.network.values(observations, agent.advice(views)), values, atol=1e-5)
    beside = TorchAgent(game, agent.network)
    np.testing.assert_allclose(beside.logits(views, observations), agent.logits(views, observations), atol=1e-5)
    expected, _ = model.predict(seen, deterministic=True, action_masks=masks)
    assert (agent.act(views, observations, masks, None) == expected).mean() > 0.98
    if advice:
        assert (agent.act(views, observations, masks, None) == game.greedy_actions(views)).mean() > 0.9


def test_a_network_that_is_told_needs_to_be(tmp_path):
    game = card_envs.make_game("elfern")
    plain = some_network(game)
    wide = [(np.pad(weight, ((0, 0), (0, 32))), bias) for weight, bias in plain.trunk]
    heads = [[(np.pad(head[0][0], ((0, 0), (0, 32))), head[0][1]), *head[1:]] for head in (plain.policy, plain.value)]
    told = Network(wide, *heads, advice=True)
    PPOAgent(game, told).save(tmp_path / "model.npz")
    again = PPOAgent.load(tmp_path / "model.npz", game)
    assert again.network.advice
    views, observations, masks, random = positions(game, 20)
    expected = PPOAgent(game, plain).act(views, observations, masks, random)
    assert (again.act(views, observations, masks, random) == expected).all()
    with pytest.raises(ValueError, match=r"advice"):
        told.logits(observations)
    with pytest.raises(ValueError, match=r"a layer of shape"):
        Network(plain.trunk, plain.policy, plain.value, advice=True)


def test_players_by_name(tmp_path):
    game = card_envs.make_game("elfern")
    assert isinstance(make_agent("random", game), RandomAgent)
    assert isinstance(make_agent("greedy", game), GreedyAgent)
    PPOAgent(game, some_network(game)).save(tmp_path / "a:b.npz")
    agent = make_agent(f"ppo:{tmp_path / 'a:b.npz'}", game, deterministic=False)
    assert isinstance(agent, PPOAgent)
    assert not agent.deterministic
    for name in ("", "Greedy", "greedy:", "pp", "ppo:", "random:1", "ppo:nowhere.npz"):
        with pytest.raises(ValueError, match=r"no player|needs the file|No such file"):
            make_agent(name, game)


def test_players_of_other_packages(monkeypatch):
    game = card_envs.make_game("elfern")
    seen = []

    class Entry:
        def __init__(self, name, made):
            self.name, self.value, self.made = name, "somewhere:make", made

        def load(self):
            return lambda game, text: seen.append((game, text)) or self.made(game)

    def fail(game):
        raise KeyError("weights")

    entries = [Entry("careful", GreedyAgent), Entry("broken", fail), Entry("dumb", lambda game: object())]
    monkeypatch.setattr(names, "entry_points", lambda group: entries if group == "card_envs.players" else [])
    assert isinstance(make_agent("careful:deep", game), GreedyAgent)
    assert seen == [(game, "deep")]
    with pytest.raises(ValueError, match=r"'broken'.*KeyError"):
        make_agent("broken", game)
    with pytest.raises(ValueError, match=r"'dumb'.*has no act"):
        make_agent("dumb", game)
    with pytest.raises(ValueError, match=r"'careful'"):
        make_agent("nobody", game)


def test_playing_needs_no_torch(tmp_path):
    game = card_envs.make_game("elfern")
    PPOAgent(game, some_network(game)).save(tmp_path / "model.npz")
    program = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib", "rich", "matplotlib"):
    sys.modules[name] = None
import card_envs
from card_agents import make_agent
from card_agents.evaluation.arena import deal_seeds, meet
game = card_envs.make_game("elfern")
pair = make_agent(f"ppo:{sys.argv[1]}", game), make_agent("random", game)
print(meet(game, ("ppo", "random"), pair, deal_seeds(0, 20)).deals)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "model.npz")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "20\n"


def test_no_game_is_named_among_the_players():
    for path in (ROOT / "agents" / "card_agents").rglob("*.py"):
        code = "\n".join(line for line in path.read_text().splitlines() if "make_game(" not in line)
        for name in card_envs.GAMES:
            assert name not in code.lower(), f"{path} names {name}"


def test_nothing_evaluates_without_masks():
    for folder in ("agents", "scripts"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            assert "evaluate_policy" not in text
            assert "EvalCallback" not in text
            assert "validate_args" not in text
