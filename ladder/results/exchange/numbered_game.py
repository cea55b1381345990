"""A game with its line in a file, and the refusal of a line."""

from dataclasses import dataclass

from db.records.exchange import GameLine
from ladder.errors import UsageError


@dataclass(frozen=True, slots=True)
class NumberedGame:
    """A game and the line of the file at which it begins, from 1."""

    line: int
    game: GameLine


class ImportRefused(UsageError):
    """A file that cannot be imported: which line, and why."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(f"{name}, line {line}: {why}; nothing was imported")
