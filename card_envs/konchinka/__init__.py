"""Konchinka: a fishing game for 2 to 12 (docs/rules.md, K1 to K17)."""
