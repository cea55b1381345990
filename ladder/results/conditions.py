"""Conditions on games as users write them, in options of a command or fields of a form."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from db.errors import UnknownRow
from db.records.games import GameQuery, GameRow, SideSums, Thought
from db.store import Store
from engine.board_class import parse_board_class
from engine.errors import BoardError
from engine.position import Position
from engine.result import Result, Termination
from ladder.errors import UsageError

FORFEIT = "forfeit"
"""Any kind of forfeit."""
ENDINGS = (FORFEIT, *(each.value for each in Termination if each is not Termination.ABORTED))


class BotResult(StrEnum):
    """A result for the bot, or without a bot for the first player."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"

    # The words of stored results and of JSON output are accepted, too.
    @classmethod
    def _missing_(cls, value: object) -> "BotResult | None":
        return {"win": cls.WON, "loss": cls.LOST, "draw": cls.DRAWN}.get(str(value))

    @property
    def result(self) -> Result:
        """The result as it is stored."""
        return {self.WON: Result.WIN, self.LOST: Result.LOSS, self.DRAWN: Result.DRAW}[self]


class Mover(StrEnum):
    """Which move of a game the bot makes, the first or the second."""

    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """Conditions on games, joined by *and*; None means any.

    `ladder games`, its page and `/api/games` use it.
    """

    bot: str | None = None
    opponent: str | None = None
    result: BotResult | None = None
    side: Mover | None = None
    """Whether `bot` moved first or second."""
    ending: str | None = None
    """One of `ENDINGS`."""
    board: str | None = None
    """A board, or the class that boards were drawn from."""
    shortest: int | None = None
    """Minimum number of plies, including the opening."""
    longest: int | None = None
    """Maximum number of plies, including the opening."""
    run: int | None = None
    division: str | None = None
    """The number of a division, its label or the beginning of it."""
    since: float | None = None
    """Earliest start in seconds since the epoch."""
    upsets: bool = False
    """Whether to find only upsets: wins with an expected score of at most 0.25."""

    def __post_init__(self) -> None:
        """Check the conditions.

        Raises:
            UsageError: a condition is invalid, or contradicts another one.

        """
        if self.bot is None and (self.opponent or self.side):
            raise UsageError("opponent and side need a bot: name one")
        if self.ending is not None and self.ending not in ENDINGS:
            raise UsageError(
                f"it must be one of {', '.join(ENDINGS)}, got {self.ending!r}", "ending"
            )
        shortest, longest = self.shortest, self.longest
        if shortest is not None and longest is not None and shortest > longest:
            raise UsageError(
                f"no game has at least {shortest} and at most {longest} plies: swap the limits"
            )
        if self.board is not None:
            try:
                parse_board_class(self.board)
            except BoardError as error:
                raise UsageError(str(error), "board") from error

    def query(self, store: Store, *, before: int | None = None) -> GameQuery:
        """Return these conditions as a query for games with ids below `before`.

        Raises:
            UnknownRow: there is no such division.

        """
        division = None if self.division is None else store.divisions.find(self.division)
        won_by = None
        if self.upsets:  # imported only here, as it loads the statistics
            from ladder.results.standings.division import possible_upsets

            won_by = possible_upsets(store, division)
        is_forfeit = self.ending == FORFEIT
        return GameQuery(
            bot=self.bot,
            opponent=self.opponent,
            result=None if self.result is None else self.result.result,
            forfeit=is_forfeit,
            since=self.since,
            run_id=self.run,
            division_id=None if division is None else division.id,
            won_by=won_by,
            before=before,
            moved_first=None if self.side is None else self.side is Mover.FIRST,
            board=None if self.board is None else str(parse_board_class(self.board)),
            termination=None if self.ending is None or is_forfeit else Termination(self.ending),
            shortest=self.shortest,
            longest=self.longest,
        )


@dataclass(frozen=True, slots=True)
class Found:
    """A page of found games, newest first."""

    games: Sequence[GameRow]
    next: int | None
    """The id below which the next page begins; None if there are no more games."""


def search(store: Store, query: GameQuery, limit: int) -> Found:
    """Return the newest games that fit, at most `limit` of them.

    Raises:
        UnknownRow: the query names an unknown bot or run.

    """
    games = store.games.newest(query, limit + 1)
    if len(games) <= limit:
        return Found(games, None)
    return Found(games[:limit], games[limit - 1].id)


MOST_DIGITS = 18
"""Any such number fits in 64 bits, as keys do."""


def find_game(store: Store, word: str) -> GameRow:
    """Return the game with a number such as ``12``.

    Raises:
        UnknownRow: there is no such game.

    """
    if word.isascii() and word.isdecimal() and len(word) <= MOST_DIGITS:
        row = store.games.get(int(word))
        if row is not None:
            return row
    raise UnknownRow(f"there is no game {word[:40]!r}: choose one on the page of games")


def unstored_game(
    position: Position, names: tuple[str, str], thoughts: Sequence[Thought] = ()
) -> GameRow:
    """Return the game that led to a position in the form of a stored game, with the number 0."""
    result, termination = position.ending or (Result.DRAW, Termination.ABORTED)
    return GameRow(
        id=0,
        pair_id=0,
        run_id=0,
        division_id=0,
        rated=False,
        game=0,
        first_revision=0,
        second_revision=0,
        first=names[0],
        second=names[1],
        board=str(position.board),
        board_class=str(position.board),
        moves=position.moves,
        opening_plies=0,
        seed=0,
        result=result,
        termination=termination,
        detail="",
        offender=None,
        started_at=0.0,
        duration_us=0,
        sides=(SideSums(), SideSums()),
        thoughts=tuple(thoughts),
    )
