"""The hint that fewer games are enough with balanced openings."""

from ladder.cli.output import print_error
from ladder.match.openings.openings_file import has_shipped
from ladder.runs.settings import Settings


def propose_openings(settings: Settings) -> None:
    """Propose the shipped openings for an experiment on their boards that chose no openings."""
    has_chosen = settings.openings is not None or settings.opening_plies is not None
    if not has_chosen and all(map(has_shipped, settings.boards)):
        print_error(
            "hint: --openings balanced leaves fewer pairs drawn, which usually takes fewer games; "
            "its games are a division of their own"
        )
