"""The machines that played a division's pairs."""

from ladder.results.standings.machines import Agreement
from reports.html.tables import Cell, Table, headings, number
from reports.report.machines import chi_square_text, surprise_text


def machines_table(agreement: Agreement) -> Table:
    """Return a table with a row per machine."""
    return Table(
        headings(
            "machine", "#pairs", "#chi-square", "#degrees of freedom", "#p-value",
            "largest deviation",
        ),
        [
            (
                Cell(machine.label),
                number(machine.fit.pairs, ".0f"),
                Cell(chi_square_text(machine)),
                Cell(str(machine.fit.freedom or "-")),
                number(machine.fit.p, ".3f"),
                Cell(surprise_text(machine.fit.surprise)),
            )
            for machine in agreement.machines
        ],
    )  # fmt: skip
