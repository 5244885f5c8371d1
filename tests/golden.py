"""What must not change unnoticed: packs of seeds, whole games move by move, and their digests.

``python -m tests.golden`` writes ``tests/golden`` anew: do that only where a change is meant, and say so in the
changelog, since results of earlier versions can then no longer be compared. ``python -m tests.golden --digests``
prints digests of a few games by everything there is to see, for comparing ways to run the package. Which games are
recorded stands in ``tests/golden_games.json``: a game that is added there gets its records by the first command.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import card_envs
from card_envs import Game

FOLDER = Path(__file__).with_name("golden")

PACK_SEEDS = (0, 1, 7, 2**32, 2**63, 2**64 - 1)
PACK_DEALS = (0, 1, 2, 1000)

CHOSEN = json.loads(Path(__file__).with_name("golden_games.json").read_text())
"""Label of each recorded game: its name and rules, and the seed of the playthrough written out, if there is one."""

PLAYTHROUGHS = {name: chosen["seed"] for name, chosen in CHOSEN.items() if "seed" in chosen}


def make(name: str) -> Game:
    chosen = CHOSEN[name]
    rules = {field: tuple(value) if isinstance(value, list) else value for field, value in chosen["rules"].items()}
    return card_envs.make_game(chosen["game"], **rules)


def packs() -> dict[str, dict[str, str]]:
    """Packs of some seeds and deals, by game."""
    return {
        name: {
            f"seed {seed} deal {deal}": " ".join(card_envs.make_game(name).pack_of(seed, deal))
            for seed in PACK_SEEDS
            for deal in PACK_DEALS
        }
        for name in dict.fromkeys(chosen["game"] for chosen in CHOSEN.values())
    }


def digests(tables: int = 3, episodes: int = 1, *, greedy: bool = False) -> dict[str, dict[str, str]]:
    """Digests of random play, by game: of the plays and their outcome, and of what the seats see."""
    found = {}
    for name in CHOSEN:
        game = make(name)
        plays, sights = hashlib.sha256(), hashlib.sha256()
        states = game.new_states(np.arange(40, 40 + tables, dtype=np.uint64))
        names = [game.action_name(action) for action in range(game.num_actions)]
        for _ in range(episodes * game.max_plays):
            sights.update(game.observations(states).tobytes())
            sights.update(game.masks(states).tobytes())
            sights.update(game.history(states).tobytes())
            sights.update(game.observations(states, game.num_players - 1).tobytes())
            if greedy:
                sights.update(game.greedy_actions(states).tobytes())
            actions = game.sample_actions(states)
            plays.update(" ".join(names[action] for action in actions).encode())
            plays.update(game.to_play(states).tobytes())
            rewards, over = game.step(states, actions)
            plays.update(rewards.tobytes())
            plays.update(over.tobytes())
            for verb in (game.points, game.scores, game.settlement):
                plays.update(verb(states).astype("<i8").tobytes())
        if greedy:
            sights.update(states.tobytes())
        found[name] = {"plays": plays.hexdigest()[:16], "sights": sights.hexdigest()[:16]}
    return found


def playthrough(name: str, seed: int) -> str:
    """A deal of random play, page by page."""
    game = make(name)
    state = game.new_state(seed=seed)
    row = state.record.copy()
    pages = [f"{game.describe()}\nseed {seed}", str(state)]
    while not state.is_over:
        action = int(game.sample_actions(row)[0])
        legal = " ".join(game.action_name(int(each)) for each in state.legal_actions())
        pages.append(f"seat {state.to_play} may play {legal}\nseat {state.to_play} plays {game.action_name(action)}")
        state.play(action)
        game.step(row, np.array([action]), auto_reset=False)
        pages.append(str(state))
    pages.append(f"points {state.points().tolist()}\nreturns {state.returns().tolist()}")
    return "\n\n".join(pages) + "\n"


def main() -> None:
    """Write the folder, or print digests."""
    if "--digests" in sys.argv:
        print(json.dumps(digests(tables=1, greedy=True)))
        return
    FOLDER.mkdir(exist_ok=True)
    for name, content in (("packs", packs()), ("digests", digests(episodes=3))):
        (FOLDER / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
    for name, seed in PLAYTHROUGHS.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(name, seed), encoding="utf-8")


if __name__ == "__main__":
    main()
