"""Labels of players in tables, figures and reports."""

from __future__ import annotations

from collections.abc import Sequence


def labels_of(agents: Sequence[str], given: Sequence[str | None]) -> tuple[str, ...]:
    """A label for each agent: the given one, or else its name, with a number where two would look the same.

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
    """The text with the first number after it that is not taken; the result is added to ``taken``."""
    number = 2
    while f"{text} ({number})" in taken:
        number += 1
    taken.add(f"{text} ({number})")
    return f"{text} ({number})"


def printable(text: str) -> str:
    """Text on one line that any UTF-8 file and terminal takes: other characters are shown as escape codes.

    >>> printable("a  b\\n\\x1b[1m"), printable("b\\udce9t")
    ('a b \\\\x1b[1m', 'b\\\\udce9t')
    """
    line = " ".join(text.split())
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
