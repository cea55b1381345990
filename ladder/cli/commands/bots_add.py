"""`ladder bots add` and `ladder bots add-all`."""

import contextlib
from functools import partial
from pathlib import Path
from typing import Annotated

from db.records.launch import Restart
from ladder.cli.database import open_draft, open_store
from ladder.cli.options import DEFAULT_DATABASE, Database, Workers, whole
from ladder.cli.output import print_error, print_out
from ladder.cli.parsing import parse_time
from ladder.cli.run_options import BotOptions
from ladder.cli.stored_specs import trial_bounds
from ladder.errors import UsageError
from ladder.match.process.cpus import allowed_cpus
from ladder.names import check_line
from ladder.registry.add_all import (
    Attempt,
    examine_all,
    involved_bots,
    make_requests,
    pack_all,
)
from ladder.registry.registration import (
    NothingToAdd,
    RegistrationRequest,
    examine,
    known_bots,
    save_bot,
)
from ladder.registry.same_bot import stored_files
from ladder.registry.specs.archive import MOST_MB
from ladder.registry.specs.git import built_tree, remove_builds
from ladder.registry.specs.spec import (
    BotSource,
    describe_uncommitted,
    find_origin,
    pack_bot,
    pack_in_tree,
)
from reports.bots import attempt_line, attempts_document, attempts_text, trial_text
from reports.layout.format import to_json

MOST_SIZE = 4096
"""Most MiB that the option for a bot's files allows."""


def add(
    *,
    name: str,
    spec: str,
    based_on: str | None = None,
    note: str | None = None,
    files: list[str] | None = None,
    python: str | None = None,
    git: str | None = None,
    build: str = "",
    max_size: Annotated[int, whole(1, MOST_SIZE)] = MOST_MB,
    restart: Restart | None = None,
    time: str | None = None,
    replace: bool = False,
    new_version: bool = False,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Store a bot with its files so that runs can play it.

    First the bot plays a trial game against random on each kind of board that it supports, from a
    copy of its files. These games are not stored. Later changes of its folder do not matter.
    docs/first-bot.md leads from nothing to a rated bot.

    Arguments:
      NAME: Name of the bot: letters, digits and ._-@+, at most 100 of them.
      SPEC: Specification of the bot: builtin:PLAYER, 'exec:COMMAND', python:FILE.py:CLASS,
        python:MODULE:CLASS, kaggle:FILE.py[:NAME], kaggle:FILE.tar.gz, thu:FILE.so,
        'saiblo:COMMAND' or 'moves:COMMAND'.

    Options:
      --based-on OTHER: Bot that this one is based on. [none; with --replace, as before]
      --note TEXT: What the bot changes, in one line; of a registered bot whose files are the same
        only this is stored. [as before with --replace, else the lines that changed since OTHER]
      --files PATTERN: Files in the current folder that the bot needs, such as 'weights/*', once for
        each pattern. They are stored with its program, and replace the rest of its folder. [those
        found]
      --max-size MIB: Largest size of the bot's files, in MiB.
      --restart: When to restart the bot's process: after each game, after each pair, or never.
        [game for kaggle: and thu: bots, never for others]
      --time 100ms|2s: Time per move in the trial. [2s and 60s of overage for kaggle: bots, 100ms
        for others]
      --replace: Replace the registered bot of this name; games of another content then no longer
        count.
      --new-version: With --replace, store the files as they are even if only files changed that the
        bot does not use.

    Example:
      ladder bots add mybot 'exec:python3 mybot.py'
    """
    _refuse_build(git, build)
    source = BotSource(
        spec,
        Path.cwd(),
        python=python,
        patterns=tuple(files or ()),
        most_mb=max_size,
        git=git,
        build=build,
    )
    warning = describe_uncommitted(source)
    if warning:
        print_error(warning)
    request = RegistrationRequest(
        name=name,
        source=source,
        based_on=based_on,
        note=note,
        restart=restart,
        time_ms=trial_ms(time),
        replace=replace,
        is_new=new_version,
    )
    try:
        with open_draft(db) as store, trial_bounds(db, options) as confinement:
            known, files_of = known_bots(store), partial(stored_files, store)
            examined = examine(known, request, confinement, files_of=files_of)
    except NothingToAdd:
        if note is None:
            raise
        with open_store(db, create=False) as store:
            store.bots.note(name, check_line(note, "a note"))
        print_out(f"{name} is registered with the same content: its note is stored")
        return 0
    with open_store(db, create=True, sync=True) as store:
        row = save_bot(store, examined.new, replace=replace)
    for line in trial_text(examined):
        print_out(line)
    print_out(f"{row.name} is registered")
    return 0


def add_all(
    *,
    folder: Path,
    pattern: str = "*.so",
    name: str = "{stem}",
    spec: str | None = None,
    note: str | None = None,
    git: str | None = None,
    build: str = "",
    restart: Restart | None = None,
    time: str | None = None,
    replace: bool = False,
    concurrency: Workers | None = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Register every file of a folder as a bot, each after its trial games.

    Bots that are registered already with the same content are skipped, so the same command
    continues after a stop. Bots that fail are listed at the end with the reason.

    Exit codes: 0 done; 2 bad input, or a bot failed (the others are registered).

    Arguments:
      FOLDER: Folder with the files.

    Options:
      --pattern GLOB: Pattern of the files, such as '*/bot.py', each of which is a bot with the
        other files of its folder.
      --name FORM: Name of each bot; {stem} is its file's name without the suffix, {folder} that of
        the file's folder.
      --spec FORM: Specification of each bot, with {file} and {stem}. [thu:{file} for .so,
        kaggle:{file} for .py and .tar.gz]
      --note TEXT: Remark to store with each of the bots.
      --restart: When to restart the bot's process: after each game, after each pair, or never.
        [game for kaggle: and thu: bots, never for others]
      --time 100ms|2s: Time per move in the trial. [2s and 60s of overage for kaggle: bots, 100ms
        for others]
      --replace: Replace registered bots of these names if they differ.

    How to play:
      --concurrency N: Bots to try out at the same time. [the CPUs that this process may use]

    Example:
      ladder bots add-all strategies --pattern '*.so' --name 's{stem}'
    """
    _refuse_build(git, build)
    with contextlib.ExitStack() as stack:
        pack = pack_bot
        if git is not None:
            source = BotSource(spec or "", Path.cwd(), git=git, build=build)
            tree = stack.enter_context(built_tree(*find_origin(source)))
            pack = partial(pack_in_tree, tree=tree)
            inside = tree.root / tree.origin.inner / folder
            is_below = inside.resolve().is_relative_to(tree.root.resolve())
            if not (inside.is_dir() and is_below):
                raise UsageError(f"{folder} is not a folder of {git}")
            folder = inside
        form = RegistrationRequest(
            name=name,
            source=BotSource(spec or "", folder, git=git, build=build),
            note=note,
            restart=restart,
            time_ms=trial_ms(time),
            replace=replace,
        )
        requests = make_requests(form, pattern)
        packed = pack_all(requests, pack)
    attempts: list[Attempt] = []
    at_once = allowed_cpus() if concurrency is None else concurrency
    try:
        with open_draft(db) as store:
            known = known_bots(store)
            files = {row.name: stored_files(store, row) for row in involved_bots(known, requests)}
        with trial_bounds(db, options) as confinement:
            tries = examine_all(
                known,
                requests,
                packed,
                confinement,
                lambda row: files[row.name],
                concurrency=at_once,
            )
            for attempt in tries:
                if attempt.examined is not None:  # stored at once: a stop loses none
                    with open_store(db, create=True, sync=not attempts) as store:
                        save_bot(store, attempt.examined.new, replace=replace)
                attempts.append(attempt)
                print_error(f"[{len(attempts)}/{len(requests)}] {attempt_line(attempt)}")
    finally:  # all use one build
        remove_builds(
            [bot.launch for bot in packed if not isinstance(bot, str)],
            [each.examined.new.revision.launch for each in attempts if each.examined is not None],
        )
    print_out(to_json(attempts_document(attempts)) if json else attempts_text(attempts))
    return 2 if any(attempt.problem for attempt in attempts) else 0


def _refuse_build(git: str | None, build: str) -> None:
    if build and git is None:
        problem = "a build command needs a bot from git: name its revision, too"
        raise UsageError(problem, option="build")


def trial_ms(time: str | None) -> int | None:
    """Return the milliseconds of a trial's time per move; None for the default."""
    return None if time is None else parse_time(time)
