"""Seeds of the tables in an evaluation: which packs are dealt, and who can know them beforehand."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

SALT_BYTES = 16

Seeds = npt.NDArray[np.uint64]


def new_salt() -> str:
    """A random secret from the operating system, in hexadecimal digits."""
    return secrets.token_hex(SALT_BYTES)


def read_salt(text: str) -> str:
    """Parse a salt from text, in the form of ``new_salt``; ``ValueError`` if it is not one."""
    if re.fullmatch(rf"[0-9a-fA-F]{{{2 * SALT_BYTES}}}", text) is None:
        raise ValueError(f"{text!r} is not a salt: a salt has {2 * SALT_BYTES} hexadecimal digits, as in results.json.")
    return text.lower()


@dataclass(frozen=True)
class TableSeeds:
    """The seeds of the tables of ``deals`` deals, computed on demand: ``seeds[begin:end]``, uint64.

    Without a salt, deal i is ``game.new_state(seed=(seed << 32) + i)``, which anyone who knows the seed can look up.
    With one, the seeds are unpredictable without the salt: each is the first eight bytes of BLAKE2b of the salt, the
    seed and the number of the deal, all little-endian. Raises ``ValueError`` unless ``deals`` is from 1 to 2**32.

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
            raise ValueError(f"deals={self.deals} is out of range: give at least one deal, at most 2**32.")

    def __len__(self) -> int:
        return self.deals

    @overload
    def __getitem__(self, which: slice) -> Seeds: ...

    @overload
    def __getitem__(self, which: int) -> np.uint64: ...

    def __getitem__(self, which: slice | int) -> Seeds | np.uint64:
        numbers = range(self.deals)[which]
        return self._of(numbers) if isinstance(numbers, range) else self._of(range(numbers, numbers + 1))[0]

    def _of(self, deals: range) -> Seeds:
        if self.salt is None:
            first = np.uint64((self.seed << 32) % 2**64)
            return first + np.arange(deals.start, deals.stop, deals.step).astype(np.uint64)
        secret = hashlib.blake2b(bytes.fromhex(self.salt) + (self.seed % 2**64).to_bytes(8, "little"), digest_size=8)
        digests = b"".join(_digest(secret, deal) for deal in deals)
        return np.frombuffer(digests, "<u8").astype(np.uint64)


def _digest(secret: hashlib.blake2b, deal: int) -> bytes:
    one = secret.copy()
    one.update(deal.to_bytes(8, "little"))
    return one.digest()


def table_seeds(seed: int, deals: int, salt: str | None = None) -> TableSeeds:
    """Seeds of the tables of an evaluation, as ``arena.meet`` takes them; salted where an external bot takes part."""
    return TableSeeds(seed, deals, salt)
