"""Settings of the suite: property tests are not timed (the first call of a kernel may compile it), no window opens.

And what the tests of the page share: a server, the browser, a window.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests.page import Window, browsing, served

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

settings.register_profile("card_envs", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("card_envs")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("table")) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    with browsing() as browser:
        yield browser


@pytest.fixture
def window(browser, server):
    window = Window(browser, server)
    yield window
    window.close()
