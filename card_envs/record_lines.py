"""A line of a game record, checked: what can be said before its plays are made (``records``)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from card_envs.checks import shown
from card_envs.game import Game
from card_envs.registry import GAMES, make_game, rule_fields

FORMAT = 1
"""Version of the format. Readers refuse others."""

MOST_LETTERS = 4_000_000
"""Length of the longest line that is read: longer than that of any match that can be replayed."""

MOST_TEXT = 10_000
"""Length of the longest note, tag or name."""

_HALF_LETTER = re.compile("[\ud800-\udfff]")
"""What no file can hold: half of a surrogate pair."""

DEAL = ("dealer", "pack", "plays", "points")
"""What a deal in a line consists of, in this order."""

ENTRIES = ("record", "library", "game", "rules", "start", "players", "deals", "forfeit", "results", "notes", "tags")
"""What a line consists of, in this order."""


def decoded(line: bytes) -> str:
    """The text of a line of a file; ``ValueError`` if it is not UTF-8."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise ValueError(f"It is not UTF-8 ({fault.reason} at byte {fault.start}).") from None


def entries(line: str) -> dict[str, Any]:
    """The entries of a line, of the right kinds; ``ValueError`` otherwise."""
    if not isinstance(line, str) or len(line) > MOST_LETTERS:
        raise ValueError(f"{shown(line)} is no record: a record is a line of JSON of at most {MOST_LETTERS} letters.")
    try:
        given = json.loads(line, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"{shown(line)} is no record: it is not JSON ({fault}).") from None
    if not isinstance(given, dict) or "record" not in given:
        raise ValueError(f"{shown(line)} is no record: it must be an object with the entry 'record', {FORMAT}.")
    if type(given["record"]) is not int or given["record"] != FORMAT:
        raise ValueError(
            f"This record is of version {shown(given['record'])}, but version {FORMAT} is read here: it was written by "
            f"card_envs {shown(given.get('library'))}."
        )
    if given.keys() != set(ENTRIES):
        lacking, unknown = [k for k in ENTRIES if k not in given], [k for k in given if k not in ENTRIES]
        raise ValueError(
            f"A record has the entries {', '.join(ENTRIES)}: here {lacking} are missing and {shown(unknown)} unknown."
        )
    return given


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The entries of an object of JSON, none of them twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an entry occurs twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def game_of(given: Mapping[str, Any]) -> Game:
    """The game of a line under its rules; rules that it does not name are as by default."""
    name, rules = given["game"], given["rules"]
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"The record is of the game {shown(name)}, which is not here: {', '.join(GAMES)} are.")
    if not isinstance(rules, dict):
        raise ValueError(f"The rules of the record must be an object, not {shown(rules)}.")
    unknown = [rule for rule in rules if rule not in rule_fields(name)]
    if unknown:
        raise ValueError(f"The record has rules that {name} does not have: {shown(unknown)}.")
    return make_game(name, **{rule: tuple(v) if isinstance(v, list) else v for rule, v in rules.items()})


def names_of_plays(deals: Any) -> list[str]:
    """The names of all plays of a line's deals."""
    if not isinstance(deals, list) or not all(isinstance(deal, dict) for deal in deals):
        raise ValueError(f"The deals of the record must be a list of objects, not {shown(deals)}.")
    for number, deal in enumerate(deals, 1):
        if deal.keys() != set(DEAL):
            raise ValueError(
                f"Deal {number} of the record must have the entries {', '.join(DEAL)}, not {shown(list(deal))}."
            )
        if not isinstance(deal["plays"], str):
            raise ValueError(f"The plays of deal {number} of the record must be one text, not {shown(deal['plays'])}.")
    return [name for deal in deals for name in deal["plays"].split()]


def checked_names(players: Any, seats: int) -> tuple[str, ...]:
    """The players' names, none or one for each seat; ``ValueError`` otherwise."""
    if isinstance(players, str) or not isinstance(players, Sequence) or len(players) not in (0, seats):
        raise ValueError(f"players={shown(players)} must be a list of {seats} names, one for each seat, or none.")
    return tuple(checked_text(f"players[{seat}]", name) for seat, name in enumerate(players))


def checked_texts(what: str, texts: Any) -> dict[str, str]:
    """Texts by name; ``ValueError`` for anything else."""
    if not isinstance(texts, Mapping):
        raise ValueError(f"{what}={shown(texts)} must be texts by name.")
    return {
        checked_text(f"a name in {what}", name): checked_text(f"{what}[{shown(name)}]", text)
        for name, text in texts.items()
    }


def checked_text(what: str, text: Any) -> str:
    """A text that a file can hold, of at most ``MOST_TEXT`` letters; ``ValueError`` for anything else."""
    if not isinstance(text, str) or len(text) > MOST_TEXT or _HALF_LETTER.search(text):
        raise ValueError(f"{what} is {shown(text)}: a text of at most {MOST_TEXT} letters is needed.")
    return text


def library() -> str:
    """The version of this library."""
    from card_envs import __version__

    return __version__
