"""Every two bots' games with each other, and the first mover's advantage."""

from collections.abc import Sequence

from ladder.standings.report_data import Pairing
from ladder.standings.standings import Standings
from reports.html.charts import heat_map
from reports.html.figures import Figure, Row
from reports.html.tables import Cell, Table, columns, number

NUMBERS_UP_TO = 14
"""With more bots the heat map's cells are too small for numbers."""


def pairings_figure(pairings: Sequence[Pairing], order: Sequence[str]) -> Figure:
    """A heat map of scores; `order` names the bots, best first."""
    rows = _rows(pairings)
    numbers = len(order) <= NUMBERS_UP_TO
    return Figure(
        name="pairings",
        label="Scores of every bot against every other as a heat map",
        caption="Scores between every two bots",
        table=_table(pairings),
        spec=heat_map(rows, order, numbers=numbers) if rows else None,
        is_wide=True,
    )


def _rows(pairings: Sequence[Pairing]) -> list[Row]:
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


def _table(pairings: Sequence[Pairing]) -> Table:
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


def classes_table(standings: Standings) -> Table:
    """The first mover's advantage by board class."""
    return Table(
        columns("board class", "#first mover's advantage in Elo"),
        [(Cell(name), number(elo, "+.0f")) for name, elo in standings.first_mover_elo.items()],
    )


def first_mover(standings: Standings) -> str:
    """A sentence about the side that moves first."""
    score = standings.first_mover_score
    return "" if score is None else f"The side that moves first scores {score:.1%}."
