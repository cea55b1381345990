"""Speed of the bots, and the time that their moves took."""

from collections.abc import Sequence

from ladder.standings.report_data import MoveTimes
from ladder.standings.standings import BotStanding
from reports.html.charts import speed_chart, time_chart
from reports.html.figures import Figure, plain_table
from reports.html.tables import Cell, Table, columns, number


def speed_figure(bots: Sequence[BotStanding], times: Sequence[MoveTimes]) -> Figure:
    """Simulations or nodes a second."""
    rows = [
        {"bot": bot.name, "speed": bot.simulations_per_second}
        for bot in bots
        if bot.simulations_per_second is not None
    ]
    return Figure(
        name="speed",
        label="Simulations or nodes a second per bot",
        caption="Speed per bot",
        table=_table(bots, times),
        spec=speed_chart(rows) if rows else None,
    )


def _table(bots: Sequence[BotStanding], times: Sequence[MoveTimes]) -> Table:
    shares = {entry.bot: entry.cpu_share for entry in times}
    return Table(
        columns("bot", "#simulations or nodes a second", "#ms a move", "#longest ms", "#CPU share"),
        [
            (
                Cell(bot.name),
                number(bot.simulations_per_second),
                number(bot.mean_move_ms, ",.1f"),
                number(bot.max_move_ms, ",.1f"),
                number(shares.get(bot.name), ".0%"),
            )
            for bot in bots
        ],
    )


def times_figure(times: Sequence[MoveTimes], budget_ms: float | None) -> Figure:
    """The distribution of move times beside the budget."""
    rows = [
        {
            "bot": entry.bot,
            "moves": entry.moves,
            "low": entry.low,
            "quarter": entry.quarter,
            "median": entry.median,
            "three": entry.three,
            "high": entry.high,
        }
        for entry in times
    ]
    return Figure(
        name="times",
        label="Distribution of move times per bot",
        caption="Move times per bot in the latest games",
        table=plain_table(
            ("bot", "#moves", "#low", "#quarter", "#median", "#three", "#high"), rows
        ),
        spec=time_chart(rows, budget_ms) if rows else None,
    )
