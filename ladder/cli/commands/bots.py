"""`ladder bots`: the registered bots."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from db.records.restart import Restart
from ladder.cli.options import DEFAULT_DATABASE, Database, Json, Sandbox

if TYPE_CHECKING:
    from db.records.bots import BotRow
    from db.records.launch import Origin


app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="List and manage bots.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A registered bot.")]


@app.command("list")
def list_bots(
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
    retired: Annotated[bool, typer.Option("--retired", help="Show retired bots too.")] = False,
) -> int:
    """Show every bot with what it is based on and the one thing that it changes."""
    from ladder.cli.database import open_or_imagine
    from ladder.cli.output import (
        print_out,
        stdout_console,
    )
    from reports.bots import bots_table
    from reports.format import to_json

    with open_or_imagine(db) as store:
        rows = store.bots.all(include_retired=retired)
    if json:
        print_out(to_json([_document(row) for row in rows]))
    else:
        stdout_console().print(bots_table(rows))
    return 0


@app.command("show")
def show(name: Name, db: Database = DEFAULT_DATABASE, json: Json = False) -> int:
    """Show one bot: what it is made of and what it plays."""
    from ladder.cli.database import open_or_imagine
    from ladder.cli.output import print_out
    from ladder.registry.registered import changes_since
    from reports.bots import bot_text
    from reports.format import to_json

    with open_or_imagine(db) as store:
        row = store.bots.get(name)
    changes = changes_since(row)
    document = {**_document(row), "changes": changes}
    print_out(to_json(document) if json else bot_text(row, changes))
    return 0


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="builtin:PLAYER, 'exec:COMMAND', python:FILE.py:CLASS, python:MODULE:CLASS, "
            "kaggle:FILE.py, thu:FILE.so or 'saiblo:COMMAND'.",
        ),
    ],
    based_on: Annotated[
        str | None, typer.Option(metavar="OTHER", help="The bot that it improves on.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="What it changes.")] = "",
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The interpreter of a python: or kaggle: bot. [default: python3 on PATH]",
        ),
    ] = None,
    git: Annotated[
        str | None,
        typer.Option(
            metavar="REF", help="Take its files from this revision of the git repository here."
        ),
    ] = None,
    build: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="With --git: build them so, in a copy of the ladder's own."
        ),
    ] = None,
    restart: Annotated[
        Restart | None,
        typer.Option(help="Renew its process so often. [default: game for thu:, else never]"),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Retire the bot of this name and its rating for this one."),
    ] = False,
    sandbox: Sandbox = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Register a bot, after it has played a game against random on each kind of board it claims."""
    from pathlib import Path

    from ladder.cli.database import (
        open_or_imagine,
        open_store,
    )
    from ladder.cli.output import (
        print_error,
        print_out,
    )
    from ladder.cli.parsing import sandbox_of
    from ladder.process.confinement import Confinement
    from ladder.registry.register import (
        enrol,
        examine,
    )
    from ladder.registry.trial import describe
    from ladder.specs.git_copies import copies_beside
    from ladder.specs.git_spec import (
        git_source,
        uncommitted,
    )

    source = git_source(git, build, copies_beside(db))
    warning = uncommitted(spec, Path.cwd(), source)
    if warning is not None:
        print_error(warning)
    with open_or_imagine(db) as store:
        new, found = examine(
            store,
            name,
            spec,
            based_on=based_on,
            note=note,
            folder=Path.cwd(),
            python=python,
            restart=restart,
            replace=replace,
            source=source,
            confinement=Confinement(sandbox=sandbox_of(sandbox)),
        )
    with open_store(db, create=True, sync=True) as store:
        row = enrol(store, new, replace=replace)
    for line in describe(found):
        print_out(line)
    print_out(f"{row.name} is registered")
    return 0


@app.command("check")
def check_bot(name: Name, sandbox: Sandbox = None, db: Database = DEFAULT_DATABASE) -> int:
    """Start a registered bot and let it play a game against random on each kind of board."""
    from ladder.cli.database import open_to_read
    from ladder.cli.output import print_out
    from ladder.cli.parsing import sandbox_of
    from ladder.process.confinement import Confinement
    from ladder.registry.builtins import has_changed
    from ladder.registry.registered import resolve_bot
    from ladder.registry.trial import (
        describe,
        try_out,
    )
    from ladder.specs.compile import compile_launches

    confinement = Confinement(sandbox=sandbox_of(sandbox))
    with open_to_read(db) as store:
        row = store.bots.get(name)
    resolved = resolve_bot(row)
    compile_launches([resolved.launch])
    for line in describe(try_out(resolved.launch, resolved.budgets, confinement)):
        print_out(line)
    if has_changed(row, resolved):
        print_out(f"{name} has changed since it was registered")
    return 0


@app.command("retire")
def retire(name: Name, db: Database = DEFAULT_DATABASE) -> int:
    """Take a bot out of lists and runs; its games stay."""
    from ladder.cli.database import open_store
    from ladder.cli.output import print_out

    with open_store(db, create=False) as store:
        row = store.bots.retire(name)
    print_out(f"{row.name} is retired: its games stay, but it plays no more")
    return 0


def _document(row: "BotRow") -> dict[str, Any]:
    revision = row.revision
    origin = revision.launch.origin
    return {
        "name": row.name,
        "family": row.family,
        "based_on": row.based_on,
        "change": row.change,
        "spec": row.spec,
        "budgets": list(revision.budgets),
        "boards": None if revision.boards is None else list(revision.boards),
        "min_time_ms": revision.launch.min_time_ms,
        "restart": revision.launch.restart.value,
        "python": revision.launch.python,
        "folder": revision.launch.folder or None,
        "git": None if origin is None else _git(origin),
        "revision": revision.number,
        "content_hash": revision.content_hash,
        "files": dict(revision.files),
        "retired": row.retired_at is not None,
    }


def _git(origin: "Origin") -> dict[str, str]:
    return {
        "revision": origin.revision,
        "commit": origin.commit,
        "tree": origin.tree,
        "build": origin.build,
        "copy": origin.place,
    }
