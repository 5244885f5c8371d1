"""``card-envs table`` as a process: what is kept when it is killed, how it ends, and what mistakes get."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")
pytest.importorskip("rich")

import card_envs
from card_agents.cli.command_line import FAILED, INTERRUPTED, REFUSED
from card_agents.table.choices import offers_of, playable
from tests.commands import ROOT, run, said, signals_as_in_a_shell
from tests.variants import ANY

PLAYERS = ["--players", "greedy", "slow=pimc:2"]


class Server:
    """The command in a process of its own."""

    def __init__(self, file, *more):
        command = [sys.executable, "-m", "card_agents", "table", "--port", "0", "--no-browser", "--database", str(file)]
        self.process = subprocess.Popen(
            [*command, *PLAYERS, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=file.parent,
            preexec_fn=signals_as_in_a_shell,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "agents")])},
        )  # fmt: skip
        self.printed = ""
        while "Ctrl-C" not in self.printed:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.printed += line
        self.address = re.search(r"http://\S+", self.printed)[0]

    def ask(self, method, path, given=None):
        """Status and JSON of the answer; ``OSError`` when the server is gone."""
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
        try:
            body = None if given is None else json.dumps(given)
            connection.request(method, f"{parts.path}api/{path}", body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except http.client.HTTPException as fault:
            raise OSError("it is gone") from fault
        finally:
            connection.close()

    def end(self, how):
        self.process.send_signal(how)
        told = self.process.communicate(timeout=300)
        return self.process.returncode, *told


@contextmanager
def served(file, *more):
    server = Server(file, *more)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_killed_at_any_moment_it_has_lost_no_play_that_was_answered(file):
    answered = {}

    def play_on(server, token):
        """Play on until the server is gone; note what was answered last."""
        with suppress(OSError):
            position = server.ask("GET", f"seats/{token}")[1]
            while not position["over"]:
                answered[token] = position
                if position["legal"]:
                    given = {"seen": position["seen"], "action": position["legal"][-1]["action"]}
                    position = server.ask("POST", f"seats/{token}/plays", given)[1]
                else:
                    position = server.ask("GET", f"seats/{token}")[1]

    def compare(server):
        """All that was answered is still there."""
        for token, before in answered.items():
            position = server.ask("GET", f"seats/{token}")[1]
            told = {play["number"]: play["name"] for play in position["told"]}
            assert position["seen"] >= before["seen"]
            assert all(told.get(play["number"], play["name"]) == play["name"] for play in before["told"])

    tokens = []
    with served(file) as server:
        path = urlsplit(server.address).path
        for player in ("greedy", "slow", "greedy"):
            given = {"game": ANY.game, "seats": [None, player], "rules": {"match": True, "target": 100}}
            tokens.append(server.ask("POST", "games", given)[1]["seats"]["0"])
    for plays in (3, 40):
        with served(file) as server:
            assert urlsplit(server.address).path == path
            compare(server)
            threads = [threading.Thread(target=play_on, args=(server, token)) for token in tokens]
            for thread in threads:
                thread.start()
            while any(answered.get(token, {"seen": 0})["seen"] < plays for token in tokens):
                threading.Event().wait(0.01)
            server.process.kill()
            for thread in threads:
                thread.join()
    with served(file) as server:
        compare(server)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_it_with_a_sentence_while_somebody_listens_and_a_player_thinks(file):
    with served(file) as server:
        status, told = server.ask("POST", "games", {"game": ANY.game, "seats": [None, "slow"]})
        assert status == 200
        parts = urlsplit(server.address)
        with socket.create_connection((parts.hostname, parts.port)) as listening:
            path = f"{parts.path}api/seats/{told['seats']['0']}/events"
            listening.sendall(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
            heard = b""
            while b"event: changed" not in heard:
                heard += listening.recv(4096)
            status, printed, complained = server.end(signal.SIGINT)
    assert (status, printed) == (INTERRUPTED, "")
    assert complained.endswith("table: Stopped.\n")
    assert complained.count("\n") == 1
    assert parts.path not in complained
    assert f"Games are kept in {file}" in server.printed


@pytest.mark.slow
def test_a_port_or_a_database_in_use_gets_a_sentence(file, tmp_path):
    with served(file) as server:
        port = urlsplit(server.address).port
        again = run("table", "--port", port, "--no-browser", "--database", tmp_path / "other.sqlite")
        assert (again.returncode, again.stdout) == (FAILED, "")
        assert f"Port {port} of 127.0.0.1 is in use: choose another one with --port" in said(again)
        again = run("table", "--port", 0, "--no-browser", "--database", file)
        assert (again.returncode, again.stdout) == (FAILED, "")
        assert "is in use by another card-envs table" in said(again)
        assert server.ask("GET", "choices")[0] == 200


@pytest.mark.parametrize(
    ("given", "status", "sentence"),
    [
        (["--host", "no.such.host.invalid"], FAILED, "is no address of this machine"),
        (["--host", "192.0.2.1"], FAILED, "is no address of this machine"),
        (["--port", "70000"], REFUSED, "70000 is out of range"),
        (["--database", "/"], FAILED, "/ is a folder"),
        (["--database", "missing/games.sqlite"], FAILED, "missing/games.sqlite: No such file or directory"),
        (["--players", "greedy", "clever"], REFUSED, "--players: There is no player 'clever'"),
        (["--players"], REFUSED, "expected at least one argument"),
        (["--elfin"], REFUSED, "--elfin"),
    ],
)
def test_a_mistake_gets_one_sentence(given, status, sentence, tmp_path):
    more = [] if "--database" in given else ["--database", str(tmp_path / "games.sqlite")]
    done = run("table", "--port", "0", "--no-browser", *more, *given, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert sentence in said(done)
    assert done.stderr.count("\n") == 1


def test_a_player_made_for_other_rules_is_offered_with_a_note(file):
    offers = offers_of(["greedy", "mine=ppo:no/such/file", f"program=cmd:{sys.executable}"])
    games_of, notes = playable(offers)
    assert set(games_of["greedy"]) == set(games_of["mine"]) == set(games_of["program"]) == set(card_envs.GAMES)
    assert len(notes) == 1
    assert notes[0].startswith("mine plays no game by its default rules. no/such/file cannot be read")


def test_the_example_in_the_help_is_a_command(capsys):
    from card_agents.cli import table

    with pytest.raises(SystemExit):
        table.main(["--help"])
    words = re.search(r"^example:\s+\S.* table (.+)$", capsys.readouterr().out, re.MULTILINE)[1].split()
    offers = offers_of(table._parser().parse_args(words).players)
    assert len(offers) > 1
    assert playable(offers)[1] == []


def test_without_the_extra_it_says_how_to_install_it(tmp_path):
    for module in ("starlette", "uvicorn", "rich"):
        done = run("table", "--no-browser", blocked=(module,), cwd=tmp_path)
        assert done.returncode == FAILED
        assert f'This needs {module}, which is not installed: run pip install "card_envs[play]".' in said(done)


def test_nothing_of_the_web_is_loaded_before_it_is_used():
    code = (
        "import sys; import card_agents.table.sitting, card_agents.cli.table, card_agents.table.choices\n"
        "print([name for name in ('starlette', 'uvicorn', 'anyio', 'sqlite3', 'webbrowser') if name in sys.modules])"
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "agents")])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    assert done.stdout == "[]\n", done.stderr
