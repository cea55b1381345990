"""Sets of openings that a run plays instead of random ones.

A file has one opening per line, a board and the columns played on it::

    6x7 3342
    6x7 01

Empty lines and lines that begin with ``#`` are ignored. The order of the lines does not matter:
files with the same openings are the same set.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.board import Board
from engine.errors import EngineError, OpeningError
from engine.position import Position, format_moves, parse_position

MOST_OPENINGS = 1_000_000
"""Largest size of a set; its shuffled order is held in memory."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A board and the columns with which both games of a pair begin."""

    board: Board
    moves: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.board} {format_moves(self.moves)}".rstrip()


@dataclass(frozen=True, slots=True)
class OpeningSet:
    """One or more different openings in canonical order; equal sets have equal hashes."""

    openings: tuple[Opening, ...]
    content_hash: str = field(init=False)
    """32 hex digits."""

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:32]
        object.__setattr__(self, "content_hash", digest)

    def __len__(self) -> int:
        return len(self.openings)

    @property
    def text(self) -> str:
        """The openings, one per line, for `parse_opening_set`."""
        return "".join(f"{opening}\n" for opening in self.openings)

    @property
    def boards(self) -> tuple[Board, ...]:
        """The different boards of the openings in canonical order."""
        return tuple(dict.fromkeys(opening.board for opening in self.openings))


def opening_set(openings: Iterable[Opening]) -> OpeningSet:
    """Build a set from different openings in any order."""
    return OpeningSet(tuple(sorted(openings, key=str)))


def parse_opening_set(text: str, most: int = MOST_OPENINGS) -> OpeningSet:
    """Parse the text of a file.

    Args:
        text: a line for each opening.
        most: largest number of openings.

    Raises:
        OpeningError: a line is not a playable opening or leads to the position of another line, or
            there are no openings or too many; the message names the line.

    """
    lines: dict[tuple[Board, tuple[int, int]], int] = {}
    openings = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        position = _position(number, line)
        former = lines.setdefault((position.board, position.stones), number)
        if former != number:
            raise OpeningError(f"line {number}: the position of line {former} again")
        if len(lines) > most:
            raise OpeningError(f"line {number}: a set has at most {most:,} openings")
        openings.append(Opening(position.board, position.moves))
    if not openings:
        raise OpeningError(
            "there are no openings: write one per line as board and moves, such as '6x7 3342'"
        )
    return opening_set(openings)


def _position(number: int, line: str) -> Position:
    try:
        position = parse_position(line)
    except EngineError as error:
        raise OpeningError(f"line {number}: {error}") from error
    if position.is_over:
        raise OpeningError(f"line {number}: the game is over after these moves")
    return position
