"""The hint that fewer games are enough with balanced openings."""

import contextlib
import time

from engine.cache import cache_root
from ladder.cli.output import print_error
from ladder.experiments.gate.result import GateResult
from ladder.match.openings.openings_file import has_shipped
from ladder.runs.settings import RunSettings

FEWEST_PAIRS = 20
"""Pairs from which their results show whether balanced openings pay."""
DAY_S = 86_400.0


def propose_openings(settings: RunSettings, result: GateResult) -> None:
    """Propose the shipped openings after a gate in which at least half of the pairs were tied.

    The hint is printed once a day at most, and not if openings were chosen.
    """
    has_chosen = settings.openings is not None or settings.opening_plies is not None
    pairs = sum(each.pairs for each in result.baselines)
    tied = sum(each.pentanomial[2] for each in result.baselines)
    pays = pairs >= FEWEST_PAIRS and 2 * tied >= pairs
    if has_chosen or not pays or not all(map(has_shipped, settings.boards)):
        return
    if _is_due():
        print_error(
            f"hint: {tied} of {pairs} pairs were tied; with --openings balanced fewer are, which "
            "takes fewer games; its games are a division of their own"
        )


def _is_due() -> bool:
    """Return whether the last hint is a day old, and remember this one."""
    mark = cache_root() / "opening-hint"
    with contextlib.suppress(OSError):
        if time.time() - mark.stat().st_mtime < DAY_S:
            return False
    with contextlib.suppress(OSError):  # without a cache folder each gate may give the hint
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return True
