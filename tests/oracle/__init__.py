"""A slow, plain second telling of both games, written from RULES.md alone, to hold the engine against.

Cards are strings such as ``"Kh"``: a rank of ``A23456789TJQK``, then a suit of ``cdhs``.
"""

from .elfern import ElfernOracle
from .konchinka import KonchinkaOracle

__all__ = ["ElfernOracle", "KonchinkaOracle"]
