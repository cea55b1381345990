"""Records of solved positions and of verdicts on moves."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """Bounds on the value of every column of a position, for the side to move.

    Its fields are the columns of the table.
    """

    key: bytes
    """16 bytes, equal for mirrored positions."""
    solver_version: int
    nodes: int
    """Node limit of the search."""
    bounds: bytes
    """Bounds in the key's orientation, packed by `ladder.results.analysis.verdict`."""


@dataclass(frozen=True, slots=True)
class GameVerdict:
    """The verdicts on all moves of a game after its opening. Its fields are the table's columns."""

    game_id: int
    solver_version: int
    nodes: int
    """Node limit for each position."""
    moves: bytes
    """Packed by `ladder.results.analysis.verdict`."""


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """The parts of a game and its verdicts that statistics need."""

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
    """A game that can be analysed."""

    id: int
    board: str
    nodes: int
    """Node limit of its stored verdicts; 0 if this solver version has none."""
