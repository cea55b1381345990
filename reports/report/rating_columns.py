"""The columns of the rating list, for the terminal, Markdown, CSV, JSON and pages.

To add a column, add an entry to `COLUMNS` and its value to `BotStanding`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from engine.result import FORFEITS
from ladder.results.standings.standings import BotStanding, Standings
from reports.layout.elo import measured, rating_fields, wdl_fields
from reports.layout.fields import (
    LAST,
    NOTHING,
    Cell,
    Field,
    csv_of,
    plain_values,
)

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
    """Return the forfeits by kind, such as ``2 timeout, 1 crash``."""
    kinds = [f"{count} {kind}" for kind, count in bot.forfeits.items() if count]
    return ", ".join(kinds) or NOTHING


def _name(bot: BotStanding, view: RatingView) -> Text:
    style = "bold red" if bot.unreliable or bot.over_budget else "dim" if bot.retired else ""
    anchor = " (anchor)" if bot.name in view.standings.anchors else ""
    return Text(bot.name + anchor, style=style)


def _forfeit_games(bot: BotStanding) -> list[dict[str, Any]]:
    return [{"game": one.game, "termination": one.termination.value} for one in bot.forfeit_games]


COLUMNS = (
    Field("rank", "#", page="rank", form="d", level=1),
    Field("name", "bot", text=_name, link=lambda bot, view: view.link(bot.name)),
    Field(head="", only="terminal", text=lambda bot, _: marks(bot), shown=_marks_shown),
    *rating_fields(lambda bot: bot.rating),
    Field("games", "games", form=",d", level=3),
    *wdl_fields(lambda bot: bot.results),
    Field(
        "score",
        "score",
        only="page",
        digits=4,
        form=".1%",
        value=lambda bot: bot.results.score or 0.0,
    ),
    Field("win_rate", "win rate", only="terminal", digits=4, form=".1%", level=4),
    Field(
        "forfeits",
        "forfeits",
        value=lambda bot: dict(bot.forfeits),
        csv=tuple(kind.value for kind in FORFEITS),
        form="d",
        text=lambda bot, _: str(bot.all_forfeits or NOTHING),
        cell=lambda bot, _: Cell(str(bot.all_forfeits), bot.all_forfeits),
        level=3,
    ),
    Field("forfeit_games", value=_forfeit_games, csv=()),
    Field("retired", csv=()),
    Field("unreliable", csv=()),
    Field("over_budget", csv=()),
    Field("simulations_per_second", "simulations/s", digits=1, form=",.0f", level=6),
    Field("mean_move_ms", "ms/move", digits=3, form=".1f", level=7),
    Field("max_move_ms", "max ms", digits=3, form=".1f", level=LAST),
    Field("reasons", value=lambda bot: dict(bot.reasons), csv=()),
)


def standing_values(bot: BotStanding) -> dict[str, Any]:
    """Return a bot's row as plain data."""
    return plain_values(COLUMNS, bot)


def standings_csv(standings: Standings) -> str:
    """Return the list as comma-separated values; a cell without a value is empty."""
    rows = [{**standing_values(bot), **bot.forfeits} for bot in standings.bots]
    return csv_of(COLUMNS, measured(rows))
