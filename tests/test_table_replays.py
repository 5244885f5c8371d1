"""Looking through records at the table: any file of them, step by step, from each seat and with all cards open."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from card_agents.evaluation.analysis import analyse_record
from card_agents.names import make_agent
from card_agents.table.choices import offers_of
from card_agents.table.limits import Limits
from card_envs.records import GameRecord
from card_envs.render.plays import said
from tests.table import visit
from tests.variants import ANY, DEFAULTS, FEW, every


def played(game, seed=7, plays=None):
    record = GameRecord(game.new_state(seed=seed), [f"<b>\u2028{seat}" for seat in range(game.num_players)])
    while not record.is_over and len(record) != plays:
        record.play(record.position.greedy_action(), note="first" if not len(record) else "")
    return record


@every(FEW)
def test_a_record_is_shown_play_by_play_as_each_seat_saw_it(game, file):
    record = played(game)

    async def scene(browser):
        status, told = await browser.post("replays", content=f"{record.to_line()}\n".encode())
        assert status == 200
        entry = told["records"][0]
        assert (entry["players"], entry["plays"]) == (list(record.players), len(record))
        for plays in {0, 1, len(record) // 2, len(record)}:
            at = f"replays/{told['replay']}/0/{plays}"
            state = record.at(plays)
            for seat in range(game.num_players):
                status, seen = await browser.get(f"{at}?seat={seat}&names=de&width=400")
                assert (status, seen["svg"]) == (200, state.to_svg(seat, names="de", width=400))
                assert seen["text"] == state.text(seat, names="de")
            status, seen = await browser.get(f"{at}?seat=all")
            assert (status, seen["svg"], seen["over"]) == (200, state.to_svg("all"), state.is_over)
            assert len(seen["history"]) == len(record)
            assert seen["history"][0][2] == "first"
            assert bool(seen["caption"]) == (plays > 0)
        return told["replay"]

    async def later(browser):
        status, seen = await browser.get(f"replays/{token}/0/1")
        assert (status, seen["plays"]) == (200, 1)

    token = visit(file, scene)
    visit(file, later)


def test_the_game_just_finished_is_looked_through(file):
    async def scene(browser):
        token = (await browser.begin(ANY.make(), [None, "greedy"]))[0]
        position = await browser.rest(token)
        while not position["over"]:
            await browser.play(token, position)
            position = await browser.rest(token)
        line = (await browser.answer("GET", f"seats/{token}/record")).content
        status, told = await browser.post("replays", content=line)
        assert status == 200
        status, seen = await browser.get(f"replays/{told['replay']}/0/{position['seen']}")
        assert (status, seen["over"], seen["svg"]) == (200, True, position["svg"])

    visit(file, scene)


def test_any_player_can_be_asked_about_a_position(file):
    record = played(ANY.make())

    async def scene(browser):
        _, told = await browser.post("replays", content=record.to_line().encode())
        at = f"replays/{told['replay']}/0"
        for player in ("greedy", "slow"):
            status, hint = await browser.get(f"{at}/3/hint?player={player}")
            assert (status, hint["player"]) == (200, player)
            assert [row["action"] for row in hint["rows"]] == record.at(3).legal_actions().tolist()
        assert hint["svg"] == record.at(3).to_svg(marks={row["action"]: 1 for row in hint["rows"] if row["chosen"]})
        for place, sentence in (
            (f"{len(record)}/hint?player=greedy", "The episode is over"),
            ("3/hint?player=cmd:sh", "There is no player 'cmd:sh' here"),
            ("3/hint", "There is no player None here"),
        ):
            status, told = await browser.get(f"{at}/{place}")
            assert (status, sentence in told["error"]) == (400, True)

    visit(file, scene)


@every(DEFAULTS)
def test_what_each_play_of_a_record_gave_away_is_as_the_analysis_says(game, file):
    record = played(game)
    wanted = analyse_record(record, ("slow", make_agent("pimc:2", game))).to_dict()

    async def scene(browser):
        _, told = await browser.post("replays", content=record.to_line().encode())
        status, found = await browser.get(f"replays/{told['replay']}/0/analysis?player=slow&names=de")
        assert (status, found["seats"], found["judge"]) == (200, json.loads(json.dumps(wanted["seats"])), "slow")
        for play, one in zip(found["plays"], wanted["plays"], strict=True):
            assert play == {**one, "action": said(one["action"], "de"), "best": said(one["best"], "de")}
        status, refused = await browser.get(f"replays/{told['replay']}/0/analysis?player=nobody")
        assert (status, "There is no player 'nobody' here" in refused["error"]) == (400, True)

    visit(file, scene, offers=offers_of(["slow=pimc:2"]))


def test_an_analysis_that_cannot_be_gets_a_sentence(file):
    record = played(ANY.make())

    async def scene(browser):
        _, told = await browser.post("replays", content=record.to_line().encode())
        for number, player, status, sentence in (
            (0, "random", 400, "tells no values of plays"), (1, "random", 404, "There is no record 1"),
            (0, "pimc:2", 413, "at most 5 are judged: use card-envs analyse"),
        ):  # fmt: skip
            browser.room.limits = Limits(analysed=5 if status == 413 else 1000)
            found, answer = await browser.get(f"replays/{told['replay']}/{number}/analysis?player={player}")
            assert (found, sentence in answer["error"]) == (status, True), answer

    visit(file, scene, offers=offers_of(["random", "pimc:2"]))


def test_what_is_no_record_is_refused_naming_the_line(file):
    good = played(ANY.make()).to_line()
    torn = good[:-40]
    other = json.dumps(json.loads(good) | {"record": 99})
    content = json.loads(good)
    content["deals"][0]["plays"] = content["deals"][0]["plays"][:-2]
    illegal = json.dumps(content)
    wrong = [
        (b"", "no record in this file"),
        (b"\n\n", "no record in this file"),
        (b"\xff\xfe", "line 1:"),
        (b"hello", "This file, line 1:"),
        (f"{good}\n{torn}".encode(), "This file, line 2:"),
        (f"{good}\n{torn}".encode(), "a part of it may be missing"),
        (f"\n{other}\n".encode(), "line 2: This record is of version 99"),
        (illegal.encode(), "line 1: The record says"),
        (b"[" * 100_000, "This file, line 1:"),
    ]

    async def scene(browser):
        for lines, sentence in wrong:
            status, told = await browser.post("replays", content=lines)
            assert (status, sentence in told["error"]) == (400, True), told

    visit(file, scene)


def test_places_that_are_not_in_the_file_get_a_sentence(file):
    record = played(ANY.make())

    async def scene(browser):
        _, told = await browser.post("replays", content=record.to_line().encode())
        token = told["replay"]
        for place, status in (
            (f"{token}/1/0", 404), (f"{token}/0/{len(record) + 1}", 400), ("nothing/0/0", 404), (f"{token}/0/-1", 404),
            (f"{token}/0/0?seat=2", 400), (f"{token}/0/0?seat=-1", 400), (f"{token}/0/0?seat=everybody", 400),
            (f"{token}/0/0?seat={'9' * 5000}", 400), (f"{token}/{'9' * 5000}/0", 400), (f"{token}/0/0?names=fr", 400),
        ):  # fmt: skip
            found, told = await browser.get(f"replays/{place}")
            assert (found, list(told)) == (status, ["error"]), place

    visit(file, scene)


def test_large_files_are_refused_and_old_ones_go(file):
    line = f"{played(ANY.make()).to_line()}\n".encode()

    async def large(browser):
        status, told = await browser.post("replays", content=line * 3)
        assert (status, "more than 2 records" in told["error"]) == (413, True)

    async def old(browser):
        tokens = [(await browser.post("replays", content=line))[1]["replay"] for _ in range(3)]
        browser.room.replays._ready.clear()
        found = [await browser.get(f"replays/{token}/0/0") for token in tokens]
        assert [status for status, _ in found] == [404, 200, 200]
        assert "open it again" in found[0][1]["error"]

    visit(file, large, limits=Limits(records=2))
    visit(file, large, limits=Limits(records=2, plays=100))
    visit(file, old, limits=Limits(replays=2))
