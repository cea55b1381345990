"""`ladder replay`: steps through a stored game."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import DEFAULT_DATABASE, Database, Json

if TYPE_CHECKING:
    from rich.console import Console

    from db.rows import GameRow

HELP = "Enter forward, b back, a number jumps to that ply, e to the end, q quits"


def replay(
    game: Annotated[int, typer.Argument(metavar="GAME_ID", help="Key of a stored game.")],
    ply: Annotated[
        int | None, typer.Option(metavar="N", help="Show only the position after N plies.")
    ] = None,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Step through a stored game and what the bots thought of each move."""
    from ladder.cli.common import open_store, print_out, stdout_console
    from ladder.errors import UsageError
    from reports.documents import to_json
    from reports.games import game_document, game_heading, ply_view

    with open_store(db, create=False) as store:
        row = store.game(game)
    if row is None:
        raise UsageError(f"no game {game} is stored in {db}: see the ids in its table `games`")
    last = len(row.moves)
    if ply is not None and not 0 <= ply <= last:
        raise UsageError(f"--ply must be 0..{last} for game {game}, got {ply}")
    if json:
        print_out(to_json(game_document(row)))
        return 0
    console = stdout_console()
    console.print(game_heading(row), markup=False, highlight=False)
    if ply is not None:
        console.print(ply_view(row, ply))
    elif console.is_terminal and sys.stdin.isatty():
        _step(console, row)
    else:
        for number in range(row.opening_plies, last + 1):
            console.print(ply_view(row, number))
    return 0


def _step(console: "Console", row: "GameRow") -> None:
    from reports.games import ply_view

    last = len(row.moves)
    ply = row.opening_plies
    console.print(HELP, style="dim")
    while True:
        console.print(ply_view(row, ply))
        try:
            word = console.input(f"[{ply}/{last}] ", markup=False).strip().lower()
        except EOFError:
            return
        if word == "q":
            return
        if word in ("", "f", "n"):
            ply = min(ply + 1, last)
        elif word in ("b", "p"):
            ply = max(ply - 1, 0)
        elif word == "e":
            ply = last
        elif word.isdecimal() and int(word) <= last:
            ply = int(word)
        else:
            console.print(f"{word!r} is no step of this game: {HELP}", markup=False)
