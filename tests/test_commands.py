"""All commands: how they are called, what they refuse, what they print and where, and that no result is lost."""

from __future__ import annotations

import importlib
import io
import json
import os
import re
import shlex
import subprocess
import sys

import pytest

import card_envs
from card_agents.cli.command_line import FAILED, INTERRUPTED, REFUSED, Output, Parser, command
from card_agents.cli.main import VERBS
from card_agents.cli.main import main as everything
from card_agents.cli.options import field_sentences, integer, positive, real
from card_agents.screen import literal, screen
from card_envs.registry import game_class, rule_fields
from tests.commands import COMMANDS, ROOT, SCRIPTS, SMALL, main_of
from tests.test_readme import TRAINING, smaller

# How they are called


@pytest.mark.parametrize("package", ["card_envs", "card_agents"])
@pytest.mark.parametrize("verb", COMMANDS)
def test_both_packages_run_the_commands(package, verb, tmp_path):
    pytest.importorskip("rich")
    done = subprocess.run([sys.executable, "-m", package, verb, "--help"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: python -m {package} {verb} ")
    assert "elfern" in done.stdout


def test_one_name_runs_the_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bin" / "card-envs")])
    with pytest.raises(SystemExit) as stop:
        everything(["--help"])
    assert stop.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith("usage: card-envs ")
    assert all(verb in said and does.does in " ".join(said.split()) for verb, does in VERBS.items())
    with pytest.raises(SystemExit) as stop:
        everything(["evaluate", "elfern", "--agents", "greedy"])
    assert stop.value.code == REFUSED
    assert capsys.readouterr().err == (
        "card-envs evaluate elfern: --agents needs at least two players, such as 'random greedy'. "
        "(See card-envs evaluate elfern --help.)\n"
    )
    for wrong in ([], ["evalute"], ["--agents"]):
        with pytest.raises(SystemExit) as stop:
            everything(wrong)
        assert stop.value.code == REFUSED
        said = capsys.readouterr().err
        assert said.startswith("card-envs: ")
        assert said.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_command_that_says_what_it_does(verb, capsys):
    pytest.importorskip("rich")
    with pytest.raises(SystemExit) as stop:
        importlib.import_module(f"card_agents.cli.{verb}").main(["--help"])
    assert stop.value.code == 0
    assert ("elfern" in capsys.readouterr().out) == (verb != "watch")


def test_a_warm_up_of_a_game_that_there_is_not_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        everything(["warmup", "whist"])
    assert stop.value.code == REFUSED
    assert "There is no game 'whist': choose from elfern, konchinka" in capsys.readouterr().err


@pytest.mark.parametrize("script", [*SCRIPTS, "baselines", "benchmark"])
def test_scripts_are_the_commands(script, tmp_path):
    pytest.importorskip("rich")
    done = subprocess.run([sys.executable, ROOT / "scripts" / f"{script}.py", "--help"], cwd=tmp_path,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: python scripts/{script}.py ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("first", ["", "import numpy"])
def test_what_libraries_read_when_they_are_loaded_is_set_before(first, tmp_path):
    (tmp_path / "some.py").write_text(f"""
import os, sys
{first}
from card_agents.cli.command_line import SINGLE_THREADED, SLEEPING, begin_with
begin_with(SINGLE_THREADED)
begin_with(SLEEPING, unless_set=True)
import numpy
print(*(os.environ.get(name) for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY")), sys.argv[1:], __name__)
""")
    environment = os.environ | {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "ACTIVE", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "some", "a b"], cwd=tmp_path, capture_output=True, text=True,
                          env=environment)  # fmt: skip
    assert done.stdout.split("\n") == ["1 ACTIVE ['a b'] __main__", ""], done.stderr


# What they say of themselves


def help_of(name, game, capsys):
    with pytest.raises(SystemExit) as stop:
        main_of(name)([game, "--help"])
    assert stop.value.code == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("game", card_envs.GAMES)
@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_each_rule_with_its_sentence_choices_and_default(name, game, capsys):
    told = help_of(name, game, capsys)
    assert "VALUE" not in told
    sentences = field_sentences(game_class(game).rules_class)
    assert sentences.keys() == rule_fields(game).keys()
    for field, sentence in sentences.items():
        assert f"--{field.replace('_', '-')}" in told
        assert sentence[:60] in told
    special = {"elfern": ["{stock,endgame,always,never}"], "konchinka": ["{card,hand}", "default 11,12,13"]}
    for words in special.get(game, ["--no-match"]):
        assert words in told


def example(verb, capsys, *before):
    """The arguments of the example in a help, as a shell would hand them over."""
    with pytest.raises(SystemExit) as stop:
        main_of(verb)([*before, "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    told = re.search(r"^example:\s+card-envs (.+?)(\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return shlex.split(told[1]) if told else []


@pytest.mark.parametrize("game", card_envs.GAMES)
@pytest.mark.parametrize("verb", COMMANDS)
def test_the_example_in_a_help_runs(verb, game, capsys, tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib" if verb == "train" else "rich")
    words = example(verb, capsys, game)
    if not words:
        assert not {"suits", "ranks", "hand_size"} <= rule_fields(game).keys()
        assert verb == "exploit"  # this game is too large for it whatever its rules
        return
    assert words[:2] == [verb, game]
    if game == next(iter(card_envs.GAMES)):
        assert example(verb, capsys) == words
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 500))
    small = smaller(words[1:])
    assert main_of(verb)(small + (TRAINING.split() if verb == "train" else [])) == 0


def test_the_examples_of_the_other_helps_run(capsys, tmp_path, monkeypatch):
    first = next(iter(card_envs.GAMES))
    assert example("main", capsys) == ["play", first]
    assert example("warmup", capsys) == ["warmup", first]  # test_warmup has it compile all there is
    words = example("watch", capsys)
    assert words[0] == "watch"
    monkeypatch.chdir(tmp_path)
    card_envs.write_records(words[1], [card_envs.GameRecord(card_envs.make_game(first).new_state(seed=1))])
    assert main_of("watch")(words[1:]) == 0
    pytest.importorskip("rich")
    words = example("analyse", capsys, "games.jsonl")
    assert words[:2] == ["analyse", "games.jsonl"]
    assert main_of("analyse")(words[1:]) == 0


def test_rewards_are_offered_where_they_are_paid(capsys):
    assert "{points,win,share}" in help_of("train", "elfern", capsys)
    assert "{points,win,share,settlement}" in help_of("train", "konchinka", capsys)


def test_players_can_be_given_labels_and_the_help_says_so(tmp_path, capsys):
    for name in ("evaluate", "exploit", "tournament"):
        assert "LABEL=NAME" in help_of(name, "elfern", capsys)
    pytest.importorskip("rich")
    path = tmp_path / "kept.json"
    arguments = [*SMALL, "--agents", "mine=random", "random", "random", "--deals", "2", "--json", str(path)]
    assert main_of("evaluate")(arguments) == 0
    told = json.loads(path.read_text())
    assert told["agents"] == ["mine", "random", "random (2)"]
    assert told["players"] == ["random"] * 3
    assert "mine" in capsys.readouterr().out


# What they refuse


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("evaluate", "", "The following arguments are required: GAME."),
        ("evaluate", "elfern", "The following arguments are required: --agents."),
        ("evaluate", "elfern --agents random greedy --follow-suit often", "invalid choice: 'often'"),
        ("evaluate", "elfern --agents random greedy --deals 1e3", "'1e3' is not a whole number in digits"),
        ("evaluate", "elfern --agents random greedy --deals 1_000", "'1_000' is not a whole number in digits"),
        ("evaluate", "elfern --agents random greedy --suits ４", "is not a whole number in digits"),
        ("evaluate", "elfern --agents random greedy --trumps h", "--trumps"),
        ("evaluate", "elfern --agents random cfr:2s", "give a number of iterations"),
        ("play", "elfern --follow-suit often", "invalid choice: 'often'"),
        ("play", "elfern --opponents clever", "There is no player 'clever'"),
        ("play", "elfern --opponents greedy greedy", "--opponents names 2 players, but there are 1 other seats"),
        ("play", "elfern --seat 2", "--seat 2 is none of the seats from 0 to 1"),
        ("play", "elfern --seats you", "--seats needs a name for each of 2 seats, not 1"),
        ("play", "elfern --seats greedy random", "a person is called 'you'"),
        ("play", "elfern --seats you random --seat 1", "Give either --seats or --opponents and --seat"),
        ("play", "elfern --hints clever", "There is no player 'clever'"),
        ("play", "elfern --names fr", "invalid choice: 'fr'"),
        ("play", "elfern --deals 0", "0 is out of range"),
        ("play", "elfern --save /", "is a folder"),
        ("play", "elfern --save /dev/null", "is no file that a game could be read from again"),
        ("play", "--resume nowhere", "There is no file nowhere to go on with"),
        ("play", "--resume /dev/null", "is no file that a game could be read from again"),
        ("play", "elfern --resume nowhere --match --seed 3", "Leave out --match, --seed"),
        ("exploit", "elfern --agents random --memory inf", "'inf' is not a number"),
        ("exploit", "elfern --agents random --json /", "is a folder"),
        ("tournament", "elfern --sprt random greedy --better inf", "'inf' is not a number"),
        ("tournament", "elfern --sprt random greedy --margin nan", "'nan' is not a number"),
        ("tournament", "elfern --agents random greedy --move-seconds inf", "'inf' is not a number"),
        ("train", "elfern --reward settlement", "'settlement'"),
        ("train", "konchinka --reward settlement", "is never paid by"),
        ("train", "elfern --minutes nan", "'nan' is not a number"),
        ("train", "elfern --steps 1e6", "not a whole number in digits"),
    ],
)
def test_a_mistake_gets_one_sentence(name, arguments, sentence, capsys, tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib" if name == "train" else "rich")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main_of(name)(arguments.split())
    assert stop.value.code == REFUSED
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.out == ""
    assert "usage:" not in printed.err
    assert printed.err.count("\n") == 1
    assert re.match(rf"card-envs {name}( elfern| konchinka)?: ", printed.err)
    assert re.search(rf"\(See card-envs {name}( elfern| konchinka)? --help\.\)\n$", printed.err)
    assert list(tmp_path.iterdir()) == []


def test_numbers_are_read_strictly():
    assert [integer(text) for text in ("0", "-3", "+7", "1000000000000")] == [0, -3, 7, 10**12]
    assert [real(text) for text in ("0", "-.5", "1e-3", "2.")] == [0.0, -0.5, 0.001, 2.0]
    assert positive("1e9") == 1e9
    parser = Parser(prog="x")
    for reader, texts in (
        (integer, ("", "1.0", "1e3", "1_000", " 1", "0x10", "one", "１")),
        (real, ("", "inf", "nan", "1e999", "1_0.0", "one", "0x1p3")),
        (positive, ("0", "-1", "inf")),
    ):
        parser.add_argument("value", type=reader)
        for text in texts:
            with pytest.raises(SystemExit):
                parser.parse_args([text])
        parser = Parser(prog="x")


# How they end


def ended(body, verb="some"):
    """Status of a command whose body does this."""
    return command(verb)(body)()


def raiser(error):
    def body():
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (KeyboardInterrupt(), INTERRUPTED, "Stopped."),
        (ValueError("tables=0 must be above 0"), FAILED, "tables=0 must be above 0."),
        (OSError(28, "No space left on device", "runs/x"), FAILED, "runs/x: No space left on device."),
        (OSError(28, "No space left on device"), FAILED, "No space left on device."),
        (PermissionError(13, "Permission denied", "runs"), FAILED, "runs: Permission denied."),
        (ModuleNotFoundError("No module named 'x'"), FAILED, "No module named 'x'."),
        (MemoryError("Unable to allocate 8 GiB"), FAILED, "Out of memory: Unable to allocate 8 GiB."),
    ],
)
def test_what_the_world_does_gets_a_sentence(error, status, sentence, capsys):
    assert ended(raiser(error)) == status
    assert capsys.readouterr().err == f"card-envs some: {sentence}\n"


def test_a_mistake_of_ours_shows_where_it_is():
    with pytest.raises(ZeroDivisionError):
        ended(lambda: 1 // 0)
    code = "from card_agents.cli.command_line import command\n@command('x')\ndef main(): raise ValueError('no')\nmain()"
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True,
                          text=True)  # fmt: skip
    assert "Traceback" in done.stderr


class Failing(io.StringIO):
    """A stream that takes so much and no more."""

    def __init__(self, room, error):
        super().__init__()
        self.room, self.error = room, error

    def write(self, text):
        if self.tell() + len(text) > self.room:
            raise self.error
        return super().write(text)


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), OSError(28, "No space left on device")])
def test_output_that_fails_does_not_end_the_work(error, monkeypatch, capsys):
    done = []

    def body():
        for number in range(3):
            print(number)
            done.append(number)
        return 0

    stream = Failing(3, error)
    monkeypatch.setattr(sys, "stdout", stream)
    assert ended(body) == FAILED
    assert sys.stdout is stream
    assert done == [0, 1, 2]
    assert stream.getvalue() == "0\n1"
    assert f"Not everything could be printed: {error.strerror}." in capsys.readouterr().err


def test_output_that_is_closed_is_no_failure(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)

    def body():
        print("nothing to see")
        return 0

    assert ended(body) == 0
    output = Output(None)
    assert output.write("abc") == 3
    assert not output.isatty()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_letters_that_the_output_does_not_have_are_spelled(encoding, monkeypatch):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)

    def body():
        print("b\udce9t ± ≥ 牌")
        return 0

    assert ended(body) == 0
    stream.flush()
    plus = "+-" if encoding == "ascii" else "±"
    assert raw.getvalue().decode(encoding) == f"b\\udce9t {plus} >= \\u724c\n"
    assert stream.errors == "strict"


def test_brackets_in_a_name_are_no_markup(capsys):
    pytest.importorskip("rich")
    from rich.console import Console
    from rich.table import Table

    def body():
        table = Table("name")
        for name in ("m[seed=1]", "m[seed=2]", "ppo:x[/old]/model.npz", ":smile:", "[red]"):
            table.add_row(literal(name))
            screen().print(f"in {name}")
        screen().print(table)
        Console().print(table)
        return 0

    assert ended(body) == 0
    printed = capsys.readouterr().out
    for name in ("m[seed=1]", "m[seed=2]", "ppo:x[/old]/model.npz", ":smile:", "[red]"):
        assert printed.count(name) == 3


def test_paths_are_printed_on_one_line(tmp_path, capsys):
    pytest.importorskip("rich")
    path = tmp_path / ("long" * 40)
    assert main_of("evaluate")([*SMALL, "--agents", "random", "greedy", "--deals", "2", "--json", str(path)]) == 0
    assert f"Results are in {path}\n" in capsys.readouterr().out
