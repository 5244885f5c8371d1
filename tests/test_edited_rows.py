"""Rows that something else has written into: every verb has a result or a sentence, and stays inside its arrays.

The trials run in a process of their own (``python -m tests.test_edited_rows SEED TRIALS``), so that a crash is seen.
Where the system can, the rows lie right before or behind memory that nobody may touch.
"""

from __future__ import annotations

import ctypes
import mmap
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from card_envs import GAMES, State, make_game
from card_envs.record import REWARDS
from card_envs.registry import game_class
from tests.variants import VARIANTS, every, positions, scattered

ROOT = Path(__file__).resolve().parents[1]
ROWS = 3
EDITED = 1


def fenced(size, at_end):
    """So many bytes with memory beside them that cannot be read (on Linux; elsewhere just bytes)."""
    page = mmap.PAGESIZE
    inside = -(-size // page) * page
    room = mmap.mmap(-1, inside + 2 * page)
    octets = np.frombuffer(room, np.uint8)
    if sys.platform == "linux":
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for place in (0, page + inside):
            assert protect(ctypes.c_void_p(octets.ctypes.data + place), ctypes.c_size_t(page), 0) == 0
    start = page + (inside - size if at_end else 0)
    return octets[start : start + size]


class Trials:
    """Edits of rows of one game, and all that can be asked about them."""

    def __init__(self, game, dice):
        self.game, self.dice = game, dice
        full = scattered(game, 4 * game.max_plays + 8, seed=int(dice.integers(1000)))
        ended = full[:8].copy()
        while not game.is_over(ended).all():
            actions = np.where(game.is_over(ended), -1, game.sample_actions(ended))
            game.step(ended, actions, auto_reset=False)
        views = [game.views(full, seat) for seat in range(min(game.num_players, 3))]
        self.pool = np.concatenate([full, ended, game.views(ended), *views])
        self.fences = []
        for at_end in (False, True):
            self.fences.append(
                (
                    fenced(ROWS * game.dtype.itemsize, at_end).view(game.dtype),
                    fenced(ROWS * game.observation_size, at_end).reshape(ROWS, -1),
                    fenced(ROWS * game.num_actions, at_end).reshape(ROWS, -1),
                    fenced(ROWS * 4, at_end).view(np.int32),
                )
            )

    def edit(self, rows):
        """Random bytes, or a number at the edge, in one random field of a row; its name."""
        dice = self.dice
        names = [name for name in self.game.dtype.names if name != "rules_id"]
        name = names[dice.integers(len(names))]
        field = rows[name][EDITED : EDITED + 1].reshape(-1)
        some = slice(None) if dice.integers(2) else slice(*np.sort(dice.integers(0, len(field) + 1, 2)))
        limits = np.iinfo(field.dtype)
        edges = np.array([limits.min, limits.max, 0, 1, limits.max // 2, 13, 52, 64][:8], object)
        size = len(field[some])
        if dice.integers(2):
            field[some] = dice.integers(0, 256, size * field.itemsize, np.uint8).view(field.dtype)
        else:
            field[some] = edges[dice.integers(len(edges), size=size)].astype(field.dtype)
        rows[name][EDITED : EDITED + 1] = field.reshape(rows[name][EDITED : EDITED + 1].shape)
        return name

    def run(self):
        """One trial: edit, then every verb on a copy."""
        game, dice = self.game, self.dice
        chosen = self.pool[dice.integers(len(self.pool), size=ROWS)]
        before = chosen.copy()
        self.name = self.edit(chosen)
        content = chosen.tobytes()
        late = bool((before["plays"] >= game.max_plays - 4).all())
        states, observations, masks, actions = self.fences[dice.integers(2)]
        calls = {
            "to_play": lambda: game.to_play(states),
            "is_over": lambda: game.is_over(states),
            "sample": lambda: game.sample_actions(states, out=actions),
            "greedy": lambda: game.greedy_actions(states, out=actions),
            "step": lambda: game.step(states, actions, observations=observations, masks=masks),
            "step on": lambda: game.step(states, actions, False, observations, masks),
            "step legal": lambda: game.step(states, game.masks(states).argmax(axis=1), False, observations, masks),
            "pass": lambda: game.step(states, np.full(ROWS, -1), False, observations, masks),
            "check_actions": lambda: game.check_actions(states, actions),
            "observations": lambda: game.observations(states, out=observations),
            "masks": lambda: game.masks(states, out=masks),
            "last seat": lambda: game.observations(states, game.num_players - 1, out=observations),
            "views": lambda: game.views(states),
            "history": lambda: game.history(states),
            "points": lambda: game.points(states),
            "scores": lambda: game.scores(states),
            "settlement": lambda: game.settlement(states),
            "draws": lambda: game.draws(states),
            "forfeit": lambda: game.forfeit(states, [EDITED]),
            "reset": lambda: game.reset(states),
            "check_rows": lambda: game.check_rows(states),
            "is_exact": lambda: game.is_exact(states),
            "is_settled": lambda: game.is_settled(states),
            "open_worth": lambda: game.open_worth(states, np.ones(ROWS)),
            "state": lambda: self.look_at(game.state(states, EDITED)),
            "plain state": lambda: self.play_on(State(game, states[EDITED : EDITED + 1].copy())),
            "pickle": lambda: pickle.loads(pickle.dumps(State(game, states[EDITED : EDITED + 1].copy()))),
        }
        calls |= {reward: lambda reward=reward: game.returns(states, reward) for reward in REWARDS}
        if late:
            calls["open_values"] = lambda: game.open_values(states)
        for verb, call in calls.items():
            self.verb = verb
            states.view(np.uint8)[:] = np.frombuffer(content, np.uint8)
            actions[:] = dice.integers(-1, game.num_actions, ROWS)
            try:
                call()
            except ValueError as refusal:
                sentence = str(refusal)
                assert sentence.endswith((".", "!")) or ":" in sentence, sentence
                assert " " in sentence, sentence

    def look_at(self, state):
        for seat in [None, *range(self.game.num_players)]:
            if state.viewer in (None, seat):
                assert state.text(seat)
                state.hand(seat or 0) if state.viewer is None else state.hand(state.viewer)
        assert str(state)
        assert repr(state)
        assert state.table is not None
        assert state.history is not None
        legal = state.legal_actions()
        if state.viewer is None:
            assert self.game.state_to_text(state)
            if len(legal):
                state.play(int(legal[0]))

    def play_on(self, state):
        if state.viewer is not None:
            self.game.sample_worlds(state, 3, 1)
        state.play(int(self.dice.integers(self.game.num_actions)))


def main():
    seed, trials = map(int, sys.argv[1:])
    dice = np.random.default_rng(seed)
    chosen = [make_game(name, **rules) for name in GAMES for rules in game_class(name).probe().variants]
    for game in [variant.make() for variant in VARIANTS] + chosen:
        trial = Trials(game, dice)
        for _ in range(trials // (len(VARIANTS) + len(chosen)) + 1):
            try:
                trial.run()
            except BaseException:
                print(f"{game.describe()}: field {trial.name!r}, verb {trial.verb!r}", file=sys.stderr)
                raise
    print("done")


@pytest.mark.slow
def test_a_row_that_something_has_written_into_crashes_no_verb():
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.test_edited_rows", "1", "4000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "done\n"


@every(VARIANTS[::3])
def test_every_row_that_play_leads_to_is_sound(game):
    for states in positions(game, 12, game.max_plays + 3, auto_reset=False):
        over = game.is_over(states)
        game.check_rows(states)
        for seat in {0, game.num_players - 1}:
            game.check_rows(game.views(states, seat))
        game.reset(states, over)
    alive = np.flatnonzero(~game.is_over(states))
    game.forfeit(states, alive)
    game.check_rows(states)
    game.check_rows(game.views(states))


@every(VARIANTS[::5])
def test_rows_that_no_play_leads_to_are_named_and_come_out_of_no_pickle(game):
    good = scattered(game, 3 * game.max_plays)
    good = good[(good["plays"] > 2) & (good["over"] == 0)]
    edits = {
        "plays": lambda row: row["plays"] + 1,
        "to_play": lambda row: (row["to_play"] + 1) % game.num_players,
        "dealer": lambda row: (row["dealer"] + 1) % game.num_players,
        "over": lambda row: 1,
        "deck": lambda row: np.roll(row["deck"], 1),
        "hand": lambda row: np.roll(row["hand"], 1),
        "history": lambda row: np.roll(row["history"], 1),
    }
    for rows in (good, game.views(good)):
        for name, edit in edits.items():
            if name == "hand" and rows is not good and game.num_players == 2 and not rows["hand"].any(axis=1).all():
                continue
            wrong = rows.copy()
            if (wrong[name][1] == edit(wrong[1])).all():
                continue
            wrong[name][1] = edit(wrong[1])
            with pytest.raises(ValueError, match=r"hold no position|seats that this game does not have") as caught:
                game.check_rows(wrong)
            assert "row 1" in str(caught.value) or "seats" in str(caught.value)
            with pytest.raises(ValueError, match=r"hold no position|seats that"):
                pickle.loads(pickle.dumps(State(game, wrong[1:2].copy())))
            game.check_rows(rows)


def test_scores_of_a_live_match_and_piles_can_be_set_by_hand():
    """For studies, and for the tests of the rules."""
    for variant in VARIANTS:
        game = variant.make()
        if not game.rules.match:
            continue
        states = scattered(game, 40)
        states = states[states["over"] == 0]
        states["start"][:, 0] = game.rules.target - 1
        game.check_rows(states)
        won = "pile" if "pile" in game.dtype.names else "won"
        states[won][:] = 0
        for i in range(len(states)):
            state = game.state(states, i)
            assert state.scores()[0] >= game.rules.target - 1
            state.play(state.legal_actions()[0])


def test_a_state_whose_row_holds_no_card_there_is_says_so():
    for variant in (VARIANTS[0], VARIANTS[-1]):
        game = variant.make()
        states = game.new_states([1])
        states["deck"] = 255
        with pytest.raises(ValueError, match="holds no position of"):
            game.state_to_text(game.state(states, 0))


def test_a_pickle_of_another_length_is_refused():
    game = VARIANTS[0].make()
    restore, (_, content) = game.new_state(seed=1).__reduce__()
    assert restore(game, content) == game.new_state(seed=1)
    for wrong in (b"", content[:-1], content + b"\0"):
        with pytest.raises(ValueError, match=r"has \d+ bytes, not"):
            restore(game, wrong)


if __name__ == "__main__":
    main()
