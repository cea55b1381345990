"""Results and terminations of games."""

from enum import Enum, StrEnum, auto
from typing import NamedTuple


class Result(StrEnum):
    """The result of a game for the first player."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"

    @property
    def points2(self) -> int:
        """Twice the first player's score: 0, 1 or 2."""
        return {Result.WIN: 2, Result.LOSS: 0, Result.DRAW: 1}[self]

    @property
    def mirrored(self) -> "Result":
        """The result for the second player."""
        return {Result.WIN: Result.LOSS, Result.LOSS: Result.WIN, Result.DRAW: Result.DRAW}[self]


class Loser(Enum):
    """Who loses a game that ends in some way."""

    BY_MOVES = auto()
    """The moves decide it, or make it a draw."""
    BY_RULE = auto()
    """A rule of its division decides it, or makes it a draw; see `db.invariants.BY_RULE`."""
    TO_MOVE = auto()
    """The side to move."""
    OFFENDER = auto()
    """The side that failed, which need not be to move: a forfeit."""
    NONE = auto()
    """The game has no result."""


class Termination(StrEnum):
    """The reason why a game ended, and all that follows from it."""

    FOUR_IN_A_ROW = "four_in_a_row", Loser.BY_MOVES, "four in a row"
    BOARD_FULL = "board_full", Loser.BY_MOVES, "board full"
    TIMEOUT = "timeout", Loser.OFFENDER, "timeout", "took too long"
    CRASH = "crash", Loser.OFFENDER, "crash", "crashed"
    ILLEGAL_MOVE = "illegal_move", Loser.OFFENDER, "illegal move", "made an illegal move"
    PROTOCOL_ERROR = "protocol_error", Loser.OFFENDER, "protocol error", "broke the protocol"
    MEMORY = "memory", Loser.OFFENDER, "memory", "used too much memory"
    RESIGNED = "resigned", Loser.TO_MOVE, "resignation", "resigned"
    ADJUDICATED = "adjudicated", Loser.BY_RULE, "adjudication"
    ABORTED = "aborted", Loser.NONE, "aborted"
    """Neither bot's fault: not rated, and the pair is played again."""

    loser: Loser
    noun: str
    """Words to follow *by*."""
    predicate: str
    """What the loser did, as the predicate of a sentence; "" if it was beaten on the board."""

    def __new__(
        cls, word: str, loser: Loser = Loser.NONE, noun: str = "", predicate: str = ""
    ) -> "Termination":
        """Create a member with its stored word as its value."""
        self = str.__new__(cls, word)
        self._value_ = word
        self.loser, self.noun, self.predicate = loser, noun, predicate
        return self

    @classmethod
    def _missing_(cls, value: object) -> "Termination | None":
        """Return what a word of former versions counts as: a bot that pondered used its time up."""
        return cls.TIMEOUT if value == "pondering" else None

    @property
    def is_forfeit(self) -> bool:
        """Whether the loser failed instead of losing on the board."""
        return self.loser is Loser.OFFENDER


FORFEITS = tuple(each for each in Termination if each.is_forfeit)
"""The forfeits in the order of reports."""


class Ending(NamedTuple):
    """The end of a game on the board."""

    result: Result
    """The result for the first player."""
    termination: Termination
    """`FOUR_IN_A_ROW` or `BOARD_FULL`."""
