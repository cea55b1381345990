"""Conditions on games in the words of people: the options of a command, the fields of a form."""

from dataclasses import dataclass

from db.records.games import GameQuery
from db.store import Store
from engine.board import parse_board_class
from engine.errors import BoardError
from engine.result import Termination
from ladder.errors import UsageError
from ladder.results.overview.game_words import ENDINGS, FORFEIT, Mover, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """Conditions that all hold for a game; None: any game.

    `ladder games`, its page and `/api/games` read their conditions into it.
    """

    bot: str | None = None
    opponent: str | None = None
    result: Outcome | None = None
    side: Mover | None = None
    """Whether `bot` moved first or second."""
    ending: str | None = None
    """One of `ENDINGS`."""
    board: str | None = None
    """A board, or the class that it was drawn from."""
    shortest: int | None = None
    """Minimum of plies, the opening included."""
    longest: int | None = None
    run: int | None = None
    division: str | None = None
    """A number, a label or its beginning."""
    since: float | None = None
    """Seconds since the epoch."""
    upsets: bool = False
    """Only wins of bots to which the rating list gives a quarter of the points or less."""

    def __post_init__(self) -> None:
        """Refuse conditions that no game can fulfil.

        Raises:
            UsageError: with the name of the field.

        """
        if self.bot is None and (self.opponent or self.side):
            raise UsageError("opponent and side are conditions on a bot: name it with bot")
        if self.ending is not None and self.ending not in ENDINGS:
            raise UsageError(f"ending is one of {', '.join(ENDINGS)}, got {self.ending!r}")
        shortest, longest = self.shortest, self.longest
        if shortest is not None and longest is not None and shortest > longest:
            raise UsageError(
                f"no game has at least {self.shortest} and at most {self.longest} plies"
            )
        if self.board is not None:
            try:
                parse_board_class(self.board)
            except BoardError as error:
                raise UsageError(f"board: {error}") from error

    def query(self, store: Store, *, before: int | None = None) -> GameQuery:
        """Return the query of these conditions, for games of lower ids than `before`.

        Raises:
            UnknownRow: there is no such division.

        """
        division = None if self.division is None else store.divisions.find(self.division)
        won_by = None
        if self.upsets:  # loads the statistics, which no other condition needs
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
