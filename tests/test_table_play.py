"""The table in play: what a page is told, what it may ask for, and what changes nothing."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

import card_envs
from card_agents.fields import described_rules
from card_agents.table.limits import Limits
from card_envs.records import GameRecord
from card_envs.registry import rule_fields
from tests.table import visit
from tests.variants import ANY, FEW, SEVERAL, every

# What can be chosen


def test_every_game_and_rule_can_be_chosen_within_its_bounds(file):
    async def scene(browser):
        return (await browser.get("choices"))[1]

    told = visit(file, scene)
    assert [game["name"] for game in told["games"]] == list(card_envs.GAMES)
    for game in told["games"]:
        rules = {rule["name"]: rule for rule in game["rules"]}
        assert rules.keys() == rule_fields(game["name"]).keys()
        assert all(len(rule["sentence"]) > 10 for rule in rules.values())
        for rule in rules.values():
            if rule["kind"] == "whole":
                for value in (rule["least"] - 1, rule["most"] + 1):
                    with pytest.raises(ValueError, match=f"{rule['name']}={value} is out of range"):
                        card_envs.make_game(game["name"], **{rule["name"]: value})
        seats = game["seats"]
        assert seats["least"] <= seats["default"] <= seats["most"]
        if seats["rule"]:
            for count in (seats["least"], seats["most"]):
                assert card_envs.make_game(game["name"], **{seats["rule"]: count}).num_players == count
        else:
            assert seats["least"] == seats["most"] == card_envs.make_game(game["name"]).num_players
    assert {player["name"]: player["slow"] for player in told["players"]} == {
        "greedy": False, "random": False, "slow": True,
    }  # fmt: skip
    assert told["names"] == ["en", "ru", "de"]


def test_kinds_of_rules_cover_what_rules_are():
    kinds = {rule["kind"] for name in card_envs.GAMES for rule in described_rules(name)}
    assert {"flag", "whole", "choice", "numbers"} <= kinds


@every(FEW)
def test_a_person_plays_an_episode_against_players(game, file):
    async def scene(browser):
        tokens = await browser.begin(game, [None, *["greedy"] * (game.num_players - 1)], labels=None)
        assert list(tokens) == [0]
        position = await browser.rest(tokens[0])
        told = []
        while not position["over"]:
            assert position["to_play"] == 0
            assert [play["name"] for play in position["legal"]] != []
            for play in position["legal"]:
                assert f'data-card="{play["card"]}"' in position["svg"]
                assert game.action_name(play["action"])[:2] == play["card"]
                assert set(play["takes"]) <= set(position["public"]["table"])
            status, after = await browser.play(tokens[0], position)
            assert status == 200
            assert after["seen"] > position["seen"]
            position = await browser.rest(tokens[0])
            numbers = [play["number"] for play in position["told"]]
            assert numbers == list(range(position["seen"] - len(numbers), position["seen"]))
            told = told[: numbers[0]] + position["told"] if numbers else told
        status, _ = await browser.get(f"seats/{tokens[0]}/record")
        line = (await browser.answer("GET", f"seats/{tokens[0]}/record")).text
        return position, told, line

    position, told, line = visit(file, scene)
    record = GameRecord.from_line(line)
    assert record.is_over
    assert record.results == position["results"]
    assert position["totals"] == record.results["points"]
    assert [play["seat"] for play in told] == [play.seat for play in record.plays]
    assert list(record.players) == position["labels"] != []


def test_players_answer_before_the_person_asks_again(file):
    async def scene(browser):
        token = (await browser.begin(ANY.make(), [None, "greedy"]))[0]
        position = await browser.rest(token)
        while not position["over"]:
            status, position = await browser.play(token, await browser.rest(token))
            assert status == 200
        return position

    assert visit(file, scene)["over"]


def test_people_play_each_other_and_the_next_deal_is_the_same_for_all(file):
    game = SEVERAL.make()
    seats = [None] * game.num_players

    async def scene(browser):
        tokens = await browser.begin(game, seats, labels=[f"Ada {seat}" for seat in range(game.num_players)])
        while True:
            position = await browser.look(tokens[0])
            if position["over"]:
                break
            token = tokens[position["to_play"]]
            status, _ = await browser.play(token, await browser.look(token))
            assert status == 200
        assert position["labels"] == [f"Ada {seat}" for seat in range(game.num_players)]
        answers = [await browser.post(f"seats/{tokens[seat]}/next") for seat in (1, 0, 1)]
        assert [status for status, _ in answers] == [200] * 3
        assert len({answer["game"] for _, answer in answers}) == 1
        assert [list(answer["seats"]) for _, answer in answers] == [["1"], ["0"], ["1"]]
        assert answers[0] == answers[2]
        after = await browser.look(answers[0][1]["seats"]["1"])
        assert after["totals"] == position["results"]["points"]
        assert after["seen"] == 0
        assert after["labels"] == position["labels"]
        assert after["public"]["dealer"] == (position["public"]["dealer"] + 1) % game.num_players
        assert (await browser.look(tokens[0]))["over"]

    visit(file, scene)


# What changes nothing


def test_illegal_late_and_doubled_plays_change_nothing_and_get_a_sentence(file):
    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])
        position = await browser.look(tokens[0])
        seat = position["to_play"]
        other = 1 - seat
        before = await browser.look(tokens[seat])
        legal = {play["action"] for play in before["legal"]}
        illegal = next(action for action in range(ANY.make().num_actions) if action not in legal)
        wrong = [
            (tokens[seat], {"seen": 0, "action": illegal}, 400, "cannot play"),
            (tokens[seat], {"seen": 0, "action": "??"}, 400, "'??'"),
            (tokens[seat], {"seen": 0, "action": -1}, 400, "action=-1 is out of range"),
            (tokens[seat], {"seen": 0, "action": None}, 400, "action=None"),
            (tokens[seat], {"seen": 0, "action": True}, 400, "action=True"),
            (tokens[seat], {"seen": 0, "action": 0.5}, 400, "action=0.5"),
            (tokens[seat], {"seen": 0, "action": 10**30}, 400, "out of range"),
            (tokens[seat], {"action": before["legal"][0]["action"]}, 400, "seen=None"),
            (tokens[seat], {"seen": 1, "action": before["legal"][0]["action"]}, 409, "The game has moved on"),
            (tokens[other], {"seen": 0, "action": before["legal"][0]["action"]}, 409, "It is not your turn"),
            (tokens[seat], {"seen": 0, "action": 1, "more": 2}, 400, "'more' is unknown"),
            (tokens[seat], [], 400, "must be an object"),
        ]
        for token, given, status, sentence in wrong:
            found, told = await browser.post(f"seats/{token}/plays", given)
            assert (found, sentence in told["error"]) == (status, True), told
            assert await browser.look(tokens[seat]) == before
        status, told = await browser.get(f"seats/{tokens[seat]}/record")
        assert (status, "when the game is over" in told["error"]) == (409, True)
        status, told = await browser.post(f"seats/{tokens[seat]}/next")
        assert (status, "not over yet" in told["error"]) == (409, True)
        status, after = await browser.play(tokens[seat], before)
        assert (status, after["seen"]) == (200, 1)
        assert (await browser.play(tokens[seat], before)) == (200, after)
        if len(before["legal"]) > 1:
            status, told = await browser.play(tokens[seat], before, before["legal"][1]["action"])
            assert (status, "moved on" in told["error"]) == (409, True)
        assert (await browser.look(tokens[seat])) == after

    visit(file, scene)


def test_two_windows_of_one_seat_see_the_same_and_one_of_two_plays_counts(file):
    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])
        seat = (await browser.look(tokens[0]))["to_play"]
        before = await browser.look(tokens[seat])
        assert await browser.look(tokens[seat]) == before
        answers = await asyncio.gather(
            *(browser.play(tokens[seat], before, play["action"]) for play in before["legal"][:2])
        )
        assert sorted(status for status, _ in answers) == [200, 409]
        assert (await browser.look(tokens[seat]))["seen"] == 1

    visit(file, scene)


def test_a_play_is_taken_back_once(file):
    async def scene(browser):
        token = (await browser.begin(ANY.make(), [None, "greedy"]))[0]
        first = await browser.rest(token)
        assert first["can_undo"] is False
        await browser.play(token, first)
        second = await browser.rest(token)
        assert second["can_undo"] is True
        status, back = await browser.post(f"seats/{token}/undo", {"seen": second["seen"]})
        assert (status, back) == (200, first)
        status, told = await browser.post(f"seats/{token}/undo", {"seen": second["seen"]})
        assert (status, "moved on" in told["error"]) == (409, True)
        assert await browser.look(token) == first
        await browser.play(token, first, first["legal"][-1]["action"])
        again = await browser.rest(token)
        assert again["told"][first["seen"]]["seat"] == 0

    visit(file, scene)


def test_what_cannot_be_begun_gets_a_sentence(file):
    game = ANY.game
    wrong = [
        ({}, "game=None is unknown"),
        ({"game": "whist", "seats": [None, None]}, "game='whist' is unknown"),
        ({"game": f"{game}()", "seats": [None, None]}, "is unknown"),
        ({"game": game, "seats": [None]}, "must name who plays in each of 2 seats"),
        ({"game": game, "seats": "ab"}, "must name who plays"),
        ({"game": game, "seats": [None, "cmd:sh -c true"]}, "There is no player 'cmd:sh -c true' here"),
        ({"game": game, "seats": [None, "ppo:/etc/passwd"]}, "There is no player 'ppo:/etc/passwd' here"),
        ({"game": game, "seats": [None, "pimc:1"]}, "There is no player 'pimc:1' here"),
        ({"game": game, "seats": [None, ["greedy"]]}, "There is no player ['greedy'] here"),
        ({"game": game, "seats": ["greedy", "greedy"]}, "At least one seat must be a person's"),
        ({"game": game, "seats": [None, None], "rules": []}, "rules=[] must be an object"),
        ({"game": game, "seats": [None, None], "rules": {"colour": 1}}, "has no rule 'colour'"),
        ({"game": game, "seats": [None, None], "rules": {"target": -1}}, "target=-1 is out of range"),
        ({"game": game, "seats": [None, None], "seed": -1}, "seed=-1 is out of range"),
        ({"game": game, "seats": [None, None], "seed": "7"}, "seed='7' is not a whole number"),
        ({"game": game, "seats": [None, None], "labels": ["x" * 41, None]}, "at most 40 letters"),
        ({"game": game, "seats": [None, None], "labels": ["x"]}, "a name, or null, for each seat"),
    ]

    async def scene(browser):
        for given, sentence in wrong:
            status, told = await browser.post("games", given)
            assert (status, sentence in told["error"]) == (400, True), told
        assert browser.room.store.count() == 0
        status, told = await browser.post("games", content=b"{")
        assert (status, "not JSON" in told["error"]) == (400, True)
        status, told = await browser.post("games", content=b"[" * 5000)
        assert status == 400

    visit(file, scene)


def test_the_same_seed_deals_the_same_cards(file):
    async def scene(browser):
        seen = []
        for seed in (7, 7, 8):
            token = (await browser.begin(ANY.make(), [None, None], seed=seed))[0]
            seen.append((await browser.look(token))["public"]["hand"])
        assert seen[0] == seen[1] != seen[2]

    visit(file, scene)


# News


def test_whoever_listens_hears_of_every_change(file):
    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])
        seat = (await browser.look(tokens[0]))["to_play"]

        async def play():
            await browser.play(tokens[seat], await browser.look(tokens[seat]))

        async def undo():
            status, _ = await browser.post(f"seats/{tokens[seat]}/undo", {"seen": 1})
            assert status == 200

        heard = await browser.events(tokens[1 - seat], 3, after=(play, undo))
        assert [event["seen"] for event in heard] == [0, 1, 0]
        table, _ = await browser.room.seat(tokens[0])
        assert table.is_idle
        assert browser.room.streams == 0

    visit(file, scene)


def test_a_slow_player_is_seen_to_think_and_others_play_on(file, monkeypatch):
    import threading

    from card_agents.table.sitting import Sitting

    game, let = ANY.make(), threading.Event()
    think = Sitting.think

    def think_when_let(self):
        if any(name == "pimc:1" for name in self.seats):
            assert let.wait(120)
        return think(self)

    monkeypatch.setattr(Sitting, "think", think_when_let)

    async def scene(browser):
        slow = (await browser.begin(game, [None, "slow"], seed=7))[0]
        position = await browser.look(slow)
        if position["to_play"] == 0:
            status, position = await browser.play(slow, position)
            assert status == 200
        while position["thinking"] is None:
            position = await browser.look(slow)
        assert (position["to_play"], position["thinking"], position["legal"]) == (1, 1, [])
        for _ in range(3):  # as many games as have their players think at the same time, and more
            await browser.begin(game, [None, "slow"], seed=7)
        quick = (await browser.begin(game, [None, "greedy"]))[0]
        other = await browser.rest(quick)
        while not other["over"]:
            await browser.play(quick, other)
            other = await browser.rest(quick)
        assert (await browser.look(slow)) == position
        let.set()
        after = await browser.rest(slow)
        assert (after["to_play"], after["thinking"]) == (0, None)
        assert len(after["told"]) > len(position["told"])

    visit(file, scene, limits=Limits(threads=2))


def test_what_was_thought_of_a_position_that_is_gone_is_not_played(file, monkeypatch):
    import threading

    from card_agents.table.sitting import Sitting

    begun, let = threading.Event(), threading.Event()
    think = Sitting.think

    def think_when_let(self):
        thought = think(self)
        begun.set()
        assert let.wait(120)
        return thought

    game = ANY.make()

    async def scene(browser):
        token = (await browser.begin(game, [None, "slow"]))[0]
        first = await browser.rest(token)
        monkeypatch.setattr(Sitting, "think", think_when_let)
        _, position = await browser.play(token, first)
        while position["to_play"] == 0:  # it took the trick and leads again
            _, position = await browser.play(token, position)
        assert await asyncio.to_thread(begun.wait, 120)
        status, back = await browser.post(f"seats/{token}/undo", {"seen": position["seen"]})
        assert (status, back["to_play"], back["thinking"]) == (200, 0, None)
        status, _ = await browser.play(token, back, back["legal"][-1]["action"])
        assert status == 200
        let.set()
        final = await browser.rest(token)
        assert final["trouble"] is None
        assert final["to_play"] == 0 or final["over"]

    visit(file, scene)
