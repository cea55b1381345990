"""The page of a division: verdict, ratings, steps, history, pairings, speed, failures, games."""

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from engine.result import FORFEITS
from ladder.standings.comparison import Comparison
from ladder.standings.history import RatedMoment
from ladder.standings.lineage import StepVerdict
from ladder.standings.report_data import MoveTimes, Pairing, Reason, ReportData
from ladder.standings.standings import BotStanding
from reports.html import charts
from reports.html.page import render
from reports.html.tables import Cell, Table, columns, number
from reports.html.viewer import TEXT_LIMIT, viewer_game
from reports.report.comparison import sections

NUMBERS_UP_TO = 14
"""With more bots the heat map's cells are too small for numbers."""
SECTIONS = (
    ("verdict", "Verdict"),
    ("ratings", "Ratings"),
    ("steps", "Changes"),
    ("history", "Over time"),
    ("pairings", "Pairings"),
    ("speed", "Speed"),
    ("failures", "Failures"),
    ("games-section", "Games"),
    ("trials", "Gates"),
)


def report_page(data: ReportData, *, compared: Comparison | None = None) -> str:
    """The whole page as one string of HTML.

    Args:
        data: as `ladder.standings.report_data.gather` reads it.
        compared: bots to put side by side before everything else.

    """
    standings = data.standings
    rated = [bot for bot in standings.bots if bot.elo is not None and bot.error95 is not None]
    order = [bot.name for bot in standings.bots]
    made = {
        "ratings": _rating_rows(rated, data.anchors),
        "steps": _step_rows(data),
        "history": _history_rows(data.history),
        "dates": _date_rows(data, rated),
        "pairings": _pairing_rows(data.pairings),
        "speed": _speed_rows(standings.bots),
        "times": _time_rows(data.move_times),
    }
    budget = standings.budget.get("time_ms")
    drawn: dict[str, Any] = {}
    if made["ratings"]:
        drawn["ratings"] = charts.rating_chart(made["ratings"])
    if made["steps"]:
        drawn["steps"] = charts.step_chart(made["steps"])
    if made["history"]:
        drawn["history"] = charts.history_chart(made["history"], order)
        drawn["dates"] = charts.date_chart(made["dates"])
    if made["pairings"]:
        numbers = len(order) <= NUMBERS_UP_TO
        drawn["pairings"] = charts.heat_map(made["pairings"], order, numbers=numbers)
    if made["speed"]:
        drawn["speed"] = charts.speed_chart(made["speed"])
    if made["times"]:
        drawn["times"] = charts.time_chart(made["times"], budget)
    games = [viewer_game(shown.game, shown.reason.value) for shown in data.games]
    forfeits = [game for game in games if game["offender"] is not None]
    return render(
        "report.html.j2",
        charts=drawn,
        games=games,
        title=f"{standings.label}: {standings.games:,} games",
        heading=f"Who is best on {standings.label}?",
        label=standings.label,
        sections=SECTIONS,
        verdict=_verdict(rated),
        warnings=list(standings.notes),
        alike=_alike(rated),
        facts=_facts(data),
        ratings=_rating_table(standings.bots, data.anchors),
        steps=_step_table(made["steps"]),
        history=_plain_table(("bot", "#games", "#elo", "#error"), _last_moments(made["history"])),
        dates=_plain_table(("bot", "day", "#elo"), made["dates"]),
        pairings=_pairing_table(data.pairings),
        classes=_class_table(data),
        first_mover=_first_mover(data),
        speeds=_speed_table(standings.bots, data.move_times),
        times=_plain_table(
            ("bot", "#moves", "#low", "#quarter", "#median", "#three", "#high"), made["times"]
        ),
        failures=_failure_table(standings.bots),
        last_words=[
            {
                "game": game["id"],
                "ply": len(game["cells"]),
                "bot": game["second"] if game["offender"] else game["first"],
                "kind": game["termination"],
                "text": game["detail"][:TEXT_LIMIT] or "nothing was said",
            }
            for game in forfeits[:20]
        ],
        comparison=[] if compared is None else _comparison_tables(compared),
        sentences=[] if compared is None else [entry.sentence for entry in compared.versus],
        shown=_shown(data),
        names=sorted(order),
        endings=sorted({game["termination"] for game in games}),
        reasons=[reason.value for reason in Reason],
        trials=_trial_table(data),
        footer=f"Written by ladder {version('connect4-ladder')} on {_day(_now())}. "
        "The file needs no network and holds everything that it shows.",
    )


def _verdict(rated: Sequence[BotStanding]) -> str:
    """Who is best, and how sure that is."""
    if not rated:
        return "There are no rated games yet."
    best = rated[0]
    if len(rated) == 1:
        return f"{best.name} is the only rated bot."
    said = f"{best.name} leads with {best.elo:.0f} +- {best.error95:.0f} Elo"
    close = [bot.name for bot in rated[1:] if _overlap(best, bot)]
    if not close:
        return f"{said}, clear of {rated[1].name} and all others."
    return f"{said}; these games cannot tell it from {_listed(close)}."


def _alike(rated: Sequence[BotStanding]) -> str:
    """Neighbours in the list that these games cannot tell apart."""
    pairs = [
        f"{one.name} and {other.name}" for one, other in pairwise(rated) if _overlap(one, other)
    ]
    return f"Not told apart by these games: {'; '.join(pairs)}." if pairs else ""


def _overlap(one: BotStanding, other: BotStanding) -> bool:
    """Whether two ratings are closer than the errors of both allow to tell."""
    if one.elo is None or other.elo is None or one.error95 is None or other.error95 is None:
        return True
    gap: float = abs(one.elo - other.elo)
    return bool(gap < (one.error95**2 + other.error95**2) ** 0.5)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _facts(data: ReportData) -> list[tuple[str, str]]:
    standings = data.standings
    plies = standings.opening_plies
    facts = [
        ("Division", standings.label),
        ("Boards", standings.boards),
        ("Openings", "by board class" if plies is None else f"{plies} random plies"),
        ("Games", f"{standings.games:,} ({standings.distinct_games:,} distinct)"),
        ("Pairs", f"{standings.pairs:,}"),
    ]
    if standings.first_mover_score is not None:
        facts.append(("First mover scores", f"{standings.first_mover_score:.1%}"))
    if standings.draw_rate is not None:
        facts.append(("Draws", f"{standings.draw_rate:.1%}"))
    if data.first_game is not None and data.last_game is not None:
        facts.append(("Played", f"{_day(data.first_game)} to {_day(data.last_game)}"))
    facts += [
        ("Machine", f"{platform.machine()}, {os.cpu_count()} CPUs, {_processor()}"),
        ("Versions", f"ladder {version('connect4-ladder')}, Python {platform.python_version()}, "
                     f"numba {version('numba')}"),
    ]  # fmt: skip
    return facts


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = [
                line.partition(":")[2].strip() for line in file if line.startswith("model name")
            ]
    except OSError:
        lines = []
    return lines[0] if lines else "unknown processor"


def _rating_rows(rated: Sequence[BotStanding], anchors: Mapping[str, float]) -> list[charts.Row]:
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
        }
        for bot in rated
    ]


def _rating_table(bots: Sequence[BotStanding], anchors: Mapping[str, float]) -> Table:
    heads = columns(
        "#rank", "bot", "#Elo", "#+-95", "#live", "#games", "#win", "#draw", "#loss", "#score",
        "#forfeits",
    )  # fmt: skip
    return Table(
        heads,
        [
            (
                number(bot.rank, "d"),
                Cell(f"{bot.name} (anchor)" if bot.name in anchors else bot.name),
                Cell("-", title=bot.reasons.get("elo", ""))
                if bot.elo is None
                else number(bot.elo, ".0f"),
                number(bot.error95),
                number(bot.elo_live, ".0f"),
                number(bot.games),
                number(bot.wins),
                number(bot.draws),
                number(bot.losses),
                number(bot.score, ".1%"),
                number(bot.all_forfeits),
            )
            for bot in bots
        ],
    )


def _step_rows(data: ReportData) -> list[charts.Row]:
    return [
        {
            "bot": step.bot,
            "based_on": step.based_on,
            "label": f"{step.bot} over {step.based_on}",
            "change": step.change,
            "elo": step.elo,
            "error": step.error95,
            "low": step.elo - step.error95,
            "high": step.elo + step.error95,
            "games": step.games,
            "verdict": step.verdict.value,
        }
        for step in data.steps
    ]


def _step_table(rows: Sequence[charts.Row]) -> Table:
    said = {
        StepVerdict.GAINED.value: "gained",
        StepVerdict.UNDECIDED.value: "not decided",
        StepVerdict.LOST.value: "lost",
    }
    return Table(
        columns("bot", "based on", "#Elo", "#+-95", "#games", "verdict", "change"),
        [
            (
                Cell(row["bot"]),
                Cell(row["based_on"]),
                number(row["elo"], "+.0f"),
                number(row["error"]),
                number(row["games"]),
                Cell(said[row["verdict"]], verdict=row["verdict"]),
                Cell(row["change"]),
            )
            for row in rows
        ],
    )


def _history_rows(history: Sequence[RatedMoment]) -> list[charts.Row]:
    return [
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


def _last_moments(rows: Sequence[charts.Row]) -> list[charts.Row]:
    """Some ten moments of the many: a table of all would be no help."""
    moments = sorted({row["games"] for row in rows})
    kept = set(moments[:: max(len(moments) // 10, 1)]) | set(moments[-1:])
    return [row for row in rows if row["games"] in kept]


def _date_rows(data: ReportData, rated: Sequence[BotStanding]) -> list[charts.Row]:
    rows = []
    for bot in rated:
        known = data.bots.get(bot.name)
        if known is not None:
            rows.append(
                {
                    "bot": bot.name,
                    "date": round(known.revision.created_at * 1000),
                    "day": _day(known.revision.created_at),
                    "elo": bot.elo,
                    "low": (bot.elo or 0.0) - (bot.error95 or 0.0),
                    "high": (bot.elo or 0.0) + (bot.error95 or 0.0),
                }
            )
    return rows


def _pairing_rows(pairings: Sequence[Pairing]) -> list[charts.Row]:
    return [
        {
            "a": pairing.a,
            "b": pairing.b,
            "score": round(pairing.score, 4),
            "label": f"{100 * pairing.score:.0f}",
            "wdl": f"{pairing.wins}-{pairing.draws}-{pairing.losses}",
            "games": pairing.games,
            "error": round(pairing.error95, 4),
            "z": None if pairing.z is None else round(pairing.z, 2),
        }
        for pairing in pairings
    ]


def _pairing_table(pairings: Sequence[Pairing]) -> Table:
    return Table(
        columns(
            "bot", "against", "#games", "#win", "#draw", "#loss", "#score", "#+-95", "#residual"
        ),
        [
            (
                Cell(pairing.a),
                Cell(pairing.b),
                number(pairing.games),
                number(pairing.wins),
                number(pairing.draws),
                number(pairing.losses),
                number(pairing.score, ".1%"),
                number(pairing.error95, ".1%"),
                number(pairing.z, "+.1f"),
            )
            for pairing in pairings
        ],
    )


def _class_table(data: ReportData) -> Table:
    return Table(
        columns("board class", "#first mover's advantage in Elo"),
        [(Cell(name), number(elo, "+.0f")) for name, elo in data.standings.first_mover_elo.items()],
    )


def _first_mover(data: ReportData) -> str:
    score = data.standings.first_mover_score
    return "" if score is None else f"The side that moves first scores {score:.1%}."


def _speed_rows(bots: Sequence[BotStanding]) -> list[charts.Row]:
    return [
        {"bot": bot.name, "speed": bot.simulations_per_second}
        for bot in bots
        if bot.simulations_per_second is not None
    ]


def _speed_table(bots: Sequence[BotStanding], times: Sequence[MoveTimes]) -> Table:
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


def _time_rows(times: Sequence[MoveTimes]) -> list[charts.Row]:
    return [
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


def _failure_table(bots: Sequence[BotStanding]) -> Table:
    failing = [bot for bot in bots if bot.all_forfeits]
    kinds = [reason.value for reason in FORFEITS]
    return Table(
        columns("bot", *(f"#{kind.replace('_', ' ')}" for kind in kinds), "#of games"),
        [
            (
                Cell(bot.name),
                *(number(bot.forfeits.get(kind, 0)) for kind in kinds),
                number(bot.games),
            )
            for bot in failing
        ],
    )


def _trial_table(data: ReportData) -> Table:
    return Table(
        columns("#run", "kind", "begun", "status", "note"),
        [
            (
                number(run.id, "d"),
                Cell(run.kind.value),
                Cell(_day(run.started_at), run.started_at),
                Cell(run.status.value),
                Cell(run.note),
            )
            for run in data.trials
        ],
    )


def _plain_table(names: Sequence[str], rows: Sequence[charts.Row]) -> Table:
    """A table of rows as a chart has them; names that begin with ``#`` are numbers."""
    return Table(
        columns(*names),
        [
            [
                number(row[name[1:]], ",.1f" if isinstance(row[name[1:]], float) else ",d")
                if name.startswith("#")
                else Cell(str(row[name]))
                for name in names
            ]
            for row in rows
        ],
    )


def _comparison_tables(compared: Comparison) -> list[tuple[str, Table]]:
    """The sections of `ladder report --compare`, each with its title."""
    return [
        (
            section.title,
            Table(
                columns(*section.columns),
                [[Cell(str(cell)) for cell in row] for row in section.rows],
            ),
        )
        for section in sections(compared)
    ]


def _shown(data: ReportData) -> str:
    count = len(data.games)
    if not count:
        return ""
    return (
        f"{count:,} of {data.standings.games:,} games are in this file: all forfeits first, then "
        "upsets, the shortest losses, the largest swings of a bot's own value, and the latest."
    )


def _now() -> float:
    return datetime.now(UTC).timestamp()


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"
