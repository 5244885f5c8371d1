"""Nothing that goes to a seat depends on what the seat cannot know.

The same public course is played over two packs that differ only in cards hidden from a seat. Whatever comes over the
wire to that seat must be the same, byte for byte.
"""

from __future__ import annotations

import json
import secrets

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from card_agents.table.store import KeptGame, new_token
from card_envs.records import GameRecord
from tests.table import visit
from tests.variants import ANY, FEW, every, whole

PLACES = 6
"""So many positions of an episode are tried for each seat."""


def record_of(game, deck, dealer, plays):
    record = GameRecord(game.new_state(deck=deck, dealer=dealer, seed=1))
    for name in plays:
        record.play(name)
    return record


def other_pack(game, record, seat, generator):
    """Another pack of the same dealer, on which the same plays look the same to a seat; None if there is none."""
    view = record.position.view(seat)
    own = whole(record.start.record[0].deck, game)
    for world in game.sample_worlds(view, 8, generator):
        deck = whole(world.deck, game)
        if deck != own:
            return deck
    return None


async def everything_sent(browser, kept, record, seat):
    """All that a seat can get out of the server in a position of a game that is kept."""
    browser.room.store.add(kept)
    browser.room.store.write(kept.id, 0, record.plays, None)
    token = kept.tokens[seat]
    browser.wire.clear()
    position = await browser.look(token)
    for asked in ({"names": "ru"}, {"names": "de", "width": 300}):
        await browser.look(token, **asked)
    await browser.events(token, 1)
    for path in ("record", "hint?player=greedy", "hint?player=nobody"):
        await browser.get(f"seats/{token}/{path}")
    seen = position["seen"]
    for given in ({"seen": seen, "action": "??"}, {"seen": seen + 1, "action": 0}, {"seen": max(seen - 1, 0)}):
        await browser.post(f"seats/{token}/plays", given)
    for action in range(0, record.game.num_actions, max(record.game.num_actions // 20, 1)):
        if action not in {play["action"] for play in position["legal"]}:
            status, _ = await browser.post(f"seats/{token}/plays", {"seen": seen, "action": action})
            assert status >= 400
    await browser.post(f"seats/{token}/next")
    await browser.post(f"seats/{token}/undo", {"seen": seen})
    return list(browser.wire)


@every(FEW)
def test_what_a_seat_is_sent_is_the_same_whatever_it_cannot_know(game, tmp_path):
    generator = np.random.default_rng(7)
    compared = 0
    state = game.new_state(seed=7)
    deck, dealer = whole(state.record[0].deck, game), state.dealer
    full = GameRecord(game.new_state(deck=deck, dealer=dealer, seed=1))
    while not full.is_over and len(full.deals()) == 1:
        full.play(int(generator.choice(full.position.legal_actions())))
    names = [play.name for play in full.plays[: full.deals()[0].stop]]
    seats = [0, game.num_players - 1]
    for place in np.linspace(0, len(names) - 2, PLACES).astype(int).tolist():
        for seat in seats:
            record = record_of(game, deck, dealer, names[:place])
            pack = other_pack(game, record, seat, int(generator.integers(2**32)))
            if pack is None:
                continue
            other = record_of(game, pack, dealer, names[:place])
            tokens = {each: new_token() for each in range(game.num_players)}
            sent = []
            for number, one in enumerate((record, other)):
                start = one.branch(0)
                start.tags["words"] = "7"
                kept = KeptGame("game", start.to_line(), (None,) * game.num_players, (0,) * game.num_players, tokens)
                file = tmp_path / f"{place} {seat} {number}"
                sent.append(visit(file, lambda browser, k=kept, r=one, s=seat: everything_sent(browser, k, r, s)))
            assert sent[0] == sent[1]
            compared += 1
    assert compared >= PLACES // 2


def test_the_comparison_notices_a_leak(tmp_path, monkeypatch):
    from card_agents.table import tables

    seen_by = tables.seen_by

    def leaking(view, names, width):
        return seen_by(view, names, width) | {"leak": leaking.record.start.record[0].deck.tolist()}

    game = ANY.make()
    deck = whole(game.new_state(seed=7).record[0].deck, game)
    record = record_of(game, deck, 0, [])
    other = record_of(game, other_pack(game, record, 0, 7), 0, [])
    tokens = {seat: new_token() for seat in range(game.num_players)}
    monkeypatch.setattr(tables, "seen_by", leaking)
    sent = []
    for one in (record, other):
        leaking.record = one
        kept = KeptGame("game", one.to_line(), (None,) * game.num_players, (0,) * game.num_players, tokens)
        file = tmp_path / str(len(sent))
        sent.append(visit(file, lambda browser, k=kept, r=one: everything_sent(browser, k, r, 0)))
    assert sent[0] != sent[1]


@every(FEW)
def test_no_card_of_others_and_no_seed_comes_over_the_wire_before_the_end(game, tmp_path):
    seed = secrets.randbits(63) + 2**62

    async def scene(browser):
        tokens = await browser.begin(game, [None] * game.num_players, seed=seed)
        table, _ = await browser.room.seat(tokens[0])
        words = table.sitting.record.tags["words"]
        while True:
            position = await browser.look(tokens[0])
            if position["over"]:
                break
            state = table.sitting.record.position
            known = {*state.hand(0), *state.view(0).table}
            drawn = set(cards_of(position["svg"]))
            for other in range(1, game.num_players):
                hidden = set(state.hand(other)) - shown_openly(state)
                assert not hidden & drawn
                assert not hidden & set(position["public"]["hand"])
            assert known <= drawn
            await browser.events(tokens[0], 1)
            token = tokens[position["to_play"]]
            await browser.play(token, await browser.look(token))
        assert not any(str(seed) in text or f"{seed:x}" in text or words in text for text in browser.wire)
        line = (await browser.answer("GET", f"seats/{tokens[0]}/record")).text
        assert words not in line
        _, told = await browser.post(f"seats/{tokens[0]}/next")
        following, _ = await browser.room.seat(told["seats"]["0"])
        assert str(seed) not in following.sitting.record.to_line()

    visit(tmp_path / "games.sqlite", scene)


def cards_of(svg):
    import re

    return re.findall(r'data-card="(\w\w)"', svg)


def shown_openly(state):
    """Cards of hands that everybody has seen."""
    return set(cards_of(state.to_svg(0))) - set(state.hand(0)) - set(state.table)


def test_a_record_tells_no_file_or_program_of_the_operator(tmp_path):
    from card_agents.table.choices import offers_of

    game = ANY.make()

    async def scene(browser):
        token = (await browser.begin(game, [None, "friend"]))[0]
        position = await browser.rest(token)
        while not position["over"]:
            await browser.play(token, position)
            position = await browser.rest(token)
        await browser.get("choices")
        line = json.loads((await browser.answer("GET", f"seats/{token}/record")).text)
        assert line["players"] == ["person", "friend"]
        assert not any("pimc" in text for text in browser.wire)
        assert "pimc" not in browser.room.store.game(position["game"]).start

    visit(tmp_path / "games.sqlite", scene, offers=offers_of(["friend=pimc:1"]))
