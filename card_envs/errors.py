"""Errors of the package; all are ``ValueError``, with a sentence for a person."""


class IllegalAction(ValueError):
    """An action that the seat to play may not take now, or any action when nobody is on turn."""


class OutOfRange(ValueError):
    """A whole number that is too small or too large.

    name: what it is given for. least, most: what is allowed.
    """

    name: str
    least: int
    most: int


class UnknownArgument(ValueError, TypeError):
    """An unknown keyword argument, or a ``render_mode`` that is not available.

    Also a ``TypeError``, as Python raises it for unknown arguments: libraries that try an argument first and go on
    without it (``render_mode`` in Stable-Baselines3, ``frameskip`` in TorchRL) look for that.
    """


class FixedSetting(ValueError, AttributeError):
    """A setting of an environment that cannot be changed once it is made, or an unknown attribute."""


class MissingExtra(UnknownArgument, ImportError):
    """A feature whose optional package is not installed; the message has the command to install it."""


class NoDisplay(ValueError, OSError):
    """There is no screen to open a window on."""
