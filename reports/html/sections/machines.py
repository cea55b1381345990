"""The machines that played a division's pairs."""

from ladder.results.standings.machines import Agreement
from reports.html.tables import Cell, Table, number, table_of
from reports.report.machines import chi_square_text, surprise_text


def machines_table(agreement: Agreement) -> Table:
    """Return a table with a row per machine."""
    return table_of(
        agreement.machines,
        ("machine", "label"),
        ("#pairs", lambda machine: number(machine.fit.pairs, ".0f")),
        ("#chi-square", lambda machine: Cell(chi_square_text(machine))),
        ("#degrees of freedom", lambda machine: Cell(str(machine.fit.freedom or "-"))),
        ("#p-value", lambda machine: number(machine.fit.p, ".3f")),
        ("largest deviation", lambda machine: Cell(surprise_text(machine.fit.surprise))),
    )
