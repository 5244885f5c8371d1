"""What people type for a play, and how plays are told to them."""

from __future__ import annotations

from card_envs.cards import NAMES, pretty
from card_envs.checks import shown
from card_envs.records import GameRecord
from card_envs.render.plays import said, translated
from card_envs.state import State


def typed_play(text: str, view: State) -> int:
    """The play of the seat to play that a text means: its number in the list, its name, or the beginning of its name.

    The list is that of the legal actions, from 1. Names are taken in every language. Raises ``ValueError`` with a
    sentence for a text that means no play, or several.
    """
    legal = view.legal_actions().tolist()
    if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= len(legal):
        return int(legal[int(text) - 1])
    try:
        action = view.game.action_id(text)
        if action in legal:
            return action
    except ValueError:
        pass  # it may be the beginning of a name
    found = [action for action in legal if begins(text, view.game.action_name(action))]
    if len(found) == 1:
        return int(found[0])
    if found:
        several = ", ".join(said(view.game.action_name(action)) for action in found)
        raise ValueError(f"{shown(text)} may be {several}: write more of it, or its number.")
    raise ValueError(f"{shown(text)} is none of your plays: give its number, 1 to {len(legal)}, or its card.")


def begins(text: str, action: str) -> bool:
    """Whether a text is the beginning of an action's name, in any language."""
    start = _plain(text)
    return bool(start) and any(_plain(name).startswith(start) for name in (action, *(said(action, n) for n in NAMES)))


def _plain(text: str) -> str:
    return "".join(text.casefold().split()).replace("10", "t").replace("×", "x")


def page(state: State, seat: int, names: str = "en") -> str:
    """What a seat may see of a position, its cards as people write them."""
    return translated(state.text(seat), names)


def listed_plays(view: State, names: str = "en") -> list[str]:
    """What the seat to play may play, and what that takes from the table.

    >>> import card_envs
    >>> listed_plays(card_envs.make_game("konchinka").new_state(seed=7).view())
    ['9♣×A8  takes A♣ 8♥', '7♠×A24  takes A♣ 4♦ 2♠', '9♠×A8  takes A♣ 8♥', 'J♠×*  takes A♣ 4♦ 8♥ 2♠']
    """
    row, plays = view.record[0], []
    for action in view.legal_actions().tolist():
        taken = pretty(view.game.cards_of(row, action)[1])
        name = said(view.game.action_name(action), names)
        plays.append(name if taken == pretty([]) else f"{name}  takes {translated(taken, names)}")
    return plays


def told_play(record: GameRecord, number: int, names: str = "en") -> str:
    """A play of a record for people: the card, and what it takes from the table.

    >>> import card_envs
    >>> record = GameRecord(card_envs.make_game("konchinka").new_state(seed=7))
    >>> record.play("7sxA24")
    >>> told_play(record, 0)
    '7♠ and takes A♣ 4♦ 2♠'
    """
    state = record.at(number)
    card, takes = state.game.cards_of(state.record[0], state.game.action_id(record.plays[number].name))
    return translated(pretty([card]) + (f" and takes {pretty(takes)}" if takes else ""), names)
