"""Ratings over the games played, and by the dates of bots."""

from collections.abc import Mapping, Sequence

from db.records.bots import BotRow
from ladder.results.standings.pool import RatedMoment
from ladder.results.standings.standings import BotStanding
from reports.html.charts.ratings import date_chart, history_chart
from reports.html.charts.spec import PALETTE
from reports.html.figures import Figure, Row, table_of_rows
from reports.layout.format import day


def history_figure(history: Sequence[RatedMoment], order: Sequence[str]) -> Figure:
    """Return the figure of ratings over the games played; `order` has the bots, best first.

    The chart shows only the best bots, see `drawn_bots_note`; the table shows all.
    """
    drawn = order[: len(PALETTE)]
    rows = [
        {
            "bot": moment.bot,
            "games": moment.games,
            "elo": round(moment.elo, 1),
            "error": round(moment.error95, 1),
            "low": round(moment.elo - moment.error95, 1),
            "high": round(moment.elo + moment.error95, 1),
        }
        for moment in history
    ]
    return Figure(
        name="history",
        label="Ratings with 95 % bands over the games played",
        caption="Ratings over the games played",
        table=table_of_rows(("bot", "#games", "#elo", "#error"), _last_moments(rows)),
        spec=history_chart([row for row in rows if row["bot"] in drawn], drawn) if rows else None,
    )


def drawn_bots_note(order: Sequence[str]) -> str:
    """Return a sentence if the chart leaves bots out, else an empty text."""
    if len(order) <= len(PALETTE):
        return ""
    return f"The best {len(PALETTE)} of {len(order)} bots are drawn; the table has all."


def _last_moments(rows: Sequence[Row]) -> list[Row]:
    """Return some ten moments with all their rows."""
    moments = sorted({row["games"] for row in rows})
    chosen = set(moments[:: max(len(moments) // 10, 1)]) | set(moments[-1:])
    return [row for row in rows if row["games"] in chosen]


def revision_date(bot: BotRow) -> tuple[float, str]:
    """Return the date of a bot's revision in epoch seconds, and whose date it is."""
    origin = bot.revision.launch.origin
    if origin is not None and origin.committed_at is not None:
        return origin.committed_at, "commit"
    return bot.revision.created_at, "registration"


def dates_figure(rated: Sequence[BotStanding], bots: Mapping[str, BotRow]) -> Figure:
    """Return the figure of ratings by the date of the commit or the registration."""
    known = [
        (revision_date(bots[bot.name]), bot)
        for bot in rated
        # A built-in player is registered with the database, which says nothing about it.
        if bot.name in bots and not bots[bot.name].revision.launch.is_own
    ]
    rows = [
        {
            "bot": bot.name,
            "day": day(moment),
            # The chart splits a label into lines at each bar.
            "place": f"{bot.name.replace('|', ' ')}|{day(moment)[5:10]}|{day(moment)[11:16]}",
            "of": of,
            "elo": bot.elo,
            "low": (bot.elo or 0.0) - (bot.error95 or 0.0),
            "high": (bot.elo or 0.0) + (bot.error95 or 0.0),
        }
        for (moment, of), bot in sorted(known, key=lambda entry: entry[0][0])
    ]
    return Figure(
        name="dates",
        label="Ratings by the date of commit or registration",
        caption="Bots by date of commit or registration",
        table=table_of_rows(("bot", "day", "of", "#elo"), rows),
        spec=date_chart(rows) if rows else None,
        is_wide=True,
    )
