"""Settings of the suite: property tests are not timed (the first call of a kernel may compile it), no window opens.

And what several files share: torch in one thread; a file for the games of a table; for the tests of its page a server,
the browser, a window.
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


@pytest.fixture
def one_thread():
    """Torch works in one thread: several processes of tests with two each wait for one another."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def file(tmp_path):
    """Where the games of a table are kept."""
    return tmp_path / "games.sqlite"


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
