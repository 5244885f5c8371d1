"""Nothing of a bot outlives the play, however that ends, and nothing that it may write is trusted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_agents import GreedyAgent, RandomAgent
from card_agents.evaluation.arena import Log, deal_seeds, play_out
from card_agents.players.external import Limits, make_bot
from card_agents.players.external.limits import LONGEST_REASON, Failure, shortened
from card_agents.players.external.process import Program
from card_agents.protocol import Clock
from tests.commands import signals_as_in_a_shell
from tests.refusals import refused

ROOT = Path(__file__).resolve().parent.parent
GAME = card_envs.make_game("elfern", suits=2, ranks=6, hand_size=3)
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere orphans are not adopted")

PARENT = """
import json, os, sys, time
def note():
    with open({pids!r}, "a") as file: file.write(f"{{os.getpid()}}\\n")
note()
if os.fork() == 0:  # a daemon that has left the session, the environment and all open files behind
    os.setsid()
    if os.fork() == 0:
        note()
        os.closerange(0, 64)
        os.execve({python!r}, [{python!r}, "-S", "-E", "-c", "import time; time.sleep(9999)"], {{}})
    os._exit(0)
os.wait()
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print('{{"ready": true, "protocol": 2}}', flush=True)
    elif m["type"] == "move":
        {move}
        print(json.dumps({{"action": m["position"]["legal"][0]}}), flush=True)
"""


def parent(folder, move="pass"):
    """A program with a daemon of its own; the player ``cmd:...``. Both write their numbers to ``folder/pids``."""
    path = folder / "parent.py"
    path.write_text(PARENT.format(pids=str(folder / "pids"), python=sys.executable, move=move))
    return f"cmd:{sys.executable} -S -E {path}"


def living(folder):
    """Which of the processes that wrote their numbers are there."""
    found = []
    for pid in (folder / "pids").read_text().split():
        stat = Path(f"/proc/{pid}/stat")
        try:
            if stat.read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(pid)
        except OSError:
            pass
    return found


def none_left(folder, seconds=600.0):
    """Whether all of them come to their end."""
    deadline = time.monotonic() + seconds
    while living(folder) and time.monotonic() < deadline:
        time.sleep(0.01)
    return living(folder) == []


@linux
@pytest.mark.parametrize(
    "move", ["pass", "raise SystemExit(1)", "time.sleep(999)", "os.kill(0, 9)", "os.kill(0, 15)", "os.close(1)"]
)
def test_daemons_of_a_bot_end_with_it(move, tmp_path):
    with make_bot(parent(tmp_path, move), GAME, Limits(move=1.0)) as bot:
        play_out(GAME, [bot, GreedyAgent(GAME)], [0, 1], deal_seeds(0, 2))
        assert living(tmp_path) == []  # play itself has seen to it


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("command", ["tournament", "tournament --workers 2", "evaluate"])
def test_daemons_of_a_bot_end_with_the_command_however_that_ends(command, number, tmp_path):
    name, *options = command.split()
    given = ["elfern", "--suits", "2", "--ranks", "6", "--hand-size", "3", "--deals", "1000"]
    given += ["--agents", "greedy", parent(tmp_path, "time.sleep(0.05)"), *options]
    given += ["--chunk", "20", "--out", str(tmp_path / "run")] if name == "tournament" else []
    script = [sys.executable, str(ROOT / "scripts" / f"{name}.py")]
    with subprocess.Popen(
        [*script, *given], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=signals_as_in_a_shell,
    ) as process:  # fmt: skip
        while not (tmp_path / "pids").exists() or len(living(tmp_path)) < 2:
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, number)
        status = process.wait()
    assert status == (130 if number == signal.SIGINT and name == "tournament" else -number) or number == signal.SIGINT
    assert none_left(tmp_path)


HOLDER = """
import sys, time
from card_agents.players.external.process import Program
program = Program(sys.argv[1:])
program.ask(b'{"type": "hello"}\\n', 600.0)
program.tell(b'{"type": "move"}\\n')
time.sleep(9999)
"""


@linux
def test_a_program_that_does_not_listen_ends_with_whoever_held_it(tmp_path):
    """One that reads on would come to its end by itself, for its input ends."""
    asked = tmp_path / "asked"
    name = parent(tmp_path, f"open({str(asked)!r}, 'w').close(); time.sleep(9999)")
    with subprocess.Popen([sys.executable, "-c", HOLDER, *name.partition(":")[2].split()]) as process:
        while not asked.exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    assert none_left(tmp_path)


@linux
def test_a_program_that_nobody_holds_any_more_ends(tmp_path):
    name = parent(tmp_path)
    program = Program(name.partition(":")[2].split())
    assert b"ready" in program.ask(b'{"type": "hello"}\n', 60.0)
    copy = os.dup(program._lifeline.fileno())  # as a fork would hold it
    program.kill()
    os.close(copy)
    assert none_left(tmp_path)
    program.kill()


def test_a_command_that_cannot_be_run_says_why(tmp_path):
    path = tmp_path / "torn"
    path.write_bytes(b"\x7fELF nothing more")
    path.chmod(0o755)
    log = Log([Clock()])
    with make_bot(f"cmd:{path}", GAME) as bot:
        play_out(GAME, [bot], [0, 0], deal_seeds(0, 1), log=log)
    assert "cannot be run: Exec format error" in log.forfeits[0][3]
    refused(lambda: Program(["python", "a\0b"]), "cannot be run", error=Failure)


FORGER = """
import json, os
from card_agents import GreedyAgent

def pipe():
    for handle in range(3, 64):
        try:
            if os.readlink(f"/proc/self/fd/{handle}").startswith("pipe:"):
                os.write(handle, b"")
                yield handle
        except OSError:
            pass

class Bot(GreedyAgent):
    def __init__(self, game):
        super().__init__(game)
        if WHERE == "greeting": self.forge()

    def forge(self):
        for handle in pipe():
            os.write(handle, WORDS + b"\\n")
        os._exit(0)

    def act(self, views, observations, masks, random):
        if WHERE == "answer": self.forge()
        return super().act(views, observations, masks, random)
"""

FORGED = [
    b'{"batch": -5}', b'{"batch": null}', b'{"batch": 0}', b'{"batch": true}', b'{"batch": 1.5}', b'{"batch": 1e999}',
    b'{"batch": "7"}', b'{"batch": 99999999999999999999999}', b'{"batch": [1]}', b'{"z": 1}', b"{}", b"[]", b"null",
    b"7", b"NaN", b'{"actions": ["a"]}', b'{"actions": [true]}', b'{"actions": [[0]]}', b'{"actions": [0, 0]}',
    b'{"actions": []}', b'{"actions": null}', b'{"actions": 0}', b'{"actions": {"0": 0}}', b'{"actions": [NaN]}',
    b'{"actions": [1.0]}', b'{"actions": [-1]}', b'{"actions": [' + b"9" * 4000 + b"]}", b'{"actions": ["\\ud800"]}',
    b'{"error": 7}', b'{"error": null}', b'{"error": ["x"]}', b'{"error": "\\ud800\\n\\u001b[2J' + b"x" * 9999 + b'"}',
    b"\xff\xfe", b"", b"[" * 60000,
]  # fmt: skip


def test_whatever_stands_in_the_answer_of_a_module_is_a_failure_with_a_sentence(tmp_path, monkeypatch):
    from card_agents.protocol import Forfeit

    monkeypatch.chdir(tmp_path)
    (tmp_path / "forging_bots.py").write_text("from card_agents import GreedyAgent as Bot\n")
    states = GAME.new_states(deal_seeds(0, 1))
    seat = int(GAME.to_play(states)[0])
    seen = GAME.views(states), GAME.observations(states), GAME.masks(states), GAME.draws(states)
    for words in FORGED:
        bot = make_bot("forging_bots:Bot", GAME)
        killed = []
        bot._programs[seat] = SaysAlways(words, killed)
        bot._batches[seat] = 1
        with pytest.raises(Forfeit) as failure:
            bot.act(*seen)
        check_reason(failure.value.reasons[0])
        bot._programs[seat] = SaysAlways(words, killed)
        bot._mistaken.add(seat)
        with pytest.raises(Forfeit) as failure:  # to the greeting
            bot.act(*seen)
        check_reason(failure.value.reasons[0])


class SaysAlways:
    """Stands where a program does."""

    def __init__(self, words, killed):
        self.words = words
        self.killed = killed

    def ask(self, message, seconds):
        return self.words

    def kill(self):
        self.killed.append(self)

    end = kill


def check_reason(reason):
    assert reason
    reason.encode()
    assert reason.isprintable()
    assert len(reason) < 10 * LONGEST_REASON


@linux
@pytest.mark.parametrize("where", ["greeting", "answer"])
@pytest.mark.parametrize("words", [b'{"batch": -5}', b'{"batch": null}', b'{"actions": ["a"]}', b'{"error": []}'])
def test_a_module_that_writes_into_its_pipe_forfeits(where, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"forger_{where}_{abs(hash(words))}"
    (tmp_path / f"{name}.py").write_text(f"WHERE, WORDS = {where!r}, {words!r}\n{FORGER}")
    log = Log([Clock(), Clock()])
    with make_bot(f"{name}:Bot", GAME, Limits(60.0, 600.0)) as bot:
        final = play_out(GAME, [bot, RandomAgent(GAME)], [0, 1], deal_seeds(0, 1), None, log)
    assert (final["forfeit"] == 0).all()
    check_reason(log.forfeits[0][3])


RAISES = """
from card_agents import GreedyAgent

class Bot(GreedyAgent):
    def act(self, *seen):
        raise KeyError("\\ud800 \\x1b[2J\\n" + "x" * 10_000)
"""


def test_reasons_can_be_printed_and_written_whatever_a_bot_raises(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raising_bots.py").write_text(RAISES)
    log = Log([Clock(), Clock()])
    with make_bot("raising_bots:Bot", GAME) as bot:
        play_out(GAME, [bot, RandomAgent(GAME)], [0, 1], deal_seeds(0, 2), None, log)
    for *_, reason in log.forfeits:
        check_reason(reason)
        assert "raised KeyError" in reason
    noise = tmp_path / "noise.py"
    noise.write_text("import os\nos.write(2, b'b\\xe9t \\x1b[2J \\xff')\nraise SystemExit(1)\n")
    log = Log([Clock(), Clock()])
    with make_bot(f"cmd:{sys.executable} -S -E {noise}", GAME) as bot:
        play_out(GAME, [bot, RandomAgent(GAME)], [0, 1], deal_seeds(0, 1), None, log)
    check_reason(log.forfeits[0][3])
    assert shortened("as it is: é ♥") == "as it is: é ♥"
    assert json.loads(json.dumps(shortened("\ud800"))) == "\\ud800"
    assert np.all([len(shortened("x" * size)) <= LONGEST_REASON + 3 for size in (1, 300, 301, 10**6)])
