"""The columns of the rating list, for the terminal, Markdown, CSV, JSON and pages.

To add a column, add an entry to `COLUMNS`, and its value to `BotStanding` or, if it needs a query,
to `db.records.measures`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.result import FORFEITS, Termination
from ladder.results.standings.standings import BotStanding, Standings
from reports.layout.elo import rating_fields, wdl_fields
from reports.layout.fields import FAINT, LAST, LOST, NOTHING, Field, Medium

SPEED = "simulations_per_second"
UNRELIABLE, OVER_BUDGET, RETIRED = "!", "*", "retired"
"""Marks of a bot."""


@dataclass(frozen=True, slots=True)
class RatingView:
    """A rating list and how to show it."""

    standings: Standings
    link: Callable[[str], str] = lambda _: ""
    """Returns the address of a bot's page; empty for no link."""


def _marks_shown(bots: Sequence[BotStanding], _: RatingView) -> bool:
    return any(map(marks, bots))


def marks(bot: BotStanding) -> str:
    """Return the marks of a bot's row; empty for none."""
    found = (UNRELIABLE if bot.unreliable else "") + (OVER_BUDGET if bot.over_budget else "")
    return " ".join(part for part in (found, RETIRED if bot.retired else "") if part)


def forfeit_text(bot: BotStanding) -> str:
    """Return the forfeits by kind, such as ``2 timeout, 1 illegal move``."""
    counts = bot.forfeits.items()
    return ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in counts if count)


def _name(bot: BotStanding, view: RatingView) -> str:
    return bot.name + (" (anchor)" if bot.name in view.standings.anchors else "")


def forfeits_by(kind: Termination, bot: BotStanding) -> int:
    """Return the games that a bot forfeited in one way."""
    return bot.forfeits.get(kind.value, 0)


def _forfeit_games(bot: BotStanding) -> list[dict[str, Any]]:
    return [{"game": one.game, "termination": one.termination.value} for one in bot.forfeit_games]


def _measured(key: str, head: str | None, **options: Any) -> Field:
    """Return the column of a measure of `db.records.measures`."""
    return Field(key, head, value=lambda bot: bot.measures[key], **options)


def _speed(head: str, *, of_nodes: bool) -> Field:
    """Return the column of the speed of bots whose work is nodes, or simulations."""
    return Field(
        head=head,
        chosen_by=SPEED,
        value=lambda bot: bot.measures[SPEED] if bot.counts_nodes is of_nodes else None,
        form=",.0f",
        shown=lambda bots, _: any(bot.counts_nodes is of_nodes for bot in bots),
        level=6,
    )


COLUMNS = (
    Field("rank", "#", page="rank", form="d", level=1),
    Field(
        "name",
        "bot",
        text=_name,
        verdict=lambda bot, _: LOST if bot.unreliable or bot.over_budget else "",
        emphasis=lambda bot, _: FAINT if bot.retired else "",
        link=lambda bot, view: view.link(bot.name),
    ),
    Field(
        head="",
        chosen_by="name",
        only=Medium.TEXT,
        text=lambda bot, _: marks(bot),
        shown=_marks_shown,
    ),
    *rating_fields(lambda bot: bot.rating),
    Field("games", "games", form=",d", level=3),
    *wdl_fields(lambda bot: bot.results),
    Field(
        "score",
        "score",
        only=Medium.PAGE | Medium.DATA,
        digits=4,
        form=".1%",
        value=lambda bot: bot.results.score or 0.0,
    ),
    Field("win_rate", "win rate", only=Medium.TEXT | Medium.DATA, digits=4, form=".1%", level=4),
    Field(
        "forfeits",
        "forfeits",
        only=Medium.TABLES | Medium.JSON,
        value=lambda bot: dict(bot.forfeits),
        form="d",
        text=lambda bot, _: str(bot.all_forfeits or NOTHING),
        page_text=lambda bot, _: str(bot.all_forfeits),
        sort=lambda bot: bot.all_forfeits,
        level=3,
    ),
    *(
        Field(kind.value, chosen_by="forfeits", only=Medium.CSV, value=partial(forfeits_by, kind))
        for kind in FORFEITS
    ),
    Field("forfeit_games", only=Medium.JSON, value=_forfeit_games, is_prose=True),
    Field("retired", only=Medium.JSON),
    Field("unreliable", only=Medium.JSON),
    Field("over_budget", only=Medium.JSON),
    _measured(SPEED, None, digits=1, only=Medium.DATA),
    _speed("simulations/s", of_nodes=False),
    _speed("nodes/s", of_nodes=True),
    Field("counts_nodes", only=Medium.JSON),
    _measured("mean_move_ms", "ms/move", digits=3, form=".1f", level=7),
    _measured("max_move_ms", "max ms", digits=3, form=".1f", level=LAST),
    Field("reasons", only=Medium.JSON, value=lambda bot: dict(bot.reasons), is_prose=True),
)
