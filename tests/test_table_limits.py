"""The table: hints, players who fail, and how much people may take of the machine."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from card_agents.table.choices import offers_of
from card_agents.table.limits import Limits
from tests.table import visit
from tests.variants import ANY

# Hints


def test_a_hint_is_for_whoever_is_on_turn_and_marks_the_picture(file):
    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])
        seat = (await browser.look(tokens[0]))["to_play"]
        before = await browser.look(tokens[seat])
        for player in ("greedy", "random", "slow"):
            status, told = await browser.get(f"seats/{tokens[seat]}/hint?player={player}&names=de&width=500")
            assert (status, told["player"], told["seen"]) == (200, player, 0)
            assert [row["action"] for row in told["rows"]] == [play["action"] for play in before["legal"]]
            assert sum(row["chosen"] for row in told["rows"]) == 1
            assert {"name", "probability", "value", "spread", "visits", "exact"} <= told["rows"][0].keys()
            assert 'width="500"' in told["svg"]
            assert len(told["svg"]) > len(before["svg"])
        for token, player, status, sentence in (
            (tokens[1 - seat], "greedy", 409, "for whoever is on turn"),
            (tokens[seat], "pimc:1", 400, "There is no player 'pimc:1' here"),
            (tokens[seat], "", 400, "There is no player '' here"),
        ):
            found, told = await browser.get(f"seats/{token}/hint?player={player}")
            assert (found, sentence in told["error"]) == (status, True)
        assert await browser.look(tokens[seat]) == before

    visit(file, scene)


def test_what_a_labelled_player_is_made_from_is_told_to_the_operator_alone(file, caplog):
    offers = offers_of(["mine=ppo:no/such/file", "greedy"])

    async def scene(browser):
        status, told = await browser.post("games", {"game": ANY.game, "seats": [None, "mine"]})
        assert (status, told["error"]) == (400, "mine: this cannot be played here; the server's window says why.")
        token = (await browser.begin(ANY.make(), [None, "greedy"]))[0]
        position = await browser.rest(token)
        status, told = await browser.get(f"seats/{token}/hint?player=mine")
        assert (status, told["error"]) == (400, "mine: this cannot be played here; the server's window says why.")
        assert await browser.look(token) == position
        assert not any("no/such" in text for text in browser.wire)

    visit(file, scene, offers=offers)
    assert "no/such/file cannot be read as a player" in caplog.text


def test_a_player_who_fails_stops_the_game_with_a_sentence_until_a_play_is_taken_back(file, monkeypatch):
    from card_agents.table.sitting import Sitting

    game = ANY.make()

    def fail(self):
        raise ValueError("greedy gave no play: it slept.")

    async def scene(browser):
        token = (await browser.begin(game, [None, "greedy"]))[0]
        position = await browser.rest(token)
        with monkeypatch.context() as patched:
            patched.setattr(Sitting, "think", fail)
            while position["trouble"] is None:
                await browser.play(token, position)
                position = await browser.rest(token)
        assert position["trouble"] == "The game cannot go on: greedy gave no play: it slept."
        assert position["to_play"] == 1
        status, back = await browser.post(f"seats/{token}/undo", {"seen": position["seen"]})
        assert (status, back["trouble"], back["to_play"]) == (200, None, 0)
        await browser.play(token, back)
        assert (await browser.rest(token))["seen"] > position["seen"]

    visit(file, scene)


# Limits


def test_no_more_games_than_are_allowed_unless_old_ones_can_go(file):
    async def scene(browser):
        for _ in range(2):
            await browser.begin(ANY.make(), [None, None])
        status, told = await browser.post("games", {"game": ANY.game, "seats": [None, None]})
        assert (status, "2 games here already" in told["error"]) == (429, True)

    async def later(browser):
        await browser.begin(ANY.make(), [None, None])
        assert browser.room.store.count() == 1

    visit(file, scene, limits=Limits(games=2))
    visit(file, later, limits=Limits(games=2, rest=-1.0))


def test_no_more_streams_than_are_allowed(file):
    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])

        async def once_more():
            status, told = await browser.get(f"seats/{tokens[0]}/events")
            assert (status, "close one of them" in told["error"]) == (429, True)

        await browser.events(tokens[0], 1, after=(once_more,))
        await browser.events(tokens[0], 1)

    visit(file, scene, limits=Limits(streams=1))


def test_games_that_nobody_looks_at_are_read_again(file):
    async def scene(browser):
        tokens = [(await browser.begin(ANY.make(), [None, "greedy"]))[0] for _ in range(3)]
        before = [await browser.rest(token) for token in tokens]
        assert len(browser.room._tables) == 1
        assert [await browser.look(token) for token in tokens] == before

    visit(file, scene, limits=Limits(in_memory=1))
