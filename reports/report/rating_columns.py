"""The columns of the rating list, for the terminal, Markdown, CSV, JSON and pages.

To add a column, add an entry to `COLUMNS` and its value to `BotStanding`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from engine.result import FORFEITS
from ladder.results.standings.standings import BotStanding, Standings
from reports.layout import cells
from reports.layout.cells import Cell
from reports.layout.format import csv_text, number, rounded
from reports.layout.table import Column

UNRELIABLE, OVER_BUDGET, RETIRED = "!", "*", "retired"
"""Marks of a bot."""
NOTHING = "."
"""The text of an empty count."""
LAST = 10
"""The level of columns that are left out first, such as those with `NOTHING` in every cell."""


@dataclass(frozen=True, slots=True)
class View:
    """A rating list and how to show it."""

    standings: Standings
    before: Mapping[str, float] | None = None
    """Earlier ratings by name, for a column of changes; None for no such column."""
    link: Callable[[str], str] = lambda _: ""
    """Returns the address of a bot's page; empty for no link."""
    marks_apart: bool = True
    """Whether marks have their own column or follow the names."""


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """A column in all formats; a format without a head does not show it."""

    key: str = ""
    """The key in JSON and the attribute of `BotStanding`; empty for a column of tables only."""
    value: Callable[[BotStanding], Any] | None = None
    """The value in JSON, if it is not the attribute."""
    digits: int | None = None
    """Decimal digits of a number in JSON and CSV."""
    csv: Sequence[str] | None = None
    """The heads in CSV; None for the key."""
    head: str | None = None
    """The head on a terminal and in Markdown."""
    page: str | None = None
    """The head on a page."""
    form: str = "d"
    """The format of a number on a terminal, in Markdown and on a page."""
    text: Callable[[BotStanding, View], str | Text] | None = None
    """The cell on a terminal and in Markdown, if it is not the formatted attribute."""
    cell: Callable[[BotStanding, View], Cell] | None = None
    """The cell on a page, if it is not the formatted attribute."""
    short: Callable[[BotStanding], str] | None = None
    """The cell on a narrow terminal."""
    is_number: bool = True
    """Whether the column is aligned right on a terminal and in Markdown."""
    is_page_number: bool = True
    """Whether it is aligned right on a page."""
    level: int = 0
    """See `Column.level`."""
    shown: Callable[[View], bool] = lambda _: True
    """Returns whether tables show the column."""

    def plain(self, bot: BotStanding) -> Any:
        """Return the value in JSON."""
        value = getattr(bot, self.key) if self.value is None else self.value(bot)
        return value if self.digits is None else rounded(value, self.digits)

    def terminal_cell(self, bot: BotStanding, view: View) -> str | Text:
        """Return the cell on a terminal and in Markdown."""
        if self.text is not None:
            return self.text(bot, view)
        return number(getattr(bot, self.key), self.form)

    def page_cell(self, bot: BotStanding, view: View) -> Cell:
        """Return the cell on a page."""
        if self.cell is not None:
            return self.cell(bot, view)
        return cells.number(getattr(bot, self.key), ",d" if self.form == "d" else self.form)


def _marks_shown(view: View) -> bool:
    return view.marks_apart and any(map(marks, view.standings.bots))


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


def _name_text(bot: BotStanding, view: View) -> Text:
    if not view.marks_apart:
        return Text(f"{bot.name} {marks(bot)}".strip())
    style = "red" if bot.unreliable or bot.over_budget else "dim" if bot.retired else ""
    return Text(bot.name, style=style)


def _name_cell(bot: BotStanding, view: View) -> Cell:
    name = f"{bot.name} (anchor)" if bot.name in view.standings.anchors else bot.name
    return Cell(name, href=view.link(bot.name))


def _elo_text(bot: BotStanding, _: View) -> str:
    if bot.elo_at_least is not None:
        return f">={bot.elo_at_least:.0f}"
    if bot.elo_at_most is not None:
        return f"<={bot.elo_at_most:.0f}"
    return number(bot.elo)


def _elo_cell(bot: BotStanding, _: View) -> Cell:
    """Return the rating; a bound sorts by the rating behind it."""
    if bot.elo is None:
        return Cell("-", title=bot.reasons.get("elo", ""))
    return Cell(rating_words(bot) if _is_bound(bot) else f"{bot.elo:.0f}", bot.elo)


def _change(bot: BotStanding, view: View) -> Cell:
    """Return the change of the rating, or ``new`` for a bot that had none."""
    if bot.elo is None or view.before is None:
        return Cell("-")
    if bot.name not in view.before:
        return Cell("new", -1e9)
    change = bot.elo - view.before[bot.name]
    return Cell(f"{change:+.0f}" if abs(change) >= 0.5 else "0", change)


COLUMNS = (
    RatingColumn("rank", head="#", page="rank", level=1),
    RatingColumn(
        "name",
        head="bot",
        page="bot",
        text=_name_text,
        cell=_name_cell,
        is_number=False,
        is_page_number=False,
    ),
    RatingColumn(head="", text=lambda bot, _: marks(bot), is_number=False, shown=_marks_shown),
    RatingColumn("elo", digits=1, head="elo", page="Elo", text=_elo_text, cell=_elo_cell),
    RatingColumn(
        "error95",
        digits=1,
        head="±95",
        page="± 95 %",
        text=lambda bot, _: "-" if _is_bound(bot) else number(bot.error95),
        cell=lambda bot, _: Cell("-") if _is_bound(bot) else cells.number(bot.error95),
        level=2,
    ),
    RatingColumn(page="change", cell=_change, shown=lambda view: view.before is not None),
    RatingColumn("elo_at_least", digits=1, csv=()),
    RatingColumn("elo_at_most", digits=1, csv=()),
    RatingColumn("games", head="games", page="games", level=3),
    RatingColumn("wins", head="win", page="win", level=5),
    RatingColumn("draws", head="draw", page="draw", level=5),
    RatingColumn("losses", head="loss", page="loss", level=5),
    RatingColumn("score", digits=4, page="score", form=".1%"),
    RatingColumn("win_rate", digits=4, head="win rate", form=".1%", level=4),
    RatingColumn(
        "forfeits",
        value=lambda bot: dict(bot.forfeits),
        csv=tuple(kind.value for kind in FORFEITS),
        head="forfeits",
        page="forfeits",
        text=lambda bot, _: forfeit_text(bot),
        cell=lambda bot, _: cells.number(bot.all_forfeits),
        short=lambda bot: str(bot.all_forfeits),
        is_number=False,
        level=8,
    ),
    RatingColumn(
        "forfeit_games",
        value=lambda bot: [
            {"game": one.game, "termination": one.termination.value} for one in bot.forfeit_games
        ],
        csv=(),
    ),
    RatingColumn("retired", csv=()),
    RatingColumn("unreliable", csv=()),
    RatingColumn("over_budget", csv=()),
    RatingColumn("simulations_per_second", digits=1, head="simulations/s", form=",.0f", level=6),
    RatingColumn("mean_move_ms", digits=3, head="ms/move", form=".1f", level=7),
    RatingColumn("max_move_ms", digits=3, head="max ms", form=".1f", level=LAST),
    RatingColumn("reasons", value=lambda bot: dict(bot.reasons), csv=()),
)


def standing_values(bot: BotStanding) -> dict[str, Any]:
    """Return a bot's row as plain data."""
    return {column.key: column.plain(bot) for column in COLUMNS if column.key}


def standings_csv(standings: Standings) -> str:
    """Return the list as comma-separated values; a cell without a value is empty."""
    heads = [
        head
        for column in COLUMNS
        if column.key
        for head in ((column.key,) if column.csv is None else column.csv)
    ]
    rows = ({**standing_values(bot), **bot.forfeits} for bot in standings.bots)
    return csv_text(heads, ([row[head] for head in heads] for row in rows))


def terminal_columns(view: View) -> list[Column]:
    """Return the columns on a terminal and in Markdown."""
    bots, found = view.standings.bots, []
    for column in COLUMNS:
        if column.head is None or not column.shown(view):
            continue
        texts = [column.terminal_cell(bot, view) for bot in bots]
        is_empty = all(text == NOTHING for text in texts)
        short = None if column.short is None or is_empty else [*map(column.short, bots)]
        level = LAST if is_empty else column.level
        found.append(Column(column.head, texts, column.is_number, level, short))
    return found


def page_columns(view: View) -> list[RatingColumn]:
    """Return the columns on a page."""
    return [column for column in COLUMNS if column.page is not None and column.shown(view)]
