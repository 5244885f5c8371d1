"""Records at random, whole and broken: ``python -m tests.record_files`` writes and reads many of them.

python -m tests.record_files                     10,000 records over all variants, a million bytes of broken ones
python -m tests.record_files --records 500 --bytes 100000 --seed 3
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from card_envs import Game, GameRecord, read_records, write_records
from tests.variants import DRAWERS, VARIANTS, any_rules

ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**400,
    1e999,
    float("nan"),
    0.5,
    "x",
    "a" * 20_000,
    "\ud800",
    [],
    [[]],
    {},
    {"name": 1},
)
"""Values that do not belong where they are put."""


def played(game: Game, seed: int) -> GameRecord:
    """A whole episode of the greedy player; of a match at most the plays of four deals."""
    record = GameRecord(game.new_state(seed=seed))
    while not record.is_over and len(record) < 4 * game.max_plays:
        record.play(record.position.greedy_action())
    return record


def random_record(game: Game, dice: random.Random) -> GameRecord:
    """A record that begins, ends and is annotated anywhere."""
    start = game.new_state(seed=dice.getrandbits(64), deal=dice.choice([0, 1, dice.getrandbits(20)]))
    for _ in range(dice.randrange(game.max_plays) if dice.random() < 0.3 else 0):
        start.play(start.sample_action())
        if start.is_over:
            start = game.new_state(seed=dice.getrandbits(64))
    players = [f"Spieler {seat} ♠" for seat in range(game.num_players)] if dice.random() < 0.5 else []
    record = GameRecord(start, players, tags={"event": "x" * dice.randrange(9)} if dice.random() < 0.3 else None)
    most = dice.choice([3 * game.max_plays, dice.randrange(game.max_plays)])
    while not record.is_over and len(record) < most:
        record.play(int(dice.choice(record.position.legal_actions())), "Ход" if dice.random() < 0.05 else "")
    if not record.is_over and dice.random() < 0.3:
        record.forfeit()
    return record


def broken_line(line: str, dice: random.Random) -> bytes:
    """A line with something wrong in it, or nearly so."""
    content = bytearray(line.encode())
    way = dice.random()
    if way < 0.3:
        for _ in range(dice.randint(1, 4)):
            content[dice.randrange(len(content))] = dice.randrange(256)
        return bytes(content)
    if way < 0.4:
        return bytes(content[: dice.randrange(len(content))])
    if way < 0.45:
        return dice.randbytes(dice.randrange(200)) + b"\n"
    if way < 0.5:
        return b'{"record":1,"x":' * dice.choice([1, 2_000])
    tree = node = json.loads(line)
    while True:
        key = dice.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if isinstance(node[key], dict | list) and node[key] and dice.random() < 0.6:
            node = node[key]
            continue
        way = dice.random()
        if way < 0.7:
            node[key] = dice.choice(ODD)
        elif way < 0.85:
            del node[key]
        elif isinstance(node, dict):
            node[dice.choice(["name", "self", "more"])] = dice.choice(ODD)
        return json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass")


def main() -> int:
    """Write and read records at random; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.record_files", description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, default=1_000_000, help="of broken records")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        for _ in range(0, arguments.records, 100):
            variants = [
                dice.choice(VARIANTS) if dice.random() < 0.5 else any_rules(dice.choice(list(DRAWERS)), dice)
                for _ in range(100)
            ]
            records = [random_record(variant.make(), dice) for variant in variants]
            write_records(path, records)
            for wrote, read in zip(records, read_records(path), strict=True):
                assert read == wrote
                assert read.position == wrote.position
                assert all(one == other for one, other in zip(read.states(), wrote.states(), strict=True))
        lines = [random_record(variant.make(), dice).to_line() for variant in VARIANTS]
        size = refused = given = 0
        while size < arguments.bytes:
            content = broken_line(dice.choice(lines), dice)
            size += len(content)
            path.write_bytes(content)
            try:
                given += len(list(read_records(path)))
            except ValueError:
                refused += 1
    print(f"{arguments.records} records read as they were written; {size} bytes: {refused} refused, {given} read.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
