"""Sums over one side's moves, in a game or in all games against one opponent."""

from typing import Annotated

import msgspec
from msgspec import Meta

from engine.result import FORFEITS

COUNT_LIMIT = 1 << 53
Count = Annotated[int, Meta(ge=0, lt=COUNT_LIMIT)]
"""A count that JSON, the database and a float hold exactly."""


class SideSums(msgspec.Struct, forbid_unknown_fields=True, array_like=True):
    """Sums over one side's moves in one game; in JSON an array of these five numbers."""

    moves: Count = 0
    time_us: Count = 0
    """Wall time of all moves, measured by the harness."""
    max_us: Count = 0
    """Wall time of the longest move."""
    simulations: Count = 0
    """Simulations, or nodes for players that count those; 0 if the bot reports none."""
    searched_us: Count = 0
    """Wall time of the moves for which simulations or nodes were reported."""


class SideTotals(SideSums, kw_only=True):
    """Sums over one bot's moves against one opponent, and its forfeits."""

    failures: dict[str, int] = {}
    """Forfeited games by termination; kinds without a game may be missing."""

    @property
    def forfeits(self) -> dict[str, int]:
        """Forfeited games by kind, with zeros, in the order of reports."""
        return {kind.value: self.failures.get(kind.value, 0) for kind in FORFEITS}
