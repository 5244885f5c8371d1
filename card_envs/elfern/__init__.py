"""Elfern: two players, a trick game with a stock (docs/rules.md, E1 to E12)."""
