"""The charts and tables of a division's page."""

from collections.abc import Sequence
from functools import partial

from engine.result import FORFEITS
from ladder.results.standings.head_to_head import ClassScores, ListedPairing
from ladder.results.standings.lineage import Step
from ladder.results.standings.pool import RatedMoment
from ladder.results.standings.report_data import MoveTimes
from ladder.results.standings.standings import BotStanding, Standings
from ladder.stats.difference import Difference
from ladder.stats.own_rating import Rating
from reports.html.charts import (
    OPEN_ENDS,
    PALETTE,
    Axis,
    Figure,
    Row,
    heat_map,
    interval_chart,
    line_chart,
)
from reports.layout.elo import difference_fields, rating_fields, wdl_fields
from reports.layout.fields import UNDECIDED, VERDICTS, Field, Table
from reports.layout.format import values_of, wdl_text
from reports.report.rating_columns import COLUMNS, RatingView, forfeits_by

SURPRISE = 2.0
"""Residual in standard errors from which a pairing is marked."""
QUANTILES = {
    "low": "1 %",
    "quarter": "25 %",
    "median": "median",
    "three_quarters": "75 %",
    "high": "99 %",
}
"""The headings of the quantiles of move times."""


def rated_bots(standings: Standings) -> list[BotStanding]:
    """Return the bots with a rating and an error, best first."""
    return [bot for bot in standings.bots if bot.rating.elo is not None]


def ratings_figure(view: RatingView, fields: Sequence[Field] = COLUMNS) -> Figure:
    """Return the chart and the table of the rating list."""
    standings = view.standings
    rows = [
        {
            **interval(bot.rating),
            **values_of(bot, "name", "games"),
            **bot.results._asdict(),
            "label": f"{bot.rating.elo:.0f} fixed"
            if bot.name in standings.anchors
            else bot.rating.words(),
            "verdict": "fixed" if bot.name in standings.anchors else "rated",
        }
        for bot in rated_bots(standings)
    ]
    tips = ("games", "wins", "draws", "losses")
    return Figure(
        name="ratings",
        label="Ratings in Elo with 95 % intervals, best on top; the numbers are in the table below",
        caption=f"Rating list of {standings.label}",
        table=Table(fields, standings.bots, view),
        spec=interval_chart(rows, "Elo", tips=tips) if rows else None,
        is_open=True,
    )


def interval(measured: Rating | Difference) -> Row:
    """Return an estimate with the ends of its 95 % interval, for a chart.

    A bound is drawn at the closed end of its interval, with an arrow to the open one.
    """
    elo, low, high = measured.elo or 0.0, measured.low, measured.high
    if low is None or high is None:
        elo = next((end for end in (low, high) if end is not None), elo)
    ends = {"elo": elo, "low": elo if low is None else low, "high": elo if high is None else high}
    below, above = OPEN_ENDS
    arrow = above if measured.high is None else below if measured.low is None else ""
    return {**{name: round(end, 1) for name, end in ends.items()}, "arrow": arrow}


def steps_figure(steps: Sequence[Step]) -> Figure:
    """Return the figure of differences between versions and their predecessors."""
    rows = [
        {
            **interval(step.difference),
            "name": f"{step.bot} over {step.based_on}",
            "label": step.difference.words(),
            "verdict": _verdict(step, None),
        }
        for step in steps
    ]
    return Figure(
        name="steps",
        label="Difference of each version to its predecessor with its 95 % interval",
        caption="Versions and their predecessors",
        table=Table(STEPS, steps),
        spec=interval_chart(rows, "Elo over the version before") if rows else None,
    )


def _verdict(step: Step, _: object) -> str:
    return VERDICTS.get(step.difference.verdict, UNDECIDED)


STEPS = (
    Field("bot", "bot"),
    Field("based_on", "based on"),
    *difference_fields(lambda step: step.difference),
    Field("games", "games", form=",d"),
    Field(head="verdict", text=lambda step, _: step.difference.word, verdict=_verdict),
    Field("change", "change", is_prose=True),
)
"""The columns of steps from version to version."""


def history_figure(history: Sequence[RatedMoment], order: Sequence[str]) -> Figure:
    """Return the figure of ratings over the games played; `order` has the bots, best first.

    The chart shows only the best bots, see `drawn_bots_note`, and no bounds: a bot that has won
    or lost every game until then has no rating yet. The table shows all.
    """
    drawn = order[: len(PALETTE)]
    rows = [
        {**interval(each.rating), "name": each.bot, "games": each.games}
        for each in history
        if each.bot in drawn and each.rating.is_measured
    ]
    moments = sorted({each.games for each in history})
    chosen = set(moments[:: max(len(moments) // 10, 1)]) | set(moments[-1:])
    return Figure(
        name="history",
        label="Ratings with 95 % bands over the games played",
        caption="Ratings over the games played",
        table=Table(
            (
                Field("bot", "bot"),
                Field("games", "games", form=",d"),
                *rating_fields(lambda each: each.rating),
            ),
            [each for each in history if each.games in chosen],
        ),
        spec=line_chart(
            rows,
            Axis("games", "games of the division"),
            Axis("elo", "Elo"),
            order=drawn,
            height=320,
        )
        if rows
        else None,
    )


def drawn_bots_note(order: Sequence[str]) -> str:
    """Return a sentence if the chart leaves bots out, else an empty text."""
    if len(order) <= len(PALETTE):
        return ""
    return f"The best {len(PALETTE)} of {len(order)} bots are drawn; the table has all."


def pairings_figure(pairings: Sequence[ListedPairing], order: Sequence[str]) -> Figure:
    """Return the heat map of scores; `order` has the bots, best first."""
    rows = [
        {
            **values_of(pairing.met, "a", "b"),
            "games": pairing.met.record.games,
            "score": round(pairing.met.record.score or 0.0, 4),
            "label": f"{100 * (pairing.met.record.score or 0.0):.0f}",
            "wdl": wdl_text(pairing.met.record.wdl),
            "z": None if pairing.z is None else round(pairing.z, 2),
            "surprise": pairing.z is not None and abs(pairing.z) >= SURPRISE,
        }
        for pairing in pairings
    ]
    return Figure(
        name="pairings",
        label="Heat map of the scores of every bot against every other bot",
        caption="Scores by pairing, residuals in standard errors",
        table=Table(PAIRINGS, pairings),
        spec=heat_map(rows, order) if rows else None,
        is_wide=True,
    )


PAIRINGS = (
    Field("a", "bot", value=lambda each: each.met.a),
    Field("b", "against", value=lambda each: each.met.b),
    Field("games", "games", form=",d", value=lambda each: each.met.record.games),
    *wdl_fields(lambda each: each.met.record.wdl),
    Field("score", "score", form=".1%", value=lambda each: each.met.record.score),
    Field("z", "residual", form="+.1f"),
)
"""The columns of the results of every two bots."""


def classes_table(classes: Sequence[ClassScores], standings: Standings) -> Table:
    """Return the table of the first mover's results by board class."""
    elo = standings.first_mover_elo
    fields = (
        Field("board_class", "boards"),
        Field("games", "games", form=",d"),
        Field("draws", "draws", form=".1%", value=lambda each: each.draws / each.games),
        Field("first_mover_score", "first mover scores", form=".1%"),
        Field(
            "", "fitted advantage, Elo", form="+.0f", value=lambda each: elo.get(each.board_class)
        ),
    )
    return Table(fields, classes)


def times_table(times: Sequence[MoveTimes], budget_ms: float | None) -> Table:
    """Return the table of move times, with the share of processor time."""
    fields = (
        Field("bot", "bot"),
        Field("moves", "moves", form=",d"),
        *(Field(name, head, form=",.1f") for name, head in QUANTILES.items()),
        Field("late", "late", form=",d", shown=lambda *_: budget_ms is not None),
        Field("cpu_share", "processor time", form=".0%"),
    )
    return Table(fields, times)


def failures_table(bots: Sequence[BotStanding]) -> Table:
    """Return the table of forfeits by bot and kind."""
    fields = (
        Field("name", "bot"),
        *(Field("", kind.noun, form=",d", value=partial(forfeits_by, kind)) for kind in FORFEITS),
        Field("games", "of games", form=",d"),
    )
    return Table(fields, [bot for bot in bots if bot.all_forfeits])
