"""Versions and machine, to record beside a result."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from card_envs import __version__
from card_envs.jit import source_digest

PACKAGES = ("card_envs", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")


def versions() -> dict[str, str]:
    """Versions of Python, the platform and the relevant packages that are installed."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Processor, number of cores and operating system."""
    model = platform.processor() or platform.machine()
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        names = [line.partition(":")[2].strip() for line in listed.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.system()}


@cache
def sources() -> dict[str, str]:
    """The version of this library, and digests of its sources at the first call: if any of these changes, the same seed
    may give other results."""
    return {
        "version": __version__,
        "card_envs": source_digest(),
        "card_agents": source_digest(Path(__file__).resolve().parent),
    }
