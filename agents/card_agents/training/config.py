"""The configuration of a training run, as kept in its folder."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from card_agents.archives import read_file
from card_agents.evaluation.tournament.identity import files_of
from card_agents.files import write_whole
from card_agents.players.network import identity
from card_agents.training.settings import BUDGET, Settings
from card_agents.versions import versions
from card_envs import GAMES, Game, make_game
from card_envs.registry import rule_fields

CONFIG = "config.json"
LONGEST = 2**20
"""Most bytes of a configuration."""


def write_config(folder: Path, game: Game, settings: Settings) -> None:
    """Write the configuration of a run in ``folder``, with the versions it started on."""
    import torch

    config = {
        "game": game.name,
        "rules": dataclasses.asdict(game.rules),
        "settings": settings.to_dict(),
        "identity": identity(game),
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "threads": torch.get_num_threads(),
        "versions": versions(),
    }
    write_whole(folder / CONFIG, (json.dumps(config, indent=2) + "\n").encode())


def read_config(folder: Path) -> dict[str, Any]:
    """The whole configuration of the run in a folder: game, rules, settings and identity.

    Raises ``ValueError`` with a sentence that names the file, and the field, if it cannot be read.
    """
    path = folder / CONFIG
    try:
        config = json.loads(read_file(path, LONGEST))
        _check(config)
    except OSError as error:
        raise ValueError(f"{folder} holds no training run: {CONFIG}: {error.strerror}.") from None
    except RecursionError:
        raise ValueError(f"{path} is not the configuration of a training run: it is nested too deeply.") from None
    except json.JSONDecodeError:
        raise ValueError(f"{path} is not the configuration of a training run: it is not JSON.") from None
    except ValueError as error:
        raise ValueError(f"{path} is not the configuration of a training run: {str(error).rstrip('.')}.") from None
    config["rules"] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in config["rules"].items()
    }
    return config


def _check(config: Any) -> None:
    """``ValueError`` that names what is missing in a configuration, or unknown to this version."""
    if not isinstance(config, dict):
        raise ValueError("it is not a JSON object")
    for name, kind in (("game", str), ("rules", dict), ("settings", dict), ("identity", dict)):
        if not isinstance(config.get(name), kind):
            raise ValueError(f"its {name!r} is missing or invalid")
    if config["game"] not in GAMES:
        raise ValueError(f"there is no game {config['game']!r:.40}")
    _check_names("rules", config["rules"], rule_fields(config["game"]))
    _check_names("settings", config["settings"], [field.name for field in dataclasses.fields(Settings)])


def _check_names(part: str, found: dict[str, Any], known: Iterable[str]) -> None:
    missing = [name for name in known if name not in found]
    unknown = [f"{name!r:.40}" for name in found if name not in known]
    if missing:
        raise ValueError(f"its {part} lack {', '.join(missing)}")
    if unknown:
        raise ValueError(f"its {part} name {', '.join(unknown[:5])}, which this version does not know")


def game_and_settings(folder: Path, config: dict[str, Any], changes: dict[str, Any]) -> tuple[Game, Settings]:
    """The game and the settings of a configuration with ``changes``; ``ValueError`` if they are invalid."""
    path = folder / CONFIG
    try:
        game = make_game(config["game"], **config["rules"])
        Settings(**config["settings"])
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{path} cannot be used for training: {str(error).rstrip('.')[:500]}.") from None
    if identity(game) != config["identity"]:
        raise ValueError(f"{folder} was started with another observation layout or other actions of {game.name}.")
    return game, Settings(**{**config["settings"], **changes})


def job_digest(game: Game, settings: Settings) -> str:
    """A digest of all that determines the course of a run except its budget: checkpoints with the same one are
    compatible.

    It covers the files of a player that is trained against.
    """
    rival = files_of(settings.against, game) if settings.against else {}
    lasting = {name: value for name, value in settings.to_dict().items() if name not in BUDGET}
    text = json.dumps([identity(game), lasting, sorted(rival.values())], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
