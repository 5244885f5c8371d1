"""Draw the pictures of the README, docs/elfern.svg and docs/konchinka.svg: positions that greedy players came to."""

from __future__ import annotations

from pathlib import Path

import card_envs

FOLDER = Path(__file__).resolve().parent.parent / "docs"
POSITIONS = {"elfern": ({}, 3, 17), "konchinka": ({"num_players": 4}, 20, 11)}
"""By game: its rules, the seed and the number of plays."""


def pictures() -> dict[str, str]:
    """The pictures by game, each as the seat to play sees the position."""
    drawn = {}
    for name, (rules, seed, plays) in POSITIONS.items():
        state = card_envs.make_game(name, **rules).new_state(seed=seed)
        for _ in range(plays):
            state.play(state.greedy_action())
        drawn[name] = state.to_svg()
    return drawn


if __name__ == "__main__":
    for name, picture in pictures().items():
        path = FOLDER / f"{name}.svg"
        path.write_text(picture + "\n", encoding="utf-8")
        print(path.relative_to(FOLDER.parent))
