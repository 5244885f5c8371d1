"""What players are called in tables, pictures and reports."""

from __future__ import annotations

from collections.abc import Sequence


def labels_of(agents: Sequence[str], given: Sequence[str | None]) -> tuple[str, ...]:
    """What agents are called: what was given, or else their names; numbers tell apart what would look the same.

    >>> labels_of(["X", "X", "X (2)", "cmd:./x"], [None, None, None, "mine"])
    ('X', 'X (3)', 'X (2)', 'mine')
    """
    wanted = [printable(agent if label is None else label) for agent, label in zip(agents, given, strict=True)]
    first = {text: number for number, text in reversed(list(enumerate(wanted)))}
    taken = set(wanted)
    labels = []
    for number, text in enumerate(wanted):
        labels.append(text if first[text] == number else numbered(text, taken))
    return tuple(labels)


def numbered(text: str, taken: set[str]) -> str:
    """The text with the first number behind it that is not taken, which is taken then."""
    number = 2
    while f"{text} ({number})" in taken:
        number += 1
    taken.add(f"{text} ({number})")
    return f"{text} ({number})"


def printable(text: str) -> str:
    """Text that can be shown on one line and written anywhere in UTF-8: what cannot is shown by its code.

    >>> printable("a  b\\n\\x1b[1m"), printable("b\\udce9t")
    ('a b \\\\x1b[1m', 'b\\\\udce9t')
    """
    line = " ".join(text.split())
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
