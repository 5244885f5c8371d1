"""A program in a process group of its own, spoken to in lines, within limits of time and memory."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.strangers.limits import LONGEST_LINE, MOST_NOISE, Failure

PATIENCE = 0.3
"""Seconds a program has to end by itself when its input has ended."""

_PIECE = 1 << 16
_TAIL = 4096
_living: weakref.WeakSet[Program] = weakref.WeakSet()


class Program:
    """A running program. It is killed, with all of its process group, by ``end`` or ``kill``, when this process ends,
    and on Linux also when this process is killed.

    Raises ``Failure`` if it cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment,
                start_new_session=True,
                preexec_fn=die_with_parent(),
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Failure(f"cannot be run: {getattr(error, 'strerror', None) or error}") from error
        _living.add(self)
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._in, self._out, self._err = (stream.fileno() for stream in streams if stream is not None)
        for handle in (self._in, self._out, self._err):
            os.set_blocking(handle, False)
        self._unsent = b""
        self._answer = b""
        self._last_noise = b""
        self._noise = 0
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    @property
    def pid(self) -> int:
        """Number of the process, and of its group."""
        return self._process.pid

    def tell(self, line: bytes) -> None:
        """Send a line that asks for no answer; what the program does not take now goes with the next one."""
        self._unsent += line
        self._send()

    def ask(self, message: bytes, seconds: float) -> bytes:
        """Send a message and read the line it is answered with (without its end); ``Failure`` if none comes in time."""
        deadline = time.monotonic() + seconds
        self._noise = 0
        self._read()
        if self._answer:
            raise Failure(f"wrote {self._answer[:60]!r} when nothing was asked")
        self._unsent += message
        self._send()
        if self._unsent:
            self._poll.register(self._in, select.POLLOUT)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Failure(f"gave no answer within {seconds:g} s")
            ready = [handle for handle, _ in self._poll.poll(1000 * left)]
            if self._in in ready and not self._send():
                self._poll.unregister(self._in)
            if self._out in ready or self._err in ready:
                ended = self._read()
                line, end, rest = self._answer.partition(b"\n")
                if end:
                    if rest:
                        raise Failure(f"answered with more than a line: {self._answer[:60]!r}")
                    self._answer = b""
                    return line
                if len(self._answer) > LONGEST_LINE:
                    raise Failure(f"wrote {LONGEST_LINE} bytes without the end of a line")
                if ended:
                    raise Failure(self._how_it_ended(deadline))

    def _send(self) -> bool:
        """Send what can be taken now; whether something is left to be sent."""
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        except BlockingIOError:
            return True
        except OSError:  # it has closed its input: its end, or its silence, will tell
            self._unsent = b""
        return False

    def _read(self) -> bool:
        """Read what is there, a piece of each stream; whether the output has ended."""
        ended = False
        try:
            piece = os.read(self._out, _PIECE)
            self._answer += piece
            ended = not piece
        except BlockingIOError:
            pass
        try:
            noise = os.read(self._err, _PIECE)
            self._noise += len(noise)
            self._last_noise = (self._last_noise + noise)[-_TAIL:]
            if not noise:
                self._poll.unregister(self._err)
        except (BlockingIOError, KeyError):
            pass
        if self._noise > MOST_NOISE:
            raise Failure(f"wrote more than {MOST_NOISE} bytes to its standard error without an answer")
        return ended

    def _how_it_ended(self, deadline: float) -> str:
        """Why nothing more can come."""
        if not self._has_ended(min(PATIENCE, deadline - time.monotonic())):
            return "closed its output"
        self._read()
        status = self._process.returncode
        how = f"ended with exit status {status}" if status >= 0 else f"was ended by {signal.strsignal(-status)}"
        words = self._last_noise.decode(errors="replace").strip().splitlines()
        return f"{how}: {words[-1][:200]}" if words else how

    def _has_ended(self, seconds: float) -> bool:
        """Whether the process ends within so many seconds."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    def end(self) -> None:
        """End its input, wait a moment for it to end by itself, and kill what is left of its group."""
        if self in _living and self._process.stdin is not None:
            self._process.stdin.close()
            self._has_ended(PATIENCE)
        self.kill()

    def kill(self) -> None:
        """Kill the whole process group, at once."""
        if self not in _living:
            return
        self.kill_group()
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        _living.discard(self)

    def kill_group(self) -> None:
        """Kill the whole process group without waiting for its end.

        A group keeps its number as long as anyone is in it, so this meets nobody else even if the leader has ended.
        """
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


@atexit.register
def kill_all() -> None:
    """Kill every program that this process has started and not ended."""
    for program in list(_living):
        program.kill()


def leave_at_once(number: int, frame: Any) -> None:
    """As a signal handler: kill every program and end this process.

    An exception could be raised anywhere, where nobody heeds it; a wait could be for a lock that is held already.
    """
    for program in list(_living):
        program.kill_group()
    os._exit(1)


def die_with_parent() -> Callable[[], None] | None:
    """What a new process calls to be killed when the one that started it is gone; None where there is no such call."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    set_death_signal = 1  # PR_SET_PDEATHSIG
    return lambda: libc.prctl(set_death_signal, signal.SIGKILL)
