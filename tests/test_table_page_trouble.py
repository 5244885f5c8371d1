"""The page in a real browser when something goes wrong: reloads, a server that dies, refusals. Nothing is lost."""

from __future__ import annotations

import pytest

from card_envs.records import GameRecord
from tests.page import Window, needs_browser
from tests.variants import ANY, DEFAULTS, every

needs_browser()


@pytest.fixture
def cut_off(browser, server):
    """A window that is refused, or whose server goes away, so that the browser notes failures."""
    window = Window(browser, server, stays_connected=False)
    yield window
    window.close()


def cards(window):
    return [card.get_attribute("data-card") for card in window.hand.all()]


@every(DEFAULTS)
def test_a_reload_in_the_middle_keeps_the_game(game, window):
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)])
    window.play_on(window.play_by_click, until=lambda: window.seen() > 5)
    before = window.seen(), cards(window)
    window.page.reload()
    assert window.rest() == "turn"
    assert (window.seen(), cards(window)) == before


@every(DEFAULTS)
def test_a_server_killed_in_the_middle_loses_nothing_and_the_page_finds_it_again(game, cut_off, server):
    window = cut_off
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)])
    window.play_on(window.play_by_click, until=lambda: window.seen() > 4)
    seen, hand = window.seen(), cards(window)
    server.kill()
    window.says("The connection to the table is lost")
    assert cards(window) == hand
    window.play_by_click()  # while there is no server: it waits
    window.page.locator(".frame .pending").wait_for()
    server.begin()
    window.wait_for_more(seen)
    assert window.play_on(window.play_by_click) == "over"
    assert not window.page.locator("#connection").is_visible()
    record = GameRecord.from_line(window.record())
    assert record.is_over
    assert record.plays[seen].seat == 0
    assert record.plays[seen].name[:2] in hand


def test_a_play_made_before_the_last_one_is_answered_is_not_lost(window):
    window.sit(ANY.make(), [None, "greedy"])
    held = []

    def hold(route):
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    window.page.route("**/plays?*", hold)
    assert window.rest() == "turn"
    before = window.seen()
    window.play_by_click()
    window.wait_for_more(before)  # it has heard of the play, though not from the answer
    assert window.rest() == "turn"
    before = window.seen()
    window.play_by_click()
    window.page.locator(".frame .pending").wait_for()
    ((route, answer),) = held
    route.fulfill(response=answer)
    window.wait_for_more(before)


def test_taking_back_gives_the_play_back(window):
    window.sit(ANY.make(), [None, "greedy"])
    assert window.rest() == "turn"
    assert window.button("Take back").is_disabled()
    before = window.seen(), cards(window)
    window.play_by_click()
    window.wait_for_more(before[0])
    assert window.rest() == "turn"
    window.button("Take back").click()
    window.page.wait_for_function(
        "seen => document.querySelector('.game').dataset.seen === String(seen)", arg=before[0]
    )
    assert cards(window) == before[1]


def test_what_the_server_refuses_is_said_in_its_own_words(cut_off):
    game = next(variant.make() for variant in DEFAULTS if "target" in vars(variant.make().rules))
    page = cut_off.open().page
    page.locator("label").filter(has=page.locator(f'input[name=game][value="{game.name}"]')).click()
    page.get_by_text("Rules", exact=True).click()
    page.get_by_label("target", exact=True).fill("many")
    cut_off.button("Begin").click()
    cut_off.says("target='many'")
    page.get_by_label("target", exact=True).fill("100000")
    cut_off.button("Begin").click()
    cut_off.says("target=100000 is out of range")
    cut_off.button("Dismiss").click()
    assert not page.get_by_role("alert").is_visible()
    page.get_by_label("target", exact=True).fill("3")
    page.get_by_label("Seed").fill("-1")
    cut_off.button("Begin").click()
    cut_off.says("seed=")
    page.get_by_label("Seed").fill("")
    cut_off.button("Begin").click()
    assert cut_off.rest() == "turn"


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("#/play/0.AAAAAAAAAAAAAAAAAAAAAA", "There is no such seat here"),
        ("#/replay/AAAAAAAAAAAAAAAAAAAAAA/0/0/0", "This file of records is not kept any more"),
        ("#/play/nonsense", "This address names no seat"),
        ("#/nonsense", "New game"),
    ],
)
def test_an_address_that_leads_nowhere_gets_a_sentence(part, sentence, cut_off):
    cut_off.open(part)
    cut_off.page.get_by_text(sentence).first.wait_for()


def altered(window, change):
    """Change the positions that are sent to a window."""

    def answer(route):
        found = route.fetch()
        route.fulfill(response=found, json={**found.json(), **change})

    window.page.route("**/api/seats/*?*", answer)


def test_a_player_that_thinks_is_seen_to_think(window):
    altered(window, {"seen": 1, "to_play": 1, "thinking": None, "legal": []})
    news = 'event: changed\ndata: {"seen": 1, "thinking": 1}\n\n'
    window.page.route("**/events", lambda route: route.fulfill(body=news, content_type="text/event-stream"))
    window.sit(ANY.make(), [None, "greedy"])
    window.says("greedy thinks …")
    assert window.plays.count() == 0


def test_a_game_that_cannot_go_on_says_why(window):
    altered(window, {"trouble": "The game cannot go on: greedy gave no play."})
    window.sit(ANY.make(), [None, "greedy"])
    window.says("greedy gave no play.")


def test_a_late_play_is_refused_and_the_page_looks_again(cut_off):
    window = cut_off
    token = window.sit(ANY.make(), [None, "greedy"])["0"]
    window.play_on(window.play_by_click, until=lambda: window.plays.count() > 1)
    seen = window.seen()
    address = f"{window.server.address}api/seats/{token}"
    window.page.route("**/events", lambda route: route.abort())
    window.page.reload()
    window.page.locator(".status.turn").wait_for()
    legal = window.page.request.get(address).json()["legal"]
    other = {"seen": seen, "action": legal[-1]["action"]}
    assert window.page.request.post(f"{address}/plays", data=other).ok
    assert int(window.plays.first.get_attribute("data-action")) != other["action"]
    window.plays.first.click()
    window.says("The game has moved on")
    window.wait_for_more(seen)
