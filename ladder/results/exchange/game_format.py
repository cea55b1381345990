"""The formats in which games are written to files. Imports nothing: the command line reads it."""

from enum import StrEnum


class GameFormat(StrEnum):
    """How games are written; the value is the suffix of such files."""

    PGN = "pgn"
    CSV = "csv"
    JSONL = "jsonl"
