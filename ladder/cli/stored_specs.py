"""Bots that commands store or compare with their original files before they play."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from db.companion_files import LOGS, folder_beside
from db.records.bots import BotRow
from db.records.runs import RunKind
from db.store import Store, locate
from ladder.cli.database import is_missing, open_draft, open_store, open_to_read
from ladder.cli.output import print_error
from ladder.cli.run_options import BotOptions
from ladder.errors import UsageError
from ladder.match.process.sandbox import Confinement
from ladder.registry.from_spec import NamedSpec, SpecRules, find_or_examine, is_spec
from ladder.registry.registration import save_bot
from ladder.registry.same_bot import describe_changed_origins
from ladder.registry.specs.spec import BotSource
from ladder.runs.resume import is_unfinished, options_of, own_job
from ladder.visible import visible


def store_specs(
    db: str, words: Iterable[str], options: BotOptions, rules: SpecRules
) -> "dict[str, NamedSpec]":
    """Store the bots that specifications among some words mean, and print their names.

    Args:
        db: the database.
        words: names and specifications.
        options: limits and sandbox of the bots in their trials.
        rules: what makes a new version.

    Returns:
        The bots by specification.

    Raises:
        UsageError: a bot's files cannot be packed, or it failed its trial.
        SpecError: a specification is not valid.

    """
    specs = list(dict.fromkeys(word for word in words if is_spec(word)))
    found: dict[str, NamedSpec] = {}
    if not specs and rules.based_on is not None:
        raise UsageError(
            "it is for a bot that is stored now, and no specification is given: leave it out, or "
            "name the parent of a stored bot by `ladder bots add --replace`",
            option="based_on",
        )
    if not specs:
        return found
    refuse_in_job(specs[0])
    for spec in specs:
        with open_draft(db) as store, trial_bounds(db, options) as confinement:
            named = find_or_examine(store, spec, Path.cwd(), confinement, rules)
        found[spec] = named
        changes = f" ({visible(named.changes)})" if named.changes else ""
        if named.examined is None:
            print_error(f"{spec} is {named.name}{changes}")
            continue
        with open_store(db, create=True, sync=True) as store:
            save_bot(store, named.examined.new, replace=False)
        base = named.examined.new.based_on
        based = f", based on {base}" if base else ""
        print_error(f"{spec} is stored as {named.name}{based}{changes}")
        for line in named.examined.warnings:
            print_error(visible(line))
    return found


def refuse_in_job(spec: str) -> None:
    """Refuse to read a bot's files in a job of the queue, which were those of its author.

    Jobs keep the names of stored bots; those of version 0.2.0 kept specifications.

    Raises:
        UsageError: this process plays a job.

    """
    if own_job.get() is not None:
        raise UsageError(
            f"the job holds {spec!r}, whose files may be another program by now, as version 0.2.0 "
            "stored them only when it played: add it again with `ladder queue add`"
        )


def commit_source(
    spec: str, repository: Path | None, *, python: str | None, build: str
) -> BotSource:
    """Return the bot whose commits a command plays, in the current folder or another one.

    Raises:
        UsageError: the folder is missing, or it is the current one in a job.

    """
    if repository is None:
        refuse_in_job(spec)
    elif not repository.is_dir():
        raise UsageError(f"there is no folder {repository}: name that of the bot", "repository")
    return BotSource(spec, repository or Path.cwd(), python=python, build=build)


def name_of(found: "dict[str, NamedSpec]", word: str) -> str:
    """Return the name of the bot that a word means."""
    return found[word].name if word in found else word


def print_former_run(
    store: Store, found: "dict[str, NamedSpec]", kind: RunKind, remedy: str
) -> None:
    """Print the interrupted run with the former content of a specification, if there is one.

    Args:
        store: the database.
        found: the bots by specification.
        kind: the kind of the run.
        remedy: how to continue it, with ``{name}`` for the former version.

    """
    formers = {each.former: spec for spec, each in found.items() if each.former and each.examined}
    for run in store.runs.find(kind=kind) if formers else ():
        name = next((name for name in run.settings.bots if name in formers), None)
        if name is not None and is_unfinished(run):
            print_error(
                f"run {run.id} of {name}, the former content of {formers[name]}, was interrupted: "
                + remedy.format(name=name)
            )
            return


def former_names(db: str, words: Sequence[str]) -> list[str] | None:
    """Return the bots of the newest interrupted run that the same words have started.

    None if no such run was interrupted.
    """
    if is_missing(db) or not any(map(is_spec, words)):
        return None
    with open_to_read(db) as store:
        for run in store.runs.find():
            options = options_of(run) or {}
            if is_unfinished(run) and options.get("bots") == ",".join(words):
                return list(run.settings.bots)
    return None


def report_changed_origins(store: Store, bots: Iterable[BotRow]) -> None:
    """Print a line about the bots whose original files differ from the stored ones."""
    line = describe_changed_origins(store, bots)
    if line:
        print_error(visible(line))


@contextlib.contextmanager
def trial_bounds(db: str, options: BotOptions) -> Iterator[Confinement]:
    """Return the limits of bots on trial, whose logs lie beside those of the database's runs."""
    logs = folder_beside(locate(db).path, LOGS) / "trial"
    try:
        yield options.confinement(logs=logs)
    finally:
        with contextlib.suppress(OSError):  # not empty if a bot has written to stderr
            logs.rmdir()
            logs.parent.rmdir()
