"""A position as one line of text: the rules, what was carried into the deal, the pack, and the plays.

    elfern match=true | seed=7 deal=0 choice=93 dealer=1 ... | AhKd... | Kh 9h

Reading a line deals the pack and replays the plays, so it can hold no position that the rules cannot reach.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from card_envs.checks import shown
from card_envs.errors import IllegalAction
from card_envs.state import State, legible

if TYPE_CHECKING:
    from card_envs.game import Game

_COMMON = ("seed", "deal", "choice", "dealer", "deals", "start", "total", "points", "taken_before", "forfeit")
MOST_LETTERS = 10_000
"""Length of the longest line that is read, several times any that is written."""

MOST_DEALS = 1000
"""Deals of the longest match whose positions are read: far more than are ever played, and their sums fit the record."""

_MATCH_ONLY = ("deals", "start", "total", "points", "taken_before")


@legible
def write(state: State) -> str:
    """The line of a full state; ``ValueError`` for a view, whose hidden cards are gone."""
    if state.viewer is not None:
        raise ValueError("A view has no line of text: what its seat cannot know is blank. Write the full state.")
    game, row = state.game, state.record.copy()
    if row["over"][0] and row["forfeit"][0] < 0:  # as it stood before this deal was counted
        row["total"] -= row["points"]
        row["points"] = 0
        row["deals"] -= 1
    fields = (f"{field}={_plain(row[field][0], game.num_players)}" for field in (*_COMMON, *game.carried))
    deck = "".join(pack(state))
    plays = " ".join(name for _, name in state.history)
    return f"{_head(game)} | {' '.join(fields)} | {deck} | {plays}".rstrip()


def pack(state: State) -> list[str]:
    """The pack of the deal in play as it lay to be dealt, top card first; of a full state."""
    return [state.game.pack.name(card) for card in state.record["deck"][0, : state.game.pack.size].tolist()]


def read(game: Game, text: str) -> State:
    """The state of a line that ``write`` made for this game."""
    readable = isinstance(text, str) and len(text) <= MOST_LETTERS and "\n" not in text
    parts = [part.strip() for part in text.split("|")] if readable else []
    if len(parts) != 4:
        raise ValueError(
            f"{shown(text)} is not a position: one line of four parts with | between is needed, "
            "rules | fields | deck | plays, as state_to_text writes it."
        )
    if parts[0] != _head(game):
        raise ValueError(f"This position is of the game {shown(parts[0])}, not {_head(game)!r}.")
    row = np.zeros(1, game.dtype)
    game.loops.new(row, game.constants, np.zeros(1, np.uint64))
    _fill(game, row, parts[1])
    carried = {field: row[field].copy() for field in game.carried}
    game.lay_out(row, game.pack.whole(parts[2]))
    for field, value in carried.items():
        row[field] = value
    game.check_position(row[0])
    state = State(game, row)
    for number, name in enumerate(parts[3].split()):
        if state.is_over or row["deal"][0] != _number(parts[1], "deal"):
            raise ValueError(f"The position goes on with {shown(name)} (play {number + 1}) after its deal has ended.")
        try:
            state.play(name)
        except IllegalAction as error:
            raise ValueError(f"Play {number + 1} of the position is illegal. {error}") from None
    if row["forfeit"][0] >= 0:
        if row["forfeit"][0] != state.to_play:
            raise ValueError(f"forfeit={row['forfeit'][0]} in the position is not the seat to play, {state.to_play}.")
        row["over"], row["to_play"] = 1, -1
    if write(state) != " | ".join(parts).rstrip():
        raise ValueError(f"The position contradicts itself: as it stands it would be written {write(state)!r}.")
    return state


def _head(game: Game) -> str:
    """Name and rules, without the fields left at their defaults."""
    defaults = type(game.rules)()
    changed = {
        field: value for field, value in dataclasses.asdict(game.rules).items() if value != getattr(defaults, field)
    }
    return " ".join([game.name, *(f"{field}={_word(value)}" for field, value in changed.items())])


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_word, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(value: Any, seats: int) -> str:
    return ",".join(str(int(one)) for one in value[:seats]) if np.ndim(value) else str(int(value))


def _number(fields: str, name: str) -> int:
    return next(int(word.partition("=")[2]) for word in fields.split() if word.startswith(f"{name}="))


def _fill(game: Game, row: np.ndarray[Any, Any], text: str) -> None:
    """Set the fields of a row as written, each in its range."""
    names = (*_COMMON, *game.carried)
    given = [field.partition("=") for field in text.split()]
    if tuple(name for name, _, _ in given) != names:
        raise ValueError(f"The fields of the position must be {' '.join(names)}, in this order, not {shown(text)}.")
    for name, _, value in given:
        place = row[name][0, : game.num_players] if row[name].ndim > 1 else row[name]
        limits = np.iinfo(row.dtype[name].base)
        try:
            numbers = [int(one) for one in value.split(",")]
        except ValueError:
            raise ValueError(f"{name}={shown(value)} in the position is not a whole number.") from None
        if len(numbers) != place.size or not all(limits.min <= one <= limits.max for one in numbers):
            raise ValueError(f"{name}={shown(value)} in the position must be {place.size} numbers in range.")
        if name in (*_MATCH_ONLY, *game.match_extras) and not game.rules.match and any(numbers):
            raise ValueError(f"{name}={shown(value)} in the position needs match=True: a single deal carries nothing.")
        place[:] = numbers
    if row["deals"][0] > MOST_DEALS:
        raise ValueError(f"deals={row['deals'][0]} in the position: no match is read that has had over {MOST_DEALS}.")
    for name in ("dealer", "forfeit"):
        if not (-1 if name == "forfeit" else 0) <= row[name][0] < game.num_players:
            raise ValueError(f"{name}={row[name][0]} in the position is not a seat.")
    _check_scores(game, row[0])


def _check_scores(game: Game, row: Any) -> None:
    """Refuse scores that cannot be made in that many deals, and a match that is over already."""
    start, total, points, taken = (
        row[name][: game.num_players].astype(int) for name in ("start", "total", "points", "taken_before")
    )
    deals, most = int(row["deals"]), game.most_points
    for name, numbers, bound in (("points", points, most), ("total", total, most * deals)):
        if numbers.min() < 0 or numbers.sum() > bound or (deals == 0 and numbers.any()):
            raise ValueError(f"{name}={numbers.tolist()} in the position cannot be made in {deals} deals.")
    if (points > total).any():
        raise ValueError(f"points={points.tolist()} in the position are not among total={total.tolist()}.")
    everything = deals * int(game.constants["all_taken"][0])
    if game.rules.match and taken.sum() != everything:
        raise ValueError(f"taken_before={taken.tolist()} in the position must add up to {everything} in {deals} deals.")
    for scores in (start, start + total - points, start + total):
        if game.rules.match and not game.match_goes_on(scores.tolist()):
            raise ValueError(f"The match of the position is over already, at scores {scores.tolist()}.")
