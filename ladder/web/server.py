"""The web server process: socket, threads and shutdown."""

import asyncio
import contextlib
import errno
import logging
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from db.store import locate, shown_by_server
from ladder.errors import UsageError
from ladder.match.process.sandbox import Confinement
from ladder.signals import current_stop
from ladder.web.app import application
from ladder.web.boards import Boards
from ladder.web.open_games import DEFAULT_PATIENCE, OpenGames, Patience
from ladder.web.reviews import Reviews
from ladder.web.security import HEADERS, AccessRules, is_loopback, read_password
from ladder.web.site import CommandOf, Site
from ladder.web.views import Views


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of a server."""

    database: str
    confinement: Confinement
    """Limits and sandbox of the bots that play against people and give hints."""
    host: str = "127.0.0.1"
    port: int = 8344
    """0 for any free port."""
    password_file: Path | None = None
    players: int = 4
    """Largest number of games against people at a time."""
    patience: Patience = DEFAULT_PATIENCE
    command_of: CommandOf = lambda *_: None
    """Returns the command line that repeats a run, for its page."""
    shutdown_s: float = 0.4
    """Time at the end for answers that are being sent, and again for the server to give up."""


@dataclass(frozen=True, slots=True)
class Listening:
    """The address of a listening server."""

    address: str
    """Such as ``http://127.0.0.1:8344/``."""
    is_local: bool
    """Whether only this machine can reach it."""


def serve(
    options: ServerOptions,
    on_listening: Callable[[Listening], object],
    *,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Serve until the user stops the command or `is_over` returns true.

    Args:
        options: the options.
        on_listening: called with the address once the server listens.
        is_over: called every tenth of a second.

    Raises:
        UsageError: the address or the password cannot be used.

    """
    if not (is_loopback(options.host) or options.password_file):
        raise UsageError(
            f"other machines can reach {options.host}, and the server starts programs: set a "
            f"password with `ladder serve --host {options.host} --password-file FILE`, or use the "
            "default address and a tunnel (`ssh -L`)",
            option="host",
        )
    password = None if options.password_file is None else read_password(options.password_file)
    with (
        current_stop().defer(),
        contextlib.closing(_listen(options)) as listener,
        shown_by_server(locate(options.database).path),
    ):
        asyncio.run(_serve(options, password, listener, on_listening, is_over))


async def _serve(
    options: ServerOptions,
    password: str | None,
    listener: socket.socket,
    on_listening: Callable[[Listening], object],
    is_over: Callable[[], bool],
) -> None:
    games = OpenGames(options.database, options.confinement, options.players, options.patience)
    site = Site(
        options.database,
        AccessRules(options.host, password),
        Views(options.database),
        games,
        Reviews(options.database, is_allowed=options.players > 0),
        Boards(options.database),
        options.command_of,
    )
    server = _Server(
        uvicorn.Config(
            application(site),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            headers=HEADERS,
            timeout_graceful_shutdown=1,
        )
    )
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        on_listening(Listening(_address(listener), is_loopback(options.host)))
        while not (current_stop().is_requested() or is_over() or serving.done()):
            await asyncio.sleep(0.1)
    finally:
        site.boards.close()
        games.close()
        await site.reviews.close()
        server.should_exit = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(serving), options.shutdown_s)
        server.force_exit = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(serving, options.shutdown_s)
        for connection in [*server.server_state.connections]:  # their answers take too long
            connection.transport.abort()
        await asyncio.sleep(0)  # which closes them
        site.views.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to the command."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals."""
        yield


def _listen(options: ServerOptions) -> socket.socket:
    """Open the listening socket. Raises UsageError."""
    address = options.host, options.port
    try:
        family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
        is_dual = family is socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, dualstack_ipv6=is_dual)
    except OSError as error:
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise UsageError(
                f"{options.host} is not an address of this machine: {error.strerror}",
                option="host",
            ) from error
        raise UsageError(
            f"{options.port} of {options.host} cannot be used ({error.strerror}): choose another "
            "port, or 0 for any free port",
            option="port",
        ) from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
