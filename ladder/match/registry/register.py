"""Registration of a bot: it is tried out first, and stored only if it passes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bots.catalogue import VERSIONS
from db.records.bots import BotRow, NewBot, NewRevision
from db.records.launch import Launch
from db.records.restart import Restart
from db.store import Store
from ladder.errors import UsageError
from ladder.match.process.confinement import Confinement
from ladder.match.registry.registered import resolve_bot
from ladder.match.registry.trial import TrialResult, result_from_catalogue, try_options, try_out
from ladder.match.specs.compile import compile_launches
from ladder.match.specs.file_state import describe_file_changes, find_file_changes
from ladder.match.specs.fingerprint import describe_changes, select_programs
from ladder.match.specs.git_spec import GitSource, resolve_spec
from ladder.match.specs.spec import BUILTIN, ResolvedBot
from ladder.names import check_line, check_name, check_text, unknown_bot


class NothingToAdd(UsageError):
    """The bot is already registered with the same content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationRequest:
    """The request to register a bot."""

    name: str
    spec: str
    """The specification, as `ladder.match.specs.spec.read_spec` takes it."""
    folder: Path
    """The folder in which the specification was written."""
    based_on: str | None = None
    """The registered bot that it improves on, "" for none; None: as the bot that it replaces."""
    note: str | None = None
    """The one thing that it changes; None: as the bot that it replaces."""
    python: str | None = None
    """The interpreter, as `ladder.match.specs.git_spec.resolve_spec` takes it."""
    patterns: tuple[str, ...] = ()
    """Files that count as the bot, as `ladder.match.specs.spec.read_spec` takes them."""
    restart: Restart | None = None
    """When to restart its process; None: the default of its kind."""
    time_ms: int | None = None
    """Time per move in its trial, as `ladder.match.registry.trial.try_out` takes it."""
    replace: bool = False
    """Whether to replace a bot of the same name, whose old games then no longer count."""
    source: GitSource | None = None
    """The revision of a git repository; None: the files as they are now."""


@dataclass(frozen=True, slots=True)
class ExaminedBot:
    """A bot that passed its trial and is not stored yet."""

    new: NewBot
    found: TrialResult
    not_tracked: str
    """The kinds of files that do not count as the bot; "" for a built-in player."""


def known_bots(store: Store) -> dict[str, BotRow]:
    """Return every registered bot by name, including retired ones."""
    return {bot.name: bot for bot in store.bots.all(include_retired=True)}


def examine(
    known: Mapping[str, BotRow],
    request: RegistrationRequest,
    confinement: Confinement,
    report: Callable[[str], None] = lambda _: None,
) -> ExaminedBot:
    """Try a bot out, without storing anything.

    Args:
        known: the registered bots by name, including retired ones.
        request: the bot.
        confinement: its confinement in the trial.
        report: called from another thread with a sentence about a bot that is silent for long.

    Raises:
        UsageError: the name cannot be used, or the bot failed its trial.
        SpecError: the specification is not valid.

    """
    name = check_name(request.name)
    check_text(request.spec, "a specification")
    if request.based_on and request.based_on not in known:
        raise unknown_bot(request.based_on, known, "based_on")
    former = known.get(name)
    based_on = request.based_on
    note = None if request.note is None else check_line(request.note, "a note")
    if former is not None:
        based_on = former.based_on if based_on is None else based_on
        note = former.change if note is None else note
    with resolve_spec(
        request.spec,
        request.folder,
        python=request.python,
        source=request.source,
        patterns=request.patterns,
    ) as resolved:
        if former is not None:
            _refuse_taken(former, request, resolved)
        launch = msgspec.structs.replace(
            resolved.launch, restart=request.restart or resolved.launch.restart
        )
        found = _run_trial(resolved, launch, confinement, request, report)
        _refuse_changed_in_trial(resolved)
    launch = msgspec.structs.replace(launch, min_time_ms=found.min_time_ms)
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
    return ExaminedBot(new, found, resolved.not_tracked)


def _run_trial(
    resolved: ResolvedBot,
    launch: Launch,
    confinement: Confinement,
    request: RegistrationRequest,
    report: Callable[[str], None],
) -> TrialResult:
    own = launch.player is not None and launch.origin is None
    if own and "?" not in str(launch.player):
        return result_from_catalogue(str(launch.player), resolved.budgets or ())
    compile_launches([launch])
    if own:
        return try_options(launch, resolved.budgets or ())
    return try_out(
        launch,
        resolved.budgets,
        confinement,
        name=request.name,
        report=report,
        time_ms=request.time_ms,
    )


def _refuse_changed_in_trial(resolved: ResolvedBot) -> None:
    """Refuse a bot whose files changed during its trial."""
    written = find_file_changes(resolved.states)
    if written:
        names = describe_file_changes(written, Path(resolved.launch.folder))
        raise UsageError(
            f"the bot's files changed during its trial ({names}): files that a bot writes while it "
            "plays must not count as the bot; name the others by patterns, as in `ladder bots add "
            "NAME SPEC --files '*.py'`"
        )


def save_bot(store: Store, new: NewBot, *, replace: bool) -> BotRow:
    """Store a bot.

    Args:
        store: the database.
        new: the bot.
        replace: whether to replace a bot of the same name.

    Raises:
        NameTaken: a bot of that name was registered meanwhile.

    """
    exists = replace and new.name in known_bots(store)
    return store.bots.replace(new) if exists else store.bots.add(new)


def refuse_name(store: Store, name: str) -> None:
    """Refuse a name that a new bot cannot have.

    Raises:
        UsageError: it is not a valid name, or another bot has it.

    """
    check_name(name)
    if name in known_bots(store):
        raise UsageError(f"a bot named {name} is already registered: choose another name")


def refuse_catalogue_bot(bot: BotRow, remedy: str) -> None:
    """Refuse a built-in player under its own name, because it would come back by itself.

    Args:
        bot: the bot.
        remedy: the end of the message.

    Raises:
        UsageError: it is a built-in player.

    """
    if is_catalogue_bot(bot):
        raise UsageError(f"{bot.name} is a built-in player: {remedy}")


def is_catalogue_bot(bot: BotRow) -> bool:
    """Return whether a bot is a built-in player under its own name."""
    own = bot.name in VERSIONS and bot.spec == BUILTIN + bot.name
    return own and bot.revision.launch.origin is None


def _refuse_taken(known: BotRow, request: RegistrationRequest, resolved: ResolvedBot) -> None:
    """Refuse a name that another bot has, unless the request is to replace that bot."""
    refuse_catalogue_bot(known, "choose another name")
    if request.replace:
        return
    name, difference = known.name, _difference(known, request, resolved)
    if known.retired_at is None:
        state = f"a bot named {name} is already registered"
        if not difference:
            raise NothingToAdd(f"{state} with the same content: there is nothing to add")
        raise UsageError(
            f"{state} with other content ({difference}): choose another name, or replace it with "
            f"`ladder bots add {name} SPEC --replace`, and its old games no longer count; if the "
            "changed files are not part of the bot, name the others by patterns, as in `ladder "
            f"bots add {name} SPEC --replace --files '*.py'`"
        )
    if known.revision.launch.is_description_only:
        raise UsageError(
            f"{name} was imported and never registered on this machine: `ladder bots add {name} "
            "SPEC --replace` replaces it, and keeps its games if the content is the same"
        )
    if not difference:
        raise UsageError(
            f"{name} is retired, with the same content: `ladder bots unretire {name}` brings it "
            "back, with its games and its rating"
        )
    raise UsageError(
        f"a retired bot named {name} has other content ({difference}): choose another name, or "
        f"replace it with `ladder bots add {name} SPEC --replace`, and its old games no longer "
        "count"
    )


def _difference(known: BotRow, request: RegistrationRequest, resolved: ResolvedBot) -> str:
    """Return how a request differs from the registered bot, or "" if the content is the same."""
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
    if not request.patterns and _has_comparable_files(known, resolved):
        # An earlier release may have selected its files by another rule: compare by that rule.
        by_its_rule = resolve_bot(known)
        if by_its_rule.content_hash == revision.content_hash:
            return ""
        return describe_changes(revision.files, by_its_rule.files)
    return describe_changes(revision.files, resolved.files)


def _has_comparable_files(known: BotRow, resolved: ResolvedBot) -> bool:
    """Return whether a bot consists of files in its folder and runs by the same programs."""
    launch = known.revision.launch
    if launch.player or launch.origin or resolved.launch.origin or launch.is_description_only:
        return False
    return select_programs(known.revision.files) == select_programs(resolved.files)
