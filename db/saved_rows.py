"""A game of a person as the store takes and gives it."""

from collections.abc import Mapping
from dataclasses import dataclass

from db.records import Thought
from engine.result import Result, Termination

PERSON = "person"
"""What a person is called in a saved game."""


@dataclass(frozen=True, slots=True)
class NewSavedGame:
    """A finished game of a person against a bot."""

    revision: int
    """Of the bot."""
    bot_side: int
    """0: the bot moved first."""
    board: str
    budget: Mapping[str, int]
    """Of the bot for one move, such as ``{"time_ms": 100}``."""
    seed: int
    moves: tuple[int, ...]
    result: Result
    """From the first player's side."""
    termination: Termination
    detail: str
    started_at: float
    duration_us: int
    thoughts: tuple[Thought, ...]
    """One per move; a person's hold the time alone."""


@dataclass(frozen=True, slots=True)
class SavedGameRow:
    """The same as it is stored; what it shares with `GameRow` has the same name."""

    key: int
    bot: str
    """Its name."""
    bot_side: int
    board: str
    budget: Mapping[str, int]
    seed: int
    moves: tuple[int, ...]
    result: Result
    termination: Termination
    detail: str
    started_at: float
    duration_us: int
    thoughts: tuple[Thought, ...]

    @property
    def id(self) -> str:
        """As people write it: ``p3``; the games of pairs have bare numbers."""
        return f"p{self.key}"

    @property
    def first(self) -> str:
        """Who moved first."""
        return PERSON if self.bot_side else self.bot

    @property
    def second(self) -> str:
        """Who moved second."""
        return self.bot if self.bot_side else PERSON

    @property
    def opening_plies(self) -> int:
        """No ply of such a game was drawn at random."""
        return 0
