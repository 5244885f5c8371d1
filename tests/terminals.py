"""A command in a terminal of its own, as a person would use it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import subprocess
import sys
import termios
import time

from tests.commands import PATIENCE


class Terminal:
    """``card-envs VERB`` in a terminal of its own."""

    def __init__(self, verb, arguments, folder):
        self.master, slave = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "card_envs", verb, *arguments], cwd=folder, stdin=slave, stdout=slave,
            stderr=slave, start_new_session=True, env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.printed = ""
        self.ended = False

    def _read(self, seconds):
        """What is printed within this time, at most until something is; sees whether that was the end."""
        new = b""
        if select.select([self.master], [], [], seconds)[0]:
            with contextlib.suppress(OSError):  # Linux says so where others say the end
                new = os.read(self.master, 1 << 16)
            self.ended = not new
        text = new.decode(errors="replace")
        self.printed += text
        return text

    def wait_for(self, *texts):
        """Read until one of these has been printed since the last time."""
        new, deadline = "", time.monotonic() + PATIENCE
        while not any(text in new for text in texts):
            assert time.monotonic() < deadline, new
            assert not self.ended, new
            new += self._read(1)

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self, press=""):
        """Read the rest; the exit status. press: what is pressed again after a long silence."""
        deadline = time.monotonic() + PATIENCE
        while not self.ended:
            if time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"It does not end: {self.printed}")
            if not self._read(30) and not self.ended:
                self.type(press)
        os.close(self.master)
        return self.process.wait(PATIENCE)

    def interrupt(self):
        """Press Ctrl-C until it ends; the exit status. One that comes just before a read is not heard before its end,
        which is how Python reads lines."""
        self.type("\x03")
        return self.end(press="\x03")
