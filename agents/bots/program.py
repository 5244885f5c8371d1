"""An external bot in Python, with a rule of thumb for two games: ``cmd:python program.py`` (docs/bots.md)."""

import json
import sys
from typing import Any

RANKS = "23456789TJQKA"
WEIGHTS = {"2c": 6, "Td": 6}  # the konchinki; clubs count 2, all others 1


def elfern(position: dict[str, Any]) -> str:
    """Lead high; win an honour as cheaply as possible; otherwise give away the lowest card."""
    cards = sorted(position["legal"], key=lambda card: RANKS.index(card[0]))
    lead = position["lead"]
    if lead is None:
        return cards[-1]
    higher = [card for card in cards if card[1] == lead[1] and RANKS.index(card[0]) > RANKS.index(lead[0])]
    return higher[0] if higher and lead[0] in "TJQKA" else cards[0]


def konchinka(position: dict[str, Any]) -> str:
    """Capture what weighs most; with nothing to capture, trail the card that weighs least."""

    def weight(card: str) -> int:
        return WEIGHTS.get(card, 2 if card[1] == "c" else 1)

    def gain(action: str) -> int:
        card, cross, ranks = action[:2], action[2:3], action[3:]
        taken = [one for one in position["table"] if cross and (ranks == "*" or one[0] in ranks)]
        return sum(map(weight, [card, *taken])) if cross else -weight(card)

    return max(position["legal"], key=gain)


def choose(message: dict[str, Any]) -> str:
    """The action for a position; in a game without a rule of thumb, any legal one."""
    position = message["position"]
    if position["game"] == "elfern":
        return elfern(position)
    if position["game"] == "konchinka":
        return konchinka(position)
    return position["legal"][message["random"] % len(position["legal"])]


def main() -> None:
    """Answer each line until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer: dict[str, Any] = {"ready": True, "protocol": 2}
        elif message["type"] == "move":
            answer = {"action": choose(message)}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
