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


class SideTotals(SideSums):
    """Sums over one bot's moves against one opponent, and its games lost by failing."""

    timeout: int = 0
    crash: int = 0
    illegal_move: int = 0
    protocol_error: int = 0
    memory: int = 0
    pondering: int = 0

    @property
    def forfeits(self) -> dict[str, int]:
        """Games lost by failing, by termination, in the order in which reports list them."""
        return {reason.value: getattr(self, reason.value) for reason in FORFEITS}
