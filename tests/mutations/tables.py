"""Faults in what all games share: records, rewards, forfeits, and the verbs over tables."""

from __future__ import annotations

from tests.mutations import Mutant, beside, tests

BY_ELFERN = beside("elfern", 150)
BY_KONCHINKA = beside("konchinka", 150)
FORFEITS = tests("tests/test_forfeits.py")
LEAKS = tests("tests/test_leaks.py")
CHANCE = tests("tests/test_battery_chance.py", "tests/test_chance.py")

TABLES = (
    # All games: records and rewards
    Mutant(
        "mean-of-all-not-of-the-others",
        "card_envs/record.py",
        "return own - (everyone - own) / (players - 1)",
        "return own - everyone / players",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "winners-paid-in-full-each",
        "card_envs/record.py",
        "return 1.0 / level if",
        "return 1.0 if",
        (BY_KONCHINKA,),
    ),
    Mutant(
        "forfeit-share-of-deals-counted",
        "card_envs/record.py",
        "least *= np.float64(np.int64(s.deals) + 1)",
        "least *= np.float64(max(np.int64(s.deals), 1))",
        (FORFEITS,),
    ),
    Mutant(
        "forfeit-share-of-one-deal",
        "card_envs/record.py",
        "least *= np.float64(np.int64(s.deals) + 1)",
        "least *= 1.0",
        (FORFEITS,),
    ),
    Mutant(
        "forfeit-pays-each-other-seat-in-full",
        "card_envs/record.py",
        "else -least / (g.num_players - 1)",
        "else -least",
        (FORFEITS,),
    ),
    Mutant(
        "forfeited-match-is-settled",
        "card_envs/verbs.py",
        'kept = states["forfeit"] < 0',
        'kept = states["forfeit"] < 100',
        (FORFEITS,),
    ),
    Mutant(
        "forfeit-outlives-the-episode",
        "card_envs/record.py",
        "    s.forfeit = -1\n",
        "    s.forfeit = -1 if s.plays == 0 else s.forfeit\n",
        (FORFEITS, tests("tests/test_envs_single_bad_input.py")),
    ),
    Mutant(
        "scores-of-the-start-outlive-the-match",
        "card_envs/record.py",
        "        s.start[seat] = 0\n",
        "        s.start[seat] = s.start[seat]\n",
        (CHANCE, tests("tests/test_battery.py")),
    ),
    Mutant(
        "share-outlives-the-episode",
        "card_envs/record.py",
        "        s.taken_before[seat] = 0\n",
        "        s.taken_before[seat] = s.taken_before[seat]\n",
        (CHANCE, tests("tests/test_battery.py")),
    ),
    Mutant(
        "share-of-earlier-deals-forgotten",
        "card_envs/standard.py",
        "s.taken_before[seat] = np.int64(s.taken_before[seat]) + taken(s, g, seat)",
        "s.taken_before[seat] = taken(s, g, seat)",
        (BY_ELFERN, BY_KONCHINKA),
    ),
    Mutant(
        "same-dealer-again",
        "card_envs/standard.py",
        "s.dealer = (np.int64(s.dealer) + 1) % g.num_players",
        "s.dealer = np.int64(s.dealer)",
        (BY_ELFERN, BY_KONCHINKA),
    ),
    Mutant(
        "target-to-be-passed",
        "card_envs/standard.py",
        "if score(s, seat) >= g.target:",
        "if score(s, seat) > g.target:",
        (BY_ELFERN,),
    ),
    Mutant(
        "plays-of-the-last-deal-stay",
        "card_envs/record.py",
        "        s.history[k] = 0\n",
        "        s.history[k] = s.history[k]\n",
        (tests("tests/test_battery_chance.py"),),
    ),
    Mutant(
        "one-lot-for-all-episodes",
        "card_envs/record.py",
        "s.dealer = lot(s.seed, s.deal, g.num_players)",
        "s.dealer = lot(s.seed, np.uint64(0), g.num_players)",
        (CHANCE, tests("tests/test_rules_elfern.py", "tests/test_rules_konchinka.py")),
    ),
    # All games: verbs
    Mutant(
        "share-of-this-deal-alone",
        "card_envs/loops/returns.py",
        "honours = np.int64(s.taken_before[other]) + taken(s, g, other)",
        "honours = taken(s, g, other)",
        (BY_ELFERN,),
    ),
    Mutant(
        "reset-passes-over-a-deal",
        "card_envs/loops/dealing.py",
        "            s.deal += np.uint64(1)\n            begin(s, g)",
        "            s.deal += np.uint64(2)\n            begin(s, g)",
        (CHANCE,),
    ),
    Mutant(
        "auto-reset-deals-the-same-again",
        "card_envs/loops/playing.py",
        "                s.deal += np.uint64(1)\n",
        "",
        (CHANCE,),
    ),
    Mutant(
        "views-keep-the-dice",
        "card_envs/loops/hidden.py",
        "                s.seed = np.uint64(0)\n                s.choice = np.uint64(0)\n",
        "                s.seed = np.uint64(0)\n",
        (LEAKS,),
    ),
    Mutant(
        "refused-samples-move-the-dice",
        "card_envs/loops/choosing.py",
        "            if fault_of(s, g) == FINE and s.over == 0:\n                take_back(s)",
        "            if fault_of(s, g) != FINE and s.over == 0:\n                take_back(s)",
        (tests("tests/test_bad_input_batches.py", "tests/test_bad_input.py", "tests/test_threads.py"),),
    ),
    Mutant(
        "history-turned-the-other-way",
        "card_envs/verbs.py",
        "relative = (seat - seats[:, None]) % self.num_players",
        "relative = (seats[:, None] - seat) % self.num_players",
        (tests("tests/test_battery.py", "-k", "history"),),
    ),
    Mutant(
        "illegal-actions-of-others-accepted",
        "card_envs/loops/faults.py",
        "return bool(s.over == 0 and is_action and allows(s, g, action))",
        "return bool(s.over == 0 and is_action)",
        (tests("tests/test_battery.py", "-k", "legal"),),
    ),
)
