"""Errors of the package; all are ``ValueError``, with a sentence for a person."""


class IllegalAction(ValueError):
    """An action that the seat to play may not take now, or any action where nobody is on turn."""


class UnknownArgument(ValueError, TypeError):
    """A keyword argument that there is not, or a value of ``render_mode`` that cannot be drawn.

    Also a ``TypeError``, as Python raises it for unknown arguments: libraries that try an argument first and go on
    without it (``render_mode`` in Stable-Baselines3, ``frameskip`` in TorchRL) look for that.
    """


class FixedSetting(ValueError, AttributeError):
    """A setting of an environment that cannot be changed once it is made, or an attribute that there is not."""


class MissingExtra(UnknownArgument, ImportError):
    """Something that an optional package does, which is not installed; the sentence has the command that does so."""


class NoDisplay(ValueError, OSError):
    """There is no screen to open a window on."""
