"""Who may ask the table: no one without the secret, no other site, no other name; what is sent with every answer."""

from __future__ import annotations

import asyncio
import re

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from card_agents.table.application import STATIC
from card_agents.table.guard import Guard
from card_agents.table.limits import Limits
from card_agents.table.store import new_token
from tests.table import HOST, visit
from tests.variants import ANY


def answers(file, path, *headers, method="GET", **how):
    """Status and text of the answers to a request with each of these headers."""

    async def scene(browser):
        found = []
        for each in headers:
            answer = await browser.client.request(
                method, path.replace("SECRET", browser.room.store.secret), headers=each, **how
            )
            found.append((answer.status_code, answer.text))
        return found

    return visit(file, scene)


def test_nothing_is_there_without_the_secret(file):
    paths = ["/", "/api/choices", "/favicon.ico", "/SECRETx/api/choices", "/SECRE/", "//SECRET/"]
    for path in paths:
        for status, text in answers(file, path, {}):
            assert status == 404
            assert "open the whole address" in text
    assert answers(file, "/SECRET/api/choices", {})[0][0] == 200
    assert answers(file, "/SECRET/api/nothing", {})[0] == (404, '{"error":"There is nothing at this address."}')
    assert answers(file, "/SECRET/api/games", {})[0][0] == 405


def test_only_this_machines_names_and_numbers_are_answered(file):
    good = ["127.0.0.1", "127.0.0.1:9", "localhost:8765", "LOCALHOST", "[::1]:8765", "192.168.1.7:80", "testserver:1"]
    bad = ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example", "", "x@localhost"]
    assert [status for status, _ in answers(file, "/SECRET/api/choices", *[{"host": name} for name in good])] == [
        200
    ] * len(good)
    for status, text in answers(file, "/SECRET/api/choices", *[{"host": name} for name in bad]):
        assert status == 400
        assert "is not called" in text


def test_no_other_sites_page_may_ask(file):
    good = [{}, {"origin": f"http://{HOST}"}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}]
    bad = [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": ""}, {"origin": "http://127.0.0.1"},
        {"origin": f"http://{HOST}", "sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
    ]  # fmt: skip
    for method, path in (("GET", "/SECRET/api/choices"), ("POST", "/SECRET/api/seats/x/undo")):
        assert {status for status, _ in answers(file, path, *good, method=method, content=b"{}")} <= {200, 400, 404}
        for status, text in answers(file, path, *bad, method=method, content=b"{}"):
            assert (status, "Another site's page" in text) == (403, True)


def test_every_answer_forbids_what_a_page_does_not_need(file):
    async def scene(browser):
        paths = ["api/choices", "api/nothing", "api/seats/x", "static/nothing.js", "../", "static/../../store.py"]
        return [await browser.client.get(f"/{browser.room.store.secret}/{path}") for path in paths]

    for answer in visit(file, scene):
        headers = answer.headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert headers["x-frame-options"] == "DENY"
        assert "def " not in answer.text


def test_the_page_loads_nothing_but_its_own_files_and_holds_no_script_or_style(file):
    async def scene(browser):
        async def get(path):
            answer = await browser.client.get(f"/{browser.room.store.secret}/{path}")
            assert answer.status_code == 200, path
            return answer

        page = await get("")
        assert page.headers["content-type"].startswith("text/html")
        named = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert any(name.endswith(".js") for name in named)
        assert any(name.endswith(".css") for name in named)
        assert not re.search(r"<style|<script(?![^>]*src=)|\son\w+=|\sstyle=", page.text)
        kinds = {"js": "javascript", "css": "text/css", "svg": "image/svg+xml"}
        for path in {name for name in named if not name.startswith("#")} | {
            f"static/{file.name}" for file in STATIC.iterdir() if file.suffix != ".html"
        }:
            found = await get(path)
            assert kinds[path.rpartition(".")[2]] in found.headers["content-type"]
            assert not re.search(r"https?://(?!www\.w3\.org/)", found.text), path
        bare = await browser.client.get(f"/{browser.room.store.secret}")
        assert (bare.status_code, bare.headers["location"]) == (307, f"http://{HOST}/{browser.room.store.secret}/")

    visit(file, scene)


def test_the_way_in_leads_to_the_page_once():
    async def inside(scope, receive, send):
        raise AssertionError("nothing is asked of the application here")

    guard = Guard(inside, "secret")

    def ask(path):
        found = []

        async def send(message):
            found.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"localhost")]}
        asyncio.run(guard(scope, None, send))
        return found[0]["status"], dict(found[0]["headers"]).get(b"location")

    once = guard.way_in()
    assert ask("/") == (404, None)
    assert ask(once) == (303, b"/secret/")
    assert ask(once) == (404, None)


def test_tokens_are_long_and_differ(file):
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert min(map(len, tokens)) >= 22

    async def scene(browser):
        tokens = await browser.begin(ANY.make(), [None, None])
        assert len({browser.room.store.secret, *tokens.values()}) == 3
        for wrong in ("x", tokens[0][:-1], tokens[0].swapcase(), "%00", "..%2Fx", tokens[0] + "%20"):
            for path in ("", "/record", "/events"):
                status, told = await browser.get(f"seats/{wrong}{path}")
                assert (status, list(told)) == (404, ["error"])

    visit(file, scene)


def test_long_slow_and_broken_requests_get_a_sentence(file):
    async def endless():
        while True:
            yield b" " * 1000

    async def silent():
        await asyncio.sleep(3600)
        yield b""

    async def scene(browser):
        for path in ("games", "seats/x/plays", "replays"):
            status, told = await browser.post(path, content=endless())
            assert (status, "at most 5000 bytes" in told["error"]) == (413, True)
        for content in (b"\xff", b'"', b"7", b"[]", b'{"a": NaN, "a": 1}', b'{"seen": ' + b"9" * 4400 + b"}"):
            status, told = await browser.post("games", content=content)
            assert (status, list(told)) == (400, ["error"])

    async def late(browser):
        status, told = await browser.post("games", content=silent())
        assert (status, "in time" in told["error"]) == (408, True)

    visit(file, scene, limits=Limits(body=5000, file=5000))
    visit(file, late, limits=Limits(patience=0.01))


@pytest.mark.parametrize("asked", ["names=xx", "width=0", "width=9999", "width=-1", "width=1e3", f"width={'9' * 5000}"])
def test_what_cannot_be_drawn_gets_a_sentence(file, asked):
    async def scene(browser):
        token = (await browser.begin(ANY.make(), [None, None]))[0]
        status, told = await browser.get(f"seats/{token}?{asked}")
        assert (status, asked[:5] in told["error"]) == (400, True)
        status, told = await browser.get(f"seats/{token}?names=ru&width=300")
        assert (status, 'width="300"' in told["svg"]) == (200, True)

    visit(file, scene)
