"""Sums over the moves of one side: of a game, and of all games against one opponent."""

from typing import Annotated

import msgspec
from msgspec import Meta

from engine.result import FORFEITS

COUNT_LIMIT = 1 << 53
Count = Annotated[int, Meta(ge=0, lt=COUNT_LIMIT)]
"""Of games, plies, microseconds: what JSON, the database and a float hold exactly."""


class SideSums(msgspec.Struct, forbid_unknown_fields=True, array_like=True):
    """Sums over one side's moves in one game; in JSON an array of these five."""

    moves: Count = 0
    time_us: Count = 0
    """Wall time of all moves, by the harness's clock."""
    max_us: Count = 0
    """Of the longest move."""
    simulations: Count = 0
    """Simulations, or nodes for players that count those; 0 when the bot tells nothing."""
    searched_us: Count = 0
    """Wall time of the moves that told any simulations or nodes."""


class SideTotals(SideSums, kw_only=True):
    """Sums over one bot's moves against one opponent, and its games lost by failing."""

    failures: dict[str, int] = {}
    """Games lost by failing, by termination; kinds without a game may be missing."""

    @property
    def forfeits(self) -> dict[str, int]:
        """Games lost by failing, by every kind of failure, in the order of reports."""
        return {kind.value: self.failures.get(kind.value, 0) for kind in FORFEITS}
