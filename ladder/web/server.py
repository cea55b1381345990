"""One server from its socket to its end."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import uvicorn

from ladder.addresses import is_loopback
from ladder.errors import UsageError
from ladder.match.process.confinement import Confinement
from ladder.signals import is_stop_wished, stops_heeded
from ladder.web import memory
from ladder.web.app import application
from ladder.web.connections import (
    DEFAULT_CONNECTION_LIMITS,
    ConnectionLimits,
    Connections,
    raise_open_files,
)
from ladder.web.live.boards import Boards
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.follower import Follower
from ladder.web.live.reading import Readers
from ladder.web.live.views import Views
from ladder.web.play.open_games import OpenGames
from ladder.web.security.password import BasicAuth, read_password
from ladder.web.security.safety import Border
from ladder.web.site import Site

HEAD_LIMIT = 16 * 1024
"""Bytes of a request before its body."""
PATIENCE_S = 0.4
"""For answers that are being sent when the server ends."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens, and who may ask."""

    database: str
    confinement: Confinement
    """Of the bots that play against people and give hints."""
    host: str = "127.0.0.1"
    port: int = 8344
    """0: a free one."""
    password_file: Path | None = None
    players: int = 4
    """Games of people at a time."""
    connections: ConnectionLimits = DEFAULT_CONNECTION_LIMITS
    """Deadlines of requests, and how many connections may be without one."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that listens."""

    address: str
    """``http://127.0.0.1:8344/``."""
    is_local: bool
    """Whether only this machine reaches it."""


def serve(
    place: Place,
    announce: Callable[[Listening], object],
    *,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Serve until the user wants the command to end, or `is_over` says so.

    Args:
        place: where.
        announce: is told the address once the server listens.
        is_over: asked every tenth of a second.

    Raises:
        UsageError: the address or the password cannot be used.

    """
    if not is_loopback(place.host) and place.password_file is None:
        raise UsageError(
            f"--host {place.host} lets other machines in, and the server starts programs: give it "
            "a --password-file, or leave --host away and use a tunnel (`ssh -L`)"
        )
    password = None if place.password_file is None else read_password(place.password_file)
    memory.bound()
    raise_open_files()
    with stops_heeded(), contextlib.closing(_listen(place)) as listener:
        asyncio.run(_serve(place, password, listener, announce, is_over))


async def _serve(
    place: Place,
    password: str | None,
    listener: socket.socket,
    announce: Callable[[Listening], object],
    is_over: Callable[[], bool],
) -> None:
    news = ChangeSignal()
    follower, readers = Follower(place.database, news), Readers(place.database)
    border = Border(place.host, None if password is None else BasicAuth(password))
    games = OpenGames(place.database, place.confinement, place.players)
    site = Site(
        place.database,
        border,
        readers,
        follower,
        Views(readers, follower),
        games,
        Boards(place.database, news),
        news,
    )
    connections = Connections(place.connections)
    server = _Server(
        uvicorn.Config(
            application(site),
            loop="asyncio",
            http=cast("type[asyncio.Protocol]", connections.protocol),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            h11_max_incomplete_event_size=HEAD_LIMIT,
            timeout_graceful_shutdown=1,
        )
    )
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        announce(Listening(_address(listener), is_loopback(place.host)))
        while not (is_stop_wished() or is_over() or serving.done()):
            await asyncio.sleep(0.1)
    finally:
        site.streams.close()
        site.boards.close()
        games.close()
        server.should_exit = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(serving), PATIENCE_S)
        server.force_exit = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(serving, PATIENCE_S)
        follower.close()
        readers.close()
        site.files.shutdown(wait=False, cancel_futures=True)


class _Server(uvicorn.Server):
    """A server that leaves the signals to the command."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def _listen(place: Place) -> socket.socket:
    """Return a listening socket. Raises UsageError."""
    try:
        found = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(
            f"--host {place.host} is no address of this machine: {error.strerror}"
        ) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"port {place.port} of {place.host} cannot be used ({error.strerror}): choose another "
            "--port; 0 takes a free one"
        ) from error
    listener.listen(128)
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
