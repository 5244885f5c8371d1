"""Settings of the suite: property tests are not timed (the first call of a kernel may compile it), no window opens."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

settings.register_profile("card_envs", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("card_envs")
