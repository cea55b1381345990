"""A game with its line in a file, and the error about a line."""

from dataclasses import dataclass

from db.records.exchange import GameLine
from ladder.errors import UsageError


@dataclass(frozen=True, slots=True)
class NumberedGame:
    """A game and the number of its first line in the file, from 1."""

    line: int
    game: GameLine


class ImportRefused(UsageError):
    """A file that cannot be imported because of a line."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(f"{name}, line {line}: {why}; nothing was imported")
