"""What the tests need to know about a game: ``Probe``.

A game has one in the module ``probe`` of its folder. With it the battery of tests covers every registered game without
naming any.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from card_envs.game import Game

Rules = dict[str, Any]
"""Rules of a game that differ from its defaults, as keywords of ``make_game``."""


@dataclass(frozen=True)
class Probe:
    """Where the cards of a game are and whose they are, and the rules worth testing.

    variants: rules to test, the default ones (``{}``) among them: each rule at its bounds, matches, small sizes.
    few: some of these, for slow tests: together they include a match and all numbers of players that matter.
    smallest: rules with so few cards that every pack can be tried; None if the game has no such size (its own tests
        then show that worlds are uniform).
    owner: ``owner(game, row, place)``, the seat that a position of the pack was dealt to, or -1 for none so far.
    public: ``public(game, row, place)``, whether everybody has seen which card lies, or lay, at a position of the pack.
    undealt: ``undealt(game, row)``, positions of the pack whose cards are in no hand, on no table, and in no pile, the
        next one to be dealt first.
    won: ``won(row, seat)``, the set of cards that a seat has won, which are out of play.
    table: parts of an observation that together show ``table_cards``.
    known: ``known(game, row, seat)``, what else of a position matters and a seat may know, besides the cards, the
        scores and the dealer: its observation must tell all of it.
    drawn: ``drawn(generator)``, rules drawn at random from all that are allowed, by a ``random.Random``; None if the
        variants are enough.
    oracle: an independent second form of the rules, as "module:Class", if there is one. Only tests import it.
        It is made as ``Class(packs, dealer, **rules, **more)``, where ``packs(k)`` is the k-th pack of names, and
        ``more`` what ``new_state`` takes (``scores`` and match extras). It has ``legal()``, ``play(name)``,
        ``to_play``, ``is_over``, ``dealer``, ``hands``, ``table``, ``piles``, ``undealt`` (in order), ``points``,
        ``scores``, ``settlement``, ``returns``, ``deal_number``, ``void_deals``, and the match extras by name; for the
        other rewards ``taken(seat)``, ``taken_before``, ``everything`` and ``winners()``; and, if it tells what a seat
        sees as well, ``sees(seat)``: the bits of an observation, by part.
    """

    variants: tuple[Rules, ...]
    few: tuple[Rules, ...]
    smallest: Rules | None
    owner: Callable[[Game, Any, int], int]
    public: Callable[[Game, Any, int], bool]
    undealt: Callable[[Game, Any], Sequence[int]]
    won: Callable[[Any, int], int]
    table: tuple[str, ...]
    known: Callable[[Game, Any, int], tuple[Any, ...]] = lambda game, row, seat: ()
    drawn: Callable[[random.Random], Rules] | None = None
    oracle: str = ""
