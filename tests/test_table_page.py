"""The page in a real browser: whole deals of every game by clicks and by keys, and what people do between them."""

from __future__ import annotations

from collections import Counter

import pytest

from card_envs.records import GameRecord
from tests.page import PHONE, Window, needs_browser
from tests.variants import DEFAULTS, SEVERAL, every

needs_browser()


@every(DEFAULTS)
def test_a_whole_deal_by_clicks_from_the_form_to_the_next_deal(game, window):
    page = window.open().page
    title = page.locator(f'input[name=game][value="{game.name}"]')
    page.locator("label").filter(has=title).click()
    page.get_by_label("Who plays in seat 1").select_option("greedy")
    page.get_by_label("Name of the person in seat 0").fill("Ada")
    window.button("Begin").click()
    window.play_on(window.play_by_click)
    record = GameRecord.from_line(window.record())
    assert record.is_over
    assert record.game.name == game.name
    assert record.players == ("Ada", "greedy")
    points = [str(points) for points in record.results["points"]]
    rows = page.get_by_role("table", name="Results").get_by_role("row").all()[1:]
    assert [row.get_by_role("cell").nth(1).text_content() for row in rows] == points
    assert window.told() != []
    window.button("Next deal").click()
    page.wait_for_function("() => document.querySelector('.end')?.hidden && document.querySelector('.frame svg')")
    assert window.rest() == "turn"
    totals = page.get_by_role("table", name="Seats and scores").get_by_role("row").all()[1:]
    assert [row.get_by_role("cell").last.text_content() for row in totals] == points


@every(DEFAULTS)
def test_a_whole_deal_by_keys_alone_on_a_phone(game, browser, server):
    window = Window(browser, server, PHONE)
    window.sit(game, [None, *["random"] * (game.num_players - 1)])
    window.play_on(window.play_by_keys)
    save = window.page.get_by_role("link", name="Save the record")
    window.reach(save)
    assert GameRecord.from_line(window.record()).is_over
    window.close()


@every(DEFAULTS)
@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_play_is_made_by_a_key_on_its_button(game, key, window):
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)])
    assert window.rest() == "turn"
    before = window.seen()
    window.reach(window.plays.last)
    window.page.keyboard.press(key)
    window.wait_for_more(before)


def test_one_of_several_plays_of_a_card_is_chosen_by_keys(window):
    """In some deal a card can make several plays."""
    game = SEVERAL.make()
    for seed in range(40):
        tokens = window.sit(game, [None, *["greedy"] * (game.num_players - 1)], seed=seed)
        assert window.rest() == "turn"
        position = window.page.request.get(f"{window.server.address}api/seats/{tokens['0']}").json()
        ((card, times),) = Counter(play["card"] for play in position["legal"]).most_common(1)
        if times > 1:
            break
    plays = window.plays.all_inner_texts()
    window.reach(window.page.locator(".hand button[tabindex='0']"))
    window.page.keyboard.press("Home")
    window.reach(window.page.locator(f".hand [data-card='{card}']"), "ArrowRight")
    window.page.keyboard.press("Enter")
    assert window.plays.count() == times + 1
    window.page.keyboard.press("Escape")
    assert window.plays.all_inner_texts() == plays
    before = window.seen()
    window.page.keyboard.press("Enter")
    window.page.keyboard.press("Tab")
    window.page.keyboard.press("Space")
    window.wait_for_more(before)
