"""The bots of a run: who can take part under its settings, and how they are started."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from db.records.bots import BotRow
from db.records.pairs import Entrant
from db.store import Store
from ladder.registry.entrants import (
    leave_out,
    make_entrants,
    refuse_boards,
    refuse_short_time,
    refuse_unplayable,
)
from ladder.runs.schedule import Schedule, refuse_set
from ladder.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class Lineup:
    """The settings of a run, and its bots, which can play under them."""

    settings: RunSettings
    bots: Sequence[BotRow]
    sides: Mapping[str, Entrant]
    """The same bots by name, as sides of pairs on this machine."""


def line_up(store: Store, settings: RunSettings, bots: Sequence[BotRow]) -> Lineup:
    """Check that bots can play a run, and make them ready.

    Args:
        store: The open database.
        settings: The settings; its bots are the names of `bots`.
        bots: The registered bots.

    Raises:
        UsageError: a bot supports none of the budgets, plays none of the boards, needs more time
            or cannot play, or the schedule is impossible.

    """
    settings.budgets.refuse_unknown_bots([bot.name for bot in bots])
    for bot in bots:
        _refuse_unfit(settings, bot, bots)
    Schedule(settings, bots, seed=0)
    sides = make_entrants(store, bots, settings.budgets.of_row, settings.restart)
    return Lineup(settings, bots, sides)


def leave_out_unfit(
    settings: RunSettings, bots: Sequence[BotRow], named: Collection[str]
) -> tuple[list[BotRow], dict[str, str]]:
    """Leave out bots that cannot take part and were not chosen by name.

    Args:
        settings: The settings of the run. Bots in its pairing or with budgets of their own count
            as chosen by name.
        bots: The chosen bots.
        named: The names that were chosen without a pattern.

    Returns:
        The remaining bots, and the reason for each bot that is left out, by name.

    """
    needed = {*named, *settings.budgets.bots_with_odds, settings.pairing.candidate}
    return leave_out(bots, needed, partial(_refuse_unfit, settings))


def _refuse_unfit(settings: RunSettings, bot: BotRow, others: Sequence[BotRow] = ()) -> None:
    refuse_boards(bot, settings.boards, others)
    if settings.openings is not None:
        refuse_set(bot.name, bot.revision.boards, settings.openings.set)
    refuse_short_time(bot, settings.budgets.share_ms(bot.name, settings.boards))
    settings.budgets.of_row(bot)
    refuse_unplayable(bot)
