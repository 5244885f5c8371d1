"""Counts of all move sequences from fixed packs: ``python -m tests.oracle.perft`` writes perft.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .elfern import ElfernOracle
from .konchinka import KonchinkaOracle

Oracle = ElfernOracle | KonchinkaOracle

OUTPUT = Path(__file__).with_name("perft.json")

ELFERN_PACKS = (
    "Qs Kh Jd Qd Ts Kc 9c Tc 7c Ah Kd Jh 8s 9d 8h Ac 9h 9s 8c Td Th 7h 8d 7d Jc 7s Qc As Ks Js Qh Ad",
    "Ah Ks Qh 7s 9s Th Ac Tc Qd 7c 8d Kh 8h Ts 7d Td 9d Js Kc As 8c Jh Ad Kd 9h 7h 9c Qs Jd 8s Qc Jc",
    "Kd As 8d Qd Ts Kc 9c Jc 8h 9h 9d Td 7h Ah Js 8c 7c 9s Ad Ks Ac Qs Qc 8s Th 7s Jh Jd Tc Kh Qh 7d",
)
KONCHINKA_PACKS = (
    "Js Tc Qh Td 3c Kh 7d Qc Th 6c 4h Ks 5s 3d Jd 8s 9s 9d 2s As Kc Qs 7h 8d Kd Ah 9h Jc 8h 4c 6d 2d 5d 6s "
    "Ac 2h 4s 2c 7s 7c Ad Qd 3s 5h 3h 6h 8c 4d 5c Ts Jh 9c",
    "3d 4h Tc 9d 5c 7c Ks Ah Td Qd 9c 9h Jh 6d 2s 5h 7s 8c 8d 6h Js 6s 8s Kc 3s 2d Qc Ac As 2c 8h 5d Th 3h "
    "Ts 7h Kd 2h 9s Qh 3c 5s Ad Kh 4d 7d 4s Jc Jd Qs 6c 4c",
    "Ad 3h 4c 7d 4h Ah Ks Td Jh Jc 7h 7c Qc 5d 8h Ts Qd 6h 2c 6d 6c 3c 9d 6s 9s 5s 3s 2h 4s 8d 8c Tc Kd Js "
    "As Kc 2d Th 4d 7s Ac 8s 5c Qs 2s 5h Kh Jd 9c 9h Qh 3d",
)
SMALL = {"suits": 2, "ranks": 6, "hand_size": 3}  # twelve cards: small enough to be played out in every way
SMALL_PACKS = (
    "Kd 9d Ac Qd 9c Ad Jc Td Tc Kc Jd Qc",
    "Jd 9d Jc Tc Kd Ad Qd Qc 9c Td Kc Ac",
    "Kc Kd Td Ac Ad 9d Tc 9c Qc Qd Jd Jc",
)

# The rules and how many plays deep.
ELFERN_RULES: tuple[tuple[dict[str, Any], int], ...] = (
    ({}, 9),
    ({"follow_suit": "endgame"}, 7),
    ({"follow_suit": "always"}, 8),
    ({"follow_suit": "never"}, 7),
)
SMALL_RULES: tuple[tuple[dict[str, Any], int], ...] = (
    (SMALL, 12),
    ({**SMALL, "follow_suit": "endgame"}, 12),
    ({**SMALL, "follow_suit": "never"}, 12),
)
KONCHINKA_RULES: tuple[tuple[dict[str, Any], int], ...] = (
    ({"num_players": 2}, 11),
    ({"num_players": 3}, 9),
    ({"num_players": 2, "figures": True}, 10),
    ({"num_players": 2, "figures": True, "figure_sums": [14, 14, 14]}, 10),
    ({"num_players": 2, "obligation": "hand"}, 17),
)


def perft(oracle_factory: Callable[[], Oracle], depth: int) -> int:
    """The number of distinct move sequences of exactly this length from a fresh oracle."""
    return _count(oracle_factory, [], depth)


def _count(oracle_factory: Callable[[], Oracle], played: list[str], depth: int) -> int:
    """The same after some moves, which are simply played again on a fresh oracle."""
    if depth == 0:
        return 1
    oracle = oracle_factory()
    for name in played:
        oracle.play(name)
    names = oracle.legal()
    if depth == 1:
        return len(names)
    return sum(_count(oracle_factory, [*played, name], depth - 1) for name in names)


def make_oracle(game: str, deck: str, dealer: int, rules: dict[str, Any]) -> Oracle:
    """A single deal of this pack."""
    pack = deck.split()
    if game == "elfern":
        return ElfernOracle(lambda _: pack, dealer, **rules)
    return KonchinkaOracle(lambda _: pack, dealer, **rules)


def entries() -> Iterator[dict[str, Any]]:
    """Every pack under every rule setting, counted."""
    for game, packs, settings in (
        ("elfern", ELFERN_PACKS, ELFERN_RULES),
        ("elfern", SMALL_PACKS, SMALL_RULES),
        ("konchinka", KONCHINKA_PACKS, KONCHINKA_RULES),
    ):
        for rules, deepest in settings:
            for deck in packs:
                yield count_entry(game, deck, rules, deepest)


def count_entry(game: str, deck: str, rules: dict[str, Any], deepest: int) -> dict[str, Any]:
    """One line of perft.json."""
    counts = [perft(lambda: make_oracle(game, deck, 0, rules), depth) for depth in range(1, deepest + 1)]
    return {"game": game, "rules": rules, "deck": deck, "dealer": 0, "counts": counts}


def main() -> None:
    """Write perft.json, an entry a line."""
    lines = ",\n".join(json.dumps(entry) for entry in entries())
    OUTPUT.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
