"""Speed and move times of bots."""

from collections.abc import Sequence

from ladder.results.standings.move_times import MoveTimes
from ladder.results.standings.standings import BotStanding
from reports.html.charts.speed import cpu_chart, speed_chart, time_chart
from reports.html.figures import Figure, Row
from reports.html.tables import Cell, Table, headings, number


def speed_figure(bots: Sequence[BotStanding]) -> Figure:
    """Return the figure of simulations or nodes per second."""
    rows = [
        {"bot": bot.name, "speed": bot.simulations_per_second}
        for bot in bots
        if bot.simulations_per_second
    ]
    return Figure(
        name="speed",
        label="Simulations or nodes per second by bot",
        caption="Speed per bot, over all games",
        table=Table(
            headings("bot", "#simulations/s or nodes/s", "#ms a move", "#longest ms"),
            [
                (
                    Cell(bot.name),
                    number(bot.simulations_per_second),
                    number(bot.mean_move_ms, ",.1f"),
                    number(bot.max_move_ms, ",.1f"),
                )
                for bot in bots
            ],
        ),
        spec=speed_chart(rows) if rows else None,
    )


def times_figure(times: Sequence[MoveTimes], budget_ms: float | None) -> Figure:
    """Return the figure of the distribution of move times."""
    rows: list[Row] = [
        {
            "bot": entry.bot,
            "moves": entry.moves,
            "low": entry.low,
            "quarter": entry.quarter,
            "median": entry.median,
            "three": entry.three_quarters,
            "high": entry.high,
            "late": entry.late,
        }
        for entry in times
    ]
    late = () if budget_ms is None else ("#late",)
    return Figure(
        name="times",
        label="Distribution of move times per bot",
        caption="Milliseconds a move in the latest games",
        table=Table(
            headings("bot", "#moves", "#1 %", "#25 %", "#median", "#75 %", "#99 %", *late),
            [
                (
                    Cell(row["bot"]),
                    number(row["moves"]),
                    *(
                        number(row[name], ",.1f")
                        for name in ("low", "quarter", "median", "three", "high")
                    ),
                    *(number(row["late"]) for _ in late),
                )
                for row in rows
            ],
        ),
        spec=time_chart(rows, budget_ms) if rows else None,
    )


def cpu_figure(times: Sequence[MoveTimes]) -> Figure:
    """Return the figure of processor time and wall time."""
    measured = [entry for entry in times if entry.cpu_share is not None]
    rows = [
        {"bot": entry.bot, "clock": clock, "ms": ms, "share": entry.cpu_share}
        for entry in measured
        for clock, ms in (("wall", entry.wall_ms), ("processor", entry.cpu_ms))
    ]
    return Figure(
        name="cpu",
        label="Processor time and wall time of a move by bot",
        caption="Processor time and wall time of a move in the latest games, in ms",
        table=Table(
            headings("bot", "#wall", "#processor", "#share"),
            [
                (
                    Cell(entry.bot),
                    number(entry.wall_ms, ",.1f"),
                    number(entry.cpu_ms, ",.1f"),
                    number(entry.cpu_share, ".0%"),
                )
                for entry in measured
            ],
        ),
        spec=cpu_chart(rows) if rows else None,
    )
