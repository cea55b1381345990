"""Solved positions and the verdicts on moves, on their way into the store and out of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """Bounds on the value of every column of a position, from the side to move."""

    key: bytes
    """16 bytes that equal and mirrored positions share."""
    solver_version: int
    nodes: int
    """The most nodes that might be spent on it."""
    bounds: bytes
    """Bounds of the canonical mirror image, packed by `ladder.results.analysis.solved`."""


@dataclass(frozen=True, slots=True)
class GameVerdict:
    """The verdicts on all moves of a game after its opening."""

    game_id: int
    solver_version: int
    nodes: int
    """The most nodes that might be spent on a position of it."""
    moves: bytes
    """Packed by `ladder.results.analysis.verdict`."""


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game with its verdicts, as far as statistics need it."""

    game_id: int
    pair_id: int
    first_revision: int
    second_revision: int
    board: str
    opening_plies: int
    result: str
    """win, loss or draw from the first player's side."""
    termination: str
    moves: bytes
    """Packed by `ladder.results.analysis.verdict`."""


@dataclass(frozen=True, slots=True)
class GameToAnalyse:
    """A game that may be analysed, with what is known of it."""

    id: int
    board: str
    nodes: int
    """The most nodes for a position behind its stored verdicts; 0 if it has none of this solver."""


@dataclass(frozen=True, slots=True)
class AnalysisQuery:
    """The games to analyse."""

    division_id: int
    solver_version: int
    bots: tuple[str, ...] = ()
    """Names; at least one of a game's players is among them. Empty: any."""
    games: int | None = None
    """At most N games, the newest, analysed or not; None: all."""
    rated_only: bool = False
    """Whether games outside the rating list are left out."""
