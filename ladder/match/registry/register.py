"""Registering a bot: it is tried out first, and nothing is stored unless it passes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from ladder.errors import UsageError
from ladder.match.process.confinement import Confinement
from ladder.match.registry.known_launches import mark_launch, unknown_bots
from ladder.match.registry.registered import resolve_bot
from ladder.match.registry.trial import (
    Found,
    found_in_catalogue,
    try_options,
    try_out,
)
from ladder.match.specs.compile import compile_launches
from ladder.match.specs.file_state import changes, name_changes
from ladder.match.specs.fingerprint import describe_changes, programs
from ladder.match.specs.git_spec import (
    GitSource,
    resolving,
)
from ladder.match.specs.spec import BUILTIN, ResolvedBot
from ladder.names import check_line, check_name, check_text, unknown_bot


class NothingToAdd(UsageError):
    """The bot is registered already, with the same content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A bot to be registered, as its author asks for it."""

    name: str
    spec: str
    """The specification, in a form that `ladder.match.specs.spec.read_spec` takes."""
    folder: Path
    """The folder in which the specification was written."""
    based_on: str | None = None
    """The registered bot that it improves on, "" for none; None: as the bot that it replaces."""
    note: str | None = None
    """The one thing that it changes; None: as the bot that it replaces."""
    python: str | None = None
    """The interpreter, as `ladder.match.specs.git_spec.resolving` takes it."""
    patterns: tuple[str, ...] = ()
    """Files that count as the bot, as `ladder.match.specs.spec.read_spec` takes them."""
    restart: Restart | None = None
    """How often its process is renewed; None: what suits the kind of bot."""
    replace: bool = False
    """Whether the name may be taken: the former content and its games then count no more."""
    source: GitSource | None = None
    """The revision of a git repository to take it from; None: the files as they are."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A bot that has passed its trial and is not stored yet."""

    new: NewBot
    found: Found
    not_tracked: str
    """The kinds of files that do not count as the bot; "" for a built-in player."""


def known_bots(store: Store) -> dict[str, BotRow]:
    """Every registered bot by name, the retired ones too."""
    return {bot.name: bot for bot in store.bots.all(include_retired=True)}


def examine(
    known: Mapping[str, BotRow],
    request: Request,
    confinement: Confinement,
    report: Callable[[str], None] | None = None,
) -> Examined:
    """Try a bot out; stores nothing.

    Args:
        known: the registered bots by name, the retired ones too.
        request: the bot.
        confinement: its bounds in the trial.
        report: called with a sentence about a bot that is silent for long.

    Raises:
        UsageError: the name cannot be used, or the bot failed its trial; the message says how.
        SpecError: the specification cannot be read.

    """
    name = check_name(request.name)
    check_text(request.spec, "SPEC")
    if request.based_on and request.based_on not in known:
        raise unknown_bot(request.based_on, known, "based_on")
    former = known.get(name)
    based_on = request.based_on
    note = None if request.note is None else check_line(request.note, "--note")
    if former is not None:
        based_on = former.based_on if based_on is None else based_on
        note = former.change if note is None else note
    with resolving(
        request.spec,
        request.folder,
        python=request.python,
        source=request.source,
        patterns=request.patterns,
    ) as resolved:
        if former is not None:
            _refuse_taken(former, request, resolved)
        found = _tried(resolved, confinement, name, report)
        _refuse_written(resolved)
    launch = msgspec.structs.replace(
        resolved.launch,
        restart=request.restart or resolved.launch.restart,
        min_time_ms=found.min_time_ms,
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
        spec=request.spec,
        based_on=based_on or None,
        change=note or "",
        revision=revision,
    )
    return Examined(new, found, resolved.not_tracked)


def _tried(
    resolved: ResolvedBot,
    confinement: Confinement,
    name: str,
    report: Callable[[str], None] | None,
) -> Found:
    launch = resolved.launch
    own = launch.player is not None and launch.origin is None
    if own and "?" not in str(launch.player):
        return found_in_catalogue(str(launch.player), resolved.budgets or ())
    compile_launches([launch])
    if own:
        return try_options(launch, resolved.budgets or ())
    return try_out(launch, resolved.budgets, confinement, name=name, report=report)


def _refuse_written(resolved: ResolvedBot) -> None:
    """Refuse a bot that wrote, in its trial, to the files that it is made of."""
    written = changes(resolved.states)
    if written:
        names = name_changes(written, Path(resolved.launch.folder))
        raise UsageError(
            f"the bot's files changed during its trial ({names}): files that a bot writes while it "
            "plays are not the bot; say which ones are with --files, such as --files '*.py'"
        )


def enrol(store: Store, new: NewBot, *, replace: bool) -> BotRow:
    """Store a bot that was examined, with `replace` in the place of a former one of its name.

    Its launch is one that this user knows from now on.

    Raises:
        NameTaken: a bot of that name was registered meanwhile.

    """
    taken = replace and new.name in known_bots(store)
    row = store.bots.replace(new) if taken else store.bots.add(new)
    mark_launch(new.spec, new.revision.launch)
    return row


def refuse_name(store: Store, name: str) -> None:
    """Refuse a name that a new bot cannot have.

    Raises:
        UsageError: it is no name, or it is taken.

    """
    check_name(name)
    if name in known_bots(store):
        raise UsageError(f"a bot called {name} is already registered: choose another name")


def refuse_built_in(bot: BotRow, remedy: str) -> None:
    """Refuse a built-in player under its own name: it comes back by itself.

    Raises:
        UsageError: it is one; the remedy is said behind it.

    """
    if is_built_in(bot):
        raise UsageError(f"{bot.name} is a built-in player: {remedy}")


def is_built_in(bot: BotRow) -> bool:
    """Return whether a bot is a built-in player under its own name."""
    own = bot.name in VERSIONS and bot.spec == BUILTIN + bot.name
    return own and bot.revision.launch.origin is None


def _refuse_taken(known: BotRow, request: Request, resolved: ResolvedBot) -> None:
    """Refuse a name that is taken, with the remedy that works; `replace` allows it."""
    refuse_built_in(known, "choose another name")
    if request.replace:
        return
    name, other = known.name, _difference(known, request, resolved)
    same = not other
    if known.retired_at is None:
        state = f"a bot called {name} is already registered"
        if same:
            raise NothingToAdd(f"{state}, with the same content: there is nothing to add")
        raise UsageError(
            f"{state}, with other content ({other}): choose another name, or --replace to put this "
            "one in its place; games of the old content then count no more; with --files, such as "
            "--files '*.py', if that is no part of the bot"
        )
    if known.revision.launch.starts_nothing:
        raise UsageError(
            f"{name} came with an import and was never registered on this machine: --replace puts "
            "this one in its place, with its games when the content is the same"
        )
    if same:
        raise UsageError(
            f"{name} is retired, with the same content: `ladder bots unretire {name}` brings it "
            "back, with its games and its rating"
        )
    raise UsageError(
        f"a retired bot is called {name}, with other content ({other}): choose another name, or "
        "--replace to bring it back as this one; games of the old content then count no more"
    )


def _difference(known: BotRow, request: Request, resolved: ResolvedBot) -> str:
    """Return how a request differs from the bot of its name, or "" if they are the same bot."""
    revision = known.revision
    if revision.content_hash == resolved.content_hash:
        return ""
    if known.spec != request.spec:
        return f"it is {known.spec}"
    origin = resolved.launch.origin
    if origin is not None and revision.launch.origin is not None:
        return (
            f"it is commit {revision.launch.origin.commit[:12]}, and this is {origin.commit[:12]}"
        )
    if revision.launch.folder != resolved.launch.folder and revision.launch.folder:
        return f"it is in {revision.launch.folder}"
    if not request.patterns and _has_own_files(known, resolved):
        # An earlier release may have chosen its files by another rule: that is no difference.
        by_its_rule = resolve_bot(known)
        if by_its_rule.content_hash == revision.content_hash:
            return ""
        return describe_changes(revision.files, by_its_rule.files)
    return describe_changes(revision.files, resolved.files)


def _has_own_files(known: BotRow, resolved: ResolvedBot) -> bool:
    """Return whether a bot is made of files of its author, run by the same programs as another."""
    launch = known.revision.launch
    if launch.player or launch.origin or resolved.launch.origin or launch.starts_nothing:
        return False
    return not unknown_bots([known]) and programs(known.revision.files) == programs(resolved.files)
