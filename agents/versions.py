"""What ran: versions to write beside a result."""

from __future__ import annotations

import platform
from importlib import metadata

PACKAGES = ("card_envs", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")


def versions() -> dict[str, str]:
    """Versions of Python, the platform and the packages that matter, as far as they are installed."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
