"""Policies that Stable-Baselines3 or sb3-contrib saved, as networks that numpy plays.

``model.save("m.zip")`` of PPO or MaskablePPO with an ``MlpPolicy`` writes a zip of JSON, which wraps pickled objects,
and of torch tensors. The pickled objects are never unpickled: what is needed of them is also there as text. torch reads
the tensors as plain data.

Such a file does not record a game's rules, nor ``VecNormalize(norm_obs=True)``, which no plain network can follow.
Its sizes are checked against the game; that it was trained for these rules, on observations as they are, is up to the
user.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from card_agents.archives import Archive, fault, read_file
from card_agents.players.network import PARTS, TORCH, Layers, Network
from card_envs import Game

DATA, POLICY = "data", "policy.pth"
JSON = 2**26
"""Most bytes of JSON, which includes the last observations of many tables."""

POLICIES = ("stable_baselines3.common.policies", "sb3_contrib.common.maskable.policies")
FLATTEN = "<class 'stable_baselines3.common.torch_layers.FlattenExtractor'>"
IMMATERIAL = {
    "net_arch", "ortho_init", "optimizer_class", "optimizer_kwargs", "share_features_extractor", "normalize_images"
}  # fmt: skip
"""Arguments of a policy that its tensors show as well, or that matter only to training or to images."""

STACKS = {
    "mlp_extractor.shared_net": "trunk",
    "mlp_extractor.policy_net": "policy",
    "mlp_extractor.value_net": "value",
}
HEADS = {"action_net": "policy", "value_net": "value"}

_ACTIVATION = re.compile(r"<class 'torch\.nn\.modules\.activation\.(\w+)'>")


def is_sb3(path: Path) -> bool:
    """Whether a file looks like one saved by Stable-Baselines3."""
    try:
        return {DATA, POLICY} <= set(Archive(read_file(path)).names)
    except Exception:  # not an archive, whatever zipfile raises
        return False


def read_sb3(path: Path, game: Game) -> Network:
    """The policy of a Stable-Baselines3 file; ``ValueError`` if it is damaged or does not fit ``game``.

    Raises ``ValueError`` too for a policy that is not made of linear layers with one of
    ``card_agents.players.network.ACTIVATIONS`` between them, or was not trained on the game's own observations, and
    where torch is not installed.
    """
    try:
        archive = Archive(read_file(path))
        data = json.loads(archive.read(DATA, JSON))
        activation = _activation(data)
        stacks = _stacks(_tensors(archive.read(POLICY)))
        if not stacks["trunk"] and len(stacks["policy"]) == len(stacks["value"]) == 1:
            activation = "relu"  # there is none to apply; ``network_of`` does the same
        network = Network(stacks["trunk"], stacks["policy"], stacks["value"], activation)
    except Exception as error:  # whatever zipfile, zlib, json and torch raise for a damaged file
        raise ValueError(f"{path} cannot be read as a player: {fault(error)}.") from None
    if (network.inputs, network.outputs) != (game.observation_size, game.num_actions):
        raise ValueError(
            f"{path} has {network.inputs} inputs and {network.outputs} actions; {game.describe()} needs "
            f"{game.observation_size} and {game.num_actions}."
        )
    return network


def _activation(data: dict[str, Any]) -> str:
    """The activation between the layers, after checks of all else in the JSON that affects what the policy computes."""
    module = data["policy_class"]["__module__"]
    if module not in POLICIES:
        raise ValueError(f"its policy is none of Stable-Baselines3's own actor-critics ({module!r:.60})")
    space = data["observation_space"]
    low, high = ({*str(space[name]).strip("[]").split()} - {"..."} for name in ("low", "high"))
    if "Box" not in space[":type:"] or not (low <= {"0", "0."} and high <= {"1", "1."}):
        raise ValueError("it was trained on observations other than the game's bits, as a wrapper makes them")
    given = {name: value for name, value in data["policy_kwargs"].items() if not name.startswith(":")}
    function = given.pop("activation_fn", "<class 'torch.nn.modules.activation.Tanh'>")
    found = _ACTIVATION.fullmatch(str(function))
    if found is None or found[1] not in TORCH:
        raise ValueError(f"its activation {function!r:.80} is none of {', '.join(TORCH)}")
    if given.get("features_extractor_class") == FLATTEN:
        del given["features_extractor_class"]
    strange = [name for name, value in given.items() if name not in IMMATERIAL and value not in (False, None, {})]
    if strange:
        raise ValueError(f"its policy was made with {strange[0]!r:.60}, and only plain layers can be read")
    return TORCH[found[1]]


def _tensors(content: bytes) -> dict[str, Any]:
    """The tensors by name, after a check of what they unpack to."""
    try:
        import torch
    except ImportError:
        raise ValueError(
            "reading a model of Stable-Baselines3 needs torch, which is not installed: "
            'run pip install "card_envs[train]"'
        ) from None
    Archive(content)
    tensors = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    for name, tensor in tensors.items():
        # With strides of 0 a tensor can be far larger than its storage.
        if type(tensor) is not torch.Tensor or not tensor.is_floating_point() or tensor.nbytes > len(content):
            raise ValueError(f"{name!r:.60} is not a plain tensor of floating-point numbers")
    return dict(tensors)


def _stacks(tensors: dict[str, Any]) -> dict[str, Layers]:
    """The layers by part of a network; ``ValueError`` if other tensors are left over."""
    parts: dict[str, Layers] = {part: [] for part in PARTS}

    def take(prefix: str, part: str) -> None:
        weight, bias = (tensors.pop(f"{prefix}.{name}").to("cpu").numpy() for name in ("weight", "bias"))
        parts[part].append((weight.astype(np.float32), bias.astype(np.float32)))

    for prefix, part in STACKS.items():
        # Every other module of a stack is an activation.
        while f"{prefix}.{2 * len(parts[part])}.weight" in tensors:
            take(f"{prefix}.{2 * len(parts[part])}", part)
    for prefix, part in HEADS.items():
        take(prefix, part)
    if tensors:
        raise ValueError(f"it has {next(iter(tensors))!r:.60}, and only layers of an 'MlpPolicy' can be read")
    return parts
