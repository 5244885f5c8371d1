"""The process that stands between this one and a bot, so that nothing of the bot outlives it.

It starts the bot, ends it when this process lets go of the lifeline (by its own end, whatever that is, at the latest),
and then ends whatever the bot has started. On Linux it adopts the bot's orphans, so that also those are found that
have left the bot's session; elsewhere it ends the bot's process group.

It runs as a file, without this package and what that needs: it is there in a few milliseconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time

STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))
"""Signals that ask a process to end, where there are such."""

CANNOT_RUN = 127

_LINUX = sys.platform.startswith("linux")
_PATIENCE = 5.0
_DEATH_SIGNAL, _ADOPT_ORPHANS = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER


def die_with_parent() -> None:
    """Have this process killed when the one that started it is gone, where there is such a call."""
    if _LINUX:
        _control(_DEATH_SIGNAL, signal.SIGKILL)


def _control(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def main() -> None:
    """Supervise the command of the arguments, after the number of the lifeline; end as the command does."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    heard, hearing = os.pipe()
    os.set_blocking(hearing, False)
    signal.set_wakeup_fd(hearing)
    for number in (signal.SIGCHLD, *STOPPING):
        signal.signal(number, lambda number, frame: None)
    if _LINUX:
        _control(_ADOPT_ORPHANS, 1)
    try:
        bot = subprocess.Popen(command, start_new_session=True, preexec_fn=die_with_parent).pid
    except (OSError, subprocess.SubprocessError) as error:
        os.write(2, f"cannot be run: {getattr(error, 'strerror', None) or error}\n".encode(errors="replace"))
        os._exit(CANNOT_RUN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):  # they are the bot's, and end with it
        os.dup2(nothing, handle)
    status = _wait(bot, lifeline, heard)
    _kill_all(bot)
    if status is not None and os.WIFSIGNALED(status):
        _end_by(os.WTERMSIG(status))
    os._exit(0 if status is None else os.WEXITSTATUS(status))


def _wait(bot: int, lifeline: int, heard: int) -> int | None:
    """How the bot ended by itself; None if it is to be ended."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(heard, select.POLLIN)
    while True:
        ready = [handle for handle, _ in poll.poll()]
        if lifeline in ready or any(number in STOPPING for number in os.read(heard, 4096)):
            return None
        status = _reap(bot)
        if status is not None:
            return status


def _reap(bot: int) -> int | None:
    """Take note of all children that have ended; how the bot did, if it is among them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == bot:
                found = status
    return found


def _kill_all(bot: int) -> None:
    """Kill the bot's process group and all descendants, until there are none."""
    deadline = time.monotonic() + _PATIENCE
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(bot, signal.SIGKILL)
    while True:
        left = _descendants()
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        _reap(bot)
        if not left or time.monotonic() > deadline:
            return
        time.sleep(0.001)


def _descendants() -> list[int]:
    """Numbers of the living processes that descend from this one, where /proc tells."""
    children: dict[int, list[int]] = {}
    with contextlib.suppress(OSError):
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                pid = int(entry)
                with open(f"/proc/{entry}/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state not in (b"Z", b"X"):
                    children.setdefault(int(parent), []).append(pid)
    found, parents = [], [os.getpid()]
    while parents:
        own = children.get(parents.pop(), [])
        found += own
        parents += own
    return found


def _end_by(number: int) -> None:
    """End by this signal, as the bot did, but leave no second core file."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):  # SIGKILL has no handler to be taken away
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    main()
