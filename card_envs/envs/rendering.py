"""How environments show positions: render modes, and the window of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium

from card_envs.checks import shown
from card_envs.errors import UnknownArgument
from card_envs.game import Game
from card_envs.render.faces import WIDTH
from card_envs.render.pixels import Pixels, pixels, require
from card_envs.state import State

if TYPE_CHECKING:
    from card_envs.render.window import Window

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 4


class Rendering:
    """The render mode of an environment, and what is shown in it."""

    game: Game
    _render_mode: str | None = None
    _window: Window | None = None
    _render_modes: ClassVar[Sequence[str]] = RENDER_MODES

    @property
    def render_mode(self) -> str | None:
        """What ``render()`` makes: a page (``"ansi"``), pixels (``"rgb_array"``) or a window (``"human"``)."""
        return self._render_mode

    @render_mode.setter
    def render_mode(self, mode: str | None) -> None:
        if mode is not None and (not isinstance(mode, str) or mode not in self._render_modes):
            choices = ", ".join(map(repr, self._render_modes)) or "None, since these tables draw nothing"
            raise UnknownArgument(f"render_mode={shown(mode)} is unknown: choose one of {choices}.")
        if mode in ("rgb_array", "human"):
            require(f"render_mode={mode!r}")
        if mode == "human" and self._window is None:
            from card_envs.render.window import Window

            self._window = Window(self.game.name, RENDER_FPS)
        self._render_mode = mode

    def _seen_by(self, state: State, seat: int) -> str | Pixels:
        """What a seat may see: pixels in the modes that need them, else a page of text."""
        if self._render_mode in ("rgb_array", "human"):
            return self._pixels_of(state, seat)
        return state.text(seat)

    def _pixels_of(self, state: State, seat: int, width: int = WIDTH) -> Pixels:
        return pixels(state.to_svg(seat, width=width))

    def _show(self, picture: Any) -> None:
        if self._window is None:  # closed before, or this is a copy
            self.render_mode = "human"
        assert self._window is not None
        self._window.show(picture)

    def _close_window(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None


def warn_of_no_mode(make: str) -> None:
    """Warn that nothing is rendered without a render mode; ``make``: what takes one."""
    gymnasium.logger.warn(f'Without a render mode nothing is rendered: {make}(..., render_mode="ansi").')
