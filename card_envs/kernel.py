"""What the loops over tables need from a game: its kernel, and the codes that they exchange.

A game writes these scalar functions, over one state ``s`` and the game's constants ``g``:

================================  ==========================================================================
``lay_out(s, g)``                 deal the pack as it lies in ``s.deck``; False if that deal is void
``legal(s, g, words)``            write the bit set of legal actions of the seat to play into zeroed words
``allows(s, g, action)``          whether one action is among them
``pick(s, g, word)``              a uniform one of them, chosen by a random word
``play(s, g, action)``            play a legal action; ``record.NOTHING``, or ``COUNTED`` if the deal is over and
                                  ``s.points`` are its points, or ``OVER`` if the episode is
``observe(s, g, seat, out, at)``  write the observation of a seat from ``out[at]`` on, by ``bits.put``
``greedy(s, g)``                  the action of the game's greedy player
``taken(s, g, seat)``             honours or cards won in the deal in play
``is_won(s, g)``                  whether a match is over, a deal having been counted
``carry(s, g)``                   set what a match carries into a deal besides its scores; ``s.deals`` are counted
``settlement(s, g, seat)``        what a match pays when it is over
``hide(s, g, seat)``              blank everything a seat cannot know
``imagine(s, g)``                 fill what is blank in a view, uniform over the packs that its seat holds possible
================================  ==========================================================================

What is the same in every game is added around them (``standard.by_deals``): shuffling, the plays of a deal, the points
of an episode, the next dealer and deal of a match. ``Kernel.play`` returns ``COUNTED`` when the next deal is dealt.

Rows can come from anywhere and hold anything. All that a kernel can rely on is that ``dealer``, ``to_play`` and
``viewer`` are seats (or -1): it must keep whatever it uses as an index inside the record, and end every loop. For a row
that cannot arise in play the result may be nonsense (``sound`` finds such rows).

Some have a standard form (``standard``), so that a game may leave them out: ``legal``, ``allows`` and ``pick`` of one
whose actions are its cards and that has ``legal_cards(s, g)``, the set of cards that may be played; ``is_won`` where
a match ends as soon as somebody has reached the target; ``carry`` of one that carries nothing; ``settlement`` of one
that is not settled in money.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from card_envs.definition import kernel_functions

OUTSIDE, RANDOM, GREEDY = 0, 1, 2
"""Who plays a seat: the caller, or a built-in player."""

LEARNER, OWN_CODES = 0, 3
"""Who plays a seat of an environment: the learner, a built-in player, or, from ``OWN_CODES`` on, an opponent that is an
object with ``act``."""

FINE, IS_VIEW, FOREIGN, BROKEN, ILLEGAL, FINISHED, UNFIT = 0, 1, 2, 3, 4, 5, 6
"""What a check of the rows found, the worst last; BROKEN are rows that name nonexistent seats, UNFIT arrays whose
shapes do not match."""


@dataclass(frozen=True)
class Kernel:
    """The functions that the loops call: ``begin`` deals the first deal of an episode, ``deal`` shuffles and deals for
    the dealer and the deal number in a state; the others are in the module's table."""

    begin: Callable[..., Any]
    deal: Callable[..., Any]
    lay_out: Callable[..., Any]
    legal: Callable[..., Any]
    allows: Callable[..., Any]
    pick: Callable[..., Any]
    play: Callable[..., Any]
    observe: Callable[..., Any]
    greedy: Callable[..., Any]
    taken: Callable[..., Any]
    settlement: Callable[..., Any]
    hide: Callable[..., Any]
    imagine: Callable[..., Any]
    words: int
    """64-bit words that hold the largest set of actions."""

    @classmethod
    def of(cls, *modules: ModuleType, words: int) -> Kernel:
        """The functions of a game, found by name in the modules of its folder.

        Raises ``ValueError`` where one is missing, is not compiled, or takes other arguments than it is called with.
        """
        functions = kernel_functions(modules)
        return cls(**{name: functions[name] for name in cls.__dataclass_fields__ if name != "words"}, words=words)
