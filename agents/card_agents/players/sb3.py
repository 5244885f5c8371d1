"""Policies that Stable-Baselines3 or sb3-contrib saved, as networks that numpy plays.

``model.save("m.zip")`` of PPO or MaskablePPO with an ``MlpPolicy`` leaves a zip of JSON, in which pickled objects are
wrapped, and of torch's tensors. The pickled objects are never unpickled: what is needed of them stands beside them
as text. The tensors are read by torch, as plain data.

Such a file knows nothing of a game's rules, nor of ``VecNormalize(norm_obs=True)``, which no plain network can follow.
That its sizes fit the game is seen to; that it was trained for these rules, on observations as they are, is left to
whoever names it.
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
"""Bytes of JSON: the last observations of many tables are among it."""

POLICIES = ("stable_baselines3.common.policies", "sb3_contrib.common.maskable.policies")
FLATTEN = "<class 'stable_baselines3.common.torch_layers.FlattenExtractor'>"
IMMATERIAL = {
    "net_arch", "ortho_init", "optimizer_class", "optimizer_kwargs", "share_features_extractor", "normalize_images"
}  # fmt: skip
"""Arguments of a policy that its tensors tell as well, or that matter to its training or to pictures alone."""

STACKS = {
    "mlp_extractor.shared_net": "trunk",
    "mlp_extractor.policy_net": "policy",
    "mlp_extractor.value_net": "value",
}
HEADS = {"action_net": "policy", "value_net": "value"}

_ACTIVATION = re.compile(r"<class 'torch\.nn\.modules\.activation\.(\w+)'>")


def is_sb3(path: Path) -> bool:
    """Whether a file looks like one of Stable-Baselines3."""
    try:
        return {DATA, POLICY} <= set(Archive(read_file(path)).names)
    except Exception:  # no archive, whatever zipfile makes of it
        return False


def read_sb3(path: Path, game: Game) -> Network:
    """The policy of a file of Stable-Baselines3; ``ValueError`` if it is damaged or cannot play ``game``.

    Raises ``ValueError`` too for a policy that is not made of linear layers with one of
    ``card_agents.players.network.ACTIVATIONS`` between them, or was trained on anything but the game's observations,
    and where torch is not installed.
    """
    try:
        archive = Archive(read_file(path))
        data = json.loads(archive.read(DATA, JSON))
        activation = _activation(data)
        stacks = _stacks(_tensors(archive.read(POLICY)))
        if not stacks["trunk"] and len(stacks["policy"]) == len(stacks["value"]) == 1:
            activation = "relu"  # nothing is activated: as ``network_of`` has it
        network = Network(stacks["trunk"], stacks["policy"], stacks["value"], activation)
    except Exception as error:  # whatever a damaged file makes of zipfile, zlib, json and torch
        raise ValueError(f"{path} cannot be read as a player: {fault(error)}.") from None
    if (network.inputs, network.outputs) != (game.observation_size, game.num_actions):
        raise ValueError(
            f"{path} has {network.inputs} inputs and {network.outputs} actions; {game.describe()} needs "
            f"{game.observation_size} and {game.num_actions}."
        )
    return network


def _activation(data: dict[str, Any]) -> str:
    """What stands between the layers, and a look at all else in the JSON that decides what the tensors compute."""
    module = data["policy_class"]["__module__"]
    if module not in POLICIES:
        raise ValueError(f"its policy is none of Stable-Baselines3's own actor-critics ({module!r:.60})")
    space = data["observation_space"]
    low, high = ({*str(space[name]).strip("[]").split()} - {"..."} for name in ("low", "high"))
    if "Box" not in space[":type:"] or not (low <= {"0", "0."} and high <= {"1", "1."}):
        raise ValueError("it was trained on other observations than the game's bits (a wrapper's)")
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
    """The tensors by name, after a look at what they unpack to."""
    try:
        import torch
    except ImportError:
        raise ValueError(
            "a model of Stable-Baselines3 takes torch to be read, which comes with the extra 'train'"
        ) from None
    Archive(content)
    tensors = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    for name, tensor in tensors.items():
        # A tensor can be far larger than what it is stored in, by strides of nothing.
        if type(tensor) is not torch.Tensor or not tensor.is_floating_point() or tensor.nbytes > len(content):
            raise ValueError(f"{name!r:.60} is not a plain tensor of floating-point numbers")
    return dict(tensors)


def _stacks(tensors: dict[str, Any]) -> dict[str, Layers]:
    """The layers by part of a network; ``ValueError`` if there are tensors besides."""
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
