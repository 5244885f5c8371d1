"""External bots for the tests: one that plays, and those that fail, each in its own way."""

from __future__ import annotations

import sys

HEAD = """
import json, os, sys, time
def note():
    with open({pids!r}, "a") as file: file.write(f"{{os.getpid()}}\\n")
note()
def wait(allowed={allowed!r}):
    while os.path.exists(allowed) and sum(1 for _ in open({pids!r})) > int(open(allowed).read()): time.sleep(0.02)
def say(text):
    sys.stdout.write(text); sys.stdout.flush()
def play(m):
    legal = m["position"]["legal"]
    say(json.dumps({{"action": legal[m["random"] % len(legal)]}}) + "\\n")
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
{hello}
        say('{{"ready": true, "protocol": 2}}\\n')
    elif m["type"] == "move":
        bad = m["episode"] == 2
{move}
        play(m)
    elif m["type"] == "end":
        pass
{end}
"""
"""A program in which single lines can be put at three places."""

BOTS = {
    "good": ("", "", "", ""),
    "waits": ("wait()", "", "", ""),
    "tells": ("", "print(m['random'], file=open(__file__ + '.told', 'a'))", "", ""),
    "crashes at the start": ("raise SystemExit(3)", "", "", "could not be started: it ended with exit status 3"),
    "never ready": ("time.sleep(999)", "", "", "could not be started: it gave no answer within 1 s"),
    "not ready": ("say('{}\\n'); continue", "", "", "could not be started: it answered '{}' to the hello"),
    "future": (
        'say(\'{"ready": true, "protocol": 3}\\n\'); continue',
        "",
        "",
        "could not be started: it asked for version 3 of the protocol; versions 1 and 2 are spoken",
    ),
    "crashes": ("", "if bad: 1 / 0", "", "exit status 1: ZeroDivisionError: division by zero"),
    "is killed": ("", "if bad: os.kill(os.getpid(), 9)", "", "was ended by Killed"),
    "hangs": ("", "if bad: time.sleep(999)", "", "gave no answer within 5 s"),
    "hangs with a child": ("", "if bad: os.fork(); note(); time.sleep(999)", "", "gave no answer within 5 s"),
    "floods": ("", "while bad: say('x' * 4096)", "", "wrote 65536 bytes without the end of a line"),
    "floods lines": ("", "while bad: say('x\\n' * 999)", "", "answered with more than a line"),
    "floods errors": ("", "while bad: sys.stderr.write('x' * 4096)", "", "1048576 bytes to its standard error"),
    "nonsense": ("", "if bad: say('what?\\n'); continue", "", "answered 'what?', which is no JSON object"),
    "deep nonsense": ("", "if bad: say('[' * 60000 + '\\n'); continue", "", "which is no JSON object"),
    "no action": ("", "if bad: say('{\"move\": 1}\\n'); continue", "", 'has no "action"'),
    "wrong type": ("", "if bad: say('{\"action\": 7}\\n'); continue", "", 'has no "action"'),
    "no such card": ("", 'if bad: say(\'{"action": "1h"}\\n\'); continue', "", "names no action of"),
    "illegal": (
        "",
        "if bad: m['position']['legal'] = list({'Ac', 'Kd', 'Qc', 'Jd'} - set(m['position']['legal']))",
        "",
        "which is illegal; legal were",
    ),
    "speaks twice": ("", "if bad: say('{}\\n' * 2)", "", "answered with more than a line"),
    "speaks unasked": ("", "", "say('hello?\\n')", "hello?"),
    "closes its output": ("", "if bad: os.close(1); time.sleep(999)", "", "closed its output"),
    "closes its input": ("", "if bad: play(m); os.close(0); time.sleep(999)", "", "gave no answer within 5 s"),
}
"""Lines at the hello, at a move (``bad`` in the second episode) and at the end, and what the report says of it."""


def program(folder, name):
    """Write the program of this name; the player ``cmd:...``. The numbers of its processes go to ``folder/pids``.

    "tells" writes the random numbers that it is handed to a file beside it, ``tells.py.told``.
    "waits" does not begin while ``folder/allowed`` holds a smaller number than that of the processes so far.
    """
    hello, move, end, _ = BOTS[name]
    path = folder / f"{name.replace(' ', '_')}.py"
    lines = {"hello": hello, "move": move, "end": end}
    placed = {place: f"        {line}" if line else "" for place, line in lines.items()}
    path.write_text(HEAD.format(pids=str(folder / "pids"), allowed=str(folder / "allowed"), **placed))
    return f"cmd:{sys.executable} -S -E {path}"
