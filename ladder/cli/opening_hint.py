"""The hint that fewer games are enough with balanced openings."""

from typing import TYPE_CHECKING

from ladder.cli.output import print_error

if TYPE_CHECKING:
    from ladder.runs.settings import Settings


def propose_openings(settings: "Settings") -> None:
    """Propose the shipped openings for an experiment on their boards that chose no openings."""
    from ladder.match.openings.openings_file import has_shipped

    has_chosen = settings.openings is not None or settings.opening_plies is not None
    if not has_chosen and all(map(has_shipped, settings.boards)):
        print_error(
            "hint: --openings balanced leaves fewer pairs drawn, which usually takes fewer games; "
            "its games are a division of their own"
        )
