"""A slow, plain second telling of both games, written from docs/rules.md alone, to hold the engine against.

Cards are strings such as ``"Kh"``: a rank of ``A23456789TJQK``, then a suit of ``cdhs``. What a seat sees
(``observation``) and what it is paid (``returns``) is told from there.
"""

from .elfern import ElfernOracle
from .konchinka import KonchinkaOracle
from .observation import SEE
from .returns import REWARDS, returned

__all__ = ["REWARDS", "SEE", "ElfernOracle", "KonchinkaOracle", "returned"]
