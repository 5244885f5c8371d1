"""A program in a process group of its own, spoken to in lines, within limits of time and memory."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from card_agents.players.external import supervising
from card_agents.players.external.limits import LONGEST_LINE, MOST_NOISE, Failure

PATIENCE = 0.3
"""Seconds a program has to end by itself when its input has ended."""

ENDING = 10.0
"""Seconds a program that has closed its output has to end, so that it can be said how; it has been silent for good."""

KILLING = 30.0
"""Seconds its supervisor has to kill it with all that it has started."""

_LONGEST_WAIT = 60_000
"""Milliseconds of one wait: the system counts them in an int."""

_PIECE = 1 << 16
_TAIL = 4096


class Mortal(Protocol):
    """What must not outlive this process."""

    def kill(self) -> None:
        """End it at once; nothing happens if it has ended already."""


_living: weakref.WeakSet[Mortal] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_living.clear)


class Program:
    """A running program under a supervisor (``supervising``), which kills it with all that it has started: by ``end``
    or ``kill``, when it ends by itself, and when this process ends, however that is.

    Raises ``Failure`` if it cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        held, letting_go = os.pipe()
        self._lifeline = os.fdopen(letting_go, "wb", 0)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", supervising.__file__, str(held), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment,
                start_new_session=True,
                pass_fds=(held,),
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._lifeline.close()
            raise Failure(f"cannot be run: {getattr(error, 'strerror', None) or error}") from error
        finally:
            os.close(held)
        outlived_by_none(self)
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
        """Number of its supervisor's process."""
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
            ready = [handle for handle, _ in self._poll.poll(min(1000 * left, _LONGEST_WAIT))]
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
        """Why nothing more can come. A program that ends has its supervisor to tell how, if that takes a while."""
        if not self._has_ended(min(ENDING, deadline - time.monotonic())):
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
        """End its input, wait a moment for it to end by itself, and kill what is left of it."""
        if self in _living and self._process.stdin is not None:
            self._process.stdin.close()
            self._has_ended(PATIENCE)
        self.kill()

    def kill(self) -> None:
        """Kill it with all that it has started, at once."""
        if self not in _living:
            return
        _living.discard(self)
        self._lifeline.close()
        self._process.terminate()  # a copy of this process may hold the lifeline as well
        try:
            self._process.wait(KILLING)
        except subprocess.TimeoutExpired:  # somebody has stopped the supervisor
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()


def outlived_by_none(one: Mortal) -> None:
    """See to it that ``one`` is killed when this process ends: by itself, or by SIGTERM or SIGHUP, by which it then
    still ends. A signal that somebody else has made provision for is left to them."""
    _living.add(one)
    if threading.current_thread() is threading.main_thread():
        for number in supervising.STOPPING:  # Ctrl-C is an exception, and has its own handler
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end_by)


@atexit.register
def kill_all() -> None:
    """Kill all that was not to outlive this process."""
    for one in list(_living):
        one.kill()


def _end_by(number: int, frame: Any) -> None:
    """As a signal handler: kill everything, and end as if there were no handler."""
    kill_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
