"""Scores by pairing, by board class and by first mover."""

from collections.abc import Sequence

from ladder.results.standings.pairings import ClassScores, PairingResult
from ladder.results.standings.standings import Standings
from reports.html.charts.pairings import heat_map
from reports.html.figures import Figure, Row
from reports.html.tables import Cell, Table, headings, number, table_of

SURPRISE = 2.0
"""Residual in standard errors from which a pairing is marked."""


def pairings_figure(pairings: Sequence[PairingResult], order: Sequence[str]) -> Figure:
    """Return the heat map of scores; `order` has the bots, best first."""
    rows = _rows(pairings)
    return Figure(
        name="pairings",
        label="Heat map of the scores of every bot against every other bot",
        caption="Scores by pairing, residuals in standard errors",
        table=_table(pairings),
        spec=heat_map(rows, order) if rows else None,
        is_wide=True,
    )


def _rows(pairings: Sequence[PairingResult]) -> list[Row]:
    return [
        {
            "a": pairing.a,
            "b": pairing.b,
            "score": round(pairing.score, 4),
            "label": f"{100 * pairing.score:.0f}",
            "wdl": f"{pairing.wins}-{pairing.draws}-{pairing.losses}",
            "games": pairing.games,
            "error": round(pairing.error95, 4),
            "interval": f"{100 * pairing.score:.0f} ± {100 * pairing.error95:.0f} %",
            "z": None if pairing.z is None else round(pairing.z, 2),
            "residual": "" if pairing.z is None else f"{pairing.z:+.1f} se",
            "surprise": pairing.z is not None and abs(pairing.z) >= SURPRISE,
        }
        for pairing in pairings
    ]


def _table(pairings: Sequence[PairingResult]) -> Table:
    return table_of(
        pairings,
        ("bot", "a"),
        ("against", "b"),
        ("#games", "games"),
        ("#win", "wins"),
        ("#draw", "draws"),
        ("#loss", "losses"),
        ("#score", "score", ".1%"),
        ("#± 95 %", "error95", ".1%"),
        ("#residual", "z", "+.1f"),
    )


def classes_table(classes: Sequence[ClassScores], standings: Standings) -> Table:
    """Return the table of the first mover's results by board class."""
    elo = standings.first_mover_elo
    return table_of(
        classes,
        ("boards", "board_class"),
        ("#games", "games"),
        ("#draws", lambda each: number(each.draws / each.games, ".1%")),
        ("#first mover scores", "first_mover_score", ".1%"),
        ("#advantage in Elo", lambda each: number(elo.get(each.board_class), "+.0f")),
    )


def bots_by_class_table(classes: Sequence[ClassScores], order: Sequence[str]) -> Table | None:
    """Return the table of scores by bot and board class, or None if there is only one class."""
    if len(classes) < 2:
        return None
    return Table(
        headings("bot", *(f"#{each.board_class}" for each in classes)),
        [(Cell(bot), *(number(each.scores.get(bot), ".1%") for each in classes)) for bot in order],
    )


def first_mover(standings: Standings) -> str:
    """Return a sentence about the first mover's score."""
    score = standings.first_mover_score
    return "" if score is None else f"The side that moves first scores {score:.1%}."
