"""Try the installed package, as ``make dist`` does in an empty environment: ``python -P tests/smoke.py``.

It must be run where nothing but the package and what it needs is installed, and not from the sources.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np

import card_agents
import card_envs


def play(name: str) -> bool:
    """Play a game as an environment, and let players choose; return whether a trained one comes with the library."""
    env = gymnasium.make(f"card_envs/{name.capitalize()}-v0", opponents="greedy")
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))

    game = card_envs.make_game(name)
    states = game.new_states(np.arange(8))
    views = game.views(states)
    asked = views, game.observations(views), game.masks(views), game.draws(states)
    game.step(states, card_agents.make_agent("random", game).act(*asked))
    try:
        trained = card_agents.make_agent("ppo", game)
    except ValueError:
        return False
    trained.act(*asked)
    return True


def main() -> None:
    """Play with everything that the core brings."""
    checkout = Path(__file__).resolve().parent.parent
    for package in (card_envs, card_agents):
        home = Path(package.__file__ or "").resolve().parent
        assert not home.is_relative_to(checkout / package.__name__), home
        assert not home.is_relative_to(checkout / "agents"), home
        assert (home / "py.typed").exists(), f"{home} is not marked as typed"
    for name in ("agents", "scripts", "tests", "torch", "matplotlib"):
        assert importlib.util.find_spec(name) is None, f"{name} should not be there"

    trained = [play(name) for name in card_envs.GAMES]
    assert any(trained), "the trained players are missing"
    done = subprocess.run([sys.executable, "-m", "card_envs", "--help"], capture_output=True, text=True, check=True)
    assert "tournament" in done.stdout
    print(f"card_envs {card_envs.__version__} works on Python {sys.version.split()[0]}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
