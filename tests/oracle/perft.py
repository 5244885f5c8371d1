"""Counts of all move sequences from fixed packs: ``python -m tests.oracle.perft`` counts perft.json anew.

To have another pack counted, add its entry there, with as many counts, of whatever value, as it is to be counted deep.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import oracle_class

OUTPUT = Path(__file__).with_name("perft.json")


def perft(make_oracle: Callable[[], Any], depth: int) -> int:
    """How many sequences of ``depth`` moves there are from the start of the deal."""
    return _count(make_oracle, [], depth)


def _count(make_oracle: Callable[[], Any], played: list[str], depth: int) -> int:
    """The same after some moves, which are simply played again on a fresh oracle."""
    if depth == 0:
        return 1
    oracle = make_oracle()
    for name in played:
        oracle.play(name)
    names = oracle.legal()
    if depth == 1:
        return len(names)
    return sum(_count(make_oracle, [*played, name], depth - 1) for name in names)


def counted(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of perft.json, with what the oracle counts."""
    oracle, pack = oracle_class(entry["game"]), entry["deck"].split()
    depths = range(1, len(entry["counts"]) + 1)

    def make() -> Any:
        return oracle(lambda _: pack, entry["dealer"], **entry["rules"])

    return entry | {"counts": [perft(make, depth) for depth in depths]}


def main() -> None:
    """Write perft.json, an entry a line."""
    lines = ",\n".join(json.dumps(counted(entry)) for entry in json.loads(OUTPUT.read_text()))
    OUTPUT.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
