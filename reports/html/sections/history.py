"""Ratings over time: against the games played, and by the date of a bot."""

from collections.abc import Mapping, Sequence

from db.records.bots import BotRow
from ladder.results.standings.history import RatedMoment
from ladder.results.standings.standings import BotStanding
from reports.html.charts.ratings import date_chart, history_chart
from reports.html.charts.spec import PALETTE
from reports.html.figures import Figure, Row, plain_table
from reports.html.words import day


def history_figure(history: Sequence[RatedMoment], order: Sequence[str]) -> Figure:
    """Ratings with their bands as games came in; `order` names the bots, best first.

    The chart has the best bots (`history_said`), the table all.
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
        label="Ratings with bands against the games played",
        caption="Ratings after all games so far",
        table=plain_table(("bot", "#games", "#elo", "#error"), _last_moments(rows)),
        spec=history_chart([row for row in rows if row["bot"] in drawn], drawn) if rows else None,
    )


def history_said(order: Sequence[str]) -> str:
    """Which bots the chart leaves out; empty for none."""
    if len(order) <= len(PALETTE):
        return ""
    return f"The best {len(PALETTE)} of {len(order)} bots are drawn; the table has all."


def _last_moments(rows: Sequence[Row]) -> list[Row]:
    """Some ten moments of the many: a table of all would be no help."""
    moments = sorted({row["games"] for row in rows})
    kept = set(moments[:: max(len(moments) // 10, 1)]) | set(moments[-1:])
    return [row for row in rows if row["games"] in kept]


def dated(bot: BotRow) -> tuple[float, str]:
    """When its present content came to be (epoch seconds), and by what that is known."""
    origin = bot.revision.launch.origin
    if origin is not None and origin.committed_at is not None:
        return origin.committed_at, "commit"
    return bot.revision.created_at, "registration"


def dates_figure(rated: Sequence[BotStanding], bots: Mapping[str, BotRow]) -> Figure:
    """Return the rating of every bot by the date of its commit, or else of its registration."""
    known = [(dated(bots[bot.name]), bot) for bot in rated if bot.name in bots]
    rows = [
        {
            "bot": bot.name,
            "day": day(moment),
            # A bar parts the lines of a label: no name holds one and a date neither.
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
        table=plain_table(("bot", "day", "of", "#elo"), rows),
        spec=date_chart(rows) if rows else None,
        is_wide=True,
    )
