"""Versions of bots: the line that one belongs to, and those that lost against their predecessor."""

from collections.abc import Sequence

from ladder.names import counted
from ladder.results.standings.comparison import BY_LIST
from ladder.results.standings.lineage import LineVersion, Regressions, Step
from reports.layout.elo import difference_fields, rating_fields
from reports.layout.fields import Field, Table, moment_field
from reports.layout.links import bot_link, diff_link
from reports.layout.terminal import Listing

LINE = (
    Field(
        "bot",
        "bot",
        value=lambda each: each.row.name,
        link=lambda each, _: bot_link(each.row.name),
    ),
    Field("based_on", value=lambda each: each.row.based_on),
    *rating_fields(lambda each: None if each.standing is None else each.standing.rating),
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
    Field("verdict", value=lambda each: each.step and each.step.difference.verdict.value),
    Field(
        head="over the version before",
        form="d",
        value=lambda each: each.step and each.step.difference.elo,
        text=lambda each, _: "-" if each.step is None else each.step.difference.words(),
        level=1,
    ),
    Field("created_at", value=lambda each: each.row.created_at),
)
"""The columns of the versions of a bot."""
STEP = (
    Field("bot"),
    Field("based_on"),
    *difference_fields(lambda step: step.difference, digits=1),
    Field("games"),
)
"""The values of a step from a version to the next."""


def history_listing(line: Sequence[LineVersion]) -> Listing:
    """Return the versions of a bot, the first one first."""
    table = Table(LINE, line)
    return Listing(document={"line": table.documents()}, csv=table.csv(), tables=[table])


def regressions_listing(found: Regressions, threshold: float) -> Listing:
    """Return a line for each lost step, then one for each undecided step."""
    allowed = f" more than {threshold:g} Elo" if threshold else ""
    lines = [_sentence(step) for step in found.lost]
    if not lines:
        lines.append(
            f"no version has lost{allowed} against the version it is based on, as far as rated "
            "games show"
        )
    if found.undecided:
        lines.append(f"undecided, may have lost{allowed}:")
    lines += [f"  {_sentence(step)}" for step in found.undecided]
    state = Field("state", value=lambda step: "lost" if step in found.lost else "undecided")
    return Listing(
        document={
            "regressions": Table(STEP, found.lost).documents(),
            "undecided": Table(STEP, found.undecided).documents(),
        },
        csv=Table((*STEP, state), [*found.lost, *found.undecided]).csv(),
        remarks=lines,
    )


def _sentence(step: Step) -> str:
    said = step.difference.sentence(step.bot, step.based_on)
    return f"{said}, {BY_LIST} ({counted(step.games, 'game')} of {step.bot})"
