"""What is public in Konchinka beside the table: the cards put back when the first table was mended (K4)."""

from __future__ import annotations

import numpy as np

import card_envs


def test_cards_put_back_openly_are_in_every_view():
    """K4: which cards were put back, and where they lie, is public."""
    game = card_envs.make_game("konchinka", num_players=4)
    states = game.new_states(np.arange(300, dtype=np.uint64))
    with_some = np.flatnonzero(states["open"])
    assert len(with_some) > 50
    for i in with_some[:20].tolist():
        places = [place for place in range(52) if int(states["open"][i]) >> place & 1]
        for seat in range(4):
            view = game.views(states[i : i + 1], seat)
            assert view["deck"][0, places].tolist() == states["deck"][i, places].tolist()
            planes = game.observations(view)[0]
            plane = planes[game.observation_layout["known_pack"]]
            assert np.flatnonzero(plane).tolist() == sorted(states["deck"][i, places].tolist())
