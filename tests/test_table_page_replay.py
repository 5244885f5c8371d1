"""The page in a real browser: looking through records, and what players know of positions."""

from __future__ import annotations

from card_envs.records import GameRecord
from tests.page import Window, needs_browser
from tests.variants import ANY, DEFAULTS, SEVERAL, every

needs_browser()


def played(game, seed=1):
    """A record of greedy play."""
    state = game.new_state(seed=seed)
    record = GameRecord(state, [f"player {seat}" for seat in range(game.num_players)])
    while not record.is_over:
        record.play(int(game.greedy_actions(record.position.record)[0]), note=f"play {len(record)}")
    return record


def opened(window, records):
    """Open a file of these records from the page."""
    lines = "".join(f"{record.to_line()}\n" for record in records)
    window.open("#/replay").page.get_by_label("A file of records").set_input_files(
        {"name": "games.jsonl", "mimeType": "application/x-ndjson", "buffer": lines.encode()}
    )
    window.page.locator(".replay .frame svg").wait_for()
    return window.page


def at(page, plays, record):
    """Wait until the page shows the position after so many plays, with the last one told."""
    page.locator(".replay .status").filter(has_text=f"{plays} of {len(record)}").wait_for()
    page.wait_for_function("plays => location.hash.split('/')[4] === String(plays)", arg=plays)
    notes = page.locator(".note")
    assert notes.text_content() == (f"play {plays - 1}" if plays else "")
    current = page.locator(".log button[aria-current]")
    assert current.count() == (1 if plays else 0)


@every(DEFAULTS)
def test_a_record_of_a_file_by_keys_buttons_and_slider(game, window):
    record = played(game)
    page = opened(window, [record])
    at(page, 0, record)
    for plays in range(1, 5):
        page.keyboard.press("ArrowRight")
        at(page, plays, record)
    page.keyboard.press("ArrowLeft")
    at(page, 3, record)
    page.keyboard.press("End")
    at(page, len(record), record)
    assert window.button("One play on").is_disabled()
    page.keyboard.press("Home")
    at(page, 0, record)
    window.button("One play on").click()
    at(page, 1, record)
    window.button("To the end").click()
    at(page, len(record), record)
    window.button("One play back").click()
    at(page, len(record) - 1, record)
    slider = page.get_by_role("slider", name="Play")
    slider.fill("6")
    at(page, 6, record)
    page.locator(".log button").nth(8).click()
    at(page, 9, record)
    page.reload()
    at(page, 9, record)
    window.button("Go through it").click()
    at(page, 11, record)
    window.button("Go through it").click()


@every(DEFAULTS)
def test_a_record_shows_a_seat_or_all_cards(game, window):
    record = played(game)
    page = opened(window, [record])
    state = record.at(0)
    hands = [set(state.hand(seat)) for seat in range(game.num_players)]

    def shown():
        return set(page.locator(".frame [data-card]").evaluate_all("all => all.map((one) => one.dataset.card)"))

    assert set.union(*hands) <= shown()
    choice = page.get_by_label("Whose cards are open")
    for seat in (1, 0):
        with page.expect_response("**/0/0?seat=*"):
            choice.select_option(str(seat))
        page.wait_for_function(
            "card => !document.querySelector(`.frame [data-card='${card}']`)", arg=max(hands[1 - seat])
        )
        assert hands[seat] <= shown()
        assert not hands[1 - seat] & shown()


def test_a_file_of_several_records_of_several_games(window):
    records = [played(variant.make()) for variant in DEFAULTS]
    page = opened(window, records)
    for number, record in reversed(list(enumerate(records))):
        page.get_by_label("Record", exact=True).select_option(str(number))
        at(page, 0, record)
        assert page.locator(".log button").count() == len(record)


def test_a_file_that_holds_no_records_is_refused_with_its_line(browser, server):
    window = Window(browser, server, stays_connected=False)
    page = window.open("#/replay").page
    good = played(ANY.make()).to_line()
    file = page.get_by_label("A file of records")
    for content, sentence in ((f"{good}\n{good[:-40]}", "Line 2"), ("", "There is no record"), ("{}", "Line 1")):
        file.set_input_files({"name": "games.jsonl", "mimeType": "text/plain", "buffer": content.encode()})
        window.says(sentence)
    file.set_input_files({"name": "games.jsonl", "mimeType": "text/plain", "buffer": bytes(3_000_000)})
    window.says("3000000 bytes")
    window.close()


def test_a_game_that_is_over_is_looked_through_with_all_cards_open(window):
    game = SEVERAL.make()
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)])
    assert window.rest() == "turn"
    assert window.page.get_by_label("Whose cards are open").count() == 0
    window.play_on(window.play_by_click)
    record = GameRecord.from_line(window.record())
    window.button("Look through it").click()
    page = window.page
    page.locator(".replay .status").filter(has_text=f"0 of {len(record)}").wait_for()
    page.get_by_label("Whose cards are open").select_option("all")
    hands = {card for seat in range(game.num_players) for card in record.at(0).hand(seat)}
    page.wait_for_function(
        "cards => cards.every((card) => document.querySelector(`.frame [data-card='${card}']`))", arg=sorted(hands)
    )


@every(DEFAULTS)
def test_a_hint_beside_the_cards_and_on_them(game, window):
    window.sit(game, [None, *["greedy"] * (game.num_players - 1)])
    window.play_on(window.play_by_click, until=lambda: window.plays.count() > 1)
    page = window.page
    for player in ("greedy", "slow"):
        page.get_by_label("Player to ask").select_option(player)
        window.button("Hint").click()
        table = page.get_by_role("table", name=f"What {player} knows")
        table.wait_for()
        told = {
            row.get_by_role("rowheader").inner_text().removesuffix(" its choice")
            for row in table.get_by_role("row").all()[1:]
        }
        assert told == set(window.plays.all_inner_texts())
        assert table.locator(".chosen").count() == 1
        page.locator(".frame .marks").wait_for()
    before = window.seen()
    window.play_by_click()
    window.wait_for_more(before)
    assert page.locator(".judgement, .frame .marks").count() == 0


@every(DEFAULTS)
def test_a_position_of_a_record_is_judged(game, window):
    record = played(game)
    page = opened(window, [record])
    page.get_by_label("Player to ask").select_option("slow")
    window.button("Judge").click()
    table = page.get_by_role("table", name="What slow knows")
    table.wait_for()
    assert table.get_by_role("row").count() == len(record.at(0).legal_actions()) + 1
    page.keyboard.press("End")
    at(page, len(record), record)
    assert not table.is_visible()
    assert window.button("Judge").is_disabled()
