"""What is handed out: the source distribution is complete, the wheel holds the packages and nothing else.

Both are built without a network, from a copy of the sources, the wheel from the unpacked source distribution.
``make dist`` installs them in empty environments as well.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytest.importorskip("setuptools", minversion="77")

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

NOT_SOURCES = (
    ".*", "build", "dist", "runs", "*.egg-info", "__pycache__", "*.pyc", "*.nbi", "*.nbc", "*.bin", "_notebooks",
    "_build",
)  # fmt: skip
"""What working in a checkout leaves in it."""

HIDDEN = (".github", ".gitignore", ".pre-commit-config.yaml")
"""What begins with a dot and is handed out all the same."""


def not_sources(folder, names):
    return [name for name in names if name not in HIDDEN and any(fnmatch(name, each) for each in NOT_SOURCES)]


def built(kind, folder):
    """The distribution of this kind ("sdist", "wheel") of the sources in a folder."""
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}('out'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "out" / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources") / "copy"
    shutil.copytree(ROOT, folder, ignore=not_sources)
    return built("sdist", folder)


@pytest.fixture(scope="module")
def unpacked(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"{PROJECT['name']}-{PROJECT['version']}"


@pytest.fixture(scope="module")
def wheel(unpacked):
    with zipfile.ZipFile(built("wheel", unpacked)) as archive:
        yield archive


def files(folder):
    """All files below a folder of sources, by their paths."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_source_distribution_has_every_source(unpacked, sdist):
    copied = files(sdist.parent.parent)
    made = {name for name in copied if ".egg-info/" in name or name.startswith("out/")}
    assert {"tests/smoke.py", "tests/oracle/__init__.py", "docs/conf.py", "scripts/train.py", "Makefile"} <= copied
    assert sorted(copied - made - files(unpacked)) == []


def test_the_source_distribution_has_nothing_else(unpacked, sdist):
    more = files(unpacked) - files(sdist.parent.parent)
    assert {name for name in more if ".egg-info/" not in name} <= {"PKG-INFO", "setup.cfg"}


def test_the_wheel_holds_the_packages_and_nothing_else(wheel, unpacked):
    names = wheel.namelist()
    about = f"{PROJECT['name']}-{PROJECT['version']}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"card_envs", "card_agents", about}
    inside = {name for name in names if not name.startswith(about)}
    wanted = {name for name in files(unpacked) if name.startswith("card_envs/")}
    wanted |= {name.removeprefix("agents/") for name in files(unpacked) if name.startswith("agents/card_agents/")}
    assert inside == wanted
    assert {"card_envs/py.typed", "card_agents/py.typed"} <= inside
    assert any(name.endswith(".npz") for name in inside)


def test_the_wheel_says_what_it_is(wheel):
    folder = f"{PROJECT['name']}-{PROJECT['version']}.dist-info"
    about = Parser().parsestr(wheel.read(f"{folder}/METADATA").decode())
    assert about["Name"] == PROJECT["name"]
    assert about["License-Expression"] == "MIT"
    assert set(PROJECT["optional-dependencies"]) == set(about.get_all("Provides-Extra"))
    addresses = dict(line.split(", ") for line in about.get_all("Project-URL"))
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(addresses)
    core = [need for need in about.get_all("Requires-Dist") if "extra ==" not in need]
    assert {re.match(r"[\w-]+", need)[0] for need in core} == {"gymnasium", "numba", "numpy"}
    assert "card-envs = card_agents.cli.main:main" in wheel.read(f"{folder}/entry_points.txt").decode()


def test_version_and_date_are_the_same_everywhere():
    heading = r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.search(heading, changelog, re.MULTILINE).groups()
    assert version == PROJECT["version"]
    assert f"[{version}]: {PROJECT['urls']['Homepage']}/releases/tag/v{version}" in changelog
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {version}\ndate-released: {date}\n" in citation
    assert PROJECT["urls"]["Homepage"] in citation


# What a forge runs


def test_the_workflow_and_the_hooks_call_verbs_of_the_makefile():
    verbs = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    runs = re.findall(r"run: (.+)$", workflow, re.MULTILINE) + re.findall(r"entry: (.+)$", hooks, re.MULTILINE)
    called = {re.fullmatch(r"make ([a-z-]+)( [A-Z]+=\S+| [A-Z]+=\$\{\{.*\}\})*", run)[1] for run in runs}
    assert called <= verbs
    assert {"test", "lint", "type", "docs", "dist"} <= called
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)\b(?=`| [A-Z]+=|\n)", guide))
    assert {"test", "docs", "dist", "oracle"} <= named <= verbs
    for file in re.findall(r"constraints: ([\w-]+\.txt)", workflow + guide):
        assert (ROOT / file).is_file(), file


def test_the_workflow_tests_every_python_that_is_promised():
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    tested = re.search(r'python: \[("3\.\d+"(?:, "3\.\d+")*)\]\n\s+system', workflow)[1]
    promised = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert [version.strip('"') for version in tested.split(", ")] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_the_oldest_versions_are_those_that_are_promised():
    lines = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    oldest = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    extras = PROJECT["optional-dependencies"]
    tested = ("play", "arena", "pictures", "pettingzoo", "train", "notebook", "dev")
    needs = {need for extra in tested for need in extras[extra]}
    needs |= set(PROJECT["dependencies"])
    for need in needs:
        name, _, least = need.partition(">=")
        if not name.startswith("card_envs"):
            assert oldest.pop(name).startswith(least), need
    assert not oldest
