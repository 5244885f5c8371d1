"""Seeds of tables: the ones of always without a salt, as good as drawn with one, and never more than are asked for."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from card_agents.evaluation.arena import deal_seeds
from card_agents.seeds import TableSeeds, new_salt, read_salt, table_seeds
from tests.refusals import refused


@pytest.mark.parametrize("salt", [None, "ab" * 16])
def test_any_part_is_what_the_whole_has_there(salt):
    seeds = table_seeds(5, 50, salt)
    assert len(seeds) == 50
    whole = seeds[:]
    assert whole.dtype == np.uint64
    assert whole.shape == (50,)
    for part in (slice(0, 1), slice(7, 20), slice(48, 90), slice(3, 40, 6)):
        assert seeds[part].tolist() == whole[part].tolist()
    assert [seeds[0], seeds[49], seeds[-1]] == [whole[0], whole[49], whole[49]]
    assert table_seeds(5, 20, salt)[:].tolist() == whole[:20].tolist()


def test_without_a_salt_they_are_those_of_the_arena():
    assert table_seeds(7, 30)[:].tolist() == deal_seeds(7, 30).tolist() == [(7 << 32) + i for i in range(30)]


def test_with_a_salt_all_of_it_counts():
    salt = "0123456789abcdef" * 2
    seeds = table_seeds(3, 4, salt)[:].tolist()
    for deal, seed in enumerate(seeds):
        text = bytes.fromhex(salt) + (3).to_bytes(8, "little") + deal.to_bytes(8, "little")
        assert seed == int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
    others = [table_seeds(3, 4, new_salt())[:].tolist(), table_seeds(4, 4, salt)[:].tolist()]
    assert not set(seeds) & {seed for other in others for seed in other}
    assert len(set(table_seeds(0, 5000, salt)[:].tolist())) == 5000


def test_as_many_as_there_can_be_take_no_room():
    for salt in (None, new_salt()):
        seeds = TableSeeds(1, 2**32, salt)
        assert len(seeds) == 2**32
        assert len(seeds[2**32 - 3 :]) == 3
    for deals in (0, -1, 2**32 + 1):
        refused(lambda deals=deals: TableSeeds(0, deals), f"deals={deals}")


def test_salts_are_told_from_anything_else():
    assert len({new_salt() for _ in range(100)}) == 100
    assert read_salt(new_salt().upper()).islower()
    for text in ("", "ab", "ab" * 17, "xy" * 16, "ab" * 15 + "a\n", "\u0661" * 32):
        refused(lambda text=text: read_salt(text), "not a salt")
