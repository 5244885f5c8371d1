"""The seeds of the tables that are played at: which packs there are, and who can know them beforehand."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

SALT_BYTES = 16

Words = npt.NDArray[np.uint64]


def new_salt() -> str:
    """A secret drawn from the system, in hexadecimal digits."""
    return secrets.token_hex(SALT_BYTES)


def read_salt(text: str) -> str:
    """A salt as ``new_salt`` gives it, from text; ``ValueError`` if it is none."""
    if re.fullmatch(rf"[0-9a-fA-F]{{{2 * SALT_BYTES}}}", text) is None:
        raise ValueError(f"{text!r} is no salt: it has {2 * SALT_BYTES} hexadecimal digits, as results.json tells it.")
    return text.lower()


@dataclass(frozen=True)
class TableSeeds:
    """The seeds of the tables of ``deals`` deals, worked out when they are asked for: ``seeds[begin:end]``, uint64.

    Without a salt, deal i is ``game.new_state(seed=(seed << 32) + i)``, which anyone can look up who knows the seed.
    With one, it is as good as drawn for whoever does not know the salt: the first eight bytes of BLAKE2b of the salt,
    the seed and the number of the deal, all little-endian.

    >>> TableSeeds(3, 1000)[998:1000].tolist() == [(3 << 32) + 998, (3 << 32) + 999]
    True
    >>> TableSeeds(3, 1000, "00" * 16)[:1].tolist()
    [14716214721415145660]
    """

    seed: int
    deals: int
    salt: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.deals <= 2**32:
            raise ValueError(f"deals={self.deals} is out of range: play at least one deal.")

    def __len__(self) -> int:
        return self.deals

    @overload
    def __getitem__(self, which: slice) -> Words: ...

    @overload
    def __getitem__(self, which: int) -> np.uint64: ...

    def __getitem__(self, which: slice | int) -> Words | np.uint64:
        numbers = range(self.deals)[which]
        return self._of(numbers) if isinstance(numbers, range) else self._of(range(numbers, numbers + 1))[0]

    def _of(self, deals: range) -> Words:
        if self.salt is None:
            first = np.uint64((self.seed << 32) % 2**64)
            return first + np.arange(deals.start, deals.stop, deals.step).astype(np.uint64)
        secret = hashlib.blake2b(bytes.fromhex(self.salt) + (self.seed % 2**64).to_bytes(8, "little"), digest_size=8)
        words = b"".join(_digest(secret, deal) for deal in deals)
        return np.frombuffer(words, "<u8").astype(np.uint64)


def _digest(secret: hashlib.blake2b, deal: int) -> bytes:
    one = secret.copy()
    one.update(deal.to_bytes(8, "little"))
    return one.digest()


def table_seeds(seed: int, deals: int, salt: str | None = None) -> TableSeeds:
    """Seeds of the tables of an evaluation, as ``arena.meet`` takes them; salted, where an external bot takes part."""
    return TableSeeds(seed, deals, salt)
