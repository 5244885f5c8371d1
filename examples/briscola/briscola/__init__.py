"""Briscola for two players, a trick game with trumps and a stock (rules B1 to B8 in the README)."""

from briscola.game import Briscola

__all__ = ["Briscola"]
