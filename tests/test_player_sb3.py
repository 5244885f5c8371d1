"""Players that Stable-Baselines3 and sb3-contrib saved: read as they are, with nothing in them executed."""

from __future__ import annotations

import base64
import io
import json
import pickle
import sys
import zipfile

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecEnvWrapper, VecNormalize
from torch import nn

import card_envs
from card_agents import PPOAgent, make_agent
from card_agents.evaluation.arena import deal_seeds, play_out
from card_envs.envs.sb3 import CardVecEnv
from tests.test_agents import Bomb, positions
from tests.test_player_files import damages, refusal, refused_or_same, same

RULES = {"suits": 2, "ranks": 4, "honours": 2, "hand_size": 2}


class Centred(VecEnvWrapper):
    """Observations of -1 and 1."""

    def __init__(self, env):
        super().__init__(env, observation_space=spaces.Box(-1, 1, env.observation_space.shape, np.float32))

    def reset(self):
        return 2.0 * self.venv.reset() - 1

    def step_wait(self):
        observations, *others = self.venv.step_wait()
        return 2.0 * observations - 1, *others


@pytest.fixture(scope="module")
def game():
    return card_envs.make_game("elfern", **RULES)


def model(kind=MaskablePPO, wrap=lambda env: env, **policy_kwargs):
    env = wrap(CardVecEnv("elfern", num_envs=4, opponents="greedy", seed=0, **RULES))
    return kind("MlpPolicy", env, n_steps=8, batch_size=32, seed=3, device="cpu", policy_kwargs=policy_kwargs)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.zip"
    model(net_arch=[8]).save(path)
    return path.read_bytes()


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repack(path, members, packed=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("kind", [PPO, MaskablePPO])
@pytest.mark.parametrize(
    "policy_kwargs",
    [
        {},
        {"net_arch": [16, 8], "activation_fn": nn.ReLU},
        {"net_arch": {"pi": [8, 8, 8], "vf": []}, "activation_fn": nn.ELU, "share_features_extractor": False},
        {"net_arch": [], "activation_fn": nn.LeakyReLU, "ortho_init": False},
        {"net_arch": [8], "activation_fn": nn.SiLU, "optimizer_kwargs": {"eps": 1e-5}},
        {"net_arch": [8], "activation_fn": nn.Sigmoid, "optimizer_class": torch.optim.SGD},
    ],
)
def test_a_policy_that_was_saved_plays_as_it_did(tmp_path, game, kind, policy_kwargs):
    trained = model(kind, **policy_kwargs)
    with torch.no_grad():
        for parameter in trained.policy.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    trained.save(tmp_path / "m")
    views, observations, _, _ = positions(game, plays=2)
    seen = torch.from_numpy(observations)
    with torch.no_grad():
        logits = trained.policy.get_distribution(seen).distribution.logits.numpy()
        values = trained.policy.predict_values(seen).numpy()[:, 0]
    for name in ("m", "m.zip"):
        agent = make_agent(f"ppo:{tmp_path / name}", game)
        ours = agent.logits(views, observations)
        np.testing.assert_allclose(ours - np.log(np.exp(ours).sum(axis=1, keepdims=True)), logits, atol=1e-5)
        np.testing.assert_allclose(agent.network.values(observations), values, atol=1e-5)
    if trained.policy.share_features_extractor:
        assert same(PPOAgent.from_model(trained, game).network, agent.network)
    agent.save(tmp_path / "own.npz")
    assert (PPOAgent.load(tmp_path / "own.npz", game).logits(views, observations) == ours).all()


def test_such_a_player_is_played_wherever_one_is_named(tmp_path, game):
    model(net_arch=[8]).save(tmp_path / "m.zip")
    for name in ("ppo:{}", "ismcts:4+ppo:{}", "exact+ppo:{}"):
        agent = make_agent(name.format(tmp_path / "m"), game)
        assert game.is_over(play_out(game, [agent], [0, 0], deal_seeds(0, 5))).all()


def test_what_cannot_be_played_as_a_plain_network_is_refused(tmp_path, game):
    class Doubled(nn.ReLU):
        pass

    class Halved(FlattenExtractor):
        def forward(self, observations):
            return super().forward(observations) / 2

    path = tmp_path / "m.zip"
    for policy_kwargs, sentence in (
        ({"activation_fn": Doubled}, "activation"),
        ({"activation_fn": lambda: nn.LeakyReLU(0.3)}, "activation"),
        ({"features_extractor_class": Halved}, "features_extractor_class"),
    ):
        model(**policy_kwargs).save(path)
        assert sentence in refusal(path, game)
    model(wrap=Centred).save(path)
    assert "wrapper" in refusal(path, game)
    model(wrap=lambda env: VecNormalize(env, norm_obs=False)).save(path)
    PPOAgent.load(path, game)
    DQN("MlpPolicy", CardVecEnv("elfern", num_envs=1, **RULES), device="cpu", buffer_size=10).save(path)
    assert "actor-critics" in refusal(path, game)


def test_a_model_of_another_size_is_refused(tmp_path, content):
    path = tmp_path / "m.zip"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"inputs and 8 actions; elfern.* needs 307 and 32"):
        PPOAgent.load(path, card_envs.make_game("elfern"))


def test_nothing_in_a_model_is_executed(tmp_path, game, content):
    path = tmp_path / "m.zip"
    members = members_of(content)
    data = json.loads(members["data"])
    armed = base64.b64encode(pickle.dumps(Bomb())).decode()
    for value in data.values():
        if isinstance(value, dict) and ":serialized:" in value:
            value[":serialized:"] = armed
    repack(path, {**members, "data": json.dumps(data)})
    PPOAgent.load(path, game)
    buffer = io.BytesIO()
    torch.save({"action_net.weight": Bomb()}, buffer)
    for policy in (buffer.getvalue(), pickle.dumps(Bomb())):
        repack(path, {**members, "policy.pth": policy})
        refusal(path, game)


@pytest.mark.parametrize(
    "data",
    ["[" * 100_000, "null", "[]", "{}", "nonsense", '{"policy_class": 3}', '{"policy_class": {"__module__": {}}}'],
)
def test_a_model_with_other_data_is_refused(tmp_path, game, content, data):
    path = tmp_path / "m.zip"
    repack(path, {**members_of(content), "data": data})
    refusal(path, game)


def test_tensors_of_other_kinds_are_refused(tmp_path, game, content):
    path = tmp_path / "m.zip"
    members = members_of(content)
    good = torch.load(io.BytesIO(members["policy.pth"]), weights_only=True)

    def tensor(**changes):
        buffer = io.BytesIO()
        torch.save({**good, **{name.replace("__", "."): value for name, value in changes.items()}}, buffer)
        repack(path, {**members, "policy.pth": buffer.getvalue()})
        refusal(path, game)

    weight, bias = good["action_net.weight"], good["action_net.bias"]
    tensor(action_net__weight=weight.int())
    tensor(action_net__weight=weight.to_sparse())
    tensor(action_net__weight=torch.zeros(1).expand(8, 10**12))
    tensor(action_net__weight=weight * float("nan"))
    tensor(action_net__weight=weight + 3e38)
    tensor(action_net__bias=bias[:-1])
    tensor(action_net__bias=bias[:, None])
    tensor(action_net__bias=[1.0])
    tensor(lstm_actor__weight=weight)
    buffer = io.BytesIO()
    torch.save([1], buffer)
    repack(path, {**members, "policy.pth": buffer.getvalue()})
    refusal(path, game)
    del members["policy.pth"]
    repack(path, members)
    refusal(path, game)


def test_damaged_models_are_refused_or_say_the_same(tmp_path, game, content):
    path = tmp_path / "m.zip"
    path.write_bytes(content)
    network = PPOAgent.load(path, game).network
    refused = 0
    for damaged in damages(content, 400, seed=2):
        path.write_bytes(damaged)
        refused += refused_or_same(path, game, network)
    assert refused > 100


def test_without_torch_a_sentence_names_the_extra(tmp_path, game, content, monkeypatch):
    path = tmp_path / "m.zip"
    path.write_bytes(content)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert 'needs torch, which is not installed: run pip install "card_envs[train]"' in refusal(path, game)
