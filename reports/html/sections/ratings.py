"""The rating list as a chart and a table."""

from collections.abc import Mapping, Sequence

from ladder.results.standings.standings import BotStanding, Standings
from reports.html.charts.ratings import rating_chart
from reports.html.figures import Figure, Row
from reports.html.tables import Heading, Table
from reports.report.rating_columns import View, page_columns, rating_words


def rated_bots(standings: Standings) -> list[BotStanding]:
    """Return the bots with a rating and an error, best first."""
    return [bot for bot in standings.bots if bot.elo is not None and bot.error95 is not None]


def ratings_figure(view: View) -> Figure:
    """Return the chart and the table of the rating list."""
    standings, columns = view.standings, page_columns(view)
    rows = _rows(rated_bots(standings), standings.anchors)
    return Figure(
        name="ratings",
        label="Ratings in Elo with 95 % intervals, best on top; the numbers are in the table below",
        caption=f"Rating list of {standings.label}",
        table=Table(
            [Heading(column.page or "", column.is_page_number) for column in columns],
            [[column.page_cell(bot, view) for column in columns] for bot in standings.bots],
        ),
        spec=rating_chart(rows) if rows else None,
        is_open=True,
    )


def _rows(rated: Sequence[BotStanding], anchors: Mapping[str, float]) -> list[Row]:
    return [
        {
            "bot": bot.name,
            "elo": bot.elo,
            "error": bot.error95,
            "low": (bot.elo or 0.0) - (bot.error95 or 0.0),
            "high": (bot.elo or 0.0) + (bot.error95 or 0.0),
            "games": bot.games,
            "wins": bot.wins,
            "draws": bot.draws,
            "losses": bot.losses,
            "anchored": bot.name in anchors,
            "label": f"{bot.elo:.0f} fixed" if bot.name in anchors else rating_words(bot),
        }
        for bot in rated
    ]
