"""The page that compares bots."""

from collections.abc import Mapping, Sequence

from db.records.runs import DivisionRow
from ladder.results.standings.comparison import Comparison
from reports.html.live.links import compare_link
from reports.html.live.parts import PageParts, fragment
from reports.html.report import comparison_tables


def compare_parts(
    chosen: Sequence[str],
    made: Comparison | None = None,
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    divisions: Sequence[tuple[DivisionRow, bool]] = (),
    problem: str = "",
) -> PageParts:
    """Return the comparison and the form for another one.

    Args:
        chosen: the names of the bots to compare.
        made: the comparison; None without one.
        groups: the bots that can be compared, by group.
        divisions: the divisions, each with whether it is the current one.
        problem: why the chosen bots cannot be compared.

    """
    here = next((each.id for each, is_here in divisions if is_here), None)
    return PageParts(
        "Compare" if made is None else "Compare " + ", ".join(chosen),
        {
            "compare": fragment(
                "compare_parts.html.j2",
                groups=groups or {},
                chosen=list(chosen),
                division=here,
                divisions=[
                    (each.label, compare_link(list(chosen), each.id), is_here)
                    for each, is_here in divisions
                ],
                problem=problem,
                sentences=[] if made is None else [each.sentence for each in made.versus],
                tables=[] if made is None else comparison_tables(made),
            )
        },
    )
