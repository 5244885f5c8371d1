"""How the tests call the commands, and a small game for each to play."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("analyse", "evaluate", "exploit", "play", "players", "tournament", "train")
"""Those that take a game."""
SCRIPTS = ("evaluate", "exploit", "tournament", "train")
"""Those that scripts of the checkout run too."""

SMALL = ["elfern", "--suits", "2", "--ranks", "4", "--honours", "2", "--hand-size", "2"]
PLAYED = {
    "evaluate": [*SMALL, "--agents", "random", "greedy", "--deals", "4", "--json", "kept.json"],
    "exploit": [*SMALL, "--ranks", "2", "--agents", "random", "greedy", "--json", "kept.json"],
    "tournament": [*SMALL, "--agents", "random", "greedy", "--deals", "4", "--out", "cup"],
}
"""Arguments of those that play among themselves."""
BEGUN = {
    **PLAYED,
    "analyse": [*SMALL, "--agents", "greedy", "--json", "kept.json"],
    "players": [*SMALL, "--json", "kept.json"],
    "play": [*SMALL, "--opponents", "random", "--seed", "3", "--save", "kept.jsonl"],
    "train": ["elfern", "--steps", "100", "--out", "run"],
}
"""Arguments of all."""
PATIENCE = 600
"""Seconds, should something hang."""
KEPT = {"evaluate": "kept.json", "exploit": "kept.json", "tournament": "cup/results.json"}


def run(name, *arguments, blocked=(), **how):
    """A command in a process of its own, where the modules ``blocked`` cannot be imported."""
    code = f"import sys; sys.argv[0] = {name!r}; sys.path.insert(0, {str(ROOT)!r})\n"
    code += "".join(f"sys.modules[{module!r}] = None\n" for module in blocked)
    code += f"from card_agents.cli.{name} import main; sys.exit(main({[str(each) for each in arguments]!r}))"
    how = {"capture_output": True, "text": True, "timeout": PATIENCE, **how}
    return subprocess.run([sys.executable, "-c", code], **how)


def said(done):
    """What a command said on the standard error: a sentence, and never where in the code that was."""
    assert "Traceback" not in done.stderr, done.stderr
    return " ".join(done.stderr.split())


def main_of(name):
    return importlib.import_module(f"card_agents.cli.{name}").main


def signals_as_in_a_shell():
    """For ``preexec_fn``, whatever the tests were started by: nohup has its children ignore SIGHUP, and a script those
    that it starts with ``&`` SIGINT."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
