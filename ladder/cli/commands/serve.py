"""`ladder serve`: the ladder in the browser."""

import os
import select
import webbrowser
from functools import partial
from pathlib import Path
from typing import Annotated

from db.store import Store
from ladder.cli.options import DEFAULT_DATABASE, Database, whole
from ladder.cli.output import print_error, print_out
from ladder.cli.resume import command_of
from ladder.cli.run_options import BotOptions
from ladder.errors import ExitCode
from ladder.web.server import Listening

DEFAULT_PORT = 8344


def serve(
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, whole(0, 65535)] = DEFAULT_PORT,
    open_: bool = False,
    password_file: Path | None = None,
    players: Annotated[int, whole(0, 64)] = 4,
    options: BotOptions,
    until_stdin_ends: bool = False,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Show everything in the browser, and play there.

    Ctrl-C ends it. The first line on standard output is the address. Pages follow runs of other
    terminals while they play. The database is only read, except for games and analyses that you ask
    for.

    The server:
      --host ADDRESS: Address to listen at. One that other machines reach needs --password-file.
      --port N: Port to listen at; 0 takes a free one.
      --open: Open the page in the browser.
      --password-file FILE: Ask visitors for the password in the first line of FILE, which only you
        may read. Traffic is not encrypted.
      --players N: Bots that may play against people at the same time; 0 allows no analyses either.
      --until-stdin-ends: Stop at the end of standard input too, for programs that start a server.

    Example:
      ladder serve --db night.db --open
    """
    from ladder.web.server import ServerOptions, serve

    confinement = options.confinement()
    Store.follow(db).close()  # so that a faulty database is an error here and not on a page

    assert options.context is not None  # noqa: S101 - within a command
    command_of_run = partial(command_of, context=options.context)

    def announce(listening: Listening) -> None:
        print_out(listening.address)
        if not listening.is_local:
            print_error(
                "warning: the password can be read on the network: traffic is not encrypted; serve "
                "in a network that you trust, or through a tunnel"
            )
        if open_:
            _open(listening.address)

    is_over = _stdin_ends if until_stdin_ends else _never
    server = ServerOptions(
        db,
        confinement,
        host=host,
        port=port,
        password_file=password_file,
        players=players,
        command_of=command_of_run,
    )
    serve(server, announce, is_over=is_over)
    return ExitCode.DONE


def _never() -> bool:
    return False


def _stdin_ends() -> bool:
    """Return whether standard input is at its end; what it holds before is ignored."""
    return bool(select.select([0], [], [], 0)[0]) and not os.read(0, 4096)


def _open(address: str) -> None:
    if not webbrowser.open(address):
        print_error(f"no browser was found: open {address} yourself")
