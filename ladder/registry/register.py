"""Registering a bot: it is tried out first, and nothing is stored unless it passes."""

from pathlib import Path

import msgspec

from bots.catalogue import VERSIONS
from db.records.bots import (
    BotRow,
    NewBot,
    NewRevision,
)
from db.records.restart import Restart
from db.store import Store
from ladder.errors import UnknownBot, UsageError
from ladder.process.confinement import UNCONFINED, Confinement
from ladder.registry.trial import (
    Found,
    try_out,
)
from ladder.specs.compile import compile_launches
from ladder.specs.git_spec import (
    GitSource,
    resolving,
)
from ladder.specs.spec import BUILTIN

NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+")


def examine(
    store: Store,
    name: str,
    spec: str,
    *,
    based_on: str | None,
    note: str,
    folder: Path,
    python: str | None = None,
    restart: Restart | None = None,
    replace: bool = False,
    source: GitSource | None = None,
    confinement: Confinement = UNCONFINED,
) -> tuple[NewBot, Found]:
    """What to store of a new bot, once it has passed its trial; stores nothing itself.

    Args:
        store: the open database.
        name: what to call it.
        spec: as `ladder.specs.spec.read_spec` takes it.
        based_on: the registered bot that it improves on.
        note: what it changes.
        folder: where the specification was written.
        python: the interpreter, as `ladder.specs.git_spec.resolving` takes it.
        restart: how often its process is renewed; None: what suits the kind of bot.
        replace: the name may be taken; the former bot and its rating will be retired.
        source: the revision of a git repository to take it from; None: the files as they are.
        confinement: its bounds in the trial.

    Raises:
        UsageError: the name cannot be used, or the bot failed its trial; the message says how.
        SpecError: the specification cannot be read.

    """
    _refuse_form(name)
    known = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    if based_on is not None and based_on not in known:
        raise UnknownBot(f"--based-on {based_on}: no bot of that name is registered")
    with resolving(spec, folder, python=python, source=source) as resolved:
        if name in known:
            _refuse_taken(known[name], resolved.content_hash, replace=replace)
        compile_launches([resolved.launch])
        found = try_out(resolved.launch, resolved.budgets, confinement)
    launch = msgspec.structs.replace(
        resolved.launch, restart=restart or resolved.launch.restart, min_time_ms=found.min_time_ms
    )
    revision = NewRevision(
        content_hash=resolved.content_hash,
        launch=launch,
        budgets=found.budgets,
        boards=found.boards,
        files=resolved.files,
    )
    new = NewBot(
        name=name,
        family=resolved.family,
        spec=spec,
        based_on=based_on,
        change=note,
        revision=revision,
    )
    return new, found


def enrol(store: Store, new: NewBot, *, replace: bool) -> BotRow:
    """Store a bot that was examined, with `replace` in the place of a former one of its name.

    Raises:
        NameTaken: a bot of that name was registered meanwhile.

    """
    known = {bot.name for bot in store.bots.all(include_retired=True)}
    return store.bots.replace(new) if replace and new.name in known else store.bots.add(new)


def refuse_name(store: Store, name: str) -> None:
    """See that a new bot can have the name.

    Raises:
        UsageError: it is no name, or it is taken.

    """
    _refuse_form(name)
    if name in {bot.name for bot in store.bots.all(include_retired=True)}:
        raise UsageError(f"a bot called {name} is already registered: choose another name")


def _refuse_form(name: str) -> None:
    if not name or not NAME_CHARACTERS.issuperset(name):
        raise UsageError(f"a bot's name is letters, digits and ._-@+ without spaces, got {name!r}")


def _refuse_taken(known: BotRow, content_hash: str, *, replace: bool) -> None:
    """See that a registered bot may be replaced."""
    own = VERSIONS.get(known.name)
    current = known.revision.launch.origin is None
    if own is not None and current and known.spec == BUILTIN + known.name:
        raise UsageError(f"{known.name} is a built-in player: choose another name")
    if replace:
        return
    state = "registered" if known.retired_at is None else "retired, and keeps its name"
    same = "the same content" if known.revision.content_hash == content_hash else "other content"
    raise UsageError(
        f"a bot called {known.name} is already {state}, with {same}: choose another name, or "
        "--replace to put this one in its place, which retires the old one and its rating"
    )
