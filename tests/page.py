"""The page in a real browser, as people use it: a server of its own, windows, clicks and keys.

The browser is the machine's own chromium; where there is none, the tests are skipped, unless ``CARD_ENVS_BROWSER`` is
set, which says that there must be one, and which. Everything on the page is found by its role and name, as a screen
reader finds it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.commands import ROOT, signals_as_in_a_shell

PLAYERS = ("greedy", "random", "slow=pimc:1")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 240_000
"""Milliseconds for which anything is waited for: only what hangs for ever takes so long."""

WANTED = os.environ.get("CARD_ENVS_BROWSER", "")
FOUND = WANTED or next(filter(None, map(shutil.which, BROWSERS)), "")
"""The browser, or nothing."""

DESK, PHONE = (1400, 900), (360, 740)


def needs_browser():
    """Skip the tests of a module, with a reason, where there is no browser to run them in."""
    if not WANTED:
        for package in ("starlette", "uvicorn", "rich", "playwright"):
            pytest.importorskip(package)
        if not FOUND:
            pytest.skip(f"there is no browser: none of {', '.join(BROWSERS)}", allow_module_level=True)


class Server:
    """``card-envs table`` in a process of its own, with its database in a folder. It can be killed and begun again."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, 0, None

    def begin(self):
        """Start the command and wait until it says where it listens; later starts listen there again."""
        arguments = ["--port", str(self.port), "--no-browser", "--database", str(self.folder / "games.sqlite")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "card_agents", "table", *arguments, "--players", *PLAYERS],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, preexec_fn=signals_as_in_a_shell,
        )  # fmt: skip
        for line in self.process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                self.address = found[0]
                self.port = urlsplit(self.address).port
                return
        raise AssertionError(f"the server has ended with {self.process.wait()}")

    def kill(self):
        """End it without a warning, as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def served(folder):
    """A server that runs."""
    server = Server(folder)
    server.begin()
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()


@contextmanager
def browsing():
    """The browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=FOUND, args=["--disable-gpu"])
        yield browser
        browser.close()


class Window:
    """A window of the browser at the page, in the place of a person who looks at it.

    ``close`` looks whether something was wrong that nobody sees: errors in the console, requests to elsewhere.
    """

    def __init__(self, browser, server, size=DESK, *, stays_connected=True, **how):
        self.server, self.stays_connected = server, stays_connected
        how = {"reduced_motion": "reduce", **how}
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **how)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: message.type in ("error", "warning") and self._complain(message.text))
        self.page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _complain(self, text):
        if self.stays_connected or "Failed to load resource" not in text:
            self.complaints.append(text)

    def open(self, part=""):
        self.page.goto(self.server.address + part)
        return self

    def close(self):
        self.context.close()
        assert self.complaints == []
        elsewhere = [url for url in self.requests if not url.startswith((self.server.address, "blob:", "data:"))]
        assert (elsewhere, bool(self.requests)) == ([], True)

    # What is on the page

    def button(self, name, **how):
        return self.page.get_by_role("button", name=name, **how)

    @property
    def hand(self):
        """The cards of the hand, as buttons."""
        return self.page.get_by_role("group", name="Your hand").get_by_role("button")

    @property
    def plays(self):
        """The plays that can be made, as buttons."""
        return self.page.get_by_role("group", name="What you may play").get_by_role("button")

    def says(self, text):
        """Wait for a status or an alert that says something."""
        self.page.locator("[role=status], [role=alert]").filter(has_text=text, visible=True).first.wait_for()

    def rest(self):
        """Wait until the person can play, is asked to pass the screen, or the game is over; which of them."""
        found = self.page.wait_for_function(
            """() => {
              const shown = (selector) => document.querySelector(selector)?.checkVisibility();
              if (document.querySelector("#connection").checkVisibility()) return false;
              if (shown(".end")) return "over";
              if (shown(".cover")) return "covered";
              return shown(".status.turn") && shown(".plays button") && "turn";
            }"""
        )
        return found.json_value()

    def told(self):
        """What a screen reader has been told of plays."""
        return self.page.get_by_role("log", name="What is played").locator("p").all_text_contents()

    # What people do

    def sit(self, game, seats, **more):
        """Begin a game without the form and sit down in its seats for people: their tokens. Unless another ``seed`` is
        given, the same cards come every time."""
        rules = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(game.rules).items()}
        given = {"game": game.name, "rules": rules, "seats": seats, "seed": 5, **more}
        answer = self.page.request.post(f"{self.server.address}api/games", data=given)
        assert answer.ok, answer.text()
        tokens = answer.json()["seats"]
        self.open("#/play/" + "/".join(f"{seat}.{token}" for seat, token in tokens.items()))
        return tokens

    def play_by_click(self):
        """Play the first card that can be played, by clicks."""
        self.page.locator(".hand button[aria-disabled=false], .plays button").first.click()
        self._choose(lambda: self.plays.first.click())

    def uncover(self):
        """Say that whoever is asked for looks at the screen now; what the button said."""
        button = self.page.locator(".cover button.main")
        said = button.text_content()
        button.click()
        self.page.wait_for_function("() => !document.querySelector('.cover').checkVisibility()")
        return said

    def reach(self, found, key="Tab"):
        """Press a key until the focus is on an element, as whoever has no mouse does."""
        for _ in range(200):
            if self.has_focus(found):
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"{key} does not lead to {found}")

    def has_focus(self, found):
        return found.evaluate("element => element === document.activeElement")

    def play_by_keys(self):
        """Play the first card that can be played, by keys: the focus stays in the hand from one play to the next."""
        card = self.page.locator(".hand button[aria-disabled=false], .plays button").first
        if card.evaluate("card => card.parentElement.className === 'hand'"):
            self.reach(self.page.locator(".hand button[tabindex='0']"))
            self.page.keyboard.press("Home")
            self.reach(card, "ArrowRight")
        else:
            self.reach(card)
        self.page.keyboard.press("Enter")
        self._choose(lambda: self.page.keyboard.press("Space"))

    def _choose(self, choose):
        """Where the card can make several plays, choose the one that has the focus."""
        if self.page.locator(".plays.narrowed").count():
            assert self.has_focus(self.plays.first)
            choose()

    def play_on(self, play, until=None):
        """Play to the end, or until ``until()``; what has stopped it, as ``rest`` says."""
        while (state := self.rest()) == "turn" and not (until and until()):
            before = self.seen()
            play()
            self.wait_for_more(before)
        return state

    def seen(self):
        """The number of plays of which the page knows."""
        return int(self.page.locator(".game").get_attribute("data-seen"))

    def wait_for_more(self, seen):
        """Wait until the page knows of more plays."""
        self.page.wait_for_function("seen => Number(document.querySelector('.game').dataset.seen) > seen", arg=seen)

    def record(self):
        """The text of the record that the page offers at the end."""
        with self.page.expect_download() as saved:
            self.page.get_by_role("link", name="Save the record").click()
        return saved.value.path().read_text(encoding="utf-8")
