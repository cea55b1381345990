"""Versions of bots: the line that one belongs to, and those that lost against their predecessor."""

from collections.abc import Sequence
from typing import Any

from ladder.names import counted
from ladder.results.standings.lineage import LineVersion, Regressions, Step
from reports.layout.fields import Field, columns_of, csv_of, moment_field, plain_values
from reports.layout.format import rounded
from reports.layout.links import bot_link, diff_link
from reports.layout.listing import Listing, Titled
from reports.report.rating_columns import rating_words


def _rating(version: LineVersion, name: str) -> float | None:
    return None if version.standing is None else rounded(getattr(version.standing, name), 1)


def _words(version: LineVersion) -> str:
    return "-" if version.standing is None else rating_words(version.standing)


LINE = (
    Field(
        "bot",
        "bot",
        value=lambda each: each.row.name,
        link=lambda each, _: bot_link(each.row.name),
    ),
    Field("based_on", value=lambda each: each.row.based_on),
    Field(
        head="Elo",
        form="d",
        value=lambda each: _rating(each, "elo"),
        text=lambda each, _: _words(each),
    ),
    Field(
        "games",
        "games",
        form="d",
        value=lambda each: 0 if each.standing is None else each.standing.games,
        level=2,
    ),
    moment_field("since", lambda each: each.row.created_at, level=3),
    Field(
        "change",
        "what changed",
        value=lambda each: each.row.change,
        level=1,
        is_prose=True,
        link=lambda each, _: diff_link(each.row.name) if each.row.based_on else "",
    ),
    Field("elo", value=lambda each: _rating(each, "elo")),
    Field("error95", value=lambda each: _rating(each, "error95")),
    Field("created_at", value=lambda each: each.row.created_at),
)
"""The columns of the versions of a bot."""
STEP = (
    Field("bot"),
    Field("based_on"),
    Field("elo", digits=1),
    Field("error95", digits=1),
    Field("games"),
)
"""The values of a step from a version to the next."""


def history_listing(line: Sequence[LineVersion]) -> Listing:
    """Return the versions of a bot, the first one first."""
    rows = [plain_values(LINE, each) for each in line]
    return Listing(
        document={"line": rows},
        csv=csv_of(LINE, rows),
        tables=[Titled("", columns_of(LINE, line))],
    )


def regressions_listing(found: Regressions, threshold: float) -> Listing:
    """Return a line for each lost step, then one for each undecided step."""
    lost = [plain_values(STEP, step) for step in found.lost]
    undecided = [plain_values(STEP, step) for step in found.undecided]
    allowed = f" more than {threshold:g} Elo" if threshold else ""
    lines = [f"{step.bot} lost against {step.based_on}: {_elo(step)}" for step in found.lost]
    if not lines:
        lines.append(
            f"no version has lost{allowed} against the version it is based on, as far as is known"
        )
    if found.undecided:
        lines.append(f"undecided, may have lost{allowed}:")
    lines += [
        f"  {step.bot} against {step.based_on}: {_elo(step)}, chance to be better {step.los:.0%}"
        for step in found.undecided
    ]
    rows: list[dict[str, Any]] = [{**row, "state": "lost"} for row in lost]
    rows += [{**row, "state": "undecided"} for row in undecided]
    return Listing(
        document={
            "regressions": lost,
            "undecided": [
                {**row, "los": round(step.los, 4)}
                for row, step in zip(undecided, found.undecided, strict=True)
            ],
        },
        csv=csv_of((*STEP, Field("state")), rows),
        remarks=lines,
    )


def _elo(step: Step) -> str:
    return f"{step.elo:+.0f} ± {step.error95:.0f} Elo ({counted(step.games, 'game')})"
