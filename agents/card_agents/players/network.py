"""A multilayer perceptron as a policy: arrays and matrix products, with a file format that holds nothing else.

A file is a numpy archive of floating-point arrays and one JSON string that states the game, rules, observation layout
and actions it was made for. Nothing in it is ever executed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from card_agents.archives import LARGEST, Archive, fault, read_file
from card_agents.files import write_whole
from card_agents.protocol import Array
from card_agents.versions import versions
from card_envs import Game

FORMAT = 1
STORED = (np.dtype(np.float16), np.dtype(np.float32))
METADATA = 2**20
"""Most bytes of the JSON string."""

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0, out=x),
    "tanh": lambda x: np.tanh(x, out=x),
    "sigmoid": lambda x: _sigmoid(x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "leaky_relu": lambda x: np.maximum(x, np.float32(0.01) * x),
    "silu": lambda x: x * _sigmoid(x),
}
"""Activations between layers, as torch defines them; none of them increases the absolute value of a number."""

TORCH = {"ReLU": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid", "ELU": "elu", "LeakyReLU": "leaky_relu", "SiLU": "silu"}
"""Their names in torch."""

LIMIT = float(np.finfo(np.float32).max) / 2
"""Upper bound of every number that is computed on the way to a logit."""

PARTS = ("trunk", "policy", "value")
"""Stacks of layers: the trunk first, then the policy head for the logits and the value head for the return."""

Layers = list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]


def identity(game: Game) -> dict[str, Any]:
    """What must agree between a network and a game that it plays, as a JSON-serialisable dictionary."""
    layout = [[part, where.stop - where.start] for part, where in game.observation_layout.items()]
    actions = "\n".join(game.action_name(action) for action in range(game.num_actions))
    return {
        "game": game.name,
        "rules": json.loads(json.dumps(dataclasses.asdict(game.rules))),
        "layout": layout,
        "num_actions": game.num_actions,
        "actions": hashlib.sha256(actions.encode()).hexdigest(),
    }


@dataclass(frozen=True)
class Network:
    """Weights (outputs, inputs) and biases (outputs,) of each layer; the heads' last layers have no activation.

    advice: whether its input includes the greedy player's action, one bit per action, after the observation and again
        after the output of the trunk. Raises ``ValueError`` for layers that do not fit each other or are not finite.
    """

    trunk: Layers
    policy: Layers
    value: Layers
    activation: str = "relu"
    advice: bool = False
    notes: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation={self.activation!r} is unknown: choose one of {', '.join(ACTIVATIONS)}.")
        if not self.policy:
            raise ValueError("A network needs at least one layer in its policy head.")
        for weight, bias in (*self.trunk, *self.policy, *self.value):
            if weight.ndim != 2 or 0 in weight.shape or bias.shape != weight.shape[:1]:
                raise ValueError(f"a layer of shape {weight.shape} with bias {bias.shape} is not a layer")
        advice_bits = np.ones(self.outputs if self.advice else 0)
        after = self._reach(self.trunk, np.ones(max(0, self.inputs) + len(advice_bits)), len(self.trunk))
        for head in (self.policy, self.value):
            self._reach(head, np.concatenate([after, advice_bits]), len(head) - 1)
        if self.value and len(self.value[-1][0]) != 1:
            raise ValueError(f"The value head has {len(self.value[-1][0])} outputs instead of one.")

    def _reach(self, layers: Layers, reach: npt.NDArray[np.float64], active: int) -> npt.NDArray[np.float64]:
        """Bounds (outputs,) of the absolute values after these layers, given bounds of the inputs (inputs,).

        active: how many of the layers are followed by the activation. Raises ``ValueError`` for layers that do not fit
        each other and for weights with which a number can exceed the range of float32.
        """
        for number, (weight, bias) in enumerate(layers):
            if weight.shape[1] != len(reach):
                raise ValueError(f"a layer of shape {weight.shape} with bias {bias.shape} follows one of {len(reach)}")
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ValueError("a layer has numbers that are not finite")
            reach = np.abs(weight).astype(np.float64) @ reach + np.abs(bias)
            if reach.max() > LIMIT:
                raise ValueError("its weights are so large that its numbers can exceed the range of float32")
            if number < active and self.activation in ("tanh", "sigmoid"):
                reach = np.minimum(reach, 1.0) if self.activation == "tanh" else np.ones_like(reach)
        return reach

    @property
    def inputs(self) -> int:
        """Length of an observation."""
        width = int((self.trunk + self.policy)[0][0].shape[1])
        return width - self.outputs * (1 if self.trunk else 2) if self.advice else width

    @property
    def outputs(self) -> int:
        """Number of actions."""
        return len(self.policy[-1][0])

    def logits(self, observations: Array, advice: Array | None = None) -> npt.NDArray[np.float32]:
        """Policy logits, float32 (N, num_actions), of observations (N, observation_size); not masked.

        advice: the greedy player's actions (N,), for a network with advice.
        """
        return self._head(self.policy, self._body(observations, advice))

    def values(self, observations: Array, advice: Array | None = None) -> npt.NDArray[np.float32]:
        """Values of observations (N, observation_size), float32 (N,), in the units of training; ``ValueError`` without
        a value head."""
        if not self.value:
            raise ValueError("This network was saved without a value head.")
        return self._head(self.value, self._body(observations, advice))[:, 0]

    def _body(self, observations: Array, advice: Array | None) -> npt.NDArray[np.float32]:
        x = observations.astype(np.float32)
        if self.advice:
            if advice is None:
                raise ValueError("This network needs the greedy player's advice.")
            advice_bits = one_hot(advice, self.outputs)
            x = np.concatenate([x, advice_bits], axis=1)
        active = ACTIVATIONS[self.activation]
        for weight, bias in self.trunk:
            x = active(x @ weight.T + bias)
        return np.concatenate([x, advice_bits], axis=1) if self.advice else x

    def _head(self, head: Layers, x: Array) -> npt.NDArray[np.float32]:
        active = ACTIVATIONS[self.activation]
        for weight, bias in head[:-1]:
            x = active(x @ weight.T + bias)
        weight, bias = head[-1]
        return np.asarray(x @ weight.T + bias, np.float32)

    # Files

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights and biases by name: ``policy.0.weight`` and so on."""
        found = {}
        for part in PARTS:
            for number, (weight, bias) in enumerate(getattr(self, part)):
                found[f"{part}.{number}.weight"] = weight
                found[f"{part}.{number}.bias"] = bias
        return found

    def compact(self) -> Network:
        """What playing needs, in less than half the size: no value head, weights in half precision."""
        trunk, policy = ([(_half(weight), _half(bias)) for weight, bias in part] for part in (self.trunk, self.policy))
        return dataclasses.replace(self, trunk=trunk, policy=policy, value=[])

    def save(self, path: str | os.PathLike[str], game: Game) -> None:
        """Write the network for ``game``, atomically.

        Weights that are exact in half precision are stored so (``compact``). Raises ``ValueError`` for a network that
        does not fit the game or is too large.
        """
        if (self.inputs, self.outputs) != (game.observation_size, game.num_actions):
            raise ValueError(
                f"A network from {self.inputs} inputs to {self.outputs} actions cannot play {game.describe()}, "
                f"which has {game.observation_size} and {game.num_actions}."
            )
        metadata = {
            "format": FORMAT,
            "identity": identity(game),
            "activation": self.activation,
            "advice": self.advice,
            "layers": {part: [list(weight.shape) for weight, _ in getattr(self, part)] for part in PARTS},
            "versions": versions(),
            "notes": self.notes,
        }
        buffer = io.BytesIO()
        arrays = self.arrays()
        if sum(array.nbytes for array in arrays.values()) > LARGEST // 2:
            raise ValueError(f"A network of more than {LARGEST // 2:,} bytes cannot be saved.")
        if all(np.array_equal(array, _half(array)) for array in arrays.values()):
            arrays = {name: array.astype(np.float16) for name, array in arrays.items()}
        np.savez_compressed(buffer, metadata=np.array(json.dumps(metadata)), **arrays)  # type: ignore[arg-type]
        write_whole(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> Network:
        """The network of a file; ``ValueError`` if it is unreadable, damaged or made for another game."""
        path = Path(path)
        try:
            archive = Archive(read_file(path))
            metadata = _metadata(archive)
            parts = {part: _layers(archive, part, metadata["layers"][part]) for part in PARTS}
            network = cls(
                **parts, activation=metadata["activation"], advice=metadata["advice"], notes=metadata["notes"]
            )
        except Exception as error:  # whatever zipfile, zlib, numpy and json raise for a damaged file
            raise ValueError(f"{path} cannot be read as a player: {fault(error)}.") from None
        made_for = metadata["identity"]
        _refuse_other(path, made_for, game)
        if (network.inputs, network.outputs) != (game.observation_size, game.num_actions):
            raise ValueError(f"{path} says it plays {game.name}, but has {network.inputs} inputs.")
        return network


def one_hot(actions: Array, num_actions: int) -> npt.NDArray[np.float32]:
    """Actions (N,) as float32 (N, num_actions): 1 for the action, 0 for the others."""
    bits = np.zeros((len(actions), num_actions), np.float32)
    bits[np.arange(len(actions)), actions] = 1
    return bits


def _half(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The nearest half-precision numbers, clipped to their range."""
    most = np.finfo(np.float16).max
    return array.clip(-most, most).astype(np.float16).astype(np.float32)


def _sigmoid(x: Array) -> Array:
    return np.float32(0.5) * (1 + np.tanh(np.float32(0.5) * x))


def _metadata(archive: Archive) -> dict[str, Any]:
    """The metadata of a file; ``ValueError`` if it is not what ``Network.save`` writes."""
    try:
        metadata = json.loads(archive.text("metadata.npy", METADATA))
    except RecursionError:
        raise ValueError("its metadata is nested too deeply") from None
    if not isinstance(metadata, dict):
        raise ValueError("its metadata is not a JSON object")
    if metadata.get("format") != FORMAT:
        raise ValueError(f"it has format {metadata.get('format')!r}, and this version reads {FORMAT}")
    for name, kind in (("identity", dict), ("layers", dict), ("activation", str), ("advice", bool), ("notes", dict)):
        if not isinstance(metadata.get(name), kind):
            raise ValueError(f"its metadata has no valid {name!r}")
    return metadata


def _layers(archive: Archive, part: str, shapes: Any) -> Layers:
    """The layers of a part, with the shapes that the metadata states."""
    layers: Layers = []
    for number, (outputs, inputs) in enumerate(shapes):
        weight = archive.array(f"{part}.{number}.weight.npy", STORED, (outputs, inputs))
        bias = archive.array(f"{part}.{number}.bias.npy", STORED, (outputs,))
        layers.append((weight.astype(np.float32), bias.astype(np.float32)))
    return layers


def _refuse_other(path: Path, made_for: Any, game: Game) -> None:
    """``ValueError`` with the difference if a file was made for something other than ``game``."""
    own = identity(game)
    if made_for == own:
        return
    named = isinstance(made_for, dict) and made_for.keys() == own.keys() and isinstance(made_for["game"], str)
    if not named or not made_for["game"].isprintable():
        raise ValueError(f"{path} does not say which game it plays.")
    if made_for["game"] != own["game"]:
        raise ValueError(f"{path} plays {made_for['game'][:30]}, not {own['game']}.")
    if made_for["rules"] != own["rules"] and isinstance(made_for["rules"], dict):
        wanted = own["rules"]
        theirs = made_for["rules"]
        other = [f"{name[:30]}={reprlib.repr(value)}" for name, value in theirs.items() if wanted.get(name) != value]
        here = [f"{name}={value!r}" for name, value in wanted.items() if theirs.get(name) != value]
        other = [*other[:9], "..."] if len(other) > 9 else other
        raise ValueError(f"{path} was trained for other rules: {', '.join(other)}; here it is {', '.join(here)}.")
    raise ValueError(f"{path} was trained for another observation layout or other actions of {own['game']}.")
