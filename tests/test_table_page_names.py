"""The page in a real browser for whoever sees it badly or not at all, uses no mouse, or has a phone."""

from __future__ import annotations

import re

import pytest

from tests.page import DESK, PHONE, Window, needs_browser
from tests.variants import ANY, DEFAULTS, FEW, every

needs_browser()

RANKS = {
    "en": {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"},
    "ru": {"A": "туз", "K": "король", "Q": "дама", "J": "валет", "T": "10"},
    "de": {"A": "Ass", "K": "König", "Q": "Dame", "J": "Bube", "T": "10"},
}
SUITS = {
    "en": {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"},
    "ru": {"c": "треф", "d": "бубен", "h": "червей", "s": "пик"},
    "de": {"c": "Kreuz", "d": "Karo", "h": "Herz", "s": "Pik"},
}
NAMED = {"button", "link", "combobox", "textbox", "checkbox", "radio", "slider", "table", "image", "group", "log"}
"""Roles of what a screen reader must be able to name."""

CONTRAST = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (place) => {
    for (let one = place; one; one = one.parentElement) {
      const found = channels(getComputedStyle(one).backgroundColor);
      if ((found[3] ?? 1) > 0.5) return found;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const place = walk.currentNode.parentElement;
    const text = walk.currentNode.textContent.trim();
    if (!text || place.closest("svg, :disabled, noscript, .unseen, .skip, option")) continue;
    if (!place.checkVisibility()) continue;
    const [one, other] = [light(channels(getComputedStyle(place).color)), light(ground(place))].sort((a, b) => b - a);
    found.push([text.slice(0, 40), (one + 0.05) / (other + 0.05)]);
  }
  return found;
}"""


def parts(window, game):
    """Each part of the page in turn: the form, a game with a hint, the cover, the end, a record."""
    page = window.open().page
    page.locator(".setup").wait_for()
    page.get_by_text("Rules", exact=True).click()
    yield "form"
    window.sit(game, [None] * game.num_players)
    assert window.rest() == "covered"
    yield "cover"
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)])
    assert window.rest() == "turn"
    window.button("Hint").click()
    page.locator(".judgement").wait_for()
    for summary in page.locator("aside summary").all():
        summary.click()
    yield "game"
    window.play_on(window.play_by_click)
    yield "end"
    window.button("Look through it").click()
    page.locator(".replay .frame svg").wait_for()
    yield "record"
    page.goto(f"{window.server.address}#/replay")
    page.locator("#file").wait_for()
    yield "file"


def test_everything_has_a_role_and_a_name(window):
    session = window.context.new_cdp_session(window.page)
    for part in parts(window, ANY.make()):
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        seen = [node for node in nodes if not node["ignored"]]
        roles = {node["role"]["value"] for node in seen}
        assert {"main", "banner", "navigation", "heading", "link", "combobox"} <= roles, part
        nameless = [
            node["role"]["value"]
            for node in seen
            if node["role"]["value"] in NAMED and not node.get("name", {}).get("value") and node.get("childIds")
        ]
        assert nameless == [], part
        assert window.page.locator("h1").count() == 1
        assert window.page.locator("html").get_attribute("lang") == "en"


@every(DEFAULTS)
@pytest.mark.parametrize("names", ["en", "ru", "de"])
def test_cards_are_called_in_words(game, names, window):
    page = window.open().page
    page.get_by_role("combobox", name="Cards").select_option(names)
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)], seed=5)
    assert window.rest() == "turn"
    for button in window.hand.all():
        rank, suit = button.get_attribute("data-card")
        rank, suit = RANKS[names].get(rank, rank), SUITS[names][suit]
        words = {"en": f"{rank} of {suit}", "ru": f"{rank} {suit}", "de": f"{suit} {rank}"}[names]
        assert window.page.get_by_role("button", name=words, exact=True).first.is_visible()
        assert button.get_attribute("aria-label") == words
        assert button.get_attribute("lang") == names
    for button in window.plays.all():
        assert re.search("|".join(SUITS[names].values()), button.get_attribute("aria-label"))
        assert not re.search("[♣♦♥♠]", button.get_attribute("aria-label"))
    before = len(window.told()), window.seen()
    window.play_by_click()
    window.wait_for_more(before[1])
    window.rest()
    told = window.told()[before[0] :]
    assert len(told) == window.seen() - before[1]
    assert all(re.search("|".join(SUITS[names].values()), one) for one in told)
    words = page.get_by_role("combobox", name="Cards")
    assert words.input_value() == names


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(scheme, browser, server):
    window = Window(browser, server, color_scheme=scheme)
    grounds = set()
    for part in parts(window, ANY.make()):
        grounds.add(window.page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
        texts = window.page.evaluate(CONTRAST)
        assert len(texts) > 5
        assert [(part, text, ratio) for text, ratio in texts if ratio < 4.5] == []
    (ground,) = grounds
    assert (int(re.search(r"\d+", ground)[0]) < 128) == (scheme == "dark")
    window.close()


def test_what_has_the_focus_is_outlined(window):
    for _ in parts(window, ANY.make()):
        window.page.evaluate("() => document.activeElement?.blur()")
        styles = []
        for _ in range(12):
            window.page.keyboard.press("Tab")
            styles.append(
                window.page.evaluate(
                    """() => {
                      const one = document.activeElement;
                      const seen = one.matches(".games input") ? one.nextElementSibling : one;
                      const { outlineStyle, outlineWidth } = getComputedStyle(seen);
                      return [one.tagName, outlineStyle, parseFloat(outlineWidth)];
                    }"""
                )
            )
        assert [each for each in styles if each[0] != "BODY" and not (each[1] == "solid" and each[2] >= 2)] == []


def test_nothing_moves_for_those_who_want_no_motion(browser, server):
    moving = []
    for motion in ("no-preference", "reduce"):
        window = Window(browser, server, reduced_motion=motion)
        window.sit(ANY.make(), [None, "greedy"])
        window.rest()
        card = window.page.locator(".frame .card").first
        moving.append(card.evaluate("card => getComputedStyle(card).transitionDuration !== '0s'"))
        window.close()
    assert moving == [True, False]


@every(FEW)
def test_a_phone_shows_all_of_it_without_scrolling_sideways(game, browser, server):
    window = Window(browser, server, PHONE, has_touch=True, is_mobile=True)
    for part in parts(window, game):
        room = window.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert (part, room) == (part, [PHONE[0]] * 2)
        small = window.page.evaluate(
            """() => [...document.querySelectorAll("button, select, .button, input:not([readonly])")]
                 .filter((one) => one.checkVisibility() && !one.closest(".games, .log"))
                 .map((one) => [one.textContent, one.getBoundingClientRect()])
                 .filter(([, box]) => Math.min(box.width, box.height) < 20)
                 .map(([text]) => text)"""
        )
        assert (part, small) == (part, [])
    window.close()


@every(FEW)
def test_a_touch_plays_a_card(game, browser, server):
    window = Window(browser, server, PHONE, has_touch=True, is_mobile=True)
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)])
    assert window.rest() == "turn"
    before = window.seen()
    window.page.locator(".hand button[aria-disabled=false], .plays button").first.tap()
    if window.page.locator(".plays.narrowed").count():
        window.plays.first.tap()
    window.wait_for_more(before)
    window.close()


def test_a_card_that_cannot_be_played_says_so(browser, server):
    window = Window(browser, server, DESK)
    for seed in range(40):
        window.sit(ANY.make(), [None, "greedy"], seed=seed)
        assert window.rest() == "turn"
        idle = window.page.locator(".hand button[aria-disabled=true]")
        if idle.count():
            idle.first.click(force=True)
            window.says("This card cannot be played now.")
            window.close()
            return
    raise AssertionError("every card could be played")
