"""Faults in what bots are told: positions as data, and the lines that carry them."""

from __future__ import annotations

from tests.mutations import Mutant, tests

LINES = "agents/card_agents/players/external/lines.py"
PUBLIC = tests("tests/test_public.py", "tests/test_public_elfern_konchinka.py")
SPOKEN = tests("tests/test_protocol.py")

PROTOCOL = (
    Mutant(
        "public-deals-counted-from-zero",
        "card_envs/public.py",
        '"deal": int(row.deals) + (not counted),',
        '"deal": int(row.deals),',
        (PUBLIC,),
    ),
    Mutant(
        "elfern-public-hands-both-alike",
        "card_envs/elfern/game.py",
        "return [(both + int(turn == s)) // 2 for s in (0, 1)]",
        "return [(both + 1) // 2 for s in (0, 1)]",
        (PUBLIC,),
    ),
    Mutant(
        "konchinka-public-places-from-zero",
        "card_envs/konchinka/game.py",
        "in_pack = place - int(row.dealt) + 1",
        "in_pack = place - int(row.dealt)",
        (PUBLIC,),
    ),
    Mutant(
        "konchinka-public-tells-cards-put-back-for-ever",
        "card_envs/konchinka/game.py",
        "            if card not in played:\n",
        "            if card:\n",
        (PUBLIC,),
    ),
    Mutant(
        "protocol-speaks-any-version",
        LINES,
        "if type(wanted) is not int or wanted not in PROTOCOLS:",
        "if wanted not in PROTOCOLS:",
        (SPOKEN,),
    ),
    Mutant(
        "protocol-ends-seen-from-the-first-seat",
        LINES,
        '"position": game.public(final, seat)}',
        '"position": game.public(final, 0)}',
        (SPOKEN,),
    ),
)
