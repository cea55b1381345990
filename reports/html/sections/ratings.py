"""The rating list as a chart and a table."""

from collections.abc import Mapping, Sequence

from ladder.results.standings.standings import BotStanding, Standings
from reports.html.charts.ratings import rating_chart
from reports.html.figures import Figure, Row
from reports.html.tables import table_of_fields
from reports.report.rating_columns import COLUMNS, RatingView, rating_words


def rated_bots(standings: Standings) -> list[BotStanding]:
    """Return the bots with a rating and an error, best first."""
    return [bot for bot in standings.bots if bot.elo is not None and bot.error95 is not None]


def ratings_figure(view: RatingView) -> Figure:
    """Return the chart and the table of the rating list."""
    standings = view.standings
    rows = _rows(rated_bots(standings), standings.anchors)
    return Figure(
        name="ratings",
        label="Ratings in Elo with 95 % intervals, best on top; the numbers are in the table below",
        caption=f"Rating list of {standings.label}",
        table=table_of_fields(COLUMNS, standings.bots, view),
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
