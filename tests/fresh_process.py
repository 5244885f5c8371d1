"""Code in a process that has loaded nothing yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from card_envs import jit

ROOT = Path(__file__).resolve().parents[1]

compiled = pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled")


def run(code, folder, **environment):
    """Run code in a new process, with the package found in ``folder``; its output and warnings."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NUMBA_", "XDG_", "COV_", "PYTEST_")) and name not in ("HOME", "PYTHONPATH")
    }
    environment = inherited | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr
