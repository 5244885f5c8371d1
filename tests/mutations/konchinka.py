"""Faults in Konchinka: dealing, playing, counting, what is seen, worlds and exact play."""

from __future__ import annotations

from tests.mutations import Equivalent, Mutant, beside, no_leak, plain, tests

FOLDER = "card_envs/konchinka/"

BY_KONCHINKA = beside("konchinka", 150)
RARE = plain("tests/test_rules_konchinka_rare.py")
LEAKS = tests("tests/test_leaks.py")
PUBLIC = tests("tests/test_public_elfern_konchinka.py")
WORLDS = tests("tests/test_worlds.py")
SOLVED = tests("tests/test_solver_konchinka.py")
DRAWN = tests("tests/test_worlds_konchinka.py")
EARLY = plain("tests/test_rules_konchinka_counting.py", "-k", "k15")

KONCHINKA = (
    # Konchinka: dealing
    Mutant(
        "konchinka-twelve-replacements-at-most",
        FOLDER + "dealing.py",
        "MOST_REPLACEMENTS = 52",
        "MOST_REPLACEMENTS = 12",
        (RARE,),
    ),
    Mutant(
        "konchinka-put-back-below-the-middle",
        FOLDER + "dealing.py",
        "middle = top + (52 - top) // 2 - 1",
        "middle = min(top + (52 - top) // 2, 51)",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-known-places-stay-when-the-pack-moves",
        FOLDER + "dealing.py",
        "below_middle | (above >> ONE) | bit(middle)",
        "below_middle | above | bit(middle)",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-undealt-cards-belong-to-seats",
        FOLDER + "dealing.py",
        "if place < 0 or place >= g.dealt_later * g.num_players:",
        "if place < 0:",
        (PUBLIC,),
    ),
    Mutant(
        "konchinka-denials-outlive-the-deal",
        FOLDER + "dealing.py",
        "s.denied[seat] = 0",
        "s.denied[seat] = 0 if s.table != ZERO else s.denied[seat]",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-view-shows-the-next-card-of-the-pack",
        FOLDER + "dealing.py",
        "np.uint64(0b1111) << np.uint64(4 * g.num_players)",
        "np.uint64(0b11111) << np.uint64(4 * g.num_players)",
        (LEAKS,),
    ),
    # Konchinka: playing and counting
    Mutant(
        "konchinka-jacks-of-the-first-table-stay",
        FOLDER + "dealing.py",
        "while rank == JACK or ranks & bit(rank) != ZERO:",
        "while ranks & bit(rank) != ZERO:",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-sums-of-four-forgotten",
        FOLDER + "moves.py",
        "for size in range(2, 6)",
        "for size in range(2, 4)",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-kings-in-no-sum",
        FOLDER + "moves.py",
        "parts = range(13 if rules.figures else 10)",
        "parts = range(12 if rules.figures else 10)",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-figures-sum-to-their-own-worth",
        FOLDER + "moves.py",
        "worth = rules.figure_sums[rank - JACK] if rank >= JACK else rank + 1",
        "worth = rank + 1",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-a-trail-denies-by-the-table-after-it",
        FOLDER + "kernel.py",
        "captors = np.uint64(g.captors[np.int64(ranks_of(s.table))])\n",
        "captors = np.uint64(g.captors[np.int64(ranks_of(s.table | bit(card)))])\n",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-a-trail-forgets-earlier-denials",
        FOLDER + "kernel.py",
        "s.denied[seat] = np.uint64(s.denied[seat]) | captors",
        "s.denied[seat] = captors",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-no-short-last-round",
        FOLDER + "kernel.py",
        "    if cards == 0:\n        return count(s, g)",
        "    if cards < 4:\n        return count(s, g)",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-undealt-cards-go-to-nobody",
        FOLDER + "kernel.py",
        "|= s.table | left_over(s)",
        "|= s.table",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-level-at-the-top-scores",
        FOLDER + "kernel.py",
        "second = max(second, min(own, most))",
        "second = max(second, own) if own < most else second if own == most else most",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-second-most-forgotten",
        FOLDER + "kernel.py",
        "second = max(second, min(own, most))",
        "second = min(own, most)",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-eight-clubs-end-a-match",
        FOLDER + "kernel.py",
        "if popcount(pile & CLUBS) >= 7",
        "if popcount(pile & CLUBS) >= 8",
        (EARLY, RARE),
    ),
    Mutant(
        "konchinka-early-end-for-one-who-needs-three",
        FOLDER + "kernel.py",
        "return needed if needed <= 2 else 0",
        "return needed if needed <= 3 else 0",
        (BY_KONCHINKA, EARLY),
    ),
    Mutant(
        "konchinka-early-end-beside-one-at-the-target",
        FOLDER + "kernel.py",
        "        if score(s, other) >= g.target:\n            return 0",
        "        if score(s, other) > g.target:\n            return 0",
        (EARLY, RARE),
    ),
    Mutant(
        "konchinka-early-end-counts-the-whole-deal",
        FOLDER + "kernel.py",
        "s.points[seat] = early_points(s.pile[seat])",
        "s.points[seat] = points_of(s.pile[seat], second_most(s, g, first(52)), second_most(s, g, CLUBS))",
        (BY_KONCHINKA, EARLY),
    ),
    Mutant(
        "konchinka-level-at-the-target-ends-a-match",
        FOLDER + "kernel.py",
        "return best >= g.target and level == 1",
        "return best >= g.target",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-the-first-past-the-target-wins-though-second",
        FOLDER + "kernel.py",
        "        if points > best:\n            best, level = points, 0",
        "        if points > best and best < g.target:\n            best, level = points, 0",
        (RARE, BY_KONCHINKA),
    ),
    Mutant(
        "konchinka-one-loser-pays",
        FOLDER + "kernel.py",
        "paid += price",
        "paid = price",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-who-passed-the-target-is-paid",
        FOLDER + "kernel.py",
        "g.chip * max(g.target - score(s, other), 0)",
        "g.chip * (g.target - score(s, other))",
        (BY_KONCHINKA, RARE),
    ),
    Mutant(
        "konchinka-last-action-never-drawn",
        FOLDER + "kernel.py",
        "index = below(word, count)",
        "index = below(word, max(count - 1, 1))",
        (tests("tests/test_battery.py", "-k", "sampled"),),
    ),
    # Konchinka: what is seen
    Mutant(
        "konchinka-next-hand-shown-to-eleven-in-a-match",
        FOLDER + "observation.py",
        "at = put(out, at, 13, np.uint64(s.denied[other]))",
        "shown = ranks_of(s.hand[other]) if g.dealt_later == 0 and g.match != 0 and np.int64(s.deals) > 0 else ZERO\n"
        "            at = put(out, at, 13, np.uint64(s.denied[other]) | shown)",
        (no_leak("konchinka-num_players=11-match=True-obligation=hand"),),
    ),
    Mutant(
        "konchinka-three-of-a-rank-half-seen",
        FOLDER + "observation.py",
        "three = (both_cd & some_hp) | (both_hp & some_cd)",
        "three = both_cd & some_hp",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-played-cards-known-in-hands",
        FOLDER + "observation.py",
        "owner >= 0 and unplayed & bit(card) != ZERO",
        "owner >= 0",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-dealt-cards-known-in-the-pack",
        FOLDER + "observation.py",
        "out[at + card] = place >= np.int64(s.dealt)",
        "out[at + card] = 1",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-own-known-cards-forgotten",
        FOLDER + "observation.py",
        "put_known(s, g, seat, unseen | hand, out, at)",
        "put_known(s, g, seat, unseen, out, at)",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-overtime-one-short",
        FOLDER + "observation.py",
        "OVERTIME = 8",
        "OVERTIME = 7",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-capturing-of-all-cards",
        FOLDER + "observation.py",
        "at = put(out, at, 52, capturing(g, s.table, hand))",
        "at = put(out, at, 52, capturing(g, s.table, unseen))",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "konchinka-greedy-peeks",
        FOLDER + "greedy.py",
        "    unseen = unseen_cards(s, g, seat)\n",
        "    unseen = s.hand[next_seat(g, seat)]\n",
        (no_leak("konchinka"), LEAKS),
    ),
    # Konchinka: worlds and exact play
    Mutant(
        "konchinka-worlds-forget-denials",
        FOLDER + "worlds.py",
        "possible = hidden & ~(np.uint64(s.denied[seat]) * EVERY_SUIT)",
        "possible = hidden",
        (DRAWN,),
    ),
    Mutant(
        "konchinka-worlds-fill-one-hand-after-the-other",
        FOLDER + "worlds.py",
        "if kept < of and below(draw(s), of) >= kept:",
        "if kept == 0:",
        (DRAWN,),
    ),
    Mutant(
        "konchinka-worlds-lay-plays-in-order",
        FOLDER + "worlds.py",
        "place = draw_from(s, blank & places[seat] & first(dealt))",
        "place = lowest(blank & places[seat] & first(dealt))",
        (DRAWN,),
    ),
    Mutant(
        "konchinka-worlds-mix-the-rounds",
        FOLDER + "worlds.py",
        "            dealt += in_round\n",
        "            dealt = 52\n",
        (DRAWN, WORLDS),
    ),
    Mutant(
        "konchinka-solver-exact-too-soon",
        FOLDER + "solver.py",
        "return g.num_players == 2 and for_each(g, 52 - np.int64(s.dealt)) == 0",
        "return g.num_players == 2",
        (SOLVED,),
    ),
)

EQUIVALENT = (
    Equivalent(
        "konchinka-fifty-one-replacements",
        FOLDER + "dealing.py",
        "MOST_REPLACEMENTS = 52",
        "MOST_REPLACEMENTS = 51",
        "a card put back reaches the table again only after all of the upper half: a deal that is not void needs 13 "
        "replacements at most (four jacks, nine cards of the ranks of the first three places), and any limit from 13 "
        "on finds the same deals void; that 13 are made is tested",
    ),
    Equivalent(
        "konchinka-no-sums-of-five",
        FOLDER + "moves.py",
        "for size in range(2, 6)",
        "for size in range(2, 5)",
        "five different ranks are worth 1 + 2 + 3 + 4 + 5 = 15 at least, and no card captures more than 14",
    ),
    Equivalent(
        "konchinka-worlds-reject-more",
        FOLDER + "worlds.py",
        "popcount(can_hold[i]) - least_taken(held, can_hold, i)",
        "popcount(can_hold[i])",
        "a looser bound rejects more proposals, all ways alike still",
    ),
)
