"""The columns of the rating list, for the terminal, Markdown, CSV, JSON and pages.

To add a column, add an entry to `COLUMNS` and its value to `BotStanding`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from engine.result import FORFEITS
from ladder.results.standings.standings import BotStanding, Standings
from reports.layout.fields import (
    LAST,
    NOTHING,
    Cell,
    Field,
    csv_of,
    number_cell,
    plain_values,
)
from reports.layout.format import number

UNRELIABLE, OVER_BUDGET, RETIRED = "!", "*", "retired"
"""Marks of a bot."""


@dataclass(frozen=True, slots=True)
class RatingView:
    """A rating list and how to show it."""

    standings: Standings
    before: Mapping[str, float] | None = None
    """Earlier ratings by name, for a column of changes; None for no such column."""
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


def rating_words(bot: BotStanding) -> str:
    """Return Elo with its error, or a bound for a bot that won or lost every game."""
    if bot.elo_at_least is not None:
        return f"at least {bot.elo_at_least:.0f}"
    if bot.elo_at_most is not None:
        return f"at most {bot.elo_at_most:.0f}"
    return f"{number(bot.elo)} ± {number(bot.error95)}"


def _is_bound(bot: BotStanding) -> bool:
    return bot.elo_at_least is not None or bot.elo_at_most is not None


def _name_text(bot: BotStanding, _: RatingView) -> Text:
    style = "red" if bot.unreliable or bot.over_budget else "dim" if bot.retired else ""
    return Text(bot.name, style=style)


def _name_cell(bot: BotStanding, view: RatingView) -> Cell:
    name = f"{bot.name} (anchor)" if bot.name in view.standings.anchors else bot.name
    return Cell(name, href=view.link(bot.name))


def _elo_text(bot: BotStanding, _: RatingView) -> str:
    if bot.elo_at_least is not None:
        return f">={bot.elo_at_least:.0f}"
    if bot.elo_at_most is not None:
        return f"<={bot.elo_at_most:.0f}"
    return number(bot.elo)


def _elo_cell(bot: BotStanding, _: RatingView) -> Cell:
    """Return the rating; a bound sorts by the rating behind it."""
    if bot.elo is None:
        return Cell("-", title=bot.reasons.get("elo", ""))
    return Cell(rating_words(bot) if _is_bound(bot) else f"{bot.elo:.0f}", bot.elo)


def _error(bot: BotStanding, _: RatingView) -> str:
    return "-" if _is_bound(bot) else number(bot.error95)


def _change(bot: BotStanding, view: RatingView) -> Cell:
    """Return the change of the rating, or ``new`` for a bot that had none."""
    if bot.elo is None or view.before is None:
        return Cell("-")
    if bot.name not in view.before:
        return Cell("new", -1e9)
    change = bot.elo - view.before[bot.name]
    return Cell(f"{change:+.0f}" if abs(change) >= 0.5 else "0", change)


def _forfeit_games(bot: BotStanding) -> list[dict[str, Any]]:
    return [{"game": one.game, "termination": one.termination.value} for one in bot.forfeit_games]


COLUMNS = (
    Field("rank", "#", page="rank", form="d", level=1),
    Field("name", "bot", text=_name_text, cell=_name_cell),
    Field(head="", only="terminal", text=lambda bot, _: marks(bot), shown=_marks_shown),
    Field("elo", "elo", page="Elo", digits=1, form=".0f", text=_elo_text, cell=_elo_cell),
    Field("error95", "±95", page="± 95 %", digits=1, form=".0f", text=_error, level=2),
    Field(
        head="change",
        only="page",
        form="d",
        cell=_change,
        shown=lambda _, view: view.before is not None,
    ),
    Field("elo_at_least", digits=1, csv=()),
    Field("elo_at_most", digits=1, csv=()),
    Field("games", "games", form=",d", level=3),
    Field("wins", "win", form=",d", level=5),
    Field("draws", "draw", form=",d", level=5),
    Field("losses", "loss", form=",d", level=5),
    Field("score", "score", only="page", digits=4, form=".1%"),
    Field("win_rate", "win rate", only="terminal", digits=4, form=".1%", level=4),
    Field(
        "forfeits",
        "forfeits",
        value=lambda bot: dict(bot.forfeits),
        csv=tuple(kind.value for kind in FORFEITS),
        form="d",
        text=lambda bot, _: str(bot.all_forfeits or NOTHING),
        cell=lambda bot, _: number_cell(bot.all_forfeits),
        level=3,
    ),
    Field("forfeit_games", value=_forfeit_games, csv=()),
    Field("retired", csv=()),
    Field("unreliable", csv=()),
    Field("over_budget", csv=()),
    Field(
        "simulations_per_second",
        "simulations/s",
        only="terminal",
        digits=1,
        form=",.0f",
        level=6,
    ),
    Field("mean_move_ms", "ms/move", only="terminal", digits=3, form=".1f", level=7),
    Field("max_move_ms", "max ms", only="terminal", digits=3, form=".1f", level=LAST),
    Field("reasons", value=lambda bot: dict(bot.reasons), csv=()),
)


def standing_values(bot: BotStanding) -> dict[str, Any]:
    """Return a bot's row as plain data."""
    return plain_values(COLUMNS, bot)


def standings_csv(standings: Standings) -> str:
    """Return the list as comma-separated values; a cell without a value is empty."""
    return csv_of(COLUMNS, [{**standing_values(bot), **bot.forfeits} for bot in standings.bots])
