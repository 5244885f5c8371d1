"""The server: a socket, and uvicorn on it until Ctrl-C."""

from __future__ import annotations

import errno
import ipaddress
import socket
from types import FrameType

import uvicorn

from card_agents.table.application import application
from card_agents.table.guard import Guard, own_names
from card_agents.table.room import Room

MOST_AT_ONCE = 1000
"""Connections at a time."""

GRACE = 3
"""Seconds that answers under way have at the end."""

ANYWHERE = ("0.0.0.0", "::")
"""What stands for all addresses of the machine."""


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; ``ValueError`` with a sentence if there can be none. port 0: any that is free."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=128)
        # Inherited by the connections: without it the second half of each answer waits 40 ms for the first.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except socket.gaierror:
        raise ValueError(
            f"{host!r} is no address of this machine: give a number such as 127.0.0.1, or a name."
        ) from None
    except OSError as fault:
        why = {
            errno.EADDRINUSE: f"Port {port} of {host} is in use: choose another one with --port, or --port 0 for any.",
            errno.EACCES: f"Port {port} may not be used without special rights: choose one above 1023 with --port.",
            errno.EADDRNOTAVAIL: f"{host} is no address of this machine: choose another one with --host.",
        }
        raise ValueError(why.get(fault.errno or 0, f"Nothing can listen on {host}, port {port}: {fault}.")) from None


def address(listening: socket.socket, secret: str) -> str:
    """The address of the page, as people open it; on all addresses of the machine, that which others can reach."""
    host, port = listening.getsockname()[:2]
    if host in ANYWHERE:
        host = _reachable()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/{secret}/"


def _reachable() -> str:
    """The number of this machine in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the way
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def is_private(host: str) -> bool:
    """Whether nobody but this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Server(uvicorn.Server):
    """Ends streams of events at once when it is told to end."""

    def __init__(self, config: uvicorn.Config, room: Room) -> None:
        super().__init__(config)
        self.room = room

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.room.close_soon()


def guarded(room: Room, host: str) -> Guard:
    """The application of a room at a host."""
    return application(room, {*own_names(), host})


def serve(guard: Guard, room: Room, listening: socket.socket) -> None:
    """Answer until Ctrl-C, which is raised as ``KeyboardInterrupt`` at the end."""
    config = uvicorn.Config(
        guard,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,  # it would show the secret
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_AT_ONCE,
        timeout_graceful_shutdown=GRACE,
    )
    _Server(config, room).run(sockets=[listening])
