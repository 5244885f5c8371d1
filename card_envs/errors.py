"""Errors of the package; all are ``ValueError``, with a sentence for a person."""


class IllegalAction(ValueError):
    """An action that the seat to play may not take now, or any action where nobody is on turn."""
