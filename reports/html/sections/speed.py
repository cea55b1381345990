"""Speed and move times of bots."""

from collections.abc import Sequence

from ladder.results.standings.move_times import MoveTimes
from ladder.results.standings.standings import BotStanding
from reports.html.charts.speed import cpu_chart, speed_chart, time_chart
from reports.html.figures import Figure
from reports.html.tables import table_of
from reports.layout.format import values_of

QUANTILES = {
    "low": "1 %",
    "quarter": "25 %",
    "median": "median",
    "three_quarters": "75 %",
    "high": "99 %",
}
"""The headings of the quantiles of move times."""


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
        table=table_of(
            bots,
            ("bot", "name"),
            ("#simulations/s or nodes/s", "simulations_per_second"),
            ("#ms a move", "mean_move_ms", ",.1f"),
            ("#longest ms", "max_move_ms", ",.1f"),
        ),
        spec=speed_chart(rows) if rows else None,
    )


def times_figure(times: Sequence[MoveTimes], budget_ms: float | None) -> Figure:
    """Return the figure of the distribution of move times."""
    rows = [values_of(entry, "bot", "moves", *QUANTILES, "late") for entry in times]
    late = () if budget_ms is None else (("#late", "late"),)
    return Figure(
        name="times",
        label="Distribution of move times per bot",
        caption="Milliseconds a move in the latest games",
        table=table_of(
            times,
            ("bot", "bot"),
            ("#moves", "moves"),
            *((f"#{head}", name, ",.1f") for name, head in QUANTILES.items()),
            *late,
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
        table=table_of(
            measured,
            ("bot", "bot"),
            ("#wall", "wall_ms", ",.1f"),
            ("#processor", "cpu_ms", ",.1f"),
            ("#share", "cpu_share", ".0%"),
        ),
        spec=cpu_chart(rows) if rows else None,
    )
