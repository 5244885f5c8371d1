"""Who may ask: nobody without the secret in the address, and no page of another site.

The secret keeps other people of the machine and the network out. The checks of ``Host`` and ``Origin`` keep out the
pages of other sites that the same browser has open: a site whose name is made to point here (DNS rebinding) is known
by its name in ``Host``, one that sends a form here by its name in ``Origin``.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import secrets
import socket
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Sent with every answer."""

NOTHING = "There is nothing here: open the whole address that card-envs table has printed."


class Guard:
    """An application behind the checks, reached under ``/SECRET/``.

    names: what this machine may be called in the address, besides ``localhost`` and numbers.

    ``way_in`` is an address that leads there once: other users of the machine can see what a browser is started with.
    """

    def __init__(self, app: ASGIApp, secret: str, names: Iterable[str] = ()) -> None:
        self.app = app
        self.secret = secret.encode()
        self._once: bytes | None = None
        self.names = {"localhost", *(name.lower() for name in names)}

    def way_in(self) -> str:
        """A path that leads to the page the first time it is asked for, and nowhere later."""
        once = secrets.token_urlsafe(16)
        self._once = once.encode()
        return f"/{once}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        fault = self._fault(scope)
        if fault is None:
            await self.app(scope, receive, send_with_headers)
            return
        status, sentence = fault
        content = json.dumps({"error": sentence}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        if status == 303:
            headers.append((b"location", b"/%b/" % self.secret))
        await send_with_headers({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    def _fault(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is refused: status and sentence; None if it is not."""
        if scope["type"] != "http":
            return 404, NOTHING
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own(host):
            return 400, f"This table is not called {host!r:.100}: open the address that card-envs table has printed."
        given = scope["path"].split("/")[1] if "/" in scope["path"] else ""
        word = given.encode("utf-8", "surrogateescape")
        if self._once is not None and hmac.compare_digest(word, self._once):
            self._once = None
            return 303, "The page is at the address in Location."
        if not hmac.compare_digest(word, self.secret):
            return 404, NOTHING
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return 403, "Another site's page may not use this table."
        is_page = scope["method"] == "GET" and "/api/" not in scope["path"]
        if not is_page and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "Another site's page may not use this table."
        return None

    def _is_own(self, host: str) -> bool:
        """Whether this machine may be called so: by a number, which no site can be made to point at, or by its name."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
        name = name.lower().rstrip(".")
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return name in self.names
        return True


def own_names() -> set[str]:
    """Names by which others in one's own network call this machine."""
    name = socket.gethostname().lower()
    return {name, name.partition(".")[0], f"{name.partition('.')[0]}.local"} - {"", ".local"}
