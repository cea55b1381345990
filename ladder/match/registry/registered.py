"""Registered bots: choose them for a run, and check that they have not changed."""

import fnmatch
import shutil
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from bots.errors import BotsError, SpecError
from bots.protocol import Budget
from db.records.bots import BotRow, NewBot
from db.records.pairs import Entrant
from db.records.restart import Restart
from db.store import Store
from engine.board import BoardClass
from ladder.errors import REGISTER_ANEW, UnfitBot, UnknownBot, UsageError
from ladder.match.registry.builtins import has_changed, is_own_player
from ladder.match.specs.board_support import can_play_class, describe_boards, propose_boards
from ladder.match.specs.fingerprint import (
    changed_files,
    describe_changes,
    environment_advice,
    find_moved_programs,
    select_programs,
)
from ladder.match.specs.git_spec import resolve_in_copy
from ladder.match.specs.own_sources import own_sources, refuse_edited
from ladder.match.specs.spec import ResolvedBot, read_spec, resolve_own_player
from ladder.match.specs.start_command import make_entrant
from ladder.names import select_names


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
    playing = {bot.name: bot for bot in bots if bot.retired_at is None}
    retired = sorted({bot.name for bot in bots} - playing.keys())
    for word in map(str.strip, patterns):
        gone = fnmatch.filter(retired, word)
        if gone and not fnmatch.filter(playing, word):
            who = f"{word} is retired" if gone == [word] else f"all bots of {word!r} are retired"
            remedy = f"`ladder bots unretire {gone[0]}` lets {gone[0]} play again"
            raise UnknownBot(f"{who}: {remedy}", option=option)
    return [playing[name] for name in select_names(patterns, playing, option=option)]


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


def resolve_bot(bot: BotRow) -> ResolvedBot:
    """Resolve a registered bot's specification on this machine as it is now.

    Raises:
        SpecError: a file or program of the bot is gone.
        UsageError: it was imported and never registered on this machine.
        UnknownPlayer: these sources no longer have such a player.

    """
    launch = bot.revision.launch
    if launch.is_description_only:
        raise UsageError(
            f"{bot.name} was imported without its command: `ladder bots add {bot.name} SPEC "
            "--replace` registers it from files on this machine, with its games if the files are "
            "the same"
        )
    if launch.origin is not None:
        return resolve_in_copy(bot.spec, launch.origin, python=launch.python)
    if is_own_player(bot):  # its launch holds the content of a file that an option named
        return resolve_own_player(launch)
    return read_spec(bot.spec, Path(launch.folder), python=launch.python, stored=bot.revision.files)


def find_changes_since(bot: BotRow) -> dict[str, str]:
    """Return the changes of a foreign bot's ingredients since its registration, by name.

    If the bot cannot be resolved any more, the result has one entry: its specification and the
    reason.
    """
    if is_own_player(bot) or bot.revision.launch.is_description_only:
        return {}
    try:
        return changed_files(bot.revision.files, resolve_bot(bot).files)
    except SpecError as error:
        return {bot.spec: str(error)}


def refuse_changed(bot: BotRow) -> None:
    """Refuse a bot that has changed since its registration.

    A built-in player may change with the sources, which only must still have it.

    Raises:
        UsageError: its files have changed.
        SpecError: a file or program of the bot is gone.
        UnknownPlayer: these sources no longer have such a player.

    """
    if is_own_player(bot):
        resolve_bot(bot)
    else:
        resolve_unchanged(bot)


def resolve_unchanged(bot: BotRow) -> ResolvedBot:
    """Resolve a registered bot, and refuse it if its content has changed.

    Raises:
        UsageError: its files have changed; games of the two contents must not be mixed.
        SpecError: a file or program of the bot is gone.

    """
    try:
        resolved = resolve_bot(bot)
    except SpecError as error:
        raise SpecError(f"{bot.name}: {error}{_lost_program(bot)}") from error
    if not has_changed(bot, resolved):
        _refuse_other_start(bot, resolved)
        return resolved
    reason = (
        f"{bot.name} is not what was registered "
        f"({describe_changes(bot.revision.files, resolved.files)})"
    )
    if is_own_player(bot):
        raise UsageError(f"{reason}: its sources were edited while the command started; try again")
    for former in find_moved_programs(bot.revision.files, resolved.files):
        raise UnfitBot(reason, environment_advice(former))
    raise UnfitBot(reason, REGISTER_ANEW)


def _lost_program(bot: BotRow) -> str:
    """Return the advice if a program of a registered bot is not on PATH, or ""."""
    for name in select_programs(bot.revision.files):
        if shutil.which(Path(name).name) is None:
            return f"; it was {name} when it was registered: {environment_advice(name)}"
    return ""


def _refuse_other_start(bot: BotRow, resolved: ResolvedBot) -> None:
    """Refuse a bot whose stored launch differs from the launch of its specification.

    A stored launch is never started. If it differs, another program wrote the database.

    Raises:
        UsageError: they differ.

    """
    stored, made = bot.revision.launch, resolved.launch
    fields = ("command", "folder", "host", "player", "origin")
    other = [field for field in fields if getattr(stored, field) != getattr(made, field)]
    if other and not is_own_player(bot):
        raise UsageError(
            f"{bot.name} is not started: its stored {' and '.join(other)} differ from those of its "
            f"specification; check it with `ladder bots show {bot.name}`, and if it is yours, "
            f"register it again with `ladder bots add {bot.name} SPEC --replace`"
        )


def make_entrants(
    bots: Iterable[BotRow],
    budget_of: Callable[[BotRow], Budget],
    restart: Restart | None = None,
) -> dict[str, Entrant]:
    """Return registered bots as sides of pairs, by name, after checking that none has changed.

    A bot is started as its specification says on this machine, never by a stored command.

    Args:
        bots: the bots.
        budget_of: returns the budget of a bot's moves.
        restart: when to restart their processes; None: as each was registered.

    Raises:
        UsageError: the files of a bot have changed, or sources are being edited now.
        SpecError: a file or program of a bot is gone.

    """
    chosen = list(bots)
    if any(map(is_own_player, chosen)):
        own_sources()  # copied before anything is hashed, so that `refuse_edited` sees any edit
    found = {}
    for bot in chosen:
        resolved = resolve_unchanged(bot)
        found[bot.name] = make_entrant(
            resolved.launch,
            revision=bot.revision.id,
            name=bot.name,
            budget=budget_of(bot),
            restart=bot.revision.launch.restart if restart is None else restart,
            content=resolved.states,
            kinds=bot.revision.budgets,
        )
    if any(map(is_own_player, chosen)):
        refuse_edited()
    return found


def refuse_boards(bots: Iterable[BotRow | NewBot], boards: Iterable[BoardClass]) -> None:
    """Refuse bots that play none of the boards.

    Raises:
        UnfitBot: one plays none of them.

    """
    classes, chosen = tuple(boards), list(bots)
    for bot in chosen:
        own = bot.revision.boards
        if not any(can_play_class(own, each) for each in classes):
            wanted = ", ".join(map(str, classes))
            proposed = propose_boards(own, [other.revision.boards for other in chosen])
            raise UnfitBot(
                f"{bot.name} does not play {wanted}, but {describe_boards(own)}",
                f"choose other boards, such as {proposed}",
            )


def refuse_short_time(bots: Iterable[BotRow | NewBot], time_ms: int | None) -> None:
    """Refuse bots that need more time per move than they would get.

    Raises:
        UnfitBot: a bot needs more, as its trial at registration has shown.

    """
    for bot in bots:
        needed = bot.revision.launch.min_time_ms
        if time_ms is not None and needed is not None and time_ms < needed:
            raise UnfitBot(
                f"{bot.name} takes {needed} ms per move whatever its budget is, more than the "
                f"{time_ms} ms that this run gives it",
                f"allow at least {needed} ms per move",
            )
