"""Machines of a cluster held against the rating list, as JSON, a table and a sentence."""

from typing import Any

from ladder.results.standings.machines import Agreement, MachineFit
from ladder.stats.pool.agreement import LargestDeviation
from reports.layout.format import number, rounded
from reports.layout.table import Column


def machines_document(agreement: Agreement) -> dict[str, Any]:
    """The part `machines` of `ladder report --json`; docs/json.md describes every key."""
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
    """A row per machine."""
    machines = agreement.machines
    return [
        Column("machine", [machine.label for machine in machines], number=False),
        Column("pairs", [f"{machine.fit.pairs:.0f}" for machine in machines]),
        Column("chi2", [chi_square_text(machine) for machine in machines], level=1),
        Column("df", [str(machine.fit.freedom or "-") for machine in machines], level=1),
        Column("p", [number(machine.fit.p, ".3f") for machine in machines]),
        Column(
            "farthest from the list",
            [surprise_text(machine.fit.surprise) for machine in machines],
            number=False,
            level=2,
        ),
    ]


def chi_square_text(machine: MachineFit) -> str:
    """The statistic; a dash where there are too few pairs for one."""
    return f"{machine.fit.chi_square:.1f}" if machine.fit.freedom else "-"


def surprise_text(surprise: LargestDeviation | None) -> str:
    """The bot that stands out on a machine."""
    if surprise is None:
        return "too few pairs to tell"
    return (
        f"{surprise.player}: {surprise.points:g} of {surprise.games:g} points, "
        f"expected {surprise.expected:.1f}"
    )


def machines_sentence(agreement: Agreement) -> str:
    """Whether the machines agree, in one sentence."""
    if agreement.p is None:
        return "whether the machines agree cannot be told yet: too few pairs on each"
    if agreement.doubts:
        return "the machines do not agree: the notes name those that stand out"
    return (
        f"the machines agree (chance {agreement.p:.2f} of one as far off as the worst, if all "
        "are alike)"
    )
