"""Elfern: two players, a trick game with a stock (RULES.md, E1 to E12)."""
