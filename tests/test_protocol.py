"""The line protocol is what its schema says, in both directions, and version 1 is still spoken."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import card_envs
from card_agents import RandomAgent
from card_agents.evaluation.arena import Log, deal_seeds, play_out
from card_agents.players.external import lines, make_bot
from card_agents.players.external.limits import Failure
from card_agents.protocol import Clock
from card_envs import public
from card_envs.registry import game_class
from tests.variants import VARIANTS, Variant

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "protocol.schema.json").read_text(encoding="utf-8"))
TOLD, ANSWERS = ("hello", "move", "end"), ("ready", "action")

PROBED = [Variant(name, rules) for name in card_envs.GAMES for rules in game_class(name).probe().variants]
GAMES = list({variant.id: variant for variant in [*PROBED, *VARIANTS]}.values())


def one(kind):
    """What validates a message of one kind."""
    return Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{kind}"}]})


VALIDATORS = {kind: one(kind) for kind in (*TOLD, *ANSWERS)}


def check(message, kind):
    """A message as it comes out of its line has the entries that the schema has, and no others."""
    read = json.loads(lines.line(message))
    assert read["type"] == kind
    VALIDATORS[kind].validate(read)
    assert list(read) == list(SCHEMA["$defs"][kind]["properties"])
    return read


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


def test_what_games_say_of_themselves_stands_in_the_schema():
    described = public.described(public.COMMON)
    stands = SCHEMA["$defs"]["position"]
    assert {name: stands[name] for name in described} == described
    own = [name for name in card_envs.GAMES if game_class(name).__module__.startswith("card_envs.")]
    assert [rule["then"]["$ref"].rpartition("/")[2] for rule in stands["allOf"]] == own
    for name in own:
        assert SCHEMA["$defs"][name] == public.schema(game_class(name))


@pytest.mark.parametrize("variant", GAMES, ids=lambda variant: variant.id)
def test_every_line_of_a_whole_deal_is_as_the_schema_says(variant):
    game = variant.make()
    told = check(lines.hello(game, 5.0), "hello")
    assert told["actions"] == [game.action_name(action) for action in range(game.num_actions)]
    assert told["cards"] == [game.pack.name(card) for card in range(game.pack.size)]
    own = Draft202012Validator(True if game.name in SCHEMA["$defs"] else public.schema(type(game)))
    state = game.new_state(seed=9)
    plays = 0
    while not state.is_over and plays <= game.max_plays:
        message = check(lines.move(game, state.view().record, 3, 2**48 - 1), "move")
        assert message["position"] == state.public()
        own.validate(message["position"])
        state.play(state.sample_action())
        plays += 1
    for seat in range(game.num_players):
        message = check(lines.end(game, state.record, 3, seat), "end")
        assert message["position"] == state.public(seat)
        assert message["returns"] == state.returns().tolist()
        assert message["forfeit"] is None
    lost = game.new_states([4])
    turn = int(game.to_play(lost)[0])
    game.forfeit(lost, None)
    assert check(lines.end(game, lost, 1, 0), "end")["forfeit"] == turn


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        ({"ready": True}, 1),
        ({"ready": True, "protocol": 1}, 1),
        ({"ready": True, "protocol": 2}, 2),
        ({"ready": True, "protocol": 2, "name": "mine"}, 2),
    ],
)
def test_a_program_is_spoken_to_in_the_version_that_it_asks_for(answer, version):
    assert lines.read_ready(json.dumps(answer).encode()) == version
    VALIDATORS["ready"].validate(answer)


@pytest.mark.parametrize("wanted", [0, 3, -1, 2.0, True, None, "2", [2], {}, 10**400, "x" * 999])
def test_a_version_that_is_not_spoken_is_refused_with_a_sentence(wanted):
    answer = {"ready": True, "protocol": wanted}
    with pytest.raises(Failure, match=r"^asked for version .{1,40} of the protocol; versions 1 and 2 are spoken$"):
        lines.read_ready(json.dumps(answer).encode())
    assert not VALIDATORS["ready"].is_valid(answer) or wanted == 2.0  # which is 2 to the schema


@pytest.mark.parametrize("answer", [b"{}", b'{"ready": false}', b'{"ready": 1}', b"[]", b"ready", b""])
def test_a_program_that_is_not_ready_is_refused(answer):
    with pytest.raises(Failure, match="answered"):
        lines.read_ready(answer)


PROGRAM = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    with open({log!r}, "a") as file: file.write(line)
    if m["type"] == "hello":
        print('{ready}', flush=True)
    elif m["type"] == "move":
        legal = m["legal"] if "legal" in m else m["position"]["legal"]
        print(json.dumps({{"action": legal[m["random"] % len(legal)]}}), flush=True)
"""


def played(folder, ready, game):
    """What a program that answers ``hello`` so is told in two episodes, and the final states."""
    (folder / "bot.py").write_text(PROGRAM.format(log=str(folder / "log"), ready=json.dumps(ready)))
    log = Log([Clock(), Clock()])
    seating = [0] + [1] * (game.num_players - 1)
    with make_bot(f"cmd:{sys.executable} -S -E {folder / 'bot.py'}", game) as bot:
        final = play_out(game, [bot, RandomAgent(game)], seating, deal_seeds(1, 2), None, log)
    assert log.forfeits == []
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()], final


@pytest.mark.parametrize("variant", PROBED, ids=lambda variant: variant.id)
def test_both_versions_play_the_same_and_are_told_the_same(variant, tmp_path):
    game = variant.make()
    folders = [tmp_path / "old", tmp_path / "new"]
    for folder in folders:
        folder.mkdir()
    old, first = played(folders[0], {"ready": True}, game)
    new, second = played(folders[1], {"ready": True, "protocol": 2}, game)
    assert first.tobytes() == second.tobytes()
    assert old[0] == new[0] == json.loads(lines.line(lines.hello(game, 5.0)))
    assert len(old) == len(new)
    for before, now in zip(old[1:], new[1:], strict=True):
        VALIDATORS[now["type"]].validate(now)
        assert before["type"] == now["type"]
        assert list(before) == OLD[before["type"]]
        for name in set(before) - {"known", "type"}:
            assert before[name] == (now[name] if name in now else now["position"][name]), name


OLD = {
    "move": ["type", "episode", "deal", "seat", "dealer", "hand", "table", "history", "scores", "known", "legal",
             "random"],
    "end": ["type", "episode", "seat", "returns", "forfeit"],
}  # fmt: skip
