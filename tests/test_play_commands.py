"""``card-envs play`` as a process: in a terminal, with piped lines, broken off, gone on with."""

from __future__ import annotations

import fcntl
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import termios
import time

import pytest

from card_envs.records import read_records
from tests.bots import program
from tests.commands import SMALL

pytest.importorskip("rich")

GAME = [*SMALL, "--opponents", "random", "--seed", "3", "--save", "games.jsonl"]
SLOW = """
import json, sys, time
for line in sys.stdin:
    if json.loads(line)["type"] == "hello":
        print('{"ready": true, "protocol": 2}', flush=True)
    else:
        time.sleep(999)
"""
PATIENCE = 300
"""Seconds, should something hang."""


def play(arguments, folder, typed="", **environment):
    """The command with these lines typed, not in a terminal."""
    words = [sys.executable, "-m", "card_envs", "play", *arguments]
    done = subprocess.run(words, cwd=folder, input=typed, capture_output=True, text=True, timeout=PATIENCE,
                          env=os.environ | environment)  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def again(printed):
    """The arguments with which the game goes on, as they are told."""
    return shlex.split(re.search(r"To go on: python -m card_envs play (.+)", printed)[1])


class Terminal:
    """The command in a terminal of its own."""

    def __init__(self, arguments, folder):
        self.master, slave = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "card_envs", "play", *arguments], cwd=folder, stdin=slave, stdout=slave,
            stderr=slave, start_new_session=True, env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.printed = ""

    def wait_for(self, text):
        """Read until this has been printed since the last time."""
        new, deadline = "", time.monotonic() + PATIENCE
        while text not in new:
            assert time.monotonic() < deadline, new
            if select.select([self.master], [], [], 1)[0]:
                new += os.read(self.master, 1 << 16).decode(errors="replace")
        self.printed += new

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """Read the rest; the exit status."""
        while True:
            try:
                new = os.read(self.master, 1 << 16)
            except OSError:  # Linux says so where others say the end
                new = b""
            if not new:
                break
            self.printed += new.decode(errors="replace")
        os.close(self.master)
        return self.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A deal that nobody has broken off, as it is kept."""
    folder = tmp_path_factory.mktemp("whole")
    done = play([*GAME, "--deals", "1"], folder, "1\n" * 9)
    assert done.returncode == 0, done.stderr
    return (folder / "games.jsonl").read_text()


def test_lines_from_elsewhere_play_a_deal(tmp_path):
    done = play([*GAME, "--deals", "2"], tmp_path, "help\nhint\nwhat\n" + "1\n" * 30)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert re.search(r"Your play \(1 to \d\): what\n'what' is none of your plays", done.stdout)
    assert done.stdout.count("Points of this deal: you ") == 2
    assert "After 2 deals: points you " in done.stdout
    records = list(read_records(tmp_path / "games.jsonl"))
    assert [record.is_over for record in records] == [True, True]
    assert records[0].start.dealer != records[1].start.dealer


def test_the_end_of_the_input_leaves_a_game_that_goes_on(tmp_path, whole):
    done, times = play(GAME, tmp_path, "1\n"), 1
    while "Points of this deal" not in done.stdout:
        assert done.returncode == 0
        done, times = play([*again(done.stdout), "--deals", "1"], tmp_path, "1\n"), times + 1
    assert times > 2
    assert (tmp_path / "games.jsonl").read_text() == whole


def test_ctrl_c_leaves_a_game_that_goes_on(tmp_path, whole):
    terminal = Terminal(GAME, tmp_path)
    terminal.wait_for("Your play")
    terminal.type("1\n")
    terminal.wait_for("Your play")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert "\x1b[31m" in terminal.printed or not re.search("[♥♦]", terminal.printed)
    done = play([*again(terminal.printed), "--deals", "1"], tmp_path, "1\n" * 9)
    assert done.returncode == 0
    assert re.search(r"The game goes on after \d+ plays", done.stdout)
    assert (tmp_path / "games.jsonl").read_text() == whole


def test_a_player_that_thinks_can_be_interrupted(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    slow = f"slow=cmd:{sys.executable} {tmp_path / 'slow.py'}"
    terminal = Terminal([*SMALL, "--seats", slow, "you", "--seed", "3", "--save", "games.jsonl"], tmp_path)
    while "is thinking" not in terminal.printed:
        terminal.wait_for("slow")
        if "Your play" in terminal.printed:
            terminal.type("1\n")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert "slow is thinking" in terminal.printed


def test_a_killed_process_has_kept_every_play(tmp_path):
    terminal = Terminal(GAME, tmp_path)
    for _ in range(2):
        terminal.wait_for("Your play")
        terminal.type("1\n")
    terminal.wait_for("You play")
    terminal.wait_for("Your play")
    terminal.process.send_signal(signal.SIGKILL)
    terminal.end()
    (record,) = read_records(tmp_path / "games.jsonl")
    assert [play.seat for play in record.plays].count(0) == 2


def test_without_a_name_the_file_is_in_a_folder_which_is_gone_if_nothing_was_played(tmp_path):
    arguments = [*SMALL, "--seats", "you", "you"]
    done = play(arguments, tmp_path, "\nquit\n")
    assert done.returncode == 0
    assert "Nothing was played, so nothing is kept." in done.stdout
    assert list(tmp_path.iterdir()) == []
    play(arguments, tmp_path, "\n1\nquit\n")
    (path,) = (tmp_path / "runs").iterdir()
    assert re.fullmatch(r"play-elfern-\d{8}-\d{6}.jsonl", path.name)


def test_a_terminal_without_the_letters_spells_suits_and_says_so_of_languages(tmp_path):
    done = play([*GAME, "--deals", "1"], tmp_path, "1\n" * 9, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert re.search(r"seat 0 holds  \w+[cdhs] \w+[cdhs]\n", done.stdout)
    assert re.search(r"plays? \w+[cdhs]\.", done.stdout)
    done = play([*GAME, "--names", "ru"], tmp_path, "", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert "--names ru needs letters that this terminal (ascii) does not have" in done.stderr
    arguments = ["elfern", "--names", "ru", "--seed", "3", "--save", "russian"]
    done = play(arguments, tmp_path, "quit\n", PYTHONIOENCODING="utf-8")
    assert done.returncode == 0
    assert re.search("[ТКДВ][♣♦♥♠]", done.stdout)


def test_several_people_take_turns_at_the_screen(tmp_path):
    done = play([*SMALL, "--seats", "Ada=you", "Bob=you", "--deals", "1", "--save", "games"], tmp_path, "\n1\n" * 9)
    assert done.returncode == 0, done.stderr
    assert "seat 0 is Ada, seat 1 is Bob" in done.stdout
    assert done.stdout.count("press Enter when you alone see the screen") == 8
    (record,) = read_records(tmp_path / "games")
    assert record.players == ("Ada", "Bob")


def test_a_finished_game_goes_on_with_the_next_deal(tmp_path):
    play([*GAME, "--deals", "1"], tmp_path, "1\n" * 9)
    arguments = ["--resume", "games.jsonl", "--names", "de", "--hints", "random"]
    done = play([*arguments, "--deals", "1"], tmp_path, "1\nhint\n" + "1\n" * 9)
    assert "After 2 deals: points you " in done.stdout
    assert again(done.stdout) == arguments
    assert "random, seat 0 to play" in done.stdout
    assert len(list(read_records(tmp_path / "games.jsonl"))) == 2


def test_a_program_is_started_only_where_it_is_named(tmp_path):
    bot = program(tmp_path, "good")
    done = play([*SMALL, "--seats", "you", bot, "--seed", "3", "--save", "games"], tmp_path, "1\n")
    assert done.returncode == 0, done.stderr
    assert again(done.stdout) == ["--resume", "games", "--seats", "you", bot]
    refused = play(["--resume", "games"], tmp_path)
    assert refused.returncode == 2
    assert "a program that a record cannot start: name it again" in refused.stderr
    done = play([*again(done.stdout), "--deals", "1"], tmp_path, "1\n" * 9)
    assert done.returncode == 0
    assert "Points of this deal" in done.stdout


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "games.jsonl holds no game to go on with"),
        ("what?\n", "games.jsonl, line 1: 'what?\\n' is no record"),
        ('{"record": 1, "library"', "a part of it may be missing"),
        ('{"record": 99}\n', "This record is of version 99"),
    ],
)
def test_a_file_that_holds_no_game_gets_a_sentence_and_stays_as_it_is(content, sentence, tmp_path):
    (tmp_path / "games.jsonl").write_text(content)
    done = play(["--resume", "games.jsonl"], tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr
    assert (tmp_path / "games.jsonl").read_text() == content
