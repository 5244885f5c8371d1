"""The pages say nothing that does not run: code blocks as they stand, commands with smaller budgets."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
WRITTEN_BY_HAND = ("adding_a_game.md", "bots.md", "records.md", "rules.md")
"""Pages of docs/ that are not the report of a tournament."""

SMALL = {"--deals": "2", "--regret-deals": "20", "--open-deals": "2", "--minutes": "0", "--chunk": "2"}
TRAINING = (
    "--steps 512 --tables 16 --rollout 16 --batch 256 --epochs 1 --width 32 --layers 1 --points 2 --measure-deals 10 "
    "--evaluate-deals 20 --threads 1"
)
SMALL_PLAYERS = ((r"\bpimc:\d+", "pimc:1"), (r"\bismcts:\d+", "ismcts:5"), (r"\bcfr:\S+", "cfr:3"))

MODULES = {
    "scripts/baselines.py": None,
    "scripts/benchmark.py": "benchmarks.command",
    "scripts/evaluate.py": "card_agents.cli.evaluate",
    "scripts/exploit.py": "card_agents.cli.exploit",
    "scripts/tournament.py": "card_agents.cli.tournament",
    "scripts/train.py": "card_agents.cli.train",
}


def pages():
    """Name and text of every page: what a newcomer reads."""
    yield "README.md", README
    for path in sorted((ROOT / "docs").glob("*.md")):
        if path.name in WRITTEN_BY_HAND:
            yield f"docs/{path.name}", path.read_text()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text())["cells"]
        yield f"notebooks/{path.name}", "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    for path in sorted((ROOT / "scripts").glob("*.py")):
        yield f"scripts/{path.name}", (ast.get_docstring(ast.parse(path.read_text())) or "").replace("``", "`")


def python_blocks():
    for name, text in pages():
        if name == "docs/adding_a_game.md":
            continue  # excerpts, which test_guides holds against their files
        for number, block in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL)):
            yield pytest.param(block, id=f"{name}-{number}")


def commands():
    """All that stands on a page to be typed into a shell, on one line each, without comments."""
    for text in dict(pages()).values():
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                yield shlex.join(shlex.split(line, comments=True))
        rest = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        for code in re.findall(r"`([^`]+)`", rest):
            line = " ".join(code.split())
            if re.match(r"(python|make|pip|\.|scripts/\w+\.py) ", f"{line} "):
                yield line


COMMANDS = sorted(set(commands()))

PROGRAM = ".venv/bin/card-envs"
"""What runs all commands, as the first page has it."""


def chosen(*beginnings):
    return [line for line in COMMANDS if line.startswith(beginnings)]


@pytest.mark.parametrize("block", list(python_blocks()))
def test_code_of_the_pages_runs(block, tmp_path):
    run = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", block], cwd=tmp_path, capture_output=True,
                         text=True, stdin=subprocess.DEVNULL)  # fmt: skip
    assert run.returncode == 0, run.stderr


def smaller(arguments):
    """The same arguments with budgets of a moment; ``--help`` where a page only names a command."""
    if not arguments or any(re.fullmatch(r"[A-Z]+|\[.*|.*\]|\.\.\.", word) for word in arguments):
        return ["--help"]
    small, words = [], iter(arguments)
    for word in words:
        small.append(word)
        if word in SMALL:
            small.append(SMALL[word])
            next(words)
    for pattern, player in SMALL_PLAYERS:
        small = [re.sub(pattern, player, word) for word in small]
    return small


@pytest.mark.parametrize("line", chosen("python ", f"{PROGRAM} "))
def test_commands_of_the_pages_run(line, tmp_path, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    shutil.copytree(ROOT / "agents" / "bots", tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "program.sh", tmp_path / "mybot")
    (tmp_path / "mybot").chmod(0o755)
    if "./program" in line:
        compile_the_bot(tmp_path)
    if "ppo:m.zip" in line:
        save_a_model(tmp_path / "m.zip")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    words = shlex.split(line)[1:]
    module = words.pop(0)
    if line.startswith(PROGRAM):
        module = f"card_agents.cli.{module}"
    elif module == "-m":
        module = words.pop(0)
        if module == "card_envs":
            module = f"card_agents.cli.{words.pop(0) if words else 'main'}"
        found = importlib.util.find_spec(module)
        assert found is not None, f"{line}: there is no such module"
        if module.startswith("tests."):
            return
    else:
        assert (ROOT / module).is_file(), f"{line}: there is no such script"
        module = MODULES[module]
        if module is None:
            return
    small = smaller(words)
    if module == "card_agents.cli.train":
        pytest.importorskip("sb3_contrib")
        small += [] if small == ["--help"] else TRAINING.split()
    if module.startswith("benchmarks") and small != ["--help"]:
        small += ["--rounds", "1", "--seconds", "0.01"]
    main = importlib.import_module(module).main
    if module == "card_agents.cli.warmup":
        assert callable(main)  # test_warmup has it compile all there is
    elif module.endswith("warmup"):
        main()
    elif small == ["--help"]:
        with pytest.raises(SystemExit) as stop:
            main(small)
        assert stop.value.code == 0
    else:
        assert main(small) == 0


def save_a_model(path):
    """What the README's training block saves, untrained."""
    masked = pytest.importorskip("sb3_contrib").MaskablePPO
    from card_envs.envs.sb3 import CardVecEnv

    masked("MlpPolicy", CardVecEnv("elfern", num_envs=2), n_steps=2, batch_size=4).save(path)


def compile_the_bot(folder):
    """As the page about bots says."""
    build = next(line for line in COMMANDS if line.startswith("cc "))
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    subprocess.run(shlex.split(build), cwd=folder, check=True)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("line", chosen("make "))
def test_verbs_of_the_pages_are_in_the_makefile(line):
    words = shlex.split(line)
    done = subprocess.run(["make", "--dry-run", *words[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_makefile_calls_what_there_is():
    for called in re.findall(r"^\t\$\(PY\) (?:-m )?(\S+)", (ROOT / "Makefile").read_text(), re.MULTILINE):
        # not importlib.util.find_spec, where setuptools does more than look when pip is asked for
        top = PathFinder.find_spec(called.partition(".")[0])
        assert (ROOT / called).is_file() or top is not None, called


def test_extras_of_the_pages_are_those_there_are_and_quoted_for_every_shell():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    lines = chosen("pip ")
    assert lines
    for line in lines:
        assert re.fullmatch(r'pip install (-e )?(\.|"\.\[(\w+)\]"|examples/\w+)', line), line
        for extra in re.findall(r"\[(\w+)\]", line):
            assert extra in extras
    for name, text in pages():
        assert not re.search(r"pip install [^\"'`\n]*\[", text), name
        assert "card_envs[" not in text, f"{name}: card_envs is on no index"


def test_commands_are_said_in_one_way():
    assert not chosen("scripts/"), "scripts are run by python, in the environment"
    for name, text in pages():
        assert not re.search(r"\.venv/bin/python", text), name
    assert ". .venv/bin/activate" in README
    assert len(chosen("python ", "make ", "pip ", ".")) > 15


def test_the_readme_shows_a_random_episode_and_training():
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 3
    assert any("MaskablePPO" in block for block in blocks)
    assert any("action_mask" in block for block in blocks)
