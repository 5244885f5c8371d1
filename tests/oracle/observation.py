"""What a seat sees, part by part, told from an oracle: names of the parts, and what must stand in each.

A part is written as the list of its bits. Sets of cards and ranks are given by a predicate over all of them in the
order of the planes, counts as thermometers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .elfern import RANKS as ELFERN_RANKS
from .elfern import ElfernOracle, beats
from .konchinka import RANKS, SUITS, KonchinkaOracle

Parts = dict[str, list[int]]


def thermometer(count: int, width: int) -> list[int]:
    """So many ones, then zeros."""
    return [1 if place < count else 0 for place in range(width)]


def plane(cards: Iterable[str], order: Sequence[str]) -> list[int]:
    """One bit for each card (or rank), in this order."""
    members = set(cards)
    return [1 if card in members else 0 for card in order]


def see_elfern(oracle: ElfernOracle, seat: int) -> Parts:
    """What a seat of Elfern sees."""
    other = 1 - seat
    suits = [suit for suit in SUITS if any(card[1] == suit for card in oracle.all_cards)]
    ranks = [rank for rank in reversed(ELFERN_RANKS) if rank + suits[0] in oracle.all_cards]  # ascending
    order = [rank + suit for suit in suits for rank in ranks]
    hand, lead = oracle.hands[seat], oracle.table
    unseen = oracle.all_cards - hand - oracle.piles[0] - oracle.piles[1] - set(lead)
    honours = len(oracle.honours)
    size = oracle.hand_size
    room: list[int] = []
    for suit in SUITS:
        room += thermometer(min(oracle.room[other].get(suit, size), len(oracle.hands[other])), size)
    parts = {
        "hand": plane(hand, order),
        "lead": plane(lead, order),
        "beating": plane((card for card in hand if lead and beats(card, lead[0])), order),
        "masters": plane((card for card in hand if not any(beats(one, card) for one in unseen)), order),
        "own_won": plane(oracle.piles[seat], order),
        "other_won": plane(oracle.piles[other], order),
        "unseen": plane(unseen, order),
        "other_room": room,
        "own_honours": thermometer(oracle.honours_won(seat), honours),
        "other_honours": thermometer(oracle.honours_won(other), honours),
        "other_hand_size": thermometer(len(oracle.hands[other]), size),
        "stock_pairs": thermometer(len(oracle.stock) // 2, len(order) // 2 - size),
        "own_deal": [int(oracle.dealer == seat)],
        "stock_lasts": [int(len(oracle.stock) > 0)],
        "bound": [int(oracle.must_follow())],
    }
    if oracle.match:
        parts["own_score"] = thermometer(oracle.scores[seat], oracle.target)
        parts["other_score"] = thermometer(oracle.scores[other], oracle.target)
        parts["doubled"] = [int(oracle.doubled)]
    return parts


def see_konchinka(oracle: KonchinkaOracle, seat: int) -> Parts:
    """What a seat of Konchinka sees; the others are counted from it, to the left."""
    players = oracle.num_players
    turned = [(seat + step) % players for step in range(players)]
    order = [rank + suit for suit in SUITS for rank in RANKS]
    hand, table = oracle.hands[seat], oracle.table
    unseen = set(order) - hand - table - set().union(*oracle.piles)
    copies = {rank: sum(1 for card in unseen if card[0] == rank) for rank in RANKS}
    parts = {
        "hand": plane(hand, order),
        "table": plane(table, order),
        "unseen": plane(unseen, order),
        "unseen_ranks": [int(copies[rank] >= least) for least in (1, 2, 3, 4) for rank in RANKS],
        "capturing": plane((card for card in hand if any(oracle.ways(card).values())), order),
        "table_ranks": plane((card[0] for card in table), RANKS),
    }
    for place, other in enumerate(turned):
        parts[f"pile_{place}"] = plane(oracle.piles[other], order)
    if players < 12:
        undealt = oracle.undealt
        parts["known_pack"] = plane((card for card in oracle.open_pack.values() if card in undealt), order)
    later = len(oracle.deck[4 * players + 4 :]) // players
    if later:
        in_play = unseen | hand
        for place, other in enumerate(turned):
            own = {card for at, card in oracle.open_pack.items() if oracle.dealt_to(at) == other}
            parts[f"known_{place}"] = plane(own & in_play, order)
    for place, other in enumerate(turned):
        parts[f"cards_{place}"] = thermometer(len(oracle.piles[other]), 32)
        parts[f"clubs_{place}"] = thermometer(oracle.clubs(other), 8)
        parts[f"hand_size_{place}"] = thermometer(len(oracle.hands[other]), 4)
        parts[f"dealer_{place}"] = [int(other == oracle.dealer)]
        parts[f"last_capturer_{place}"] = [int(other == oracle.last_capturer)]
        if oracle.obligation == "hand":
            parts[f"denied_{place}"] = plane(oracle.denied[other], RANKS)
        if oracle.match:
            parts[f"score_{place}"] = thermometer(oracle.scores[other], oracle.target + 8)
    parts["dealt_later"] = thermometer(len(oracle.undealt) // players, later)
    return parts


SEE: dict[str, Callable[..., Parts]] = {"elfern": see_elfern, "konchinka": see_konchinka}
