"""`ladder bots add` and `ladder bots add-all`."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db.records.restart import Restart
from ladder.cli.options import DEFAULT_DATABASE, Concurrency, Database, Json
from ladder.cli.run_options import BotOptions, takes_options

if TYPE_CHECKING:
    from ladder.match.process.confinement import Confinement
    from ladder.match.registry.add_all import Attempt

RestartOfBot = Annotated[
    Restart | None,
    typer.Option(help="Renew its process so often. [default: game for thu:, else never]"),
]


@takes_options
def add(
    *,
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
        str | None,
        typer.Option(
            metavar="OTHER", help="The bot that it improves on. [default with --replace: as before]"
        ),
    ] = None,
    note: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What it changes. [default with --replace: as before]"),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Files that count as the bot, such as '*.py' or 'weights/*'; several times if "
            "need be. [default: what its kind tells, see the guide]",
        ),
    ] = None,
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
    restart: RestartOfBot = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Put it in the place of the bot of this name, whose games then rest."
        ),
    ] = False,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Register a bot, after it has played a game against random on each kind of board it claims."""
    from db.beside import COPIES, folder_beside
    from db.store import file_of
    from ladder.cli.database import open_draft, open_store
    from ladder.cli.output import print_error, print_out
    from ladder.match.registry.register import RegistrationRequest, examine, known_bots, save_bot
    from ladder.match.specs.git_spec import describe_uncommitted, make_git_source
    from reports.bots import trial_text

    source = make_git_source(git, build, folder_beside(file_of(db), COPIES))
    warning = describe_uncommitted(spec, Path.cwd(), source)
    if warning is not None:
        print_error(warning)
    request = RegistrationRequest(
        name=name,
        spec=spec,
        folder=Path.cwd(),
        based_on=based_on,
        note=note,
        python=python,
        patterns=tuple(files or ()),
        restart=restart,
        replace=replace,
        source=source,
    )
    with open_draft(db) as store, trial_bounds(db, options) as confinement:
        examined = examine(known_bots(store), request, confinement, print_error)
    with open_store(db, create=True, sync=True) as store:
        row = save_bot(store, examined.new, replace=replace)
    for line in trial_text(examined):
        print_out(line)
    print_out(f"{row.name} is registered")
    return 0


@takes_options
def add_all(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files lie.")],
    pattern: Annotated[
        str, typer.Option(metavar="GLOB", help="The files, each of which is a bot.")
    ] = "*.so",
    name: Annotated[
        str,
        typer.Option(
            metavar="FORM", help="What to call each: {stem} is its file's name without suffix."
        ),
    ] = "{stem}",
    spec: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="Its SPEC, with {file} and {stem}. [default: thu:{file} for .so, kaggle:{file} "
            "for .py]",
        ),
    ] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="A note for all.")] = None,
    restart: RestartOfBot = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Put them in the place of bots with other content."),
    ] = False,
    concurrency: Concurrency = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Register every file of a folder as a bot; those that fail say why at the end.

    What is registered already, with the same content, is left as it is, so that a stopped command
    goes on where it was. Exit code 2 when some failed; the others are registered all the same.
    """
    from ladder.cli.database import open_draft, open_store
    from ladder.cli.output import print_error, print_out
    from ladder.match.process.cpus import allowed_cpus
    from ladder.match.registry.add_all import examine_all, make_requests
    from ladder.match.registry.register import known_bots, save_bot
    from reports.bots import attempt_line, attempts_document, attempts_text
    from reports.layout.format import to_json

    requests = make_requests(
        folder, pattern, name=name, spec=spec, note=note, restart=restart, replace=replace
    )
    with open_draft(db) as store:
        known = known_bots(store)
    attempts: list[Attempt] = []
    at_once = allowed_cpus() if concurrency is None else concurrency
    with trial_bounds(db, options) as confinement:
        tries = examine_all(known, requests, confinement, concurrency=at_once, report=print_error)
        for attempt in tries:
            if attempt.examined is not None:  # stored at once: a stop loses none
                with open_store(db, create=True, sync=not attempts) as store:
                    save_bot(store, attempt.examined.new, replace=replace)
            attempts.append(attempt)
            print_error(f"[{len(attempts)}/{len(requests)}] {attempt_line(attempt)}")
    print_out(to_json(attempts_document(attempts)) if json else attempts_text(attempts))
    return 2 if any(attempt.problem for attempt in attempts) else 0


@contextlib.contextmanager
def trial_bounds(db: str, options: BotOptions) -> "Iterator[Confinement]":
    """The bounds of bots on trial, whose logs lie beside those of the database's runs."""
    from db.beside import LOGS, folder_beside
    from db.store import file_of

    logs = folder_beside(file_of(db), LOGS) / "trial"
    try:
        yield options.confinement(logs=logs)
    finally:
        with contextlib.suppress(OSError):  # they stay when a bot left words on its stderr
            logs.rmdir()
            logs.parent.rmdir()
