"""`ladder serve`: the ladder in the browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import DEFAULT_DATABASE, Database
from ladder.cli.run_options import BotOptions, takes_options

if TYPE_CHECKING:
    from ladder.web.server import Listening

DEFAULT_PORT = 8344


@takes_options
def serve(
    *,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen. Any address that other machines reach needs --password-file.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = DEFAULT_PORT,
    open_browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    password_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask for the password in FILE's first line. Traffic is not encrypted.",
        ),
    ] = None,
    players: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=64, help="Bots that play against people at a time."),
    ] = 4,
    options: BotOptions,
    until_stdin_ends: Annotated[
        bool,
        typer.Option("--until-stdin-ends", help="End with standard input, too: for programs."),
    ] = False,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Watch runs, look at games and play against bots in the browser, until Ctrl-C.

    It reads the database while other commands write it; only a game that you ask it to save is
    written there. The first line on standard output is the address.
    """
    from db.store import Store
    from ladder.cli.output import print_error, print_out
    from ladder.errors import ExitCode
    from ladder.match.process.cpus import check_claims
    from ladder.web.server import ServerOptions, serve

    confinement = options.confinement()
    check_claims()
    Store.follow(db).close()  # what is wrong with it is said here, and not on a page

    def announce(listening: "Listening") -> None:
        print_out(listening.address)
        if not listening.is_local:
            print_error(
                "warning: traffic is not encrypted, so whoever can read it sees the password: use "
                "it in a network that you trust, or through a tunnel"
            )
        if open_browser:
            _open(listening.address)

    is_over = _stdin_ends if until_stdin_ends else _never
    server = ServerOptions(
        db,
        confinement,
        host=host,
        port=port,
        password_file=password_file,
        players=players,
    )
    serve(server, announce, is_over=is_over)
    return ExitCode.DONE


def _never() -> bool:
    return False


def _stdin_ends() -> bool:
    """Whether standard input is at its end; what comes before is passed over."""
    import os
    import select

    return bool(select.select([0], [], [], 0)[0]) and not os.read(0, 4096)


def _open(address: str) -> None:
    import webbrowser

    from ladder.cli.output import print_error

    if not webbrowser.open(address):
        print_error(f"no browser was found to open: {address}")
