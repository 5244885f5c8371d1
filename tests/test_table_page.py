"""The page in a real browser: whole deals of every game by clicks and by keys, and what people do between them."""

from __future__ import annotations

from card_envs.records import GameRecord
from tests.page import PHONE, Window, needs_browser
from tests.variants import DEFAULTS, every

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
