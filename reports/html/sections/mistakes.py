"""Mistakes by version and by plies left."""

from ladder.results.analysis.division import DivisionMistakes
from reports.analyze import mistakes_columns
from reports.html.charts.pairings import mistakes_map
from reports.html.figures import Figure, Row
from reports.html.tables import Table, table_from_columns, table_of


def mistakes_figure(made: DivisionMistakes | None) -> Figure:
    """Return the heat map of mistakes per 100 decisions by bot and plies left."""
    rows = [] if made is None else _rows(made)
    return Figure(
        name="mistakes",
        label="Heat map of mistakes per 100 decisions by bot and plies left",
        caption="Mistakes per 100 decisions by plies left",
        table=table_of(
            rows,
            ("bot", "bot"),
            ("plies left", "left"),
            ("#decisions", "decisions"),
            ("#mistakes", "mistakes"),
            ("#per 100", "rate", ",.1f"),
            ("#unknown moves", "unknown"),
        ),
        spec=mistakes_map(rows, list(made.bots)) if made is not None and rows else None,
        is_wide=True,
    )


def _rows(made: DivisionMistakes) -> list[Row]:
    return [
        {
            "bot": name,
            "left": f"{each.first}-{each.last}",
            "first": each.first,
            "decisions": each.decisions,
            "mistakes": each.mistakes,
            "unknown": each.unknown,
            "rate": 100 * each.mistakes / each.decisions,
            "label": f"{100 * each.mistakes / each.decisions:.1f}",
        }
        for name, one in made.bots.items()
        for each in one.by_plies_left
        if each.decisions
    ]


def mistakes_table(made: DivisionMistakes | None) -> Table | None:
    """Return the table of `ladder report --mistakes`, or None if no game was analysed."""
    return None if made is None else table_from_columns(mistakes_columns(made.bots.items()))
