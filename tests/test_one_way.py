"""What a player is handed does not tell the deal: the random words are one-way."""

from __future__ import annotations

import numpy as np
import pytest

from card_agents.protocol import ask
from card_envs import bits
from card_envs.envs.vector import CardVectorEnv
from tests.variants import every, scattered

WORD = 2**64 - 1
GOLDEN = int(bits._GOLDEN)
TABLES = 40

PUBLISHED = {
    0: 0x726FDB47DD0E0E31,
    1: 0x74F839C593DC67FD,
    7: 0xAB0200F58B01D137,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
}
"""SipHash-2-4 of so many of the bytes 0, 1, 2, ... with the key of the bytes 0 to 15, from its authors' vectors."""


def siphash(key, message):
    """SipHash-2-4 of bytes, as the paper has it."""
    mix = [0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573]
    low, high = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [word ^ half for word, half in zip(mix, (low, high, low, high), strict=True)]

    def rounds(count):
        def turn(x, by):
            return (x << by | x >> (64 - by)) & WORD

        for _ in range(count):
            v[0] = v[0] + v[1] & WORD
            v[2] = v[2] + v[3] & WORD
            v[1], v[3] = turn(v[1], 13) ^ v[0], turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[2] = v[2] + v[1] & WORD
            v[0] = v[0] + v[3] & WORD
            v[1], v[3] = turn(v[1], 17) ^ v[2], turn(v[3], 21) ^ v[0]
            v[2] = turn(v[2], 32)

    padded = message + b"\0" * (7 - len(message) % 8) + bytes([len(message) % 256])
    for i in range(0, len(padded), 8):
        block = int.from_bytes(padded[i : i + 8], "little")
        v[3] ^= block
        rounds(2)
        v[0] ^= block
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_siphash_agrees_with_the_published_vectors():
    key = bytes(range(16))
    for length, wanted in PUBLISHED.items():
        assert siphash(key, bytes(range(length))) == wanted  # the yardstick itself
    low, high = np.frombuffer(key, "<u8").astype(np.uint64)
    assert int(bits.siphash(low, high, low)) == PUBLISHED[8]
    dice = np.random.default_rng(1)
    for low, high, word in dice.integers(0, WORD, (200, 3), np.uint64, endpoint=True):
        key, message = low.tobytes() + high.tobytes(), word.tobytes()
        assert int(bits.siphash(low, high, word)) == siphash(key, message)


# The attack: a word of the generator turned back to its state, that to the seed, that to the pack


def unshifted(x, by):
    """The x that ``x ^ x >> by`` was made of."""
    whole = x
    while x:
        x >>= by
        whole ^= x
    return whole


def unscrambled(word):
    """Inverse of ``bits.scramble``."""
    word = unshifted(word, 31) * pow(int(bits._MIX_2), -1, 2**64) & WORD
    word = unshifted(word, 27) * pow(int(bits._MIX_1), -1, 2**64) & WORD
    return unshifted(word, 30)


def seeds_of(word, most_draws):
    """The seeds of tables whose first, second, ... random word of the generator this could be."""
    state = unscrambled(int(word))
    return [unscrambled(state - draws * GOLDEN & WORD) ^ int(bits._CHOICES) for draws in range(1, most_draws + 1)]


def betrayed(words, seeds, most_draws):
    """How many of these tables their words betray."""
    return sum(int(seed) in seeds_of(word, most_draws) for word, seed in zip(words, seeds, strict=True))


def secret_seeds():
    return np.random.default_rng(11).integers(0, WORD, TABLES, np.uint64, endpoint=True)


def test_the_attack_works_on_the_generator_itself():
    dice = np.random.default_rng(3).integers(0, WORD, 50, np.uint64, endpoint=True)
    assert all(unscrambled(int(bits.scramble(word))) == int(word) for word in dice)
    seeds = secret_seeds()
    states = [np.uint64(int(bits.choice_stream(seed)) + 3 * GOLDEN & WORD) for seed in seeds]
    words = [bits.scramble(state) for state in states]
    assert betrayed(words, seeds, 5) == TABLES


class Thief:
    """A player that keeps what it is handed."""

    def __init__(self, game):
        self.game, self.views, self.words = game, [], []

    def act(self, views, observations, masks, random):
        self.views.append(views)
        self.words.append(random.copy())
        return masks.argmax(axis=1)


@every()
def test_no_word_that_the_arena_hands_out_tells_the_seed(game):
    seeds = secret_seeds()
    thief = Thief(game)
    states = game.new_states(seeds)
    for _ in range(3):
        rows = np.flatnonzero(~game.is_over(states))
        if len(rows) < TABLES:
            break
        random = game.draws(states, rows)
        actions, _ = ask(game, thief, "thief", game.views(states), random)
        game.step(states, actions)
    assert len(thief.words)
    for views, words in zip(thief.views, thief.words, strict=True):
        assert betrayed(words, seeds, 50) == 0
        assert not views["seed"].any()
        assert not views["choice"].any()
        with pytest.raises(ValueError, match="views of a seat"):
            game.draws(views)


@every()
def test_no_word_that_an_environment_hands_an_opponent_tells_the_seed(game):
    thief = Thief(game)
    envs = CardVectorEnv(game, num_envs=TABLES, opponents=thief)
    envs.reset(seed=[int(seed) for seed in secret_seeds()])
    for _ in range(2):
        envs.step(envs.sample_actions())
    assert len(thief.words)
    seeds = {int(seed) for seed in secret_seeds()} | {int(seed) for seed in envs.full_states["seed"]}
    for views, words in zip(thief.views, thief.words, strict=True):
        for word in words:
            assert not seeds & set(seeds_of(word, 200))
        assert not views["seed"].any()
        assert not views["choice"].any()


@every()
def test_no_world_and_no_copy_of_a_view_tells_the_seed(game):
    """Worlds drawn by the word that a player was handed have generators of their own."""
    states = scattered(game, 20)
    states = states[~game.is_over(states)]
    words = game.draws(states.copy())
    for row, word in enumerate(words.tolist()):
        view = game.state(states, row).view()
        worlds = game.sample_worlds(view, 4, word)
        told = {int(number) for field in ("seed", "choice") for number in worlds[field]}
        told |= {unscrambled(number) ^ int(bits._CHOICES) for number in told}
        assert int(states["seed"][row]) not in told
        assert int(states["choice"][row]) not in told
        assert not view.record["seed"].any()
        assert not view.clone().record["choice"].any()


@every()
def test_a_word_handed_out_costs_the_generator_one_step(game):
    states = game.new_states(secret_seeds())
    content, choices = states.copy(), states["choice"].copy()
    words = game.draws(states, [3, 5, 3])
    steps = np.zeros(TABLES, np.uint64)
    steps[[3, 5]] = 2, 1
    assert (states["choice"] == choices + steps * np.uint64(GOLDEN)).all()  # arrays wrap around
    assert len(set(words.tolist())) == 3
    states["choice"] = choices
    assert states.tobytes() == content.tobytes()
    drawn = [bits.scramble(np.uint64(int(choices[row]) + GOLDEN & WORD)) for row in (3, 5)]
    assert words[:2].tolist() == [int(bits.siphash(word, bits._CHOICES, np.uint64(0))) for word in drawn]
