"""A position as a page of text that a person can read."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Page:
    """A page about a position: a title, and lines of a label and a text each."""

    title: str
    lines: list[tuple[str, str]] = field(default_factory=list)

    def add(self, label: str, text: str) -> None:
        """Add a line."""
        self.lines.append((label, text))

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.lines), default=0)
        return "\n".join([self.title, *(f"  {label:<{width}}  {text}" for label, text in self.lines)])
