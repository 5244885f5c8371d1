"""The floors of docs/architecture.md: nothing imports upwards, and what plays any game names none."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

FLOORS = (
    r"card_agents(\.__main__)?|card_envs\.__main__",  # what others import, and the ways to start a command
    r"card_agents\.cli\b.*",
    r"card_agents\.(table|training)\b.*",
    r"card_agents\.evaluation\b.*",
    r"card_agents\.(names|roster)",
    r"card_agents\.(players|equilibrium)\b.*",
    r"card_agents\.\w+",
    r"card_envs(\.warmup)?",
    r"card_envs\.envs\b.*",
    r"card_envs\.records",
    r"card_envs\.record_lines",
    r"card_envs\.(?!envs|loops|render)\w+\.\w+",  # the games
    r"card_envs\.(players|plain_solver|probe|registry)",
    r"card_envs\.game",
    r"card_envs\.(positions|sound|state|verbs|open_cards)",
    r"card_envs\.loops",
    r"card_envs\.loops\.\w+",
    r"card_envs\.(kernel|definition|standard|threads|batches)",
    r"card_envs\.render\.\w+|card_envs\.\w+",
)
"""Names of modules, floor by floor, from the top; a module stands on the first that it fits."""


def modules():
    """Name and source of every module of the packages."""
    for home in (ROOT, ROOT / "agents"):
        for package in ("card_envs", "card_agents"):
            for path in sorted((home / package).rglob("*.py")):
                parts = path.relative_to(home).with_suffix("").parts
                yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path.read_text(encoding="utf-8")


SOURCES = dict(modules())


def floor(name):
    return next(number for number, pattern in enumerate(FLOORS) if re.fullmatch(pattern, name))


def at_the_top(tree):
    """What is run when a module is imported: not functions, nor what is meant for type checkers."""
    for node in tree.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from ast.walk(node)


def imported(source):
    """The modules of the packages that a module loads when it is imported."""
    for node in at_the_top(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in SOURCES else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_the_modules_are_found():
    assert len(SOURCES) > 80
    assert {"card_envs.game", "card_agents.names", "card_agents.players.search.pimc"} <= set(SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_imports_upwards(name):
    packages = ("card_envs", "card_agents")  # their own names are for everybody
    others = {other for other in imported(SOURCES[name]) if other in SOURCES and other not in packages}
    upwards = [other for other in sorted(others) if floor(other) < floor(name)]
    assert not upwards, f"{name} imports {', '.join(upwards)}, which stand above it"


def test_what_plays_any_game_names_none():
    folders = {path.parent.name for path in (ROOT / "card_envs").glob("*/kernel.py")}
    assert len(folders) >= 2
    named = re.compile("|".join(folders), re.IGNORECASE)
    for name, source in SOURCES.items():
        if name == "card_envs.registry" or folders & set(name.split(".")):
            continue
        tree = ast.parse(source)
        texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
                assert not named.search(node.value), f"{name}, line {node.lineno}"
            if isinstance(node, ast.ImportFrom):
                assert not named.search(node.module or ""), f"{name}, line {node.lineno}"
