"""The page in a real browser: several people at a table, at one screen and in windows of their own."""

from __future__ import annotations

from tests.page import Window, needs_browser
from tests.variants import ANY, SEVERAL

needs_browser()


def cards_shown(window):
    """Names of the cards that can be seen or heard of on the page, wherever they are."""
    return set(
        window.page.evaluate("() => [...document.querySelectorAll('[data-card]')].map((card) => card.dataset.card)")
    )


def test_people_at_one_screen_see_their_own_hand_once_they_say_who_they_are(window):
    game = SEVERAL.make()
    names = [f"Ada {seat}" for seat in range(game.num_players)]
    tokens = window.sit(game, [None] * game.num_players, labels=names)
    turns = []
    while (state := window.rest()) != "over":
        assert state == "covered"
        assert cards_shown(window) == set()
        before = window.seen()
        seat = names.index(window.uncover().removeprefix("I am ").removesuffix(": show my hand"))
        assert window.rest() == "turn"
        window.says(f"{names[seat]}, it is your turn.")
        answer = window.page.request.get(f"{window.server.address}api/seats/{tokens[str(seat)]}").json()
        assert answer["to_play"] == seat
        assert [card.get_attribute("data-card") for card in window.hand.all()] == answer["public"]["hand"]
        turns.append(seat)
        window.play_by_click()
        window.wait_for_more(before)
    assert set(turns) == set(range(game.num_players))
    assert window.page.get_by_role("table", name="Results").is_visible()
    window.button("Next deal").click()
    window.page.wait_for_function("() => document.querySelector('.game').dataset.seen === '0'")
    assert window.rest() == "covered"


def test_a_person_takes_back_before_the_screen_is_passed_on(window):
    window.sit(ANY.make(), [None, None], labels=["Ada", "Ben"])
    assert window.rest() == "covered"
    window.uncover()
    assert window.rest() == "turn"
    window.play_by_click()
    window.wait_for_more(0)
    if window.rest() == "covered":
        window.button(": take back").click()
    else:
        window.button("Take back").click()
    window.page.wait_for_function("() => document.querySelector('.game').dataset.seen === '0'")


def test_a_reload_covers_the_hand(window):
    window.sit(ANY.make(), [None, None])
    assert window.rest() == "covered"
    assert window.uncover().startswith("Show the hand of seat")
    assert window.rest() == "turn"
    window.page.reload()
    assert window.rest() == "covered"
    assert cards_shown(window) == set()


def test_two_people_in_two_windows_play_a_deal(window, browser, server):
    page = window.open().page
    page.get_by_label("Who plays in seat 0").select_option("a person at this screen")
    page.get_by_label("Who plays in seat 1").select_option("a person in another window")
    page.get_by_label("Name of the person in seat 0").fill("Ada")
    page.get_by_label("Name of the person in seat 1").fill("Ben")
    window.button("Begin").click()
    link = page.get_by_label("Link of seat 1").input_value()
    other = Window(browser, server)
    other.page.goto(link)
    windows = [window, other]
    while True:
        for each in windows:
            each.page.wait_for_function("() => document.querySelector('.game')?.dataset.seen !== undefined")
        assert len({each.seen() for each in windows}) == 1
        if page.locator(".end").is_visible():
            break
        on_turn = [each for each in windows if each.page.locator(".status.turn").count()]
        assert len(on_turn) == 1
        hands = [{card.get_attribute("data-card") for card in each.hand.all()} for each in windows]
        assert not hands[0] & hands[1]
        before = on_turn[0].seen()
        on_turn[0].play_by_click()
        for each in windows:
            each.wait_for_more(before)
    for each in windows:
        each.button("Next deal").click()
        each.page.wait_for_function("() => document.querySelector('.game').dataset.seen === '0'")
    addresses = [each.page.evaluate("location.hash") for each in windows]
    assert addresses[0] != addresses[1]
    games = {
        each.page.request.get(f"{server.address}api/seats/{address.rpartition('.')[2]}").json()["game"]
        for each, address in zip(windows, addresses, strict=True)
    }
    assert len(games) == 1
    other.close()


def test_the_same_seat_in_two_windows_stays_one_game(window, browser, server):
    token = window.sit(ANY.make(), [None, "greedy"])["0"]
    other = Window(browser, server).open(f"#/play/0.{token}")
    for each in (window, other, window):
        assert each.rest() == "turn"
        before = each.seen()
        each.play_by_click()
        for one in (window, other):
            one.wait_for_more(before)
    assert window.seen() == other.seen()
    other.close()
