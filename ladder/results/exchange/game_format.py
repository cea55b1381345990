"""The formats of game files. Imports nothing heavy, as command lines need it."""

from enum import StrEnum


class GameFormat(StrEnum):
    """A format of game files; the value is their usual suffix."""

    PGN = "pgn"
    CSV = "csv"
    JSONL = "jsonl"
