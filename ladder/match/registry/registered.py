"""Registered bots: choosing them for a run, and seeing that they still are what was registered."""

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
from ladder.errors import REGISTER_ANEW, UnfitBot, UsageError
from ladder.match.registry.builtins import has_changed, is_own
from ladder.match.registry.known_launches import unknown_bots
from ladder.match.specs.board_support import (
    boards_to_propose,
    can_play_class,
    describe_boards,
)
from ladder.match.specs.fingerprint import (
    changed_files,
    describe_changes,
    moved_programs,
    programs,
    same_environment,
)
from ladder.match.specs.git_spec import resolve_in_copy
from ladder.match.specs.own_sources import own_sources, refuse_edited
from ladder.match.specs.spec import (
    ResolvedBot,
    own_player_of,
    read_spec,
)
from ladder.match.specs.start_command import entrant_of
from ladder.names import unknown_bot


def choose_bots(store: Store, patterns: Iterable[str]) -> list[BotRow]:
    """The registered bots that the names and shell patterns select, each once.

    Raises:
        UnknownBot: a name or pattern selects nothing.

    """
    available = {bot.name: bot for bot in store.bots.all()}
    chosen: dict[str, BotRow] = {}
    for pattern in patterns:
        word = pattern.strip()
        names = [name for name in available if fnmatch.fnmatchcase(name, word)]
        if not names:
            raise unknown_bot(word, available, "bots")
        for name in names:
            chosen[name] = available[name]
    return list(chosen.values())


def leave_out(
    bots: Iterable[BotRow], needed: Collection[str | None], refuse: Callable[[BotRow], None]
) -> tuple[list[BotRow], dict[str, str]]:
    """Leave out bots that cannot take part.

    Args:
        bots: the chosen ones.
        needed: the names of those that are never left out.
        refuse: raises an error for a bot that cannot take part.

    Returns:
        The other bots, and by name the reason why each of those is left out.

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
    """A registered bot as its specification stands now, looked at on this machine.

    Raises:
        SpecError: something that it is made of is gone.
        UsageError: it came with an import and was never registered on this machine.
        UnknownPlayer: these sources have no such player any more.

    """
    launch = bot.revision.launch
    if launch.starts_nothing:
        raise UsageError(
            f"{bot.name} came with an import, which brings no command: `ladder bots add {bot.name} "
            "SPEC --replace` registers it from files on this machine, with its games when they are "
            "the same"
        )
    if launch.origin is not None:
        return resolve_in_copy(bot.spec, launch.origin, python=launch.python)
    if is_own(bot):  # the content of a file that an option named is kept with the bot
        return own_player_of(launch)
    return read_spec(bot.spec, Path(launch.folder), python=launch.python, known=bot.revision.files)


def changes_since(bot: BotRow) -> dict[str, str]:
    """The changes of a registered foreign bot's ingredients since then, by name; mostly empty.

    A bot that cannot be read any more has one entry, its specification, and the reason. So has a
    bot that this user has not registered: looking at it would ask a program that a stranger's
    database names for its version.
    """
    if is_own(bot) or bot.revision.launch.starts_nothing:
        return {}
    if unknown_bots([bot]):
        return {
            bot.spec: "not looked at, for it was not registered by you on this machine; "
            f"`ladder bots check {bot.name}` starts it"
        }
    try:
        return changed_files(bot.revision.files, resolve_bot(bot).files)
    except SpecError as error:
        return {bot.spec: str(error)}


def refuse_changed(bot: BotRow) -> None:
    """Refuse a bot that is not what was registered.

    A built-in player follows the sources, and only has to be one of theirs.

    Raises:
        UsageError: its files have changed.
        SpecError: something that it is made of is gone.
        UnknownPlayer: these sources have no such player any more.

    """
    if is_own(bot):
        resolve_bot(bot)
    else:
        resolve_unchanged(bot)


def resolve_unchanged(bot: BotRow) -> ResolvedBot:
    """A registered bot as its specification stands now, its files being what was registered.

    Raises:
        UsageError: its files have changed; games of the two contents must not be mixed.
        SpecError: something that it is made of is gone.

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
    if is_own(bot):
        raise UsageError(f"{reason}: its sources were edited while the command started; try again")
    for former in moved_programs(bot.revision.files, resolved.files):
        raise UnfitBot(reason, same_environment(former))
    raise UnfitBot(reason, REGISTER_ANEW)


def _lost_program(bot: BotRow) -> str:
    """Return the advice about a program of a registered bot that is not on PATH here."""
    for name in programs(bot.revision.files):
        if shutil.which(Path(name).name) is None:
            return f"; it was {name} when it was registered: {same_environment(name)}"
    return ""


def _refuse_other_start(bot: BotRow, resolved: ResolvedBot) -> None:
    """Refuse a stored launch other than the one that the specification stands for on this machine.

    The stored one is never started; another one says that a stranger wrote it.

    Raises:
        UsageError: they differ.

    """
    stored, made = bot.revision.launch, resolved.launch
    fields = ("command", "folder", "host", "player", "origin")
    other = [field for field in fields if getattr(stored, field) != getattr(made, field)]
    if other and not is_own(bot):
        raise UsageError(
            f"{bot.name} is not started: the database holds another {' and '.join(other)} than its "
            "specification stands for here; look at it with `ladder bots show`, and register it "
            "anew with `ladder bots add` and --replace when it is yours"
        )


def entrants(
    bots: Iterable[BotRow],
    budget_of: Callable[[BotRow], Budget],
    restart: Restart | None = None,
) -> dict[str, Entrant]:
    """Registered bots as sides of pairs, by name, all being what was registered.

    A bot is started by what its specification stands for on this machine, never by a stored
    command.

    Args:
        bots: the bots.
        budget_of: what each may spend on a move.
        restart: how often their processes are renewed; None: as each was registered.

    Raises:
        UsageError: the files of one have changed, or sources are being edited at this moment.
        SpecError: something that one is made of is gone.

    """
    chosen = list(bots)
    if any(map(is_own, chosen)):
        own_sources()  # taken before any hash, so that an edit after either is seen
    found = {}
    for bot in chosen:
        resolved = resolve_unchanged(bot)
        found[bot.name] = entrant_of(
            resolved.launch,
            revision=bot.revision.id,
            name=bot.name,
            budget=budget_of(bot),
            restart=bot.revision.launch.restart if restart is None else restart,
            content=resolved.states,
        )
    if any(map(is_own, chosen)):
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
        if not any(can_play_class(own, board) for board in classes):
            asked = ", ".join(map(str, classes))
            proposed = boards_to_propose(own, [other.revision.boards for other in chosen])
            raise UnfitBot(
                f"{bot.name} does not play {asked}, but {describe_boards(own)}",
                f"give --boards {proposed}",
            )


def refuse_hurried(bots: Iterable[BotRow | NewBot], time_ms: int | None) -> None:
    """Refuse bots that need more than the time given per move.

    Raises:
        UnfitBot: one needs more, as was found when it was registered.

    """
    for bot in bots:
        needed = bot.revision.launch.min_time_ms
        if time_ms is not None and needed is not None and time_ms < needed:
            raise UnfitBot(
                f"{bot.name} takes {needed} ms a move whatever it is given, and {time_ms} ms is "
                "less",
                f"ask for at least --time {needed}ms",
            )
