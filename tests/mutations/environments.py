"""Faults in the environments: who is credited with what, who sits where, which deal comes next."""

from __future__ import annotations

from tests.mutations import Mutant, tests

TABLES = "card_envs/envs/tables.py"
SINGLE = tests("tests/test_envs_single.py", "tests/test_envs_single_bad_input.py")
VECTOR = tests("tests/test_envs_vector.py")
OPPONENTS = tests("tests/test_envs_opponents.py")
RESETS = tests("tests/test_envs_reset.py")

ENVIRONMENTS = (
    Mutant(
        "reset-with-options-repeats-the-pack",
        TABLES,
        '{"deal": (int(table["deal"][0]) + 1) % 2**64} | given',
        '{"deal": int(table["deal"][0])} | given',
        (RESETS,),
    ),
    Mutant(
        "reset-with-options-begins-at-the-first-deal",
        TABLES,
        '{"deal": (int(table["deal"][0]) + 1) % 2**64} | given',
        '{"deal": 1} | given',
        (RESETS,),
    ),
    Mutant(
        "a-number-given-is-passed-over",
        TABLES,
        '{"deal": (int(table["deal"][0]) + 1) % 2**64} | given',
        'given | {"deal": int(table["deal"][0]) + 1}',
        (RESETS,),
    ),
    Mutant(
        "reset-with-options-throws-the-dice-again",
        TABLES,
        '                record["choice"] = table["choice"]\n',
        "",
        (SINGLE,),
    ),
    Mutant(
        "credit-outlives-the-episode",
        TABLES,
        "        self.credited[rows] = 0.0\n",
        "",
        (SINGLE, VECTOR),
    ),
    Mutant(
        "credit-is-paid-again",
        "card_envs/loops/playing.py",
        "            credited[i] = total\n",
        "",
        (SINGLE,),
    ),
    Mutant(
        "seat-nought-is-credited",
        "card_envs/loops/playing.py",
        "total = outcome(s, g, reward, np.int64(seats[i]))",
        "total = outcome(s, g, reward, 0)",
        (SINGLE,),
    ),
    Mutant(
        "only-the-last-play-is-credited",
        "card_envs/loops/playing.py",
        "rewards[i] += total - credited[i]",
        "rewards[i] = total - credited[i]",
        (SINGLE, VECTOR),
    ),
    Mutant(
        "opponents-sit-in-reverse",
        "card_envs/loops/__init__.py",
        "at = (own + 1 + place) % (others + 1)",
        "at = (own + others - place) % (others + 1)",
        (OPPONENTS,),
    ),
    Mutant(
        "opponents-of-the-seat-not-of-the-turn",
        "card_envs/loops/__init__.py",
        "at = (own + 1 + place) % (others + 1)",
        "at = place if place < own else place + 1",
        (OPPONENTS,),
    ),
    Mutant(
        "an-episode-that-opponents-end-is-handed-out",
        TABLES,
        "            waiting, seats = waiting[again], seats[again]\n",
        "            waiting, seats = waiting[:0], seats[:0]\n",
        (tests("tests/test_envs_konchinka.py"),),
    ),
    Mutant(
        "opponents-are-handed-full-states",
        TABLES,
        '        game.loops.hide(views, game.constants, views["to_play"].astype(np.int64))\n',
        "",
        (OPPONENTS,),
    ),
    Mutant(
        "a-failing-opponent-leaves-half-a-step",
        TABLES,
        "                array.view(np.uint8).reshape(-1)[:] = np.frombuffer(content, np.uint8)\n",
        "                array.view(np.uint8).reshape(-1)[:0] = np.frombuffer(content, np.uint8)[:0]\n",
        (SINGLE, VECTOR),
    ),
    Mutant(
        "opponents-change-at-once",
        "card_envs/envs/opponents.py",
        "        self.coming[rows] = [self._code(opponent) for opponent in seated]\n",
        "        self.coming[rows] = [self._code(opponent) for opponent in seated]\n"
        "        self.codes[rows, 1:] = self.coming[rows]\n",
        (OPPONENTS,),
    ),
    Mutant(
        "an-illegal-action-is-played-where-it-should-raise",
        "card_envs/envs/single.py",
        "if not self._masks[0, number] and not tables.loses:",
        "if not self._masks[0, number] and tables.loses:",
        (SINGLE,),
    ),
    Mutant(
        "final-observations-of-the-next-episode",
        "card_envs/envs/vector.py",
        "                final = self._final(over, terminations)\n                tables.advance(over)\n",
        "                tables.advance(over)\n                final = self._final(over, terminations)\n",
        (VECTOR,),
    ),
    Mutant(
        "next-step-forgets-to-reset",
        "card_envs/envs/vector.py",
        "            tables.advance(np.flatnonzero(ended))\n",
        "            pass\n",
        (VECTOR,),
    ),
    Mutant(
        "masks-of-finished-rows-stay",
        "card_envs/envs/vector.py",
        "        nothing = np.zeros((len(over), self.game.num_actions), np.int8)\n",
        "        nothing = np.ones((len(over), self.game.num_actions), np.int8)\n",
        (VECTOR,),
    ),
    Mutant(
        "terminal-observation-of-another-row",
        "card_envs/envs/sb3.py",
        "terminal_observation=last[k],",
        "terminal_observation=last[0],",
        (tests("tests/test_envs_sb3.py"),),
    ),
    Mutant(
        "lengths-run-on",
        "card_envs/envs/sb3.py",
        "                self._lengths[over] = 0\n",
        "",
        (tests("tests/test_envs_sb3.py"),),
    ),
)
