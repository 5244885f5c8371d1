"""A server of tables inside the test: rooms with their databases, and a browser that asks them.

Nothing listens on a port here; ``tests/test_table_kept.py`` starts the command itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json

from card_agents.table.application import application
from card_agents.table.choices import offers_of, playable
from card_agents.table.limits import Limits
from card_agents.table.room import Room
from card_agents.table.store import Store

OFFERS = offers_of(["greedy", "random", "slow=pimc:1"])
GAMES_OF, _ = playable(OFFERS)
HOST = "127.0.0.1:8765"


class Browser:
    """What asks a room, as a page would: ``get`` and ``post`` return the status and the JSON of the answer."""

    def __init__(self, room, client):
        self.room, self.client = room, client
        self.wire = []
        """Everything that came over the wire, in order."""

    async def answer(self, method, path, **how):
        found = await self.client.request(method, f"/{self.room.store.secret}/api/{path}", **how)
        self.wire.append(found.text)
        return found

    async def get(self, path, **how):
        found = await self.answer("GET", path, **how)
        return found.status_code, found.json()

    async def post(self, path, given=None, **how):
        found = await self.answer("POST", path, **({"json": {} if given is None else given} | how))
        return found.status_code, found.json()

    async def begin(self, game, seats, **more):
        """Begin a game; the tokens of people's seats, by seat."""
        rules = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(game.rules).items()}
        status, told = await self.post("games", {"game": game.name, "rules": rules, "seats": seats, **more})
        assert status == 200, told
        return {int(seat): token for seat, token in told["seats"].items()}

    async def look(self, token, **asked):
        status, told = await self.get(f"seats/{token}", params=asked)
        assert status == 200, told
        return told

    async def play(self, token, position, action=None):
        """Play an action, or the first legal one, in a position that has been looked at."""
        given = {"seen": position["seen"], "action": position["legal"][0]["action"] if action is None else action}
        return await self.post(f"seats/{token}/plays", given)

    async def rest(self, token):
        """The position once nobody thinks any more."""
        table, _ = await self.room.seat(token)
        while table._playing is not None and not table._playing.done():
            await asyncio.sleep(0.005)
        return await self.look(token)

    async def events(self, token, count, after=()):
        """The first so many events of a seat's stream; after each one, the next of ``after`` is awaited."""
        found, seen = [], asyncio.Queue()
        scope = {
            "type": "http", "method": "GET", "path": f"/{self.room.store.secret}/api/seats/{token}/events",
            "query_string": b"", "headers": [(b"host", HOST.encode())], "http_version": "1.1", "scheme": "http",
            "root_path": "", "raw_path": b"",
        }  # fmt: skip
        gone = asyncio.Event()

        async def receive():
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            if message.get("body"):
                await seen.put(message["body"].decode())

        listening = asyncio.create_task(self.client._transport.app(scope, receive, send))
        after = iter(after)
        while len(found) < count:
            text = await asyncio.wait_for(seen.get(), 120)
            self.wire.append(text)
            if text.startswith("event: changed\ndata: "):
                found.append(json.loads(text.split("data: ")[1]))
                with contextlib.suppress(StopIteration):
                    await next(after)()
        gone.set()
        await asyncio.wait_for(listening, 120)
        return found


@contextlib.asynccontextmanager
async def opened(path, offers=OFFERS, limits=None):
    """A browser before a room whose database is in this file."""
    import httpx

    store = Store(path)
    room = Room(store, offers, {name: GAMES_OF.get(name, []) for name in offers}, limits or Limits())
    room.open()
    transport = httpx.ASGITransport(application(room, {"testserver"}), raise_app_exceptions=False)
    try:
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            yield Browser(room, client)
    finally:
        room.close()
        store.close()


def visit(path, scene, **how):
    """Run a scene, ``scene(browser)``, before a room whose database is in this file; what it returns."""

    async def run():
        async with opened(path, **how) as browser:
            return await scene(browser)

    return asyncio.run(run())
