"""Conditions on games as users write them, in options of a command or fields of a form."""

from dataclasses import dataclass

from db.records.games import GameQuery
from db.store import Store
from engine.board import parse_board_class
from engine.errors import BoardError
from engine.result import Termination
from ladder.errors import UsageError
from ladder.results.overview.game_words import ENDINGS, FORFEIT, BotResult, Mover


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
            from ladder.results.standings.upsets import possible_upsets

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
