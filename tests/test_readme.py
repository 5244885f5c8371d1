"""The README's code runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_code_of_the_readme_runs(block, tmp_path):
    run = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", block], cwd=tmp_path, capture_output=True,
                         text=True)  # fmt: skip
    assert run.returncode == 0, run.stderr


def test_the_readme_shows_a_random_episode_and_training():
    assert len(BLOCKS) >= 3
    assert any("MaskablePPO" in block for block in BLOCKS)
    assert any("action_mask" in block for block in BLOCKS)


def test_extras_are_quoted_for_every_shell():
    assert not re.search(r"pip install [^\"'`\n]*\[", README)
