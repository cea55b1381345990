"""Makes databases of games whose moves the test chooses."""

from collections.abc import Sequence

from bots.protocol import Budget
from db.records import thought_blob
from db.records.bots import NewBot, NewRevision
from db.records.games import GameRecord, SideSums, Thought
from db.records.launch import Launch, Start
from db.records.pairs import Entrant, PairPlan, PairRecord, PlannedPair
from db.records.run_settings import StoredSettings
from db.records.runs import Conditions, DivisionRow, NewRun, RunKind
from db.store import Store
from engine.board import parse_board
from engine.position import Position, parse_moves
from engine.seeds import SplitMix
from tests.support.storing import finish_pair

LAUNCH = Launch(command=("true",), folder="/")
BOTS = ("one", "two")


def random_moves(board: str, seed: int) -> tuple[int, ...]:
    """Return the moves of a random game."""
    random, position = SplitMix(seed), Position(parse_board(board))
    while not position.is_over:
        position = position.play(random.choice(position.legal_moves()))
    return position.moves


class Games:
    """A database with two bots and a run, to which pairs of games are added."""

    def __init__(self, store: Store, board: str, *, is_rated: bool = True) -> None:
        self.store, self.board = store, board
        self.revisions = [
            store.bots.add(
                NewBot(name, "exec", f"exec:{name}", NewRevision(name, LAUNCH, ("time",)))
            ).revision.id
            for name in BOTS
        ]
        self.division: DivisionRow = store.divisions.ensure(Conditions(board, 0, {"time_ms": 100}))
        self.run = store.runs.create(
            NewRun(RunKind.LADDER, is_rated, "s", "i", StoredSettings(), 1, self.division.id, 100)
        )

    def add(
        self, *games: str | Sequence[int], thoughts: Sequence[Thought] | None = None
    ) -> tuple[int, ...]:
        """Store a pair whose first game has the moves `one`; return the numbers of both games."""
        both = [parse_moves(game) if isinstance(game, str) else tuple(game) for game in games]
        a, b = self.revisions
        plan = PlannedPair(a, b, self.board, self.board, (), seed=1)
        (row,) = self.store.pairs.plan(self.run.id, 1, lambda _: plan)
        start = Start(("true",), "/")
        sides = [Entrant(own, str(own), start, Budget(time_ms=100)) for own in (a, b)]
        planned = PairPlan(row, *sides)
        records = tuple(
            self._record(moves, swapped=bool(place), thoughts=thoughts)
            for place, moves in enumerate((both * 2)[:2])
        )
        record = PairRecord(row.id, row.number, (records[0], records[1]))
        return finish_pair(self.store, planned, record) or ()

    def _record(
        self, moves: tuple[int, ...], *, swapped: bool, thoughts: Sequence[Thought] | None
    ) -> GameRecord:
        ending = Position.from_moves(parse_board(self.board), moves).ending
        assert ending is not None
        return GameRecord(
            swapped=swapped,
            moves=moves,
            result=ending.result,
            termination=ending.termination,
            sides=(SideSums(), SideSums()),
            thoughts=thought_blob.encode(thoughts or [Thought(1)] * len(moves)),
            started=1e9,
            duration_us=1,
        )
