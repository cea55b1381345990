"""Registered bots: choose them for a run, and start them from their stored files."""

import fnmatch
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress

from bots.errors import BotsError, SpecError
from bots.protocol import Budget
from db.records.archives import UnpackedArchive
from db.records.bots import HUMAN, BotRow, NewBot
from db.records.launch import Launch, Restart
from db.records.pairs import Entrant
from db.store import Store
from engine.board_class import BoardClass
from ladder.errors import UnfitBot, UnknownBot, UsageError
from ladder.names import select_names, unknown_bot
from ladder.registry.builtins import LADDER, is_catalogue_bot, shown_first
from ladder.registry.specs.archive import cached_archive, unpack
from ladder.registry.specs.board_support import can_play_class, describe_boards, propose_boards
from ladder.registry.specs.spec import resolve_own_player
from ladder.registry.specs.start_command import make_entrant, make_start


def choose_bots(
    store: Store, patterns: Collection[str], option: str | None = "bots"
) -> list[BotRow]:
    """Return the registered bots that names and shell patterns select, each once.

    Args:
        store: An open database.
        patterns: Names or patterns.
        option: The option that holds them, as a field name; None for arguments.

    Raises:
        UnknownBot: a name or pattern selects no bot.

    """
    bots = store.bots.all(include_retired=True)
    for word in map(str.strip, patterns):
        _refuse_former_name(store, word, {bot.name for bot in bots}, option)
    playing = {bot.name: bot for bot in bots if bot.retired_at is None}
    retired = {bot.name: bot for bot in bots if bot.retired_at is not None}
    for word in map(str.strip, patterns):
        gone = sorted(fnmatch.filter(retired, word))
        if gone and not fnmatch.filter(playing, word):
            why = retired[gone[0]].absence
            who = "" if gone == [word] else f"all bots of {word!r} are retired: "
            raise UnknownBot(who + why, option=option)
    return [playing[name] for name in select_names(patterns, playing, option=option)]


def default_bots(store: Store) -> list[BotRow]:
    """Return the bots of a run that names none: the user's own, and some built-in players."""
    bots = [bot for bot in store.bots.all() if bot.revision.content_hash != HUMAN]
    has_own = not all(map(is_catalogue_bot, bots))
    return shown_first(bots, () if has_own else LADDER)


def find_bot(store: Store, name: str, option: str | None = None) -> BotRow:
    """Return the registered bot of a name. Raises UnknownBot, also if it is retired."""
    known = {bot.name for bot in store.bots.all(include_retired=True)}
    _refuse_former_name(store, name, known, option)
    if name not in known:
        raise unknown_bot(name, known, option)
    return choose_bots(store, [name], option)[0]


def _refuse_former_name(
    store: Store, name: str, known: Collection[str], option: str | None
) -> None:
    """Refuse the name that a bot had in a run, and has no more. Raises UnknownBot."""
    if name not in known and (now := store.runs.present_names().get(name)) is not None:
        raise UnknownBot(
            f"no registered bot is called {name!r}: it was renamed; write {now}", option=option
        )


def leave_out(
    bots: Iterable[BotRow], needed: Collection[str | None], refuse: Callable[[BotRow], None]
) -> tuple[list[BotRow], dict[str, str]]:
    """Leave out bots that cannot take part.

    Args:
        bots: the chosen bots.
        needed: names of bots that are never left out.
        refuse: raises an error for a bot that cannot take part.

    Returns:
        The remaining bots, and the reasons for leaving out the others, by name.

    """
    fit: list[BotRow] = []
    reasons: dict[str, str] = {}
    for bot in bots:
        try:
            if bot.name not in needed:
                refuse(bot)
            fit.append(bot)
        except UnfitBot as error:
            reasons[bot.name] = error.explanation
        except (UsageError, BotsError) as error:
            reasons[bot.name] = str(error)
    return fit, reasons


def refuse_unplayable(bot: BotRow) -> None:
    """Refuse a bot whose files are not stored, or that needs a program which is gone.

    Raises:
        UnfitBot: its files are not stored.
        SpecError: a program of the bot is gone.
        UnknownPlayer: these sources no longer have such a player.

    """
    launch = bot.revision.launch
    if bot.revision.content_hash == HUMAN:
        raise UsageError(bot.absence)
    if not launch.can_play:
        raise UnfitBot(
            f"{bot.name} cannot play, because this database does not hold its files: it was "
            "imported without them, or added by an older version",
            f"add it again with `ladder bots add {bot.name} SPEC --replace`",
        )
    if launch.is_own:
        resolve_own_player(launch)
        return
    try:
        make_start(launch)
    except SpecError as error:
        raise SpecError(f"{bot.name}: {error}") from error


def unpacked_launch(store: Store, bot: BotRow) -> Launch:
    """Return the launch of a registered bot whose files are unpacked on this machine.

    Raises:
        UsageError: its files are not stored or damaged, or there is no room for them.
        SpecError: a program of the bot is gone.
        UnknownPlayer: these sources no longer have such a player.

    """
    refuse_unplayable(bot)
    launch = bot.revision.launch
    if launch.archive is None:
        resolved = resolve_own_player(launch)
        if resolved.content_hash != bot.revision.content_hash:
            raise UsageError(
                f"the sources of {bot.name} were edited while the command started: try again"
            )
        return resolved.launch
    unpack_files(store, bot)
    return launch


def unpack_files(store: Store, bot: BotRow) -> UnpackedArchive:
    """Return the archive of a bot, unpacked on this machine.

    Raises:
        UsageError: it is damaged, or there is no room for it.

    """
    archive = bot.revision.launch.archive
    assert archive is not None  # noqa: S101 - the caller has asked
    with suppress(FileNotFoundError):
        return cached_archive(archive)
    try:
        return unpack(store.archives.manifest(archive), store.archives.read_parts)
    except UsageError as error:
        raise UsageError(f"{bot.name}: {error}") from error


def make_entrants(
    store: Store,
    bots: Iterable[BotRow],
    budget_of: Callable[[BotRow], Budget],
    restart: Restart | None = None,
) -> dict[str, Entrant]:
    """Return registered bots as sides of pairs, by name, with their files unpacked.

    Args:
        store: the database that holds their files.
        bots: the bots.
        budget_of: returns the budget of a bot's moves.
        restart: when to restart their processes; None: as each was registered.

    Raises:
        UsageError: the files of a bot are not stored, or sources were edited just now.
        SpecError: a program of a bot is gone.

    """
    return {
        bot.name: make_entrant(
            unpacked_launch(store, bot),
            revision=bot.revision.id,
            name=bot.name,
            budget=budget_of(bot),
            restart=restart,
            kinds=bot.revision.budgets,
        )
        for bot in bots
    }


def refuse_boards(
    bot: BotRow | NewBot, boards: Iterable[BoardClass], others: Iterable[BotRow] = ()
) -> None:
    """Refuse a bot that plays none of the boards; propose one that the others play, too.

    Raises:
        UnfitBot: it plays none of them.

    """
    own, classes = bot.revision.boards, tuple(boards)
    if not any(can_play_class(own, each) for each in classes):
        proposed = propose_boards(own, [other.revision.boards for other in others])
        raise UnfitBot(
            f"{bot.name} does not play {', '.join(map(str, classes))}, but {describe_boards(own)}",
            f"choose other boards, such as {proposed}",
        )


def refuse_short_time(bot: BotRow | NewBot, time_ms: int | None) -> None:
    """Refuse a bot that needs more time per move than it would get.

    Raises:
        UnfitBot: it needs more, as its trial at registration has shown.

    """
    needed = bot.revision.launch.min_time_ms
    if time_ms is not None and needed is not None and time_ms < needed:
        raise UnfitBot(
            f"{bot.name} takes {needed} ms per move whatever its budget is, more than the "
            f"{time_ms} ms that this run gives it",
            f"allow at least {needed} ms per move",
        )
