"""Plays and pages as people read them, in the languages of the names of cards."""

from __future__ import annotations

from card_envs.cards import SYMBOLS, rank_name
from card_envs.render.scene import CARD


def said(action: str, names: str = "en") -> str:
    """An action's name for people: suits as symbols, ranks in their language.

    >>> said("8cxA25"), said("Th"), said("QsxQ", "ru"), said("Jcx*")
    ('8♣×A25', '10♥', 'Д♠×Д', 'J♣×*')
    """
    if len(action) < 2 or action[1] not in SYMBOLS:
        return action
    cross, taken = ("×", action[3:]) if action[2:3] == "x" else ("", action[2:])
    ranks = [rank_name(rank, names) for rank in taken]
    between = " " if "T" in taken and len(taken) > 1 else ""
    return rank_name(action[0], names) + SYMBOLS[action[1]] + cross + between.join(ranks)


def translated(text: str, names: str = "en") -> str:
    """A text with its cards, as ``cards.pretty`` writes them, in a language.

    >>> translated("table  Q♠ T♥", "de")
    'table  D♠ 10♥'
    """
    return CARD.sub(lambda card: rank_name(card[1], names) + card[2], text)
