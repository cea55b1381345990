"""Machines of a cluster compared with the rating list, as JSON, a table and a sentence."""

from typing import Any

from ladder.results.standings.machines import Agreement, MachineFit
from ladder.stats.pool.agreement import LargestDeviation
from reports.layout.format import number, rounded
from reports.layout.table import Column


def machines_document(agreement: Agreement) -> dict[str, Any]:
    """Return the part `machines` of `ladder report --json`."""
    return {
        "p": rounded(agreement.p, 6),
        "list": [_document(machine) for machine in agreement.machines],
    }


def _document(machine: MachineFit) -> dict[str, Any]:
    fit, surprise = machine.fit, machine.fit.surprise
    return {
        "machine": machine.name,
        "pairs": int(fit.pairs),
        "chi_square": rounded(fit.chi_square, 3) if fit.freedom else None,
        "freedom": fit.freedom or None,
        "p": rounded(fit.p, 6),
        "surprise": None
        if surprise is None
        else {
            "bot": surprise.player,
            "games": int(surprise.games),
            "points": surprise.points,
            "expected": rounded(surprise.expected, 2),
        },
    }


def machine_columns(agreement: Agreement) -> list[Column]:
    """Return the columns of a table with a row per machine."""
    machines = agreement.machines
    return [
        Column("machine", [machine.label for machine in machines], number=False),
        Column("pairs", [f"{machine.fit.pairs:.0f}" for machine in machines]),
        Column(
            "chi-square",
            [f"{each.fit.chi_square:.1f}" if each.fit.freedom else "-" for each in machines],
            level=1,
        ),
        Column("freedom", [str(machine.fit.freedom or "-") for machine in machines], level=1),
        Column("p-value", [number(machine.fit.p, ".3f") for machine in machines]),
        Column(
            "largest deviation",
            [_surprise_text(machine.fit.surprise) for machine in machines],
            number=False,
            level=2,
        ),
    ]


def _surprise_text(surprise: LargestDeviation | None) -> str:
    """Return the bot whose score deviates most on a machine."""
    if surprise is None:
        return "too few pairs"
    return (
        f"{surprise.player}: {surprise.points:g} of {surprise.games:g} points, "
        f"expected {surprise.expected:.1f}"
    )


def machines_sentence(agreement: Agreement) -> str:
    """Return a sentence that states whether the machines agree."""
    if agreement.p is None:
        return "too few pairs on each machine to test whether the machines agree"
    if agreement.doubts:
        return "the machines do not agree: the notes name those that deviate"
    return f"the machines agree (p = {agreement.p:.2f} for the largest deviation)"
