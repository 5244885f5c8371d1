"""Faults in Elfern: rules, what is seen, worlds and exact play."""

from __future__ import annotations

from tests.mutations import Mutant, beside, no_leak, plain, tests

FOLDER = "card_envs/elfern/"

BY_ELFERN = beside("elfern", 150)
RARE = plain("tests/test_rules_elfern_rare.py")
LEAKS = tests("tests/test_leaks.py")
WORLDS = tests("tests/test_worlds.py")
SOLVED = tests("tests/test_solver_elfern.py")
DRAWN = tests("tests/test_worlds_elfern.py")

ELFERN = (
    # Elfern: rules
    Mutant(
        "elfern-any-higher-card-wins",
        FOLDER + "kernel.py",
        "return g.higher[lead] & bit(card) != ZERO",
        "return card > lead",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-duty-to-follow-without-stock",
        FOLDER + "kernel.py",
        "return (g.bound_with_stock if drawn < g.pack_size else g.bound_without) != 0",
        "return (g.bound_with_stock if drawn <= g.pack_size else g.bound_without) != 0",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-places-of-drawn-cards-change-hands",
        FOLDER + "kernel.py",
        "(np.uint64(2 - winner) << np.uint64(place))",
        "(np.uint64(1 + winner) << np.uint64(place))",
        (WORLDS, LEAKS),
    ),
    Mutant(
        "elfern-each-draw-doubles-again",
        FOLDER + "kernel.py",
        "s.doubled = 1 if nobody_won",
        "s.doubled = np.int64(s.doubled) + 1 if nobody_won",
        (RARE,),
    ),
    Mutant(
        "elfern-doubling-never-ends",
        FOLDER + "kernel.py",
        "and np.int64(s.deals) > 0 else 0",
        "and np.int64(s.deals) > 0 else s.doubled",
        (BY_ELFERN, RARE),
    ),
    # Elfern: what is seen
    Mutant(
        "elfern-room-does-not-grow",
        FOLDER + "kernel.py",
        "s.room[seat] = ((s.room[seat] << ONE) | g.one_each) & g.whole_room",
        "s.room[seat] = s.room[seat]",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-room-of-the-wrong-suit",
        FOLDER + "kernel.py",
        "np.uint64(g.suit_of[lead] * g.hand_size)",
        "np.uint64(g.suit_of[card] * g.hand_size)",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-free-discard-shows-a-void",
        FOLDER + "kernel.py",
        "return is_bound(g, drawn) and g.suit_of[card] != g.suit_of[lead]",
        "return g.suit_of[card] != g.suit_of[lead]",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-view-shows-the-next-card-of-the-stock",
        FOLDER + "kernel.py",
        "blank_all_but(s, g, places_of(s, seat))",
        "blank_all_but(s, g, places_of(s, seat) | bit(np.int64(s.drawn)))",
        (no_leak("elfern"), LEAKS),
    ),
    Mutant(
        "elfern-room-beyond-the-hand",
        FOLDER + "observation.py",
        "s.room[other] & (few(held) * g.one_each)",
        "s.room[other]",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-room-of-the-own-hand",
        FOLDER + "observation.py",
        "s.room[other] & (few(held) * g.one_each)",
        "s.room[seat] & (few(held) * g.one_each)",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-masters-by-the-other-hand",
        FOLDER + "observation.py",
        "masters(g, hand, unseen)",
        "masters(g, hand, np.uint64(s.hand[other]))",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-masters-look-four-ranks-up",
        FOLDER + "observation.py",
        "for k, step in enumerate((1, 2, 4)):",
        "for k, step in enumerate((1, 2)):",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-lead-unseen",
        FOLDER + "observation.py",
        " | bit(led_card(s))\n",
        "\n",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-dealer-turned",
        FOLDER + "observation.py",
        "np.int64(np.int64(s.dealer) == seat) + 2",
        "np.int64(np.int64(s.dealer) == other) + 2",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-other-score-is-the-own",
        FOLDER + "observation.py",
        "at = put_count(out, at, g.target, score(s, other))",
        "at = put_count(out, at, g.target, score(s, seat))",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-hand-size-without-the-lead",
        FOLDER + "observation.py",
        "return (both + np.int64(np.int64(s.to_play) == seat)) >> 1",
        "return both >> 1",
        (BY_ELFERN,),
    ),
    Mutant(
        "elfern-greedy-peeks",
        FOLDER + "greedy.py",
        "unseen = unseen_cards(s, g, np.int64(s.to_play))",
        "unseen = np.uint64(s.hand[1 - np.int64(s.to_play)])",
        (no_leak("elfern"), LEAKS),
    ),
    # Elfern: worlds and exact play
    Mutant(
        "elfern-worlds-forget-voids",
        FOLDER + "worlds.py",
        "since[g.suit_of[lead]] = drawn",
        "since[g.suit_of[lead]] = 0",
        (DRAWN,),
    ),
    Mutant(
        "elfern-worlds-forget-what-played-cards-show",
        FOLDER + "worlds.py",
        "earliest[plays] = since[g.suit_of[card]]",
        "earliest[plays] = 0",
        (DRAWN,),
    ),
    Mutant(
        "elfern-worlds-count-segments-not-places",
        FOLDER + "counts.py",
        "count += digits[i] * ways_after[code - weights[i] + gain]",
        "count += ways_after[code - weights[i] + gain]",
        (DRAWN,),
    ),
    Mutant(
        "elfern-worlds-hold-what-was-not-there",
        FOLDER + "worlds.py",
        "card = draw_from(s, allowed(g, unseen, since, place))",
        "card = draw_from(s, unseen)",
        (DRAWN,),
    ),
    Mutant(
        "elfern-solver-answers-a-goal-too-low",
        FOLDER + "solver.py",
        "value = left - search(g, m, hands, stock, drawn, left - goal + 1, led, bit(card))",
        "value = left - search(g, m, hands, stock, drawn, left - goal, led, bit(card))",
        (SOLVED,),
    ),
    Mutant(
        "elfern-solver-loser-draws-first",
        FOLDER + "open_search.py",
        "rest |= winners_card | (losers_card << HALF)",
        "rest |= losers_card | (winners_card << HALF)",
        (SOLVED,),
    ),
    Mutant(
        "elfern-solver-worth-undoubled",
        FOLDER + "solver.py",
        " * (1 + np.int64(s.doubled)))",
        ")",
        (SOLVED, tests("tests/test_regret.py")),
    ),
)
