"""Konchinka: a fishing game for 2 to 12 (RULES.md, K1 to K17)."""
