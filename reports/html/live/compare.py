"""Bots side by side."""

from collections.abc import Sequence

from ladder.results.standings.comparison import Comparison
from reports.html.live.parts import PageParts, fragment
from reports.html.report import comparison_tables


def compare_parts(
    made: Comparison | None, names: Sequence[str], chosen: Sequence[str]
) -> PageParts:
    """The comparison, and the form that asks for another one.

    Args:
        made: None: nothing is asked for yet.
        names: of all bots that can be compared.
        chosen: of those that are.

    """
    return PageParts(
        "Compare" if made is None else "Compare " + ", ".join(chosen),
        {
            "compare": fragment(
                "compare_parts.html.j2",
                names=names,
                chosen=list(chosen),
                label="" if made is None else made.label,
                sentences=[]
                if made is None
                else [each.sentence.replace("+-", "±") for each in made.versus],
                tables=[] if made is None else comparison_tables(made),
            )
        },
    )
