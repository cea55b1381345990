"""Conditions on games as addresses carry them."""

from dataclasses import dataclass
from enum import StrEnum

from db.records.games import GameQuery
from db.store import Store
from engine.result import Result, Termination
from ladder.web.border.moments import moment_of
from ladder.web.border.parameters import Parameters
from ladder.web.errors import Refused

MOST_PLIES = 144


class Outcome(StrEnum):
    """A result from the side of the bot; without one from the side that moved first."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"

    @property
    def result(self) -> Result:
        """The result that is meant."""
        return _RESULTS[self]


_RESULTS = {
    Outcome.WON: Result.WIN,
    Outcome.WIN: Result.WIN,
    Outcome.LOST: Result.LOSS,
    Outcome.LOSS: Result.LOSS,
    Outcome.DRAWN: Result.DRAW,
    Outcome.DRAW: Result.DRAW,
}


class Mover(StrEnum):
    """Which side the bot had."""

    FIRST = "first"
    SECOND = "second"


FORFEIT = "forfeit"
"""Any ending by failing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The conditions; None: any game."""

    bot: str | None
    opponent: str | None
    result: Outcome | None
    side: Mover | None
    ending: str | None
    board: str | None
    shortest: int | None
    longest: int | None
    run: int | None
    division: str | None
    since: str | None

    @classmethod
    def read(cls, given: Parameters) -> "Filters":
        """The conditions of a request. Raises Refused."""
        found = cls(
            bot=given.text("bot"),
            opponent=given.text("opponent"),
            result=given.choice("result", Outcome),
            side=given.choice("side", Mover),
            ending=given.text("ending"),
            board=given.text("board"),
            shortest=given.number("shortest", high=MOST_PLIES),
            longest=given.number("longest", high=MOST_PLIES),
            run=given.number("run", low=1),
            division=given.text("division"),
            since=given.text("since"),
        )
        if found.bot is None and (found.opponent or found.side):
            raise Refused("opponent and side are about a bot: name it with bot=")
        if found.ending not in (None, FORFEIT, *(each.value for each in Termination)):
            words = ", ".join((FORFEIT, *(each.value for each in Termination)))
            raise Refused(f"ending is one of {words}")
        if found.since is not None:
            moment_of(found.since)
        return found

    def query(self, store: Store, before: int | None) -> GameQuery:
        """The question to the store, about games of lower ids than `before`.

        Raises:
            UnknownRow: the division is not there.

        """
        forfeit = self.ending == FORFEIT
        return GameQuery(
            bot=self.bot,
            opponent=self.opponent,
            result=None if self.result is None else self.result.result,
            forfeit=forfeit,
            since=None if self.since is None else moment_of(self.since),
            run_id=self.run,
            division_id=None if self.division is None else store.divisions.find(self.division).id,
            before=before,
            moved_first=None if self.side is None else self.side is Mover.FIRST,
            board=self.board,
            termination=None if self.ending is None or forfeit else Termination(self.ending),
            shortest=self.shortest,
            longest=self.longest,
        )

    def given(self) -> dict[str, str]:
        """The conditions as an address carries them."""
        return {
            name: str(value)
            for name in self.__slots__
            if (value := getattr(self, name)) is not None
        }
