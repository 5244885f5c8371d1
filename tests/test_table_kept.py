"""What is kept of the table: every play that was answered, whatever happens to the room that holds it."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import stat

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")
pytest.importorskip("rich")

from card_agents.table.choices import offers_of
from card_agents.table.limits import Limits
from card_agents.table.store import FORMAT, KeptGame, Store
from card_envs.records import Play
from tests.bots import program
from tests.table import visit
from tests.test_tournament_bots import none_left
from tests.variants import ANY


def test_everything_is_there_when_it_is_opened_again(file):
    async def before(browser):
        tokens = await browser.begin(ANY.make(), [None, "greedy"], labels=["Ада", None])
        for _ in range(3):
            await browser.play(tokens[0], await browser.rest(tokens[0]))
        return browser.room.store.secret, tokens[0], await browser.rest(tokens[0])

    async def after(browser):
        return browser.room.store.secret, token, await browser.rest(token)

    secret, token, position = visit(file, before)
    assert visit(file, after) == (secret, token, position)
    assert position["labels"][0] == "Ада"


def test_a_player_who_was_thinking_thinks_on(file, monkeypatch):
    from card_agents.table.tables import Table

    async def nothing(self):
        return None

    async def before(browser):
        with monkeypatch.context() as patched:
            patched.setattr(Table, "play_on", nothing)
            token = (await browser.begin(ANY.make(), [None, "greedy"], seed=1))[0]
            position = await browser.look(token)
            while position["to_play"] == 0:
                _, position = await browser.play(token, position)
        return token, position

    async def after(browser):
        return await browser.rest(token)

    token, position = visit(file, before)
    assert position["to_play"] == 1
    assert visit(file, after)["seen"] > position["seen"]


def test_a_game_whose_player_is_not_offered_any_more_waits(file):
    async def before(browser):
        return (await browser.begin(ANY.make(), [None, "greedy"]))[0]

    async def after(browser):
        status, told = await browser.get(f"seats/{token}")
        assert (status, "There is no player 'greedy' here" in told["error"]) == (409, True)

    async def again(browser):
        await browser.rest(token)

    token = visit(file, before)
    visit(file, after, offers=offers_of(["random"]))
    visit(file, again)


@pytest.mark.skipif(os.name != "posix", reason="external bots")
def test_programs_end_with_the_game_when_nobody_looks_and_with_the_server(file, tmp_path):
    offers = offers_of([f"bot={program(tmp_path, 'good')}"])

    async def whole(browser):
        token = (await browser.begin(ANY.make(), [None, "bot"]))[0]
        position = await browser.rest(token)
        while not position["over"]:
            await browser.play(token, position)
            position = await browser.rest(token)
        await asyncio.to_thread(left)

    async def several(browser):
        tokens = [(await browser.begin(ANY.make(), [None, "bot"], seed=7))[0] for _ in range(3)]
        for token in tokens:
            position = await browser.rest(token)
            while position["to_play"] == 0 and position["seen"] < 3:
                await browser.play(token, position)
                position = await browser.rest(token)
        held = [table for table in browser.room._tables.values() if table.has_programs]
        assert len(held) == 1

    def left():
        pids, all_gone = none_left(tmp_path)
        assert pids
        assert all_gone

    visit(file, whole, offers=offers)
    left()
    visit(file, several, offers=offers, limits=Limits(programs=1))
    left()


def test_a_play_that_cannot_be_saved_is_not_played(file, monkeypatch):
    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])
        seat = (await browser.look(tokens[0]))["to_play"]
        before = await browser.look(tokens[seat])
        with monkeypatch.context() as patched:

            def full(*given):
                raise sqlite3.OperationalError("database or disk is full")

            patched.setattr(Store, "write", full)
            status, told = await browser.play(tokens[seat], before)
            assert (status, "disk is full" in told["error"]) == (507, True)
        assert await browser.look(tokens[seat]) == before
        status, _ = await browser.play(tokens[seat], before)
        assert status == 200

    visit(file, scene)


def test_a_game_that_was_forgotten_is_gone_for_whoever_had_it_open(file):
    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])
        seat = (await browser.look(tokens[0]))["to_play"]
        before = await browser.look(tokens[seat])
        table, _ = await browser.room.seat(tokens[seat])
        browser.room.store.forget_before(float("inf"))
        with pytest.raises(Exception, match="not kept any more"):
            await table.play(seat, before["legal"][0]["action"], 0)
        status, told = await browser.get(f"seats/{tokens[seat]}")
        assert (status, "no such seat" in told["error"]) == (404, True)

    visit(file, scene)


def test_plays_are_kept_and_taken_back(file):
    store = Store(file)
    game = KeptGame("a", "line", (None, "greedy"), (1, 2), {0: "token"}, follows="b")
    store.add(game)
    plays = [Play(0, "Kh", "why"), Play(1, "Ah")]
    store.write("a", 0, plays, None)
    store.write("a", 1, [Play(1, "Qh"), Play(0, "Jh")], 1)
    with pytest.raises(LookupError):
        store.write("b", 0, plays, None)
    store.close()
    store = Store(file)
    kept = store.game("a")
    assert list(kept.plays) == [("Kh", "why"), ("Qh", ""), ("Jh", "")]
    assert (kept.offers, kept.before, kept.tokens, kept.forfeited) == ((None, "greedy"), (1, 2), {0: "token"}, 1)
    assert (store.seat("token"), store.seat("?"), store.following("b"), store.following("a")) == (
        ("a", 0),
        None,
        "a",
        None,
    )
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_only_its_owner_can_read_the_database(file):
    file.touch(0o666)
    store = Store(file)
    store.add(KeptGame("a", "line", (None,), (0,), {0: "token"}))
    for path in file.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    store.close()


def test_other_files_are_refused_and_left_as_they_are(tmp_path):
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as made:
        made.execute("CREATE TABLE things (one)")
    made.close()
    newer = tmp_path / "newer.sqlite"
    Store(newer).close()
    with sqlite3.connect(newer) as made:
        made.execute(f"PRAGMA user_version = {FORMAT + 1}")
    made.close()
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all, but a file of some length\n" * 100)
    for path, sentence in (
        (other, "the database of another program"),
        (newer, f"another version of card_envs (database {FORMAT + 1}, here {FORMAT})"),
        (text, "is no database of games"),
        (tmp_path, "is a folder"),
    ):
        content = path.read_bytes() if path.is_file() else b""
        with pytest.raises(ValueError, match=re.escape(sentence)):
            Store(path)
        assert not path.is_file() or path.read_bytes() == content
    with pytest.raises(OSError, match="missing"):
        Store(tmp_path / "missing" / "games.sqlite")


def test_one_server_at_a_time_has_a_database(file):
    store = Store(file)
    with pytest.raises(ValueError, match="in use by another card-envs table"):
        Store(file)
    store.close()
    Store(file).close()
