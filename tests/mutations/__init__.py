"""Deliberate faults, and whether the tests see them: ``python -m tests.mutations``.

Each mutant is one wrong piece of code in one file, written as the exact snippet that it takes the place of. The command
copies the sources to a temporary folder, puts one mutant in, and runs the tests that should catch it, the quickest
first; it says which mutants were caught and by what, which survived, and which snippets are not found any more, so that
the lists here follow the code. Before that each selection of tests must pass without a mutant.

    python -m tests.mutations                       all of them: some hours on two cores
    python -m tests.mutations --only konchinka      those with this in their name or file
    python -m tests.mutations --list                names, files and tests, nothing is run
    python -m tests.mutations --snippets            only whether every snippet is found, once
    python -m tests.mutations --jobs 2              so many side by side

The exit status is 1 if any mutant survives or has no place in the code any more. Golden files catch nearly everything
that changes play and say nothing about what is right, so no mutant is given to them.

Rules are tested without the compiler first (``NUMBA_DISABLE_JIT=1``): compiling a changed kernel takes half a minute,
and most of these mutants do not live that long. Each mutant is given the code compiled of the sources as they are; what
is compiled anew for it is its own.

``EQUIVALENT`` holds mutants that change nothing that can be seen, each with the reason; they are not run.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tests:
    """Words for ``python -m``: a selection of tests, which fails where it sees a fault; ``plain``: not compiled."""

    words: tuple[str, ...]
    plain: bool = False

    def __str__(self) -> str:
        return ("plain: " if self.plain else "") + " ".join(self.words)


@dataclass(frozen=True)
class Mutant:
    """A fault: in ``file``, ``old`` (found exactly once) becomes ``new``.

    tests: that should see it, in this order.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[Tests, ...]


@dataclass(frozen=True)
class Equivalent:
    """A change that nothing can show, and why."""

    name: str
    file: str
    old: str
    new: str
    reason: str


def tests(*words: str) -> Tests:
    """Files and options for pytest."""
    return Tests(("pytest", "-x", "-q", "-p", "no:cacheprovider", *words))


def plain(*words: str) -> Tests:
    """The same without the compiler."""
    return Tests(tests(*words).words, plain=True)


def beside(game: str, deals: int) -> Tests:
    """So many deals beside the oracle, without the compiler."""
    words = ("--game", game, "--deals", str(deals), "--rules", "0", "--tables", "1")
    return Tests(("tests.differential", *words), plain=True)


def no_leak(rules: str) -> Tests:
    """That nobody notices when what they cannot see is shuffled, under the rules with this id, without the compiler."""
    return plain(f"tests/test_leaks.py::test_shuffling_what_a_seat_cannot_see_changes_nothing_for_it[{rules}]")
