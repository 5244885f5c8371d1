"""Settings of the suite: property tests are not timed (the first call of a kernel may compile it)."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("card_envs", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("card_envs")
