"""The answers to the page: every address below ``/SECRET/``, in JSON, each refusal a sentence."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from card_agents.table.guard import Guard
from card_agents.table.limits import Refusal
from card_agents.table.replays import position
from card_agents.table.room import Room
from card_envs.cards import NAMES
from card_envs.checks import choice, shown, whole_number

STATIC = Path(__file__).resolve().parent / "static"
"""The files of the page."""

WIDTH = 720
"""Width of pictures in pixels unless one is asked for."""


def application(room: Room, names: set[str]) -> Guard:
    """The application of a room. names: what this machine may be called in the address (``Guard``)."""

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        room.open()
        yield
        room.close()

    api = [
        Route("/choices", choices),
        Route("/games", begin, methods=["POST"]),
        Route("/seats/{token}", look),
        Route("/seats/{token}/plays", play, methods=["POST"]),
        Route("/seats/{token}/undo", undo, methods=["POST"]),
        Route("/seats/{token}/next", next_deal, methods=["POST"]),
        Route("/seats/{token}/hint", hint),
        Route("/seats/{token}/events", events),
        Route("/seats/{token}/record", record),
        Route("/replays", open_replay, methods=["POST"]),
        Route("/replays/{token}/{record:int}/{plays:int}", replay),
        Route("/replays/{token}/{record:int}/{plays:int}/hint", replay_hint),
    ]
    routes = [
        Route("/", page),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
        Mount("/api", routes=api),
    ]
    faults: Mapping[Any, Any] = {Refusal: _refused, ValueError: _refused, HTTPException: _unknown, Exception: _failed}
    app = Starlette(routes=[Mount(f"/{room.store.secret}", routes=routes)], exception_handlers=faults, lifespan=life)
    app.state.room = room
    return Guard(app, room.store.secret, names)


# The page and the choices


async def page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html")


async def choices(request: Request) -> Response:
    return JSONResponse(_room(request).choices)


# Games


async def begin(request: Request) -> Response:
    given = await _entries(request, "game", "rules", "seats", "labels", "seed")
    return JSONResponse(await _room(request).begin(*given.values()))


async def look(request: Request) -> Response:
    table, seat = await _room(request).seat(request.path_params["token"])
    return JSONResponse(table.position(seat, *_shape(request)))


async def play(request: Request) -> Response:
    given = await _entries(request, "seen", "action")
    table, seat = await _room(request).seat(request.path_params["token"])
    action = given["action"]
    if not isinstance(action, str):
        action = whole_number("action", action, 0, table.sitting.record.game.num_actions - 1)
    await table.play(seat, action, _seen(given))
    return JSONResponse(table.position(seat, *_shape(request)))


async def undo(request: Request) -> Response:
    given = await _entries(request, "seen")
    table, seat = await _room(request).seat(request.path_params["token"])
    await table.undo(seat, _seen(given))
    return JSONResponse(table.position(seat, *_shape(request)))


async def next_deal(request: Request) -> Response:
    await _entries(request)
    room = _room(request)
    return JSONResponse(await room.next(*await room.seat(request.path_params["token"])))


async def hint(request: Request) -> Response:
    table, seat = await _room(request).seat(request.path_params["token"])
    return JSONResponse(await table.hint(seat, request.query_params.get("player"), *_shape(request)))


async def record(request: Request) -> Response:
    table, _ = await _room(request).seat(request.path_params["token"])
    return PlainTextResponse(f"{table.finished_line()}\n", media_type="application/x-ndjson")


async def events(request: Request) -> Response:
    table, seat = await _room(request).seat(request.path_params["token"])
    table.refuse_one_more_stream(seat)
    return StreamingResponse(table.events(seat), media_type="text/event-stream")


# Replays


async def open_replay(request: Request) -> Response:
    room = _room(request)
    return JSONResponse(await room.replays.add(await _body(request, room.limits.file)))


async def replay(request: Request) -> Response:
    kept, plays = await _replayed(request)
    seat = request.query_params.get("seat", "0")
    if seat != "all":
        seat = str(whole_number("seat", int(seat) if seat.isdecimal() else seat, 0, kept.game.num_players - 1))
    return JSONResponse(position(kept, plays, seat, *_shape(request)))


async def replay_hint(request: Request) -> Response:
    kept, plays = await _replayed(request)
    player = request.query_params.get("player")
    return JSONResponse(await _room(request).judge(kept.at(plays), player, *_shape(request)))


async def _replayed(request: Request) -> tuple[Any, int]:
    """The record that a request is about, and the number of plays made."""
    asked = request.path_params
    kept = await _room(request).replays.record(asked["token"], asked["record"])
    return kept, whole_number("plays", asked["plays"], 0, len(kept))


# What requests hold


def _room(request: Request) -> Room:
    room: Room = request.app.state.room
    return room


async def _body(request: Request, most: int) -> bytes:
    """The content of a request; ``Refusal`` if it is too long or too slow."""
    content = b""
    try:
        async with asyncio.timeout(_room(request).limits.patience):
            async for part in request.stream():
                content += part
                if len(content) > most:
                    raise Refusal(413, f"This is too long: at most {most} bytes are taken here.")
    except TimeoutError:
        raise Refusal(408, "This request did not arrive in time.") from None
    except ClientDisconnect:
        raise Refusal(400, "The rest of this request is missing.") from None
    return content


async def _entries(request: Request, *names: str) -> dict[str, Any]:
    """The entries of a request's JSON object, None for those that are missing; ``Refusal`` for anything else."""
    content = await _body(request, _room(request).limits.body)
    try:
        given = json.loads(content or b"{}")
    except (ValueError, RecursionError) as fault:
        raise Refusal(400, f"This request is not JSON: {fault}.") from None
    if not isinstance(given, dict):
        raise Refusal(400, f"This request must be an object of JSON, not {shown(given)}.")
    unknown = [name for name in given if name not in names]
    if unknown:
        raise Refusal(400, f"The entry {shown(unknown[0])} is unknown here: there are {', '.join(names) or 'none'}.")
    return {name: given.get(name) for name in names}


def _seen(given: Mapping[str, Any]) -> int:
    """How many plays the asker knows of."""
    return whole_number("seen", given["seen"], 0, 2**31)


def _shape(request: Request) -> tuple[str, int]:
    """The language of the names of cards and the width of the picture that are asked for."""
    asked = request.query_params
    width = asked.get("width", str(WIDTH))
    least, most = _room(request).limits.width
    return (
        choice("names", asked.get("names", "en"), NAMES),
        whole_number("width", int(width) if width.isdecimal() and len(width) < 10 else width, least, most),
    )


# Refusals


def _sentence(status: int, sentence: str) -> Response:
    return JSONResponse({"error": sentence}, status)


async def _refused(request: Request, fault: Exception) -> Response:
    return _sentence(fault.status if isinstance(fault, Refusal) else 400, str(fault))


async def _unknown(request: Request, fault: HTTPException) -> Response:
    sentences = {404: "There is nothing at this address.", 405: "This address does not take such a request."}
    return _sentence(fault.status_code, sentences.get(fault.status_code, f"{fault.detail}."))


async def _failed(request: Request, fault: Exception) -> Response:
    return _sentence(500, "The server has failed at this; nothing has changed. Its window says more.")
