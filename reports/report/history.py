"""The versions of a bot, one based on the other, with their ratings."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from ladder.results.standings.lineage import LineVersion
from reports.layout.format import csv_text, moment, values_of
from reports.layout.table import Column, fit, to_markdown
from reports.report.rating_columns import rating_words

FIELDS = ("bot", "based_on", "change", "elo", "error95", "games", "created_at")


def history_document(line: Sequence[LineVersion]) -> dict[str, Any]:
    """Return the document of `ladder report --history NAME --json`."""
    return {"line": [_version_document(each) for each in line]}


def history_csv(line: Sequence[LineVersion]) -> str:
    """Return the versions as comma-separated values."""
    rows = map(_version_document, line)
    return csv_text(FIELDS, ([row[name] for name in FIELDS] for row in rows))


def history_markdown(line: Sequence[LineVersion]) -> str:
    """Return the versions as a Markdown table."""
    return to_markdown(_columns(line)) + "\n"


def print_history(console: Console, line: Sequence[LineVersion]) -> None:
    """Print the versions, the first one first."""
    console.print(fit(_columns(line), console.width).table())


def _version_document(version: LineVersion) -> dict[str, Any]:
    row, standing = version.row, version.standing
    rating = {"elo": None, "error95": None, "games": 0}
    if standing is not None:
        rating = {**values_of(standing, "elo", "error95", digits=1), "games": standing.games}
    return {
        "bot": row.name,
        **values_of(row, "based_on", "change"),
        **rating,
        "created_at": row.created_at,
    }


def _columns(line: Sequence[LineVersion]) -> list[Column]:
    standings = [each.standing for each in line]
    return [
        Column("bot", [each.row.name for each in line], number=False),
        Column("Elo", ["-" if one is None else rating_words(one) for one in standings]),
        Column("games", [str(0 if one is None else one.games) for one in standings], level=2),
        Column("since", [moment(each.row.created_at) for each in line], number=False, level=3),
        Column("what changed", [each.row.change for each in line], number=False, level=1),
    ]
