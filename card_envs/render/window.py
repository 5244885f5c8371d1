"""A window that shows pictures one after the other, with pygame, as Gymnasium's own environments do."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from card_envs.errors import NoDisplay
from card_envs.render.pixels import Pixels, require

INSTEAD = 'take render_mode="rgb_array" for pixels, or set SDL_VIDEODRIVER=dummy in the environment to go on without'
"""What to do where there is no screen."""


class Window:
    """A window, which opens with the first picture."""

    def __init__(self, title: str, fps: int) -> None:
        """A window with this title that shows ``fps`` pictures a second.

        Raises ``MissingExtra`` without pygame, and ``NoDisplay`` where there is no screen; it warns where pygame draws
        to no screen at all.
        """
        require('render_mode="human"', {"pygame": "pygame-ce"})
        import pygame

        try:
            pygame.display.init()
        except pygame.error as fault:
            raise NoDisplay(f"There is no screen to open a window on ({fault}): {INSTEAD}.") from None
        if pygame.display.get_driver() == "offscreen" and "SDL_VIDEODRIVER" not in os.environ:
            warnings.warn(f"There is no screen, so nothing of the window will be seen: {INSTEAD}.", stacklevel=2)
        self._title, self._fps = title, fps
        self._clock = pygame.time.Clock()
        self._window: Any = None

    def show(self, picture: Pixels) -> None:
        """Show a picture, once the one before has been shown for ``1 / fps`` seconds."""
        import pygame

        size = picture.shape[1], picture.shape[0]
        if self._window is None or self._window.get_size() != size:
            self._window = pygame.display.set_mode(size)
            pygame.display.set_caption(self._title)
        self._window.blit(pygame.surfarray.make_surface(np.swapaxes(picture, 0, 1)), (0, 0))
        pygame.event.pump()
        self._clock.tick(self._fps)
        pygame.display.flip()

    def close(self) -> None:
        """Close the window."""
        import pygame

        pygame.display.quit()
        self._window = None
