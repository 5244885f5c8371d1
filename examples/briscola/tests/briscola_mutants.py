"""One fault of each kind that the battery of tests must see in any game, planted in Briscola (``tests.mutations``)."""

from __future__ import annotations

from tests.mutations import Mutant, plain

KERNEL = "examples/briscola/briscola/kernel.py"
VIEWS = "examples/briscola/briscola/views.py"
LEAKS = plain("tests/test_leaks.py", "-k", "briscola and (shuffl or view_shows)")
WORLDS = plain("tests/test_worlds.py", "-k", "briscola and uniform")
ORACLE = plain("tests/test_differential.py", "-k", "briscola and random_deals")

MUTANTS = (
    Mutant(
        "briscola-views-show-the-next-card",
        KERNEL,
        "s.places[seat] | bit(turned_place(g)))",
        "s.places[seat] | bit(turned_place(g)) | bit(turned_place(g) + 1))",
        (LEAKS,),
    ),
    Mutant(
        "briscola-observation-knows-the-last-card",
        VIEWS,
        "~(hand | s.won[0] | s.won[1] | led | turned)",
        "~(hand | s.won[0] | s.won[1] | led | turned | bit(card_at(s, size - 1)))",
        (LEAKS,),
    ),
    Mutant(
        "briscola-greedy-peeks-at-the-other-hand",
        VIEWS,
        "trick = POINT * card_points(g, bit(led_card(s)))",
        "trick = POINT * card_points(g, bit(led_card(s)) | first(card) & s.hand[1 - turn_of(s)])",
        (LEAKS,),
    ),
    Mutant(
        "briscola-worlds-are-not-uniform",
        VIEWS,
        "place = draw_from(s, free)",
        "place = lowest(free)",
        (WORLDS,),
    ),
    Mutant(
        "briscola-a-trump-never-wins",
        KERNEL,
        "return g.higher[led_card(s)] | (trumps(s, g) & ~g.same_suit[led_card(s)])",
        "return g.higher[led_card(s)]",
        (ORACLE,),
    ),
)
