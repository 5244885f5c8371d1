"""A multilayer perceptron that plays: arrays and matrix products, with a file format that holds nothing else.

A file is a numpy archive of floating-point arrays and one string of JSON that says which game, rules, observation
layout and actions they were made for. Nothing in it is ever executed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.files import write_whole
from agents.protocol import Array
from agents.versions import versions
from card_envs import Game

FORMAT = 1
STORED = (np.dtype(np.float16), np.dtype(np.float32))
ACTIVATIONS = ("relu", "tanh")
PARTS = ("trunk", "policy", "value")
"""Stacks of layers: the trunk first, then the policy head for the logits and the value head for the return."""

Layers = list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]


def identity(game: Game) -> dict[str, Any]:
    """What a network must share with a game to play it, in JSON's terms."""
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

    advice: whether it is told what the game's greedy player would do: as one bit an action, after the observation
        and again after what the trunk made of both.
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
        told = self.outputs if self.advice else 0
        width = self._chained(self.trunk, self.inputs + told)
        for head in (self.policy, self.value):
            self._chained(head, width + told)

    @staticmethod
    def _chained(layers: Layers, width: int) -> int:
        """The width after these layers; ``ValueError`` if they do not fit each other."""
        for weight, bias in layers:
            if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
                raise ValueError(f"a layer of shape {weight.shape} with bias {bias.shape} follows one of {width}")
            width = len(weight)
        return width

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

        advice: the greedy player's actions (N,), for a network that is told.
        """
        return self._head(self.policy, self._body(observations, advice))

    def values(self, observations: Array, advice: Array | None = None) -> npt.NDArray[np.float32]:
        """Value of observations (N, observation_size), float32 (N,), in the units it was trained in."""
        if not self.value:
            raise ValueError("This network was saved without a value head.")
        return self._head(self.value, self._body(observations, advice))[:, 0]

    def _active(self, x: Array) -> Array:
        return np.maximum(x, 0, out=x) if self.activation == "relu" else np.tanh(x, out=x)

    def _body(self, observations: Array, advice: Array | None) -> npt.NDArray[np.float32]:
        x = observations.astype(np.float32)
        if self.advice:
            if advice is None:
                raise ValueError("This network needs the greedy player's advice.")
            told = one_bit_an_action(advice, self.outputs)
            x = np.concatenate([x, told], axis=1)
        for weight, bias in self.trunk:
            x = self._active(x @ weight.T + bias)
        return np.concatenate([x, told], axis=1) if self.advice else x

    def _head(self, head: Layers, x: Array) -> npt.NDArray[np.float32]:
        for weight, bias in head[:-1]:
            x = self._active(x @ weight.T + bias)
        weight, bias = head[-1]
        return np.asarray(x @ weight.T + bias, np.float32)

    # Files

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights by name: ``policy.0.weight`` and so on."""
        found = {}
        for part in PARTS:
            for number, (weight, bias) in enumerate(getattr(self, part)):
                found[f"{part}.{number}.weight"] = weight
                found[f"{part}.{number}.bias"] = bias
        return found

    def compact(self) -> Network:
        """What playing needs, in a file of less than half the size: no value head, weights of half precision."""
        trunk, policy = ([(_half(weight), _half(bias)) for weight, bias in part] for part in (self.trunk, self.policy))
        return dataclasses.replace(self, trunk=trunk, policy=policy, value=[])

    def save(self, path: str | os.PathLike[str], game: Game) -> None:
        """Write the network for ``game``; the file appears whole or not at all.

        Weights that lose nothing by it are kept in half precision (``compact``).
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
        if all(np.array_equal(array, _half(array)) for array in arrays.values()):
            arrays = {name: array.astype(np.float16) for name, array in arrays.items()}
        np.savez_compressed(buffer, metadata=np.array(json.dumps(metadata)), **arrays)  # type: ignore[arg-type]
        write_whole(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> Network:
        """The network of a file; ``ValueError`` if it is unreadable, damaged or made for something else."""
        path = Path(path)
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            metadata = json.loads(str(arrays.pop("metadata")))
            if metadata["format"] != FORMAT:
                raise ValueError(f"it has format {metadata['format']}, and this version reads {FORMAT}")
            parts: dict[str, Layers] = {part: [] for part in PARTS}
            for part in PARTS:
                for number, shape in enumerate(metadata["layers"][part]):
                    weight, bias = arrays.pop(f"{part}.{number}.weight"), arrays.pop(f"{part}.{number}.bias")
                    for array in (weight, bias):
                        if array.dtype not in STORED or not np.isfinite(array).all():
                            raise ValueError(f"{part}.{number} is not made of finite float16 or float32 numbers")
                    if list(weight.shape) != shape:
                        raise ValueError(f"{part}.{number} has shape {weight.shape} instead of {shape}")
                    parts[part].append((weight.astype(np.float32), bias.astype(np.float32)))
            made_for = metadata["identity"]
            network = cls(
                **parts, activation=metadata["activation"], advice=metadata["advice"], notes=metadata["notes"]
            )
        except (OSError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} cannot be read as a player: {_reason(error)}.") from None
        except KeyError as error:
            raise ValueError(f"{path} cannot be read as a player: it has no {error.args[0]!r}.") from None
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} cannot be read as a player: {_reason(error)}.") from None
        _refuse_other(path, made_for, game)
        if (network.inputs, network.outputs) != (game.observation_size, game.num_actions):
            raise ValueError(f"{path} says it plays {game.name}, but has {network.inputs} inputs.")
        return network


def one_bit_an_action(actions: Array, num_actions: int) -> npt.NDArray[np.float32]:
    """Actions (N,) as float32 (N, num_actions): 1 for the action, 0 for the others."""
    bits = np.zeros((len(actions), num_actions), np.float32)
    bits[np.arange(len(actions)), actions] = 1
    return bits


def _half(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The nearest numbers of half precision; the largest one for those beyond it."""
    most = np.finfo(np.float16).max
    return array.clip(-most, most).astype(np.float16).astype(np.float32)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).rstrip(".") or type(error).__name__


def _refuse_other(path: Path, made_for: Any, game: Game) -> None:
    """``ValueError`` that says in what a file was made for something else than ``game``."""
    own = identity(game)
    if made_for == own:
        return
    if not isinstance(made_for, dict) or made_for.keys() != own.keys():
        raise ValueError(f"{path} does not say which game it plays.")
    if made_for["game"] != own["game"]:
        raise ValueError(f"{path} plays {made_for['game']}, not {own['game']}.")
    if made_for["rules"] != own["rules"] and isinstance(made_for["rules"], dict):
        wanted = own["rules"]
        other = [f"{name}={value!r}" for name, value in made_for["rules"].items() if wanted.get(name) != value]
        here = [f"{name}={value!r}" for name, value in wanted.items() if made_for["rules"].get(name) != value]
        raise ValueError(f"{path} was trained for other rules: {', '.join(other)}; here it is {', '.join(here)}.")
    raise ValueError(f"{path} was trained for another observation layout or other actions of {own['game']}.")
