"""Files of players: what may be named; damaged and hostile ones are refused with a sentence, and do nothing else."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_agents import Network, PPOAgent, make_agent
from card_agents.archives import LARGEST, Archive
from card_agents.players.ppo import model_file, shipped_file
from tests.test_agents import positions, some_network

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def game():
    return card_envs.make_game("elfern", suits=2, ranks=4, honours=2, hand_size=2)


@pytest.fixture
def saved(tmp_path, game):
    path = tmp_path / "model.npz"
    PPOAgent(game, some_network(game, width=8)).save(path)
    return path


def refusal(path, game):
    with pytest.raises(ValueError, match=r"cannot be read as a player") as refused:
        PPOAgent.load(path, game)
    text = str(refused.value)
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 500
    return text


def unpacked(path):
    """The members of an archive by name, with the metadata as an object of JSON."""
    with np.load(path) as archive:
        arrays = dict(archive)
    return arrays, json.loads(str(arrays.pop("metadata")))


def repack(path, arrays, metadata):
    text = metadata if isinstance(metadata, str) else json.dumps(metadata)
    np.savez(path, metadata=np.array(text), **arrays)


def same(a, b):
    if (a.activation, a.advice, a.notes) != (b.activation, b.advice, b.notes) or a.arrays().keys() != b.arrays().keys():
        return False
    return all(np.array_equal(array, b.arrays()[name]) for name, array in a.arrays().items())


def refused_or_same(path, game, network):
    """Whether a file is refused, by a sentence that begins with its name; if not, it holds ``network``."""
    sentence = f"{path} "
    try:
        again = PPOAgent.load(path, game).network
    except ValueError as error:
        sentence, again = str(error), None
    assert sentence.startswith(f"{path} ")
    assert again is None or same(again, network)
    return again is None


def damages(content, number, seed):
    """Damaged copies: bits flipped, bytes overwritten, parts cut out or doubled, anywhere and where headers are."""
    dice = np.random.default_rng(seed)
    headers = [k for k in range(len(content) - 1) if content[k : k + 2] == b"PK"]
    for _ in range(number):
        damaged = bytearray(content)
        for _ in range(dice.integers(1, 4)):
            place = int(dice.integers(len(content)))
            if dice.random() < 0.6:
                place = min(headers[dice.integers(len(headers))] + int(dice.integers(80)), len(content) - 1)
            place = min(place, len(damaged) - 1)
            kind = dice.integers(5)
            if kind == 0:
                damaged[place] ^= 1 << dice.integers(8)
            elif kind == 1:
                damaged[place] = dice.integers(256)
            elif kind == 2:
                damaged[place : place + 4] = dice.bytes(4)
            elif kind == 3:
                del damaged[place : place + int(dice.integers(1, 40))]
            else:
                damaged[place:place] = damaged[place : place + int(dice.integers(1, 40))]
        yield bytes(damaged)
    for length in dice.integers(len(content), size=number // 20):
        yield content[:length]


def test_two_thousand_damaged_files_are_refused_or_say_the_same(saved, game):
    whole = saved.read_bytes()
    network = Network.load(saved, game)
    refused = 0
    for damaged in damages(whole, 2000, seed=1):
        saved.write_bytes(damaged)
        refused += refused_or_same(saved, game, network)
    assert refused > 1000


@pytest.mark.parametrize("packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_every_field_of_an_archive_may_lie(saved, game, packed):
    arrays, metadata = unpacked(saved)
    with zipfile.ZipFile(saved, "w", packed) as archive:
        for name, array in {"metadata": np.array(json.dumps(metadata)), **arrays}.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(f"{name}.npy", buffer.getvalue())
    whole = saved.read_bytes()
    network = Network.load(saved, game)
    first = whole.index(b"PK\x01\x02")
    for place in range(first, min(first + 46, len(whole))):
        for value in (0, 1, 99, 255):
            saved.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
            refused_or_same(saved, game, network)


# Bombs


def peak_of(path, game):
    tracemalloc.start()
    try:
        refusal(path, game)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_bomb_is_refused_before_it_goes_off(saved, game):
    arrays, metadata = unpacked(saved)
    metadata["layers"]["trunk"] = [[2**13, 2**14]]
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": (2**13, 2**14)})
    del arrays["trunk.0.weight"], arrays["trunk.0.bias"]
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as archive:
        buffer = io.BytesIO()
        np.save(buffer, np.array(json.dumps(metadata)))
        archive.writestr("metadata.npy", buffer.getvalue())
        with archive.open("trunk.0.weight.npy", "w", force_zip64=True) as member:
            member.write(head.getvalue())
            for _ in range(2**29 // 2**22):
                member.write(bytes(2**22))
    packed = saved.stat().st_size
    assert packed < 10**6
    assert peak_of(saved, game) < packed + 10 * 2**20


def test_a_bomb_that_says_it_is_small_does_not_go_off(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("member", bytes(2**26))
    content = buffer.getvalue().replace(struct.pack("<L", 2**26), struct.pack("<L", 1000))
    tracemalloc.start()
    with pytest.raises(zipfile.BadZipFile, match="CRC"):
        Archive(content).read("member")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22


def test_an_archive_of_ever_so_many_members_is_refused(tmp_path, game):
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1001):
            archive.writestr(str(number), b"")
    assert "more than 1000 members" in refusal(path, game)


def test_what_is_no_file_or_too_long_is_refused(tmp_path, game):
    long = tmp_path / "long.npz"
    with open(long, "wb") as file:
        file.truncate(LARGEST + 1)
    assert "longer than" in refusal(long, game)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")  # nobody ever writes into it
        assert "not a file" in refusal(tmp_path / "pipe", game)
    if Path("/dev/zero").exists():
        assert "not a file" in refusal("/dev/zero", game)
    assert "too long" in refusal("x" * 5000, game)
    refusal("a\0b", game)


# What the metadata and the headers may say


@pytest.mark.parametrize(
    "metadata",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        "1" * 5000,
        "nonsense",
        "[]",
        "null",
        " " * 2**18,
        '{"format": 1}',
        '{"format": [1]}',
    ],
)
def test_metadata_of_any_kind_is_refused_with_a_sentence(saved, game, metadata):
    arrays, _ = unpacked(saved)
    repack(saved, arrays, metadata)
    refusal(saved, game)


@pytest.mark.parametrize("name", ["identity", "layers", "activation", "advice", "notes", "format"])
@pytest.mark.parametrize("value", [None, [], {}, 7, "x", -1, 1e308, [[[]]]])
def test_every_entry_of_the_metadata_is_checked(saved, game, name, value):
    arrays, metadata = unpacked(saved)
    good = metadata[name]
    metadata[name] = value
    repack(saved, arrays, metadata)
    if type(value) is type(good) and name == "notes":
        assert PPOAgent.load(saved, game).network.notes == value
        return
    with pytest.raises(ValueError, match=str(saved)) as refused:
        PPOAgent.load(saved, game)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "shape",
    [[8], [8, 0], [-8, -59], [2**62, 4], [2**40, 2**40], [8, 58], [9, 59], ["8", 59], [8.5, 59], None, "ab", [[8], 2]],
)
def test_shapes_that_lie_are_refused(saved, game, shape):
    arrays, metadata = unpacked(saved)
    metadata["layers"]["trunk"][0] = shape
    repack(saved, arrays, metadata)
    refusal(saved, game)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-8, -8)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (8,)}",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (8,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8,)}",
        "(" * 900,
        "-" * 900,
        "{'descr': '<f4'",
        "x" * 5000,
    ],
)
def test_headers_of_arrays_are_checked(saved, game, header):
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = header.encode() + b"\n"
    members["trunk.0.bias.npy"] = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(32)
    with zipfile.ZipFile(saved, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    refusal(saved, game)


def test_a_bias_of_the_wrong_shape_is_refused(saved, game):
    network = some_network(game, width=8)
    weight, bias = network.policy[-1]
    for wrong in (bias[:-1], np.append(bias, bias[:1]), bias[:, None], bias[None], bias.sum(), bias[:1]):
        with pytest.raises(ValueError, match="with bias"):
            Network(network.trunk, [*network.policy[:-1], (weight, wrong)], network.value)
        arrays, metadata = unpacked(saved)
        arrays[f"policy.{len(network.policy) - 1}.bias"] = np.asarray(wrong, np.float32)
        repack(saved, arrays, metadata)
        refusal(saved, game)
        PPOAgent(game, network).save(saved)


def test_a_value_head_has_one_output(game):
    network = some_network(game, width=8)
    with pytest.raises(ValueError, match="value head"):
        Network(network.trunk, network.policy, network.policy)


@pytest.mark.parametrize("what", ["weight", "bias"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_finite_number_is_refused(game, what, value):
    network = some_network(game, width=8)
    for part in ("trunk", "policy", "value"):
        weight, bias = (array.copy() for array in getattr(network, part)[-1])
        (weight if what == "weight" else bias).flat[-1] = value
        layers = [*getattr(network, part)[:-1], (weight, bias)]
        with pytest.raises(ValueError, match="finite"):
            dataclasses.replace(network, **{part: layers})


# Weights that are finite but huge


@pytest.mark.parametrize("part", ["trunk", "policy", "value"])
@pytest.mark.parametrize("what", ["weight", "bias"])
@pytest.mark.parametrize("size", [3e38, -3e38])
def test_weights_that_could_overflow_are_refused(saved, game, part, what, size):
    arrays, metadata = unpacked(saved)
    arrays[f"{part}.0.{what}"] = arrays[f"{part}.0.{what}"].astype(np.float32)
    arrays[f"{part}.0.{what}"].flat[0] = size
    repack(saved, arrays, metadata)
    assert "so large" in refusal(saved, game)


def test_large_weights_that_cannot_overflow_play_legally(game):
    network = some_network(game, width=8)
    for scale in (1e6, 1e12):
        large = Network([(w * np.float32(scale), b) for w, b in network.trunk], network.policy, network.value)
        for deterministic in (True, False):
            views, observations, masks, random = positions(game, plays=2)
            with np.errstate(over="raise", invalid="raise"):
                actions = PPOAgent(game, large, deterministic=deterministic).act(views, observations, masks, random)
            assert masks[np.arange(len(masks)), actions].all()
    with pytest.raises(ValueError, match="so large"):
        Network(
            [(w * np.float32(1e20), b) for w, b in network.trunk],
            [(w * np.float32(1e20), b) for w, b in network.policy],
            [],
        )


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_an_activation_that_squashes_bounds_what_follows(game, activation):
    network = some_network(game, width=8)
    trunk = [(w * np.float32(1e30), b) for w, b in network.trunk]
    large = Network(trunk, network.policy, network.value, activation)
    _, observations, _, _ = positions(game, plays=2)
    assert np.isfinite(large.logits(observations)).all()


# What 'ppo:' may name


def test_ppo_names_a_run_by_its_folder(saved, game):
    folder = saved.parent
    assert model_file(folder) == saved
    assert same(make_agent(f"ppo:{folder}", game).network, Network.load(saved, game))
    saved.unlink()
    assert "without a model.npz" in refusal(folder, game)
    (folder / "config.json").write_text("{}")
    assert f"--resume {folder}" in refusal(folder, game)
    assert "No such file" in refusal(folder / "nowhere", game)
    assert shipped_file(card_envs.make_game("elfern")).is_file()
