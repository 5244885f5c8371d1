"""What people can choose when they begin a game: games, rules, and the players that the operator offers them.

A player is offered under a name, and is asked for by that name and no other: what it is made from (a program to run, a
file to read) is the operator's alone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from card_agents.fields import described_rules
from card_agents.labels import labels_of
from card_agents.names import is_external, make_agent, split_label, unwrapped
from card_agents.players.external import is_bot
from card_agents.roster import fault_of, is_slow, sentence_of
from card_envs import GAMES, Game, make_game
from card_envs.cards import NAMES
from card_envs.checks import shown

DEFAULT = ("ppo", "greedy", "random", "pimc:20", "pimc:100", "ismcts:1000", "ismcts:1000+ppo", "exact+ppo")
"""The players offered unless the operator names others: none of them runs a program or reads a file that a person at
the table could choose."""


@dataclass(frozen=True)
class Offer:
    """A player on offer.

    name: what people call it. player: the name from which ``make_agent`` makes it.
    """

    name: str
    player: str

    @property
    def is_slow(self) -> bool:
        """Whether it may take long to answer."""
        return is_slow(self.player)

    @property
    def sentence(self) -> str:
        """What it does."""
        return sentence_of(self.player)


def offers_of(names: Sequence[str]) -> dict[str, Offer]:
    """The players of these names, each perhaps with a label (``LABEL=NAME``), by the names they are offered under.

    >>> list(offers_of(["greedy", "mine=ppo:runs/a"]).values())
    [Offer(name='greedy', player='greedy'), Offer(name='mine', player='ppo:runs/a')]
    """
    given, players = zip(*map(split_label, names), strict=True)
    return {name: Offer(name, player) for name, player in zip(labels_of(players, given), players, strict=True)}


def offered(offers: Mapping[str, Offer], name: Any) -> Offer:
    """The player offered under a name; ``ValueError`` if there is none."""
    if not isinstance(name, str) or name not in offers:
        raise ValueError(f"There is no player {shown(name)} here: choose one of {', '.join(map(repr, offers))}.")
    return offers[name]


def excuse(offers: Iterable[Offer], fault: Exception) -> str:
    """Why something failed in which players on offer had a part, for people at the table. What a labelled player is
    made from is not for them: the operator's window tells that."""
    if all(offer.name == offer.player for offer in offers):
        return str(fault)
    logging.getLogger(__name__).warning("%s", fault)
    return f"{', '.join(offer.name for offer in offers)}: this cannot be played here; the server's window says why."


def refuse_unknown(offers: Iterable[Offer]) -> None:
    """``ValueError`` for a player of a kind that there is not."""
    for offer in offers:
        if is_external(offer.player) and not is_bot(unwrapped(offer.player)):
            make_agent(offer.player, make_game(next(iter(GAMES))))


def playable(offers: Mapping[str, Offer]) -> tuple[dict[str, list[str]], list[str]]:
    """By the name of each offer, the games that it plays by their default rules, or all where there is none: it may
    have been made for other rules. And a sentence about each of those, which may also be one that cannot be made."""
    games = []
    for name in GAMES:
        with suppress(ValueError):  # a game of another package that cannot be loaded
            games.append(make_game(name))
    found, notes = {}, []
    for name, offer in offers.items():
        faults = {game.name: fault_of(offer.player, game) for game in games}
        found[name] = [game for game, fault in faults.items() if not fault] or list(faults)
        if all(faults.values()):
            notes.append(f"{name} plays no game by its default rules. {next(iter(faults.values()))}")
    return found, notes


def choices(offers: Mapping[str, Offer], games_of: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Everything that can be chosen, as data for JSON."""
    games = []
    for name in GAMES:
        with suppress(ValueError):
            games.append(_game(name))
    return {
        "games": games,
        "players": [
            {"name": name, "sentence": offer.sentence, "slow": offer.is_slow, "games": list(games_of[name])}
            for name, offer in offers.items()
        ],
        "names": list(NAMES),
    }


def _game(name: str) -> dict[str, Any]:
    rules = described_rules(name)
    seats = make_game(name).num_players
    count: dict[str, Any] = {"default": seats, "least": seats, "most": seats, "rule": None}
    for rule in rules:
        if rule["name"] == "num_players":
            count |= {"least": rule["least"], "most": rule["most"], "rule": "num_players"}
    return {"name": name, "title": name.replace("_", " ").capitalize(), "rules": rules, "seats": count}


def game_under(name: Any, rules: Any) -> Game:
    """The game of a name under rules as JSON has them (null: the default); ``ValueError`` if there is none."""
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"game={shown(name)} is unknown: choose one of {', '.join(map(repr, GAMES))}.")
    if not isinstance(rules, Mapping):
        raise ValueError(f"rules={shown(rules)} must be an object of rules by name.")
    given = {rule: tuple(value) if isinstance(value, list) else value for rule, value in rules.items()}
    return make_game(name, **{rule: value for rule, value in given.items() if value is not None})
