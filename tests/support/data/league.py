"""Databases of invented games with known results, made without playing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from bots.protocol import Budget
from db.records import thought_blob
from db.records.bots import NewBot, NewRevision
from db.records.games import GameRecord, LastOutput, SideSums, Thought
from db.records.launch import Launch, Start
from db.records.pairs import Entrant, PairPlan, PairRecord, PlannedPair
from db.records.run_settings import settings_of
from db.records.runs import Conditions, NewRun, RunKind, RunRow, RunStatus
from db.store import Store
from engine.result import Result, Termination
from tests.support.storing import finish_pair

BOARD = "6x7"
SCORES = {"1-0": Result.WIN, "0-1": Result.LOSS, "1/2": Result.DRAW}
LAST_WORDS = LastOutput("invented\x1b[31m words", ('> {"type":"move","ply":8}', "< what?"))
"""Of every invented failure."""
LAUNCH = Launch(command=("true",), folder="/")


@dataclass(frozen=True)
class Game:
    """One game of a pair."""

    score: str
    """1-0, 0-1 or 1/2, the first mover's points first."""
    by: Termination | None = None
    """None: on the board."""
    plies: int = 9


class League:
    """An open database with bots by name and pairs as the test wants them."""

    def __init__(self, path: object, *names: str) -> None:
        self.store = Store.open(str(path))
        self.revisions = {name: self.add(name) for name in names}
        self._pairs = 0
        self._started = 1_700_000_000.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.store.close()

    def add(self, name: str, based_on: str | None = None, change: str = "") -> int:
        """Register a bot and return its revision's id."""
        revision = NewRevision(content_of(name), LAUNCH, ("time",))
        new = NewBot(name, "exec", f"exec:{name}", revision, based_on, change)
        return self.store.bots.add(new).revision.id

    def run(
        self,
        *,
        kind: RunKind = RunKind.LADDER,
        boards: str = BOARD,
        note: str = "",
        time_ms: int = 100,
        bots: Sequence[str] = (),
        settings: Mapping[str, object] | None = None,
        stream: str = "",
    ) -> RunRow:
        """Create a run of these or all bots; matches and gates are not rated.

        It has a stream of its own unless it is to continue that of another run.
        """
        division = self.store.divisions.ensure(Conditions(boards, 0, {"time_ms": time_ms}))
        number = len(self.store.runs.find()) + 1
        names = {name: content_of(name) for name in bots or self.revisions}
        return self.store.runs.create(
            NewRun(
                kind=kind,
                rated=kind is RunKind.LADDER,
                stream=stream or f"stream {number}",
                identity=f"identity {number}",
                settings=settings_of(
                    kind, {"bots": names, "pairing": "random", **(settings or {})}
                ),
                seed=number,
                division_id=division.id,
                target_games=100,
                note=note,
            )
        )

    def end(self, run: RunRow, status: RunStatus = RunStatus.FINISHED) -> None:
        """Mark a run as ended."""
        self.store.runs.set_status(run.id, status)

    def pair(
        self,
        run: RunRow,
        a: str,
        b: str,
        *scores: "str | Game",
        repeat: bool = False,
    ) -> tuple[int, ...]:
        """Store a pair, A moving first in its first game; return the ids of the two games.

        Every pair has moves of its own unless `repeat` says that they are those of the last one.
        """
        self._pairs += not repeat
        plan = PlannedPair(self.revisions[a], self.revisions[b], BOARD, BOARD, (), seed=self._pairs)
        (row,) = self.store.pairs.plan(run.id, 1, lambda _: plan)
        first, second = (score if isinstance(score, Game) else Game(score) for score in scores)
        sides = [
            Entrant(self.revisions[name], name, Start(("true",), "/"), Budget(time_ms=100))
            for name in (a, b)
        ]
        finished = finish_pair(
            self.store,
            PairPlan(row, *sides),
            PairRecord(
                row.id,
                row.number,
                (self._record(first, swapped=False), self._record(second, swapped=True)),
            ),
        )
        return finished or ()

    def pairs(self, run: RunRow, a: str, b: str, count: int, *scores: "str | Game") -> None:
        """Store several pairs of the same results."""
        for _ in range(count):
            self.pair(run, a, b, *scores)

    def _record(self, game: Game, *, swapped: bool) -> GameRecord:
        result = SCORES[game.score]
        ending = Termination.BOARD_FULL if result is Result.DRAW else Termination.FOUR_IN_A_ROW
        self._started += 1
        return GameRecord(
            swapped=swapped,
            moves=_moves(2 * self._pairs + swapped, game.plies),
            result=result,
            termination=game.by or ending,
            sides=(_stats(-(-game.plies // 2)), _stats(game.plies // 2)),
            thoughts=thought_blob.encode([Thought(10_000, 0.25, 1000, 5)] * game.plies),
            started=self._started,
            duration_us=10_000 * game.plies,
            detail="" if game.by is None else "an invented failure",
            last_output=None if game.by is None else LAST_WORDS,
        )


def content_of(name: str) -> str:
    """Return the content hash of a bot that was registered under a name."""
    return f"content of {name}"


def _stats(moves: int) -> SideSums:
    return SideSums(
        moves=moves,
        time_us=10_000 * moves,
        max_us=10_000 if moves else 0,
        simulations=1000 * moves,
        searched_us=10_000 * moves,
    )


def _moves(number: int, plies: int) -> tuple[int, ...]:
    """Return legal columns that differ from pair to pair."""
    columns: list[int] = []
    while len(columns) < plies:
        columns.append((number + len(columns)) % 7)  # shifted, since a column has room for six
        number //= 7
    return tuple(columns)


def names(count: int) -> Sequence[str]:
    """Return names of bots: s01, s02, ..."""
    return [f"s{number:02}" for number in range(1, count + 1)]
