"""Registration of a bot: it is tried out first, and stored only if it passes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from bots.catalogue import option_values, parse_player
from db.records.archives import UnpackedArchive
from db.records.bots import HUMAN, BotRow, NewBot
from db.records.launch import Restart
from db.store import Store
from ladder.errors import UsageError
from ladder.match.process.sandbox import BUILT_IN_ONLY, Confinement
from ladder.names import check_line, check_name, check_text, listed, unknown_bot
from ladder.registry.builtins import is_catalogue_bot
from ladder.registry.same_bot import FileReader, FolderChanges, compare_bot
from ladder.registry.specs.git import remove_builds
from ladder.registry.specs.spec import BotSource, ResolvedBot, identity_of, pack_bot, rooted
from ladder.registry.specs.start_command import compile_players
from ladder.registry.stored_trial import (
    MOST_NAMED,
    describe_change,
    files_naming_folder,
    opened_files,
    try_packed,
    used_files,
)
from ladder.registry.trial import TrialResult, try_out


class NothingToAdd(UsageError):
    """The bot is already registered with the same content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationRequest:
    """The request to register a bot."""

    name: str
    source: BotSource
    based_on: str | None = None
    """The registered bot that it improves on, "" for none; None: as the bot that it replaces."""
    note: str | None = None
    """The one thing that it changes; None: as the bot that it replaces."""
    restart: Restart | None = None
    """When to restart its process; None: the default of its kind."""
    time_ms: int | None = None
    """Time per move in its trial, as `ladder.registry.trial.try_out` takes it."""
    replace: bool = False
    """Whether to replace a bot of the same name, whose old games then no longer count."""
    is_new: bool = False
    """Whether the files that it has not used count, too, when it replaces a bot."""


@dataclass(frozen=True, slots=True)
class ExaminedBot:
    """A bot that passed its trial and is not stored yet."""

    new: NewBot
    found: TrialResult
    left_out: tuple[str, ...] = ()
    """What lies beside its files and is not stored."""
    naming_folder: tuple[str, ...] = ()
    """Its used text files that name the folder from which it was added."""
    opened: tuple[str, ...] | None = None
    """The stored files that it has used in its trial, those of a commit too; None if unknown."""

    @property
    def warnings(self) -> list[str]:
        """Sentences for its author about files that are not stored."""
        folder = Path(self.new.revision.launch.folder)
        lines = []
        if self.left_out:
            lines.append(f"not stored: {listed(self.left_out, MOST_NAMED)}")
        if self.naming_folder:
            verb = "names" if len(self.naming_folder) == 1 else "name"
            lines.append(
                f"{listed(self.naming_folder, MOST_NAMED)} {verb} {folder}, whose files are not "
                "stored under that path: it plays only while they exist; open files relative to "
                "the program, and add them by `--files`"
            )
        if self.new.revision.launch.writes:
            lines.append("it writes into its folder: each of its processes gets a copy of its own")
        return lines


def known_bots(store: Store) -> dict[str, BotRow]:
    """Return every registered bot by name, including retired ones."""
    return {bot.name: bot for bot in store.bots.all(include_retired=True)}


def examine(
    known: Mapping[str, BotRow],
    request: RegistrationRequest,
    confinement: Confinement,
    packed: ResolvedBot | None = None,
    files_of: FileReader = lambda _: None,
) -> ExaminedBot:
    """Pack the files of a bot and try it out, without storing anything.

    If it replaces a version none of whose used files has changed, that is tried out again.

    Args:
        known: the registered bots by name, including retired ones.
        request: the bot.
        confinement: its confinement in the trial.
        packed: the bot as `pack_bot` has packed it; None: it is packed now.
        files_of: returns the stored files of registered bots.

    Raises:
        NothingToAdd: it is registered under this name, and not to be replaced.
        UsageError: the name cannot be used, the files cannot be packed, or the bot failed its
            trial.
        SpecError: the specification is not valid.

    """
    _check(known, request)
    request = replace(request, source=rooted(request.source))
    bot = pack_bot(request.source) if packed is None else packed
    former = known.get(request.name)
    launch = msgspec.structs.replace(bot.launch, restart=request.restart or bot.launch.restart)
    bot = replace(bot, launch=launch)
    try:
        if former is not None:
            stored = files_of(former)
            changes = compare_bot(former, None if stored is None else stored.manifest, bot)
            is_same = changes is not None and changes.is_same() and not request.is_new
            if not request.replace:
                raise _refusal(former, request.source, bot, changes, is_same=is_same)
            if is_same:
                bot = _with_stored_files(bot, former, stored)
        found = _run_trial(bot, request, confinement)
    except BaseException:
        if packed is None:  # else its build may serve others, too
            remove_builds([launch])
        raise
    based_on, note = request.based_on, request.note
    if former is not None:
        based_on = former.based_on if based_on is None else based_on
        note = former.change or None if note is None else note
    used = used_files(bot, found)
    if note is None and based_on:
        note = describe_change(files_of(known[based_on]), bot.packed, used or ())
    launch = msgspec.structs.replace(
        bot.launch, min_time_ms=found.min_time_ms, writes=found.writes, used=used
    )
    new = NewBot(
        name=request.name,
        family=bot.family,
        spec=request.source.spec,
        based_on=based_on or None,
        change=check_line(note or "", "a note"),
        revision=replace(bot, launch=launch, budgets=found.budgets, boards=found.boards),
    )
    naming = files_naming_folder(bot, used or ())
    return ExaminedBot(new, found, bot.left_out, naming, opened_files(bot, found))


def _check(known: Mapping[str, BotRow], request: RegistrationRequest) -> None:
    """Refuse a request before anything is packed. Raises UsageError."""
    check_name(request.name)
    if request.name == HUMAN:
        raise UsageError(f"{HUMAN} is the name of people in their games: choose another name")
    if request.name in known:
        refuse_catalogue_bot(known[request.name], "choose another name")
    check_text(request.source.spec, "a specification")
    check_line(request.note or "", "a note")
    if request.based_on and request.based_on not in known:
        raise unknown_bot(request.based_on, known, "based_on")


def _run_trial(
    bot: ResolvedBot, request: RegistrationRequest, confinement: Confinement
) -> TrialResult:
    launch = bot.launch
    if not launch.is_own:
        compile_players([launch])
        return try_packed(
            bot,
            confinement,
            name=request.name,
            spec=request.source.spec,
            time_ms=request.time_ms,
        )
    player = str(launch.player)
    option_values(player)  # refuses others
    version, options = parse_player(player)
    if version.contents.keys() & options.keys():  # only a game shows what a file holds
        compile_players([launch])
        try_out(launch, bot.budgets, BUILT_IN_ONLY)
    return TrialResult(player, "", bot.budgets, boards=None, trials=())


def _with_stored_files(
    bot: ResolvedBot, former: BotRow, files: UnpackedArchive | None
) -> ResolvedBot:
    """Return a bot with the files of a stored version in place of those of its folder."""
    stored = former.revision.launch
    launch = msgspec.structs.replace(bot.launch, archive=stored.archive, patterns=stored.patterns)
    return replace(bot, launch=launch, content_hash=identity_of(launch), packed=files)


def save_bot(store: Store, new: NewBot, *, replace: bool) -> BotRow:
    """Store a bot with its files.

    Args:
        store: the database.
        new: the bot.
        replace: whether to replace a bot of the same name.

    Raises:
        NameTaken: a bot of that name was registered meanwhile.

    """
    former = known_bots(store).get(new.name) if replace else None
    if former is None:
        return store.bots.add(new)
    row = store.bots.replace(new)
    remove_unused_builds(store, [former])
    return row


def delete_bot(store: Store, name: str) -> None:
    """Delete a bot without games, its files, and the environments that its build made.

    Raises:
        UsageError: it is a built-in player.
        InUse: it has games or planned pairs.

    """
    row = store.bots.get(name)
    refuse_catalogue_bot(row, f"`ladder bots retire {name}` takes it out of runs")
    store.bots.delete(name)
    remove_unused_builds(store, [row])


def remove_unused_builds(store: Store, gone: Iterable[BotRow]) -> None:
    """Remove environments that bots have used and none that can play uses."""
    launches = [row.revision.launch for row in known_bots(store).values()]
    remove_builds(
        [row.revision.launch for row in gone], [each for each in launches if each.can_play]
    )


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


def _refusal(
    known: BotRow,
    source: BotSource,
    bot: ResolvedBot,
    changes: FolderChanges | None,
    *,
    is_same: bool,
) -> UsageError:
    """Return the error about a name that another bot has, which is not to be replaced."""
    name, launch, is_retired = known.name, known.revision.launch, known.retired_at is not None
    replacing = f"`ladder bots add {name} SPEC --replace`"
    if not launch.can_play:
        return UsageError(
            f"a bot named {name} is registered without its files: {replacing} replaces it, and "
            "keeps its games if the content is the same"
        )
    words = "" if changes is None else changes.words
    if not is_same and known.revision.content_hash != bot.content_hash:
        difference = words or "its files have changed"
        if known.spec != source.spec:
            difference = f"it is {known.spec}"
        elif launch.folder not in ("", bot.launch.folder):
            difference = f"it is from {launch.folder}"
        state = "retired" if is_retired else "already registered"
        return UsageError(
            f"a bot named {name} is {state} with other content ({difference}): choose another "
            f"name, or replace it with {replacing}, and its old games no longer count"
        )
    unused = f" ({words})" if words else ""
    if is_retired:
        return UsageError(
            f"{name} is retired, with the same content{unused}: `ladder bots unretire {name}` "
            "brings it back, with its games and its rating"
        )
    return NothingToAdd(
        f"a bot named {name} is already registered with the same content{unused}: there is "
        "nothing to add"
    )
