"""The line protocol on examples: what its schema refuses, and what version 1 says in words."""

from __future__ import annotations

import copy
import json

from jsonschema import Draft202012Validator

import card_envs
from card_agents.players.external import lines, version1
from tests.test_protocol import SCHEMA
from tests.walks import walk

GAME = card_envs.make_game("elfern")
MESSAGE = Draft202012Validator(SCHEMA)


def test_the_schema_refuses_what_is_wrong():
    good = lines.move(GAME, GAME.new_state(seed=1).view().record, 1, 7)
    MESSAGE.validate(json.loads(lines.line(good)))
    for place, wrong in (
        (("episode",), 0),
        (("random",), -1),
        (("random",), 2**48),
        (("position",), {}),
        (("position", "legal"), [7]),
        (("position", "legal"), ["Kh", "Kh"]),
        (("position", "deal"), 0),
        (("position", "hand"), ["K♥"]),
        (("position", "to_play"), -1),
        (("position", "history"), [["Kh", 1]]),
        (("position", "stock_size"), "20 cards"),
        (("position", "won"), "seat 0 won"),
        (("type",), "moves"),
    ):
        bad = copy.deepcopy(good)
        *path, name = place
        part = bad
        for key in path:
            part = part[key]
        part[name] = wrong
        assert not MESSAGE.is_valid(json.loads(lines.line(bad))), (place, wrong)
    for part, entries in (("move", good), ("position", good["position"])):
        for name in entries:
            bad = copy.deepcopy(good)
            del (bad if part == "move" else bad["position"])[name]
            assert not MESSAGE.is_valid(json.loads(lines.line(bad))), name


def test_the_end_of_a_deal_shows_no_hand_of_another_seat():
    game = card_envs.make_game("elfern")
    for seed in range(5):
        state = walk(game, seed, 12)
        lost = state.record.copy()
        game.forfeit(lost, None)
        told = lines.line(lines.end(game, lost, 1, 0)).decode()
        assert not [card for card in state.hand(1) if f'"{card}"' in told]


def test_version_1_tells_in_words_what_it_did():
    elfern, konchinka = card_envs.make_game("elfern"), card_envs.make_game("konchinka", num_players=4)
    assert version1.move(elfern, walk(elfern, 3, 8).view().record, 1, 0)["known"] == KNOWN["elfern"]
    put_back = next(state for seed in range(99) if (state := konchinka.new_state(seed=seed)).record["open"][0])
    assert version1.move(konchinka, put_back.view().record, 1, 0)["known"] == KNOWN["konchinka"]


KNOWN = {
    "elfern": [
        ("stock", "12 cards"),
        ("seat 0 won", "0 honours: -"),
        ("seat 1 won", "5 honours: 7c Qc 7d Jd 9h Th Qs As"),
    ],
    "konchinka": [
        ("pack", "32 cards"),
        ("put back", "Jc as card 15, 7s as card 16 from the top"),
        *((f"seat {seat} has", "0 cards: -") for seat in range(4)),
    ],
}
